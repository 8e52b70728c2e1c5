"""The benchmarks, run by ``python -m benchmarks.NAME``: each prints its arguments and verifies what it measures."""

"""Seeded workloads: generators of expressions and events, used by tests, benchmarks and the demo alike.

A workload is named and frozen; a changed one gets a new name. May import every other room but ``spark`` and ``cli``.
"""

"""Seeded workloads: generators of expressions and events, used by tests, benchmarks and the demo alike.

``exchange`` is an ad exchange that people can read; ``exchange_words`` is its vocabulary; ``demo`` shows it at work.

A workload is named and frozen; a changed one gets a new name. May import every other room but ``spark`` and ``cli``.
"""

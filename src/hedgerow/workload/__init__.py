"""Seeded workloads: generators of expressions and events, used by tests, benchmarks, commands and the demo alike.

``exchange`` is an ad exchange that people can read; ``exchange_words`` is its vocabulary; ``demo`` shows it at work.
``abe`` is the generator of the A-Tree paper, with named presets; that of another paper is a file beside it:
``contracts`` is that of the k-index paper, ``begen`` that of the BE-Tree paper, ``marketplace`` that of the OpIndex
paper, and ``nested`` that of the paper of Dewey and Interval IDs. ``targeting``, ``trees``, ``ranges`` and ``logs`` are
rules as people write them; ``rules`` is a table of these and of others by name, as benchmarks want them. ``draw`` draws
one thing after the other, ``numbered`` whole arrays in any order.

A workload is named and frozen; a changed one gets a new name. May import every other room but ``spark`` and ``cli``.
"""

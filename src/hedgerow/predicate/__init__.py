"""One test on one attribute: predicates made ready for testing, and their outcomes on events.

``table_cy`` prepares the operands of a graph's predicates once (lists sorted, patterns folded, regular expressions
compiled); ``outcome_cy`` tests prepared predicates against encoded events, without the GIL, and scores those that carry
weights. Engines build on both.

May import ``errors``, ``limits``, ``values``, ``arrays_cy``, ``symbols_cy``, ``language`` and ``event``.
"""

"""Tests on one attribute: predicates made ready for testing, their outcomes on events, and finding those that hold.

``table_cy`` prepares the operands of a graph's predicates once (lists sorted, patterns folded, regular expressions
compiled); ``outcome_cy`` tests prepared predicates against encoded events, without the GIL, and scores those that carry
weights. ``finder_cy`` finds the literals that hold without testing each: values by hash, ranges by sorted bounds
(``ranges_cy``), patterns by automata (``patterns_cy``), absence by attribute. Engines build on all of it.

May import ``errors``, ``limits``, ``values``, ``arrays_cy``, ``lists_cy``, ``symbols_cy``, ``language`` and ``event``.
"""

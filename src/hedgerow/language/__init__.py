"""What people write and mean: expressions, their text, their value on an event, and why.

Text comes in by ``parse``, Python by ``build``; both make the objects of ``expression``, which ``format`` and
``json_form`` write. ``evaluate`` is the oracle, ``score`` the oracle of scores, ``explain`` tells which part decided.
``graph_cy`` holds expressions as arrays for the engines, and ``rewrite`` has the passes over it.

May import the ground floor (errors, limits, values, arrays, symbols); only the oracles ``evaluate``
and ``relate`` also ``event``.
"""

"""The limits of the language, in one place. Each is enforced before anything is changed.

More than that raises ``LimitError``, or ``EventError`` where it is an event that has more.

They are far above what people write; they exist so that no input can exhaust the process.
"""

from __future__ import annotations

MAX_TEXT_BYTES = 1 << 28
"""Bytes (UTF-8) of one expression's text: 256 MiB."""

MAX_DEPTH = 1 << 17
"""Levels of operators in one expression: 131,072."""

MAX_WAITING = 1 << 19
"""Open parentheses and unfinished operators at any place of a text: 524,288."""

MAX_EVENT_MAPPINGS = 1 << 16
"""Mappings in one event, nested ones included; one that stands in several places counts in each: 65,536."""

MAX_LIST = 1 << 21
"""Values in one list, of an expression (``IN``, ``ANY OF``, ...) or of an event: 2,097,152."""

MAX_NAME_BYTES = 1 << 12
"""Bytes (UTF-8) of one attribute name: 4,096."""

MAX_PATTERN_BYTES = 1 << 10
"""Bytes (UTF-8) of one LIKE or ILIKE pattern: 1,024. At worst 64 of its characters cost a step for each of a text."""

MAX_REGEX_BYTES = 1 << 20
"""Bytes that RE2 may hold for one regular expression, its automaton included: 1,048,576."""

MAX_CLAUSES = 10_000
"""Clauses that a normal form (DNF, CNF) may have, unless the caller says otherwise: 10,000."""

MAX_LABELS = 1 << 20
"""Literals of one expression as a tree, for the engines `bop`, `dewey` and `interval`: 1,048,576. What stands in
several places counts in each, so XOR of n operands has n * n."""

MAX_LABEL_LEVELS = 1 << 25
"""Levels above all literals of one expression, added up, for the engine `dewey`: 33,554,432."""

MAX_DIAGRAM_STEPS = 1 << 20
"""Steps in which the decision diagram of one expression is made, for the engine `bdd`: 1,048,576. Each makes a node at
most."""

MAX_DRAWN_NODES = 2_000
"""Nodes in a picture of an index, unless the caller says otherwise: 2,000."""

MAX_WRITTEN_PARTS = 1 << 24
"""Parts of an expression that is written out as text. Shared parts count each time they appear."""

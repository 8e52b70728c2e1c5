"""Trees of AND and OR over conjunctions, each made so that one event of many matches it.

After Section 5.1 of Fontoura et al., "Efficiently Evaluating Complex Boolean Expressions" (SIGMOD 2010), which made
them of statistics that were never published. The root is an AND, AND and OR take turns, and all leaves are at one
depth. What the paper leaves open, and what we chose:

- A leaf has 1 to ``leaf_size`` predicates on different attributes, each as likely: nine in ten equalities, the others
  IN of two values. Attributes and values are uniform.
- The paper adds expressions that no visit matches until the share that matches is right. Here it is right by
  construction: there are 1 / ``selectivity`` base events, and expression i is true of base i modulo their number. Below
  an AND on the way all operands are, below an OR one of them. All other leaves are drawn at random.
- Event i is base i, over and over. What matches by chance comes on top: in the presets almost nothing.

A row depends on its number and the parameters, but neither on ``expressions`` nor on the size of batches.

>>> from itertools import islice
>>> for row in islice(nested_expressions(NestedParameters(depth=2, leaf_size=2)), 1, 2):
...     print(*row)
1 ((a23 = 49 OR a91 = 3 AND a150 = 43) AND (a47 = 36 OR a90 = 34 AND a99 = 40))
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa

from hedgerow.errors import KindError
from hedgerow.workload.abe_parameters import MOST_ROWS, check_whole
from hedgerow.workload.draw import Draw

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "PRESETS",
    "NestedParameters",
    "nested_events",
    "nested_expression_batches",
    "nested_expression_schema",
    "nested_expressions",
]

_MOST_DEPTH = 8
_LEAST = 1e-6
_EXPRESSIONS, _EVENTS = 0, 1  # streams of the seed
_EQUALITIES = 0.9

# How many operands a node has, and the share of nodes with so many or fewer (Section 5.1).
_FAN_OUTS = ((2, 0.7), (3, 0.9), (1, 0.95), (4, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedParameters:
    """What a workload is made of.

    >>> NestedParameters(selectivity=0.01).bases
    100
    """

    expressions: int = 1_000_000
    selectivity: float = 0.001
    """Share of the expressions that an event matches."""
    depth: int = 3
    """Levels of AND and OR above the leaves."""
    leaf_size: int = 3
    """Most predicates of a leaf."""
    dimensions: int = 200
    """Attributes, ``a0`` and so on."""
    cardinality: int = 50
    """Values of an attribute, from 0."""
    event_size: int = 40
    """Attributes of an event."""
    seed: int = 11

    def __post_init__(self) -> None:
        """Refuse what cannot be made."""
        for name, least, most in (
            ("expressions", 0, MOST_ROWS),
            ("depth", 1, _MOST_DEPTH),
            ("leaf_size", 1, 64),
            ("dimensions", 1, 1 << 20),
            ("cardinality", 2, 1 << 30),
            ("event_size", 1, 1 << 16),
            ("seed", 0, 1 << 30),
        ):
            check_whole(name, getattr(self, name), least, most)
        selectivity: object = self.selectivity
        if isinstance(selectivity, bool) or not isinstance(selectivity, (int, float)) or not _LEAST <= selectivity <= 1:
            raise KindError(f"selectivity is a number from {_LEAST:f} to 1, not {selectivity!r}")
        if not self.leaf_size <= self.event_size <= self.dimensions:
            raise KindError("leaf_size is at most event_size, and that at most dimensions")

    @property
    def bases(self) -> int:
        """How many different events there are."""
        return round(1 / self.selectivity)


PRESETS = {
    "nested-2": NestedParameters(depth=2),
    "nested-3": NestedParameters(),
    "nested-4": NestedParameters(depth=4),
    "nested-often": NestedParameters(selectivity=0.1),
}
"""Depths of the paper, and one of which many match."""


def nested_expressions(parameters: NestedParameters) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them; ids count from 0."""
    return ((number, _expression(parameters, number)) for number in range(parameters.expressions))


def nested_expression_batches(parameters: NestedParameters, batch_size: int = 10_000) -> Iterator[pa.RecordBatch]:
    """Yield the same rows as Arrow batches with the columns ``id`` and ``expression``."""
    check_whole("batch_size", batch_size, 1, MOST_ROWS)
    rows = nested_expressions(parameters)
    while batch := list(islice(rows, batch_size)):
        ids, texts = zip(*batch, strict=True)
        yield pa.record_batch([pa.array(ids), pa.array(texts)], nested_expression_schema())


def nested_expression_schema() -> pa.Schema:
    """Return the columns of ``nested_expression_batches``, which there are even if no row is."""
    return pa.schema({"id": pa.int64(), "expression": pa.string()})


def nested_events(parameters: NestedParameters, count: int) -> Iterator[dict[str, int]]:
    """Yield events as ``Index.match`` takes them, from attributes to values."""
    check_whole("count", count, 0, MOST_ROWS)
    return (
        {f"a{name}": value for name, value in _base(parameters, number % parameters.bases).items()}
        for number in range(count)
    )


def _draw(parameters: NestedParameters, stream: int, number: int) -> Draw:
    """Return the draws of one row."""
    return Draw(seed=(number << 32) + (parameters.seed << 1) + stream)


def _base(parameters: NestedParameters, number: int) -> dict[int, int]:
    draw = _draw(parameters, _EVENTS, number)
    names: dict[int, int] = {}
    while len(names) < parameters.event_size:
        names.setdefault(draw.below(parameters.dimensions), draw.below(parameters.cardinality))
    return names


def _expression(parameters: NestedParameters, number: int) -> str:
    base = _base(parameters, number % parameters.bases)
    return _tree(parameters, _draw(parameters, _EXPRESSIONS, number), base, 0)


def _tree(parameters: NestedParameters, draw: Draw, base: dict[int, int] | None, level: int) -> str:
    """Return a tree that is true of the base, if one is given; levels are few, so that this may call itself."""
    if level == parameters.depth:
        return _leaf(parameters, draw, base)
    share = draw.random()
    count = next(count for count, end in _FAN_OUTS if share < end)
    bases = [base] * count
    if level % 2:
        true = draw.below(count)
        bases = [base if place == true else None for place in range(count)]
    operands = [_tree(parameters, draw, one, level + 1) for one in bases]
    return "(" + (" OR " if level % 2 else " AND ").join(operands) + ")"


def _leaf(parameters: NestedParameters, draw: Draw, base: dict[int, int] | None) -> str:
    """Return a conjunction that is true of the base, if one is given."""
    known = list(range(parameters.dimensions)) if base is None else list(base)
    tests = []
    for name in draw.some(known, 1, parameters.leaf_size):
        value = draw.below(parameters.cardinality) if base is None else base[name]
        other = draw.below(parameters.cardinality)
        equal = draw.chance(_EQUALITIES) or other == value
        tests.append(f"a{name} = {value}" if equal else f"a{name} IN ({value}, {other})")
    return " AND ".join(tests)

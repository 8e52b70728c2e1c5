"""ABE-Gen: arbitrary Boolean expressions and events after Section 6.1 of the A-Tree paper, by its parameters.

An expression is a tree. Each node from the root down draws its operator: an AND or OR has ``children`` operands, a NOT
has one, an XOR or XNOR two. The nodes of level ``depth``, counted from 1 at the root, are predicates: an attribute
drawn by Zipf, a test and a value. An event has ``event_size`` different attributes with a value each, all alike.

Of sharing the paper says that subexpressions follow a Zipf distribution, and that with exponent 0 all are different. It
does not say among how many. We take it as a *pool* of subexpressions for each level between root and predicates: a
child's rank in the pool is drawn by Zipf, and the same rank on the same level is the same subexpression, down to its
predicates. Roots are drawn from no pool. Predicates need none: they are shared because there are only so many.

A row depends on its number and the parameters, but neither on ``expressions`` nor on the size of batches.

>>> from itertools import islice
>>> small = AbeParameters(children=2, dimensions=30, cardinality=10, event_size=4)
>>> for row in islice(abe_expressions(small), 3):
...     print(*row)
0 (a1 != 5 AND a0 != 3) OR (a6 >= 8 XNOR a1 > 1)
1 (a4 != 8 OR a0 = 1) AND (a6 != 3 AND a4 > 5)
2 NOT a1 < 3 AND (a14 BETWEEN 1 AND 7 XNOR a25 != 7)
>>> next(abe_events(small, 1))
{'a0': 0, 'a12': 5, 'a19': 9, 'a24': 8}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from hedgerow.workload.abe_parameters import (
    MOST_ROWS,
    OPERATORS,
    PRESETS,
    RELATIONS,
    AbeParameters,
    attribute_names,
    check_whole,
)
from hedgerow.workload.abe_trees import Trees
from hedgerow.workload.numbered import below, drawn, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hedgerow.workload.numbered import Integers

__all__ = [
    "OPERATORS",
    "PRESETS",
    "RELATIONS",
    "AbeParameters",
    "abe_event_batches",
    "abe_event_schema",
    "abe_events",
    "abe_expression_batches",
    "abe_expression_schema",
    "abe_expressions",
]

_BLOCK_PREDICATES = 1 << 16  # drawn at once: their arrays stay in cache
_BATCH_PREDICATES = 1 << 24  # a batch of larger expressions has fewer rows, so that its text stays far below 2 GB
_BATCH_CELLS = 10_000_000  # a batch of events with more attributes has fewer rows


def abe_expressions(parameters: AbeParameters) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them; ids count from 0."""
    for batch in abe_expression_batches(parameters):
        yield from zip(batch["id"].to_pylist(), batch["expression"].to_pylist(), strict=True)


def abe_expression_batches(parameters: AbeParameters, batch_size: int = 10_000) -> Iterator[pa.RecordBatch]:
    """Yield the same rows as Arrow batches with the columns ``id`` and ``expression``.

    A batch has ``batch_size`` rows, the last one fewer; all have fewer where expressions have thousands of predicates.
    """
    check_whole("batch_size", batch_size, 1, MOST_ROWS)
    rows = min(batch_size, max(1, _BATCH_PREDICATES // parameters.most_predicates))
    trees = Trees(parameters)
    return (_expression_batch(trees, parameters, *span) for span in _spans(0, parameters.expressions, rows))


def abe_events(parameters: AbeParameters, count: int) -> Iterator[dict[str, int]]:
    """Yield events as ``Index.match`` takes them, from attributes to values."""
    check_whole("count", count, 0, MOST_ROWS)
    names = attribute_names(parameters)
    blocks = _spans(0, count, max(1, _BLOCK_PREDICATES // parameters.event_size))
    return (
        {names[attribute]: value for attribute, value in zip(*event, strict=True)}
        for span in blocks
        for event in zip(*(part.tolist() for part in _events(parameters, *span)), strict=True)
    )


def abe_event_batches(parameters: AbeParameters, count: int, batch_size: int = 10_000) -> Iterator[pa.RecordBatch]:
    """Yield the same events as Arrow batches with a column for each attribute, null where an event lacks it.

    A batch has ``batch_size`` rows, the last one fewer; all have fewer where there are thousands of attributes.
    """
    check_whole("count", count, 0, MOST_ROWS)
    check_whole("batch_size", batch_size, 1, MOST_ROWS)
    rows = min(batch_size, max(1, _BATCH_CELLS // parameters.dimensions))
    return (_event_batch(parameters, *span) for span in _spans(0, count, rows))


def abe_expression_schema() -> pa.Schema:
    """Return the columns of ``abe_expression_batches``, which there are even if no row is."""
    return pa.schema({"id": pa.int64(), "expression": pa.string()})


def abe_event_schema(parameters: AbeParameters) -> pa.Schema:
    """Return the columns of ``abe_event_batches``."""
    return pa.schema(dict.fromkeys(attribute_names(parameters), pa.int64()))


def _expression_batch(trees: Trees, parameters: AbeParameters, first: int, end: int) -> pa.RecordBatch:
    block = max(1, _BLOCK_PREDICATES // parameters.most_predicates)
    texts = pa.concat_arrays([trees.texts(*span) for span in _spans(first, end, block)])
    return pa.record_batch([pa.array(np.arange(first, end)), texts], abe_expression_schema())


def _event_batch(parameters: AbeParameters, first: int, end: int) -> pa.RecordBatch:
    attributes, values = _events(parameters, first, end)
    cells = np.zeros((parameters.dimensions, end - first), dtype=np.int64)
    missing = np.ones(cells.shape, dtype=np.bool_)
    events = np.arange(end - first)[:, None]
    cells[attributes, events] = values
    missing[attributes, events] = False
    columns = [pa.array(column, mask=mask) for column, mask in zip(cells, missing, strict=True)]
    return pa.record_batch(columns, abe_event_schema(parameters))


def _events(parameters: AbeParameters, first: int, end: int) -> tuple[Integers, Integers]:
    """Return the attributes of each event, ascending, and their values.

    Attributes are drawn by Floyd's algorithm: one of the first n, or the last of these if the event has that one, for
    n up to the number of all. So each set is as likely as any other, and the work does not grow with their number.
    """
    size, dimensions = parameters.event_size, parameters.dimensions
    keys = drawn(key_of(parameters.seed, 1), np.arange(first, end))
    attributes = np.empty((end - first, size), dtype=np.int64)
    for place in range(size):
        last = dimensions - size + place
        attribute = below(drawn(keys, place), last + 1)
        taken = np.any(attributes[:, :place] == attribute[:, None], axis=1)
        attributes[:, place] = np.where(taken, last, attribute)
    values = below(drawn(keys[:, None], np.arange(size, 2 * size)), parameters.cardinality)
    return np.sort(attributes, axis=1), values


def _spans(first: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of at most ``size`` rows that together are those from ``first`` up to ``end``."""
    return ((start, min(start + size, end)) for start in range(first, end, size))

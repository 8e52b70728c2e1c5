"""Arrow tables, batches and streams to encoded events, a block of rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from hedgerow.errors import EventError
from hedgerow.event.assembly import Assembly
from hedgerow.event.frames import is_frame, table_of
from hedgerow.event.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hedgerow.event.asked import Asked
    from hedgerow.event.batch_cy import EventBatch

__all__ = ["from_arrow", "is_arrow"]

# Large enough that the cost of a call to Arrow does not count, small enough that the rows being merged stay in cache.
_BLOCK_ROWS = 1 << 15


def is_arrow(source: object) -> bool:
    """Return whether the source speaks Arrow's PyCapsule interface, as tables and data frames do."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def from_arrow(source: Any, asked: Asked | None = None) -> EventBatch:  # noqa: ANN401 - whatever speaks the interface
    """Return a batch of the rows of a table, record batch or stream, with what is asked for (None: all).

    The batch knows what cannot be used. ``EventError`` says that these are no rows.

    >>> from_arrow(pa.table({"user": [{"age": 20}, None], "tags": [["a"], None]})).row(0)
    {'user': {...}, 'user.age': 20, 'tags': ('a',)}
    """
    assembly = Assembly(asked)
    if is_frame(source):
        source, bad = table_of(source, asked)
        rows = np.arange(source.num_rows)
        for name, reason in bad.items():
            assembly.problems.append(Problem(name, reason, rows, rows, in_column=True, below=True))
    schema, batches = _opened(source)
    for block in _blocks(_chosen(batches, schema, asked)):
        assembly.add(block)
    if assembly.row_count == 0:  # its columns must be such as events can have, all the same
        assembly.add(_empty(schema))
    return assembly.batch()


def _opened(source: Any) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:  # noqa: ANN401 - as above
    """Return the columns of a source and its rows, without copying."""
    if isinstance(source, pa.RecordBatch):
        return source.schema, [source]
    try:
        if hasattr(source, "__arrow_c_stream__"):
            reader = pa.RecordBatchReader.from_stream(source)
            return reader.schema, reader
        rows = pa.array(source)
        # A row that is null itself is an event without attributes.
        batch = pa.RecordBatch.from_struct_array(rows)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise EventError(f"events are rows of named columns, which {type(source).__name__} has not: {error}") from None
    return batch.schema, [batch]


def _chosen(batches: Iterable[pa.RecordBatch], schema: pa.Schema, asked: Asked | None) -> Iterator[pa.RecordBatch]:
    """Yield the rows with the columns that are asked for, or lead to something that is."""
    wanted = [number for number, name in enumerate(schema.names) if asked is None or asked.wants(name)]
    for batch in batches:
        yield batch if len(wanted) == len(schema.names) else batch.select(wanted)


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


def _blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in batches of about the size of a block: larger ones are cut, smaller ones put together."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        for start in range(0, batch.num_rows, _BLOCK_ROWS):
            waiting.append(batch.slice(start, _BLOCK_ROWS))
            rows += waiting[-1].num_rows
            if rows >= _BLOCK_ROWS:
                yield from _together(waiting)
                waiting, rows = [], 0
    yield from _together(waiting)


def _together(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    # Without columns, a table would forget how many rows it has.
    if len(batches) < 2 or batches[0].num_columns == 0:  # noqa: PLR2004 - one is together already
        return batches
    try:
        combined: list[pa.RecordBatch] = pa.Table.from_batches(batches).combine_chunks().to_batches()
    except pa.ArrowException:  # types that Arrow cannot put together, or broken arrays: each block tells of its own
        return batches
    return combined

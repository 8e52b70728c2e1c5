"""Arrow tables, batches and streams to encoded events, a block of rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hedgerow.errors import EventError
from hedgerow.event.assembly import Assembly

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hedgerow.event.batch_cy import EventBatch

__all__ = ["from_arrow", "is_arrow"]

# Large enough that the cost of a call to Arrow does not count, small enough that the rows being merged stay in cache.
_BLOCK_ROWS = 1 << 15


def is_arrow(source: object) -> bool:
    """Return whether the source speaks Arrow's PyCapsule interface, as tables and data frames do."""
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def from_arrow(source: Any) -> EventBatch:  # noqa: ANN401 - whatever speaks the PyCapsule interface
    """Return a batch of the rows of an Arrow table, record batch or stream; EventError names the column.

    >>> from_arrow(pa.table({"user": [{"age": 20}, None], "tags": [["a"], None]})).row(0)
    {'user.age': 20, 'tags': ('a',)}
    """
    schema, batches = _opened(source)
    assembly = Assembly()
    for block in _blocks(batches):
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
    except (pa.ArrowInvalid, TypeError) as error:
        raise EventError(f"events are rows of named columns, which {type(source).__name__} has not: {error}") from None
    return batch.schema, [batch]


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
    combined: list[pa.RecordBatch] = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return combined

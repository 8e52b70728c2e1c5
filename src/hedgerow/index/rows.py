"""The rows that ``insert_many`` takes, in whatever form they come, as chunks of one form."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hedgerow.errors import ExpressionError, HedgerowError, KindError, ParseError, SchemaError
from hedgerow.language.build import Attribute
from hedgerow.language.copy_cy import Copier
from hedgerow.language.expression import Expression
from hedgerow.language.parse_cy import Parser

__all__ = ["Chunk", "Texts", "chunks", "row_count"]

CHUNK_ROWS = 2048
"""Small enough that other threads get their turn between two chunks, and that the shared graph stays in the cache."""

_TEXT_BYTES_AT_ONCE = 1 << 22
_PAIR, _TRIPLE = 2, 3
_SKIPPED = -2


@dataclass(slots=True)
class Chunk:
    """Some rows: ids, expressions and weights side by side; ``texts`` instead of expressions if they came as Arrow."""

    ids: list[object]
    expressions: list[object]
    weights: list[object]
    texts: pa.Array | None = None
    malformed: dict[int, HedgerowError] = field(default_factory=dict)
    """The errors of rows that are not rows at all; what was given stands for their expression."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.ids)

    def said(self, row: int) -> object:
        """Return the expression of a row as it was given."""
        return self.expressions[row] if self.texts is None else self.texts[row].as_py()

    def parse(self, parser: Parser) -> tuple[npt.NDArray[np.int32], dict[int, HedgerowError]]:
        """Return the node of each row's expression in the parser's graph, and the errors of those that have none."""
        if self.texts is not None:
            return Texts(self.texts).parse(parser)
        nodes = np.empty(len(self), np.int32)
        errors = dict(self.malformed)
        for row, expression in enumerate(self.expressions):
            if row not in errors:
                try:
                    nodes[row] = add_expression(expression, parser)
                except HedgerowError as error:
                    errors[row] = error
        return nodes, errors


def add_expression(expression: object, parser: Parser) -> int:
    """Return the node of an expression, given as text or as an object, in the parser's graph."""
    if isinstance(expression, str):
        return parser.parse(str.__str__(expression))
    if isinstance(expression, Expression):
        return parser.graph.add(expression)
    if isinstance(expression, Attribute):
        return parser.graph.add(expression.holds())
    raise ExpressionError(f"an expression is text or an Expression, not {_named(expression)}")


def chunks(rows: object) -> Iterator[Chunk]:
    """Yield the rows of an Arrow table or anything like one, of an iterable of tuples, or of {id: expression}."""
    if isinstance(rows, (pa.Table, pa.RecordBatch)) or hasattr(rows, "__arrow_c_stream__"):
        yield from _table_chunks(pa.table(rows))
    elif hasattr(rows, "__arrow_c_array__"):
        yield from _table_chunks(pa.table(pa.record_batch(rows)))
    elif isinstance(rows, Mapping):
        yield from _tuple_chunks(rows.items())
    elif isinstance(rows, Iterable) and not isinstance(rows, (str, bytes)):
        yield from _tuple_chunks(rows)
    else:
        raise KindError(f"rows are an Arrow table or (id, expression) tuples, not {_named(rows)}")


def row_count(rows: object) -> int | None:
    """Return how many rows there will be, if that can be known."""
    if isinstance(rows, (pa.Table, pa.RecordBatch)):
        return int(rows.num_rows)
    return len(rows) if hasattr(rows, "__len__") else None


def _table_chunks(table: pa.Table) -> Iterator[Chunk]:
    ids, texts, weights = _columns(table)
    start = 0
    while start < table.num_rows:
        length = CHUNK_ROWS
        text = pa.concat_arrays(texts.slice(start, length).chunks)
        # Long texts make small chunks, so that what is parsed at once stays bounded.
        if text.nbytes > _TEXT_BYTES_AT_ONCE:
            length = max(1, length * _TEXT_BYTES_AT_ONCE // text.nbytes)
            text = text.slice(0, length)
        given = [0.0] * len(text) if weights is None else weights.slice(start, length).to_pylist()
        yield Chunk(ids.slice(start, length).to_pylist(), [], given, text)
        start += length


def _columns(table: pa.Table) -> tuple[pa.ChunkedArray, pa.ChunkedArray, pa.ChunkedArray | None]:
    names = table.column_names
    for wanted in ("id", "expression"):
        if names.count(wanted) != 1:
            raise SchemaError(f"one column {wanted!r} is needed; the table has {', '.join(map(repr, names)) or 'none'}")
    texts = table.column("expression")
    plain = texts.type.value_type if pa.types.is_dictionary(texts.type) else texts.type
    if not (pa.types.is_string(plain) or pa.types.is_large_string(plain) or pa.types.is_string_view(plain)):
        raise SchemaError(f"the column 'expression' is of type {texts.type}; it must hold strings")
    if names.count("weight") > 1:
        raise SchemaError("the table has more than one column 'weight'")
    return _valid("id", table, None), _valid("expression", table, pa.large_string()), _weights(table)


def _weights(table: pa.Table) -> pa.ChunkedArray | None:
    return _valid("weight", table, None) if "weight" in table.column_names else None


def _valid(name: str, table: pa.Table, kind: pa.DataType | None) -> pa.ChunkedArray:
    """Return a column, cast if wanted, whose strings are known to be UTF-8."""
    try:
        column = table.column(name)
        column = column if kind is None else column.cast(kind)
        column.validate(full=True)
    except pa.ArrowException as error:
        raise SchemaError(f"the column {name!r} cannot be read: {error}") from None
    return column


class Texts:
    """Expressions in Arrow's buffers, to be parsed from there: no Python string is made for a good row."""

    def __init__(self, texts: pa.Array) -> None:
        """Find out where they are; ``texts`` are large strings."""
        _, offsets, data = texts.buffers()
        first = texts.offset
        self._starts = np.frombuffer(offsets, np.int64)[first : first + len(texts) + 1]
        self._content = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
        self._nodes = np.zeros(len(texts), np.int32)
        missing = texts.is_null().to_numpy(zero_copy_only=False)
        self._nodes[missing] = _SKIPPED
        self._missing: list[int] = np.flatnonzero(missing).tolist()

    def parse(
        self, parser: Parser, copier: Copier | None = None
    ) -> tuple[npt.NDArray[np.int32], dict[int, HedgerowError]]:
        """Return the node of each in the parser's graph, and the errors of those that have none.

        The first thing that it does is to let go of the GIL: see ``staging``.
        """
        errors = parser.parse_rows(self._starts, self._content, self._nodes, copier)
        for row in self._missing:
            errors[row] = ParseError("", 0, "null", "an expression")
        return self._nodes, errors


def _tuple_chunks(rows: Iterable[Any]) -> Iterator[Chunk]:
    iterator = iter(rows)
    while taken := list(itertools.islice(iterator, CHUNK_ROWS)):
        chunk = Chunk([], [], [])
        for row in taken:
            whole = isinstance(row, (tuple, list)) and len(row) in {_PAIR, _TRIPLE}
            if not whole:
                chunk.malformed[len(chunk)] = KindError("a row is (id, expression) or (id, expression, weight)")
            chunk.ids.append(row[0] if whole else None)
            chunk.expressions.append(row[1] if whole else row)
            chunk.weights.append(row[2] if whole and len(row) == _TRIPLE else 0.0)
        yield chunk


def _named(value: object) -> str:
    return type(value).__name__

"""Rules and changes in whatever form they are given, as Arrow tables of one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from hedgerow.errors import HedgerowError, InvalidId, KindError, SchemaError
from hedgerow.index.report import Rejected
from hedgerow.language.build import Attribute
from hedgerow.language.expression import Expression
from hedgerow.language.operand import shown
from hedgerow.ruleset.manifest import id_type_name
from hedgerow.ruleset.shard import ROW_COLUMNS

__all__ = ["given_changes", "given_rules"]

OPERATIONS = ("insert", "update", "upsert", "delete")


def given_rules(rows: object) -> tuple[pa.Table, list[Rejected]]:
    """Return rules as a table, and what was given in their place that cannot be one.

    They come as ``Index.insert_many`` takes them: Arrow, a data frame, tuples, or a dict.
    """
    if isinstance(rows, pa.RecordBatchReader):
        rows = rows.read_all()
    if isinstance(rows, (pa.Table, pa.RecordBatch)) or hasattr(rows, "__arrow_c_stream__"):
        return _columns(pa.table(rows), ROW_COLUMNS, ROW_COLUMNS[:2]), []
    pairs = rows.items() if isinstance(rows, Mapping) else rows
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise KindError(f"rules are a table or (id, expression) tuples, not {type(rows).__name__}")
    return _tuples(pairs)


def given_changes(rows: object) -> pa.Table:
    """Return changes as a table with the columns ``op``, ``id``, ``expression`` and ``weight``."""
    if isinstance(rows, pa.RecordBatchReader):
        rows = rows.read_all()
    if isinstance(rows, (pa.Table, pa.RecordBatch)) or hasattr(rows, "__arrow_c_stream__"):
        table = _columns(pa.table(rows), ("op", *ROW_COLUMNS), ("op", "id"))
    elif isinstance(rows, Iterable) and not isinstance(rows, (str, bytes)):
        filled = [(*row, *(None,) * (4 - len(row))) for row in map(tuple, rows)]
        columns = list(zip(*filled, strict=True)) or [()] * 4
        kinds = (pa.string(), _kind_of(columns[1]), pa.string(), pa.float64())
        named = zip(("op", *ROW_COLUMNS), columns, kinds, strict=True)
        table = pa.table({name: pa.array([_text(cell) for cell in column], kind) for name, column, kind in named})
    else:
        raise KindError(f"changes are a table or (op, id, expression) tuples, not {type(rows).__name__}")
    for name, kind in (("expression", pa.string()), ("weight", pa.float64())):
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, kind))
    return table.select(("op", *ROW_COLUMNS))


def _columns(table: pa.Table, wanted: tuple[str, ...], needed: tuple[str, ...]) -> pa.Table:
    names = table.column_names
    for name in needed:
        if names.count(name) != 1:
            raise SchemaError(f"one column {name!r} is needed; the table has {', '.join(map(repr, names)) or 'none'}")
    return table.select([name for name in wanted if name in names])


def _tuples(pairs: Iterable[Any]) -> tuple[pa.Table, list[Rejected]]:
    rejected: list[Rejected] = []
    kept: list[tuple[object, object, object]] = []
    kind: type | None = None
    for number, row in enumerate(pairs):
        if not isinstance(row, (tuple, list)) or not 2 <= len(row) <= 3:  # noqa: PLR2004 - weight is optional
            error: HedgerowError = KindError("a row is (id, expression) or (id, expression, weight)")
            rejected.append(Rejected(number, None, row, error))
            continue
        id, weight = row[0], row[2] if len(row) > 2 else 0.0  # noqa: PLR2004 - as above
        kind = kind or (str if isinstance(id, str) else int)
        if not isinstance(id, kind) or isinstance(id, bool):
            reason = f"an id is a 64-bit integer or a string, and of the same kind as the others; {shown(id)} is not"
            rejected.append(Rejected(number, id, row[1], InvalidId(reason)))
        else:
            kept.append((id, _text(row[1]), weight))
    columns = list(zip(*kept, strict=True)) or [()] * 3
    kinds = (pa.string() if kind is str else pa.int64(), pa.string(), pa.float64())
    arrays = [pa.array(list(column), wanted) for column, wanted in zip(columns, kinds, strict=True)]
    return pa.table(arrays, names=list(ROW_COLUMNS)), rejected


def _kind_of(ids: Iterable[object]) -> pa.DataType:
    return pa.string() if any(isinstance(id, str) for id in ids) else pa.int64()


def _text(cell: object) -> object:
    """Return an expression that came as an object as text; all else as it is."""
    if isinstance(cell, Attribute):
        cell = cell.holds()
    return str(cell) if isinstance(cell, Expression) else cell


def kind_of_ids(rows: pa.Table) -> str:
    """Return the name of the type of the ids of a table."""
    kind = rows.schema.field("id").type
    return id_type_name(kind.value_type if pa.types.is_dictionary(kind) else kind)

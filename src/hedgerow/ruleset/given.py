"""Rules and changes in whatever form they are given, in one form.

One bad row never spoils the others: what a table's types rule out is ``SchemaError``, and a row that cannot be a rule
or a change comes back with what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.errors import ExpressionError, HedgerowError, InvalidId, KindError, SchemaError
from hedgerow.index.api import clean_id
from hedgerow.index.report import Id, Rejected
from hedgerow.language.build import Attribute
from hedgerow.language.expression import Expression
from hedgerow.language.operand import shown
from hedgerow.ruleset.manifest import id_type, id_type_name
from hedgerow.ruleset.shard import ROW_COLUMNS

__all__ = ["Change", "Changes", "given_changes", "given_rules", "kind_of_ids"]

_LARGEST = 2**63 - 1
_NO_ID = "an id is a 64-bit integer or a string; {} is neither"


class Change(NamedTuple):
    """One change: in which row it came, and what it said."""

    row: int
    op: object
    id: Id | None
    expression: str | None
    weight: float | None


@dataclass(slots=True)
class Changes:
    """Changes in their order, and what was given in their place that cannot be one."""

    kind: str | None = None
    """The name of the type of their ids; None if each row has its own."""
    rows: list[Change] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)


def given_rules(rows: object) -> tuple[pa.Table, list[Rejected]]:
    """Return rules as a table of id, expression and weight, and what was given in their place that cannot be one.

    They come as ``Index.insert_many`` takes them: Arrow, a data frame, tuples, or a dict.
    """
    table = _table(rows)
    if table is not None:
        return _normal(_selected(table, ("id", "expression")))
    pairs = rows.items() if isinstance(rows, Mapping) else rows
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise KindError(f"rules are a table or (id, expression) tuples, not {type(rows).__name__}")
    return _rules_of_tuples(pairs)


def given_changes(rows: object) -> Changes:
    """Return changes, given as a table with the columns ``op``, ``id`` and perhaps others, or as tuples of these."""
    table = _table(rows)
    if table is not None:
        return _changes_of_table(_selected(table, ("op", "id")))
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        raise KindError(f"changes are a table or (op, id, expression) tuples, not {type(rows).__name__}")
    return _changes_of_tuples(rows)


def kind_of_ids(rows: pa.Table) -> str:
    """Return the name of the type of the ids of a table."""
    return id_type_name(_plain(rows.schema.field("id").type))


# Tables


def _table(rows: object) -> pa.Table | None:
    """Return what came as Arrow, or as anything that becomes Arrow; None for all else."""
    if isinstance(rows, pa.RecordBatchReader):
        return rows.read_all()
    if isinstance(rows, (pa.Table, pa.RecordBatch)) or hasattr(rows, "__arrow_c_stream__"):
        try:
            return pa.table(rows)
        except (pa.ArrowException, TypeError) as error:
            raise SchemaError(f"the columns cannot be read: {error}") from error
    return pa.table(pa.record_batch(rows)) if hasattr(rows, "__arrow_c_array__") else None


def _selected(table: pa.Table, needed: tuple[str, ...]) -> pa.Table:
    """Return the columns that count, each there at most once; an expression or weight that is not there is null."""
    names = table.column_names
    wanted = ("op", *ROW_COLUMNS) if "op" in needed else ROW_COLUMNS
    for name in wanted:
        if names.count(name) > 1 or (name in needed and name not in names):
            raise SchemaError(f"one column {name!r} is needed; the table has {', '.join(map(repr, names)) or 'none'}")
    chosen = [table[name] if name in names else pa.chunked_array([pa.nulls(len(table))]) for name in wanted]
    return pa.table(chosen, names=list(wanted))


def _normal(table: pa.Table) -> tuple[pa.Table, list[Rejected]]:
    """Return the rows with plain types, and those whose ids are too large for any index."""
    ids = _plain_column(table["id"], "id")
    rejected: list[Rejected] = []
    if pa.types.is_uint64(ids.type):
        table, rejected = _without_large_ids(table.set_column(table.schema.get_field_index("id"), "id", ids))
        ids = table["id"]
    columns = {
        "id": ids.cast(id_type(id_type_name(ids.type))),
        "expression": _cast(table["expression"], "expression", pa.large_string()),
        "weight": _cast(table["weight"], "weight", pa.float64()),
    }
    return pa.table(columns), rejected


def _without_large_ids(table: pa.Table) -> tuple[pa.Table, list[Rejected]]:
    large = pc.greater(table["id"].fill_null(0), pa.scalar(_LARGEST, pa.uint64()))
    rows = np.flatnonzero(large.to_numpy()).tolist()
    bad = table.take(pa.array(rows, pa.int64())).to_pylist()
    found = [
        Rejected(row, said["id"], said["expression"], InvalidId(_NO_ID.format(said["id"])))
        for row, said in zip(rows, bad, strict=True)
    ]
    return table.filter(pc.invert(large)), found


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type of the values; a column of nulls alone could be of any."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.int64() if pa.types.is_null(kind) else kind


def _plain_column(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    plain = _plain(column.type)
    if name == "id":
        id_type_name(plain)
    try:
        decoded = column if column.type == plain else column.cast(plain)
        decoded.validate(full=True)
    except pa.ArrowException as error:
        raise SchemaError(f"the column {name!r} cannot be read: {error}") from error
    return decoded


def _cast(column: pa.ChunkedArray, name: str, wanted: pa.DataType) -> pa.ChunkedArray:
    """Return a column of strings or numbers as the type that is wanted for all such; anything else is refused."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    texts = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if not (pa.types.is_null(kind) or (numbers if pa.types.is_floating(wanted) else texts)):
        raise SchemaError(f"the column {name!r} is of type {column.type}; it cannot become {wanted}")
    return _plain_column(column, name).cast(wanted, safe=False)


def _changes_of_table(table: pa.Table) -> Changes:
    ops = _cast(table["op"], "op", pa.large_string())
    rules, rejected = _normal(table.drop_columns(["op"]))
    left = np.delete(np.arange(len(table)), [bad.row for bad in rejected])
    columns = [left.tolist(), ops.take(pa.array(left)).to_pylist(), *(rules[name].to_pylist() for name in ROW_COLUMNS)]
    # A column of nulls, or one that is empty, may be of no kind: then there is no id that could be of the wrong one.
    kind = None if pa.types.is_null(table["id"].type) else kind_of_ids(rules)
    return Changes(kind, [Change(*row) for row in zip(*columns, strict=True)], rejected)


# Tuples


def _rules_of_tuples(pairs: Iterable[Any]) -> tuple[pa.Table, list[Rejected]]:
    kept: list[tuple[Id, str, float]] = []
    rejected: list[Rejected] = []
    kind: type | None = None
    for number, row in enumerate(pairs):
        id, expression, weight = _three(row)
        try:
            _check_shape(row, 2, "a row is (id, expression) or (id, expression, weight)")
            clean = _id(id)
            kind = kind or type(clean)
            if type(clean) is not kind:
                raise InvalidId(f"the id {shown(id)} is not of the kind that those before it are")
            kept.append((clean, _text(expression), _weight(weight)))
        except HedgerowError as error:
            rejected.append(Rejected(number, id, expression, error))
    columns = list(zip(*kept, strict=True)) or [()] * 3
    kinds = (pa.string() if kind is str else pa.int64(), pa.large_string(), pa.float64())
    arrays = [pa.array(column, wanted) for column, wanted in zip(columns, kinds, strict=True)]
    return pa.table(arrays, names=list(ROW_COLUMNS)), rejected


def _changes_of_tuples(rows: Iterable[Any]) -> Changes:
    changes = Changes()
    for number, row in enumerate(rows):
        op, rest = (row[0], row[1:]) if isinstance(row, (tuple, list)) and row else (None, row)
        id, expression, weight = _three(rest)
        try:
            _check_shape(rest, 1, "a change is (op, id), (op, id, expression) or (op, id, expression, weight)")
            text = None if expression is None or op == "delete" else _text(expression)
            changes.rows.append(Change(number, op, None if id is None else _id(id), text, _weight(weight)))
        except HedgerowError as error:
            changes.rejected.append(Rejected(number, id, expression, error))
    return changes


def _three(row: object) -> tuple[object, object, object]:
    """Return id, expression and weight of a row; one that is no row stands for its expression."""
    if not isinstance(row, (tuple, list)) or not row:
        return None, row, None
    id, expression, weight = [*row, None, None][:3]
    return id, expression, weight


def _check_shape(row: object, least: int, told: str) -> None:
    if not isinstance(row, (tuple, list)) or not least <= len(row) <= len(ROW_COLUMNS):
        raise KindError(told)


def _id(id: object) -> Id:
    clean = clean_id(id)
    if isinstance(clean, str):
        return _encodable(clean, InvalidId, "an id")
    if not isinstance(clean, int) or isinstance(clean, bool) or not -_LARGEST - 1 <= clean <= _LARGEST:
        raise InvalidId(_NO_ID.format(shown(id)))
    return clean


def _text(expression: object) -> str:
    if isinstance(expression, Attribute):
        expression = expression.holds()
    if isinstance(expression, Expression):
        return str(expression)
    if not isinstance(expression, str):
        raise ExpressionError(f"an expression is text or an Expression, not {type(expression).__name__}")
    return _encodable(str.__str__(expression), ExpressionError, "an expression")


def _encodable(text: str, error: type[HedgerowError], what: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise error(f"{what} cannot have half a character (a lone surrogate): {shown(text)}") from None
    return text


def _weight(weight: object) -> float:
    """Return a weight as a float; the index refuses those that are not finite."""
    plain = weight.item() if isinstance(weight, np.generic) else weight
    try:
        if plain is None or (isinstance(plain, (int, float)) and not isinstance(plain, bool)):
            return float(plain or 0.0)
    except OverflowError:
        pass
    raise ExpressionError(f"a weight is a finite number, not {shown(weight)}")

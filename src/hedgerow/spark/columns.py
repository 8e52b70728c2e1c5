"""Which columns of a DataFrame of events are read: the keys, and what the rules mention.

Spark does not know that a Python function reads only some of its columns, so the others are left out before. Of a
struct only the fields that rules mention are taken. A struct that is null becomes one of nulls, which is the same to a
rule that asks for its fields; it stays null where a rule asks for the struct itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql import types as T  # noqa: N812 - as above

from hedgerow.errors import EventError, KindError, SchemaError
from hedgerow.event.encode import checked
from hedgerow.event.encode import events as encode_events

__all__ = ["EventColumns", "checked_key", "event_columns"]

_ARROW: dict[type[T.DataType], pa.DataType] = {
    T.NullType: pa.null(),
    T.BooleanType: pa.bool_(),
    T.ByteType: pa.int8(),
    T.ShortType: pa.int16(),
    T.IntegerType: pa.int32(),
    T.LongType: pa.int64(),
    T.FloatType: pa.float32(),
    T.DoubleType: pa.float64(),
    T.BinaryType: pa.binary(),
    T.DateType: pa.date32(),
    T.TimestampType: pa.timestamp("us", "UTC"),
    T.TimestampNTZType: pa.timestamp("us"),
}

_KEY, _VALUE = "key_", "value_"
_ROW = "__row"


@dataclass(frozen=True, slots=True)
class EventColumns:
    """What is read of events: first the keys, then the attributes, all under names without a dot, as Spark wants it."""

    columns: tuple[Column, ...]
    keys: tuple[T.StructField, ...]
    """The keys as they are in the events."""
    names: tuple[str, ...]
    """The names of the attributes."""


def event_columns(schema: T.StructType, attributes: Iterable[str], key: str | Sequence[str]) -> EventColumns:
    """Return what to read of events with this schema; ``SchemaError`` names a column that cannot be read."""
    wanted = _Wanted(attributes)
    keys = checked_key(schema, key)
    taken = [
        (column, field.name, kind)
        for field in schema.fields
        if (found := wanted.part(F.col(_quoted(field.name)), field.name, field.dataType)) is not None
        for column, kind in [found]
    ]
    _check_types([T.StructField(name, kind) for _, name, kind in taken])
    # Without a column there would be no rows.
    values = [column for column, _, _ in taken] or [F.lit(col=True)]
    named = [column.alias(f"{_VALUE}{number}") for number, column in enumerate(values)]
    chosen = [_column(schema, field.name).alias(f"{_KEY}{number}") for number, field in enumerate(keys)]
    return EventColumns((*chosen, *named), keys, tuple(name for _, name, _ in taken) or (_ROW,))


def checked_key(schema: T.StructType, key: str | Sequence[str]) -> tuple[T.StructField, ...]:
    """Return the columns that are the key of an event, or fields of structs; ``SchemaError`` if one is not there."""
    names = [key] if isinstance(key, str) else list(key)
    if not names or not all(isinstance(name, str) for name in names):
        raise KindError("key is the name of a column of the events, or several names")
    found = [(name, _field(schema, name)) for name in names]
    for name, field in found:
        if field is None:
            raise SchemaError(f"the events have no column {name!r}; they have {', '.join(map(repr, schema.names))}")
    return tuple(T.StructField(name, field.dataType) for name, field in found if field is not None)


def _field(schema: T.StructType, name: str) -> T.StructField | None:
    """Return the column of a name, or the field of a struct that a dotted name leads to."""
    if name in schema.names:
        return schema[name]
    first, _, rest = name.partition(".")
    outer = schema[first].dataType if first in schema.names else None
    return _field(outer, rest) if rest and isinstance(outer, T.StructType) else None


def _column(schema: T.StructType, name: str) -> Column:
    """Return the column that ``_field`` tells of."""
    if name in schema.names:
        return F.col(_quoted(name))
    first, _, rest = name.partition(".")
    return _inner(F.col(_quoted(first)), schema[first].dataType, rest)


def _inner(column: Column, kind: T.DataType, name: str) -> Column:
    """Return the field of a struct, or of one within it; a field's own name may have a dot."""
    if not isinstance(kind, T.StructType) or name in kind.names:
        return column.getField(name)
    first, _, rest = name.partition(".")
    return _inner(column.getField(first), kind[first].dataType, rest)


class _Wanted:
    """The attributes that rules mention, and the paths that lead to them."""

    def __init__(self, attributes: Iterable[str]) -> None:
        self._names = set(attributes)
        self._above: set[str] = set()
        for name in self._names:
            parts = name.split(".")
            self._above.update(".".join(parts[:count]) for count in range(1, len(parts)))

    def part(self, column: Column, path: str, kind: T.DataType) -> tuple[Column, T.DataType] | None:
        """Return what is wanted of a column, and its type; None if nothing is."""
        if isinstance(kind, T.StructType):
            return self._struct(column, path, kind)
        below = path in self._above and isinstance(kind, (T.MapType, T.VariantType))
        return (column, kind) if path in self._names or below else None

    def _struct(self, column: Column, path: str, kind: T.StructType) -> tuple[Column, T.DataType] | None:
        found = [
            (field.name, part)
            for field in kind.fields
            if (part := self.part(column.getField(field.name), f"{path}.{field.name}", field.dataType)) is not None
        ]
        asked = path in self._names
        if asked and not found:  # a struct without fields would be no column
            found = [(_ROW, (F.lit(None).cast(T.BooleanType()), T.BooleanType()))]
        if not found:
            return None
        fields = [T.StructField(name, part[1]) for name, part in found]
        made = F.struct(*(part[0].alias(name) for name, part in found))
        return F.when(column.isNotNull(), made) if asked else made, T.StructType(fields)


def _check_types(fields: Sequence[T.StructField]) -> None:
    """Raise ``SchemaError`` for a column whose values no event can have."""
    for field in fields:
        try:
            checked(encode_events(pa.schema({field.name: _arrow(field.dataType)}).empty_table()))
        except EventError as error:
            raise SchemaError(f"rules mention the column {field.name!r}, which cannot be read: {error}") from error


def _arrow(kind: T.DataType) -> pa.DataType:
    """Return the type that a column has when it comes to Python; ``EventError`` if that is none we know."""
    if isinstance(kind, T.StructType):
        return pa.struct({field.name: _arrow(field.dataType) for field in kind.fields})
    if isinstance(kind, T.ArrayType):
        return pa.list_(_arrow(kind.elementType))
    if isinstance(kind, T.MapType):
        return pa.map_(_arrow(kind.keyType), _arrow(kind.valueType))
    if isinstance(kind, T.DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, (T.StringType, T.CharType, T.VarcharType)):
        return pa.string()
    found = _ARROW.get(type(kind))
    if found is None:
        raise EventError(f"a value of type {kind.simpleString()} has no meaning in an event")
    return found


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"

"""The columns of rules and of results, as Spark types."""

from __future__ import annotations

from pyspark.sql import types as T  # noqa: N812 - as everybody calls it

from hedgerow.errors import KindError, SchemaError
from hedgerow.ruleset.manifest import Manifest

__all__ = ["RULE", "SCORE", "VERSION", "kind_of_ids", "refused_schema", "result_schema", "rule_schema"]

RULE, SCORE, VERSION = "rule_id", "score", "version"

_ID_TYPES: dict[str, T.DataType] = {
    "int8": T.ByteType(),
    "int16": T.ShortType(),
    "int32": T.IntegerType(),
    "int64": T.LongType(),
    "string": T.StringType(),
}


def kind_of_ids(schema: T.StructType) -> str:
    """Return the name of the type of the ids; ``SchemaError`` if the columns are not those of rules."""
    names = schema.names
    for name in ("id", "expression"):
        if names.count(name) != 1:
            raise SchemaError(f"rules have one column {name!r}; these have {', '.join(map(repr, names)) or 'none'}")
    if not isinstance(schema["expression"].dataType, T.StringType):
        raise SchemaError(f"the column 'expression' is of type {schema['expression'].dataType.simpleString()}")
    if "weight" in names and not isinstance(schema["weight"].dataType, T.NumericType):
        raise SchemaError(f"the column 'weight' is of type {schema['weight'].dataType.simpleString()}")
    given = schema["id"].dataType
    for kind, known in _ID_TYPES.items():
        if isinstance(given, type(known)):
            return kind
    raise SchemaError(f"ids are integers or strings, and {given.simpleString()} is neither")


def rule_schema(kind: str) -> T.StructType:
    """Return the columns of rules."""
    fields = [T.StructField("id", _ID_TYPES[kind]), T.StructField("expression", T.StringType())]
    return T.StructType([*fields, T.StructField("weight", T.DoubleType())])


def refused_schema(kind: str) -> T.StructType:
    """Return the columns of rules that were refused."""
    fields = [T.StructField("id", _ID_TYPES[kind]), T.StructField("expression", T.StringType())]
    return T.StructType([*fields, T.StructField("error", T.StringType()), T.StructField("offset", T.IntegerType())])


def result_schema(keys: tuple[T.StructField, ...], manifest: Manifest, top: int | None) -> T.StructType:
    """Return the columns of matches; ``SchemaError`` if two of them would have one name."""
    if top is not None and (isinstance(top, bool) or top < 1):
        raise KindError(f"top is a number of matches, 1 or more, not {top!r}")
    fields = [T.StructField(field.name, field.dataType) for field in keys]
    fields.append(T.StructField(RULE, _ID_TYPES[manifest.id_type]))
    if top is not None:
        fields.append(T.StructField(SCORE, T.DoubleType()))
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise SchemaError(f"the result would have two columns {name!r}: rename that of the events")
    return T.StructType(fields)

"""What to beat on Spark: rules as one evaluates them without an index.

``sql_of`` writes an expression in Spark's SQL, for the part of the language that the ad exchange uses: an attribute has
values of one kind, and a list has no nulls in it. ``case_of`` is the condition of a cross join of events and rules.
``matching_rules`` is what a UDF does with one row: it evaluates one rule after the other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import pyarrow as pa

import hedgerow as hr
from hedgerow.language.operators import OPERATORS, Accepts, Operator
from hedgerow.values import Value

_SIGNS = {
    Operator.EQ: "=",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.GT: ">",
    Operator.GE: ">=",
    Operator.LIKE: "LIKE",
    Operator.ILIKE: "ILIKE",
    Operator.MATCHES: "RLIKE",
}
_FUNCTIONS = {Operator.STARTS_WITH: "startswith", Operator.ENDS_WITH: "endswith", Operator.CONTAINS: "contains"}
_ACCEPTED = {Accepts.TRUE: "{}", Accepts.FALSE: "NOT {}", Accepts.NOT_TRUE: "NOT coalesce({}, false)"}
_JOINED: dict[type[hr.Expression], str] = {hr.And: " AND ", hr.Or: " OR "}
_CHAINED: dict[type[hr.Expression], str] = {hr.Xor: "<>", hr.Xnor: "="}


@lru_cache(maxsize=1)
def parsed(texts: tuple[str, ...]) -> tuple[hr.Expression, ...]:
    """Return the rules as objects; a worker parses them once."""
    return tuple(map(hr.parse, texts))


def matching_rules(texts: tuple[str, ...], row: Mapping[str, object]) -> list[int]:
    """Return which rules match an event, by their positions; Spark gives times without their zone, the local one."""
    event = {name: value.astimezone(dt.UTC) if isinstance(value, dt.datetime) else value for name, value in row.items()}
    return [number for number, rule in enumerate(parsed(texts)) if hr.evaluate(rule, event)]


def case_of(texts: Sequence[str], schema: pa.Schema, rule: str) -> str:
    """Return the condition that the rule whose position is ``rule``, in SQL, is true of the event beside it."""
    cases = " ".join(f"WHEN {number} THEN {sql_of(hr.parse(text), schema)}" for number, text in enumerate(texts))
    return f"CASE {rule} {cases} END"


def sql_of(expression: hr.Expression, schema: pa.Schema) -> str:
    """Return the expression in Spark's SQL, given the columns of the events.

    >>> schema = pa.schema({"age": pa.int64(), "tags": pa.list_(pa.string()), "seen": pa.map_(pa.string(), pa.int64())})
    >>> print(sql_of(hr.parse("age NOT IN (1, 2) OR tags CONTAINS 'x' XOR seen.me < 3"), schema))
    (NOT (`age` IN (1, 2)) OR (exists(`tags`, x -> contains(x, 'x')) <> (try_element_at(`seen`, 'me') < 3)))
    """
    if isinstance(expression, hr.Constant):
        return "true" if expression.value else "false"
    if isinstance(expression, hr.Predicate):
        return _predicate(expression, *_column(schema, expression.attribute))
    operands = [sql_of(operand, schema) for operand in expression.operands]
    if isinstance(expression, hr.Not):
        return f"(NOT {operands[0]})"
    if type(expression) in _JOINED:
        return f"({_JOINED[type(expression)].join(operands)})"
    sign, united = _CHAINED[type(expression)], operands[0]
    for operand in operands[1:]:
        united = f"({united} {sign} {operand})"
    return united


def _column(schema: pa.Schema, attribute: str) -> tuple[str, bool]:
    """Return what an attribute is called in SQL, and whether it is a list."""
    if attribute in schema.names:
        return f"`{attribute}`", pa.types.is_list(schema.field(attribute).type)
    above, _, name = attribute.partition(".")
    kind = schema.field(above).type
    if pa.types.is_map(kind):
        return f"try_element_at(`{above}`, {_literal(name)})", False
    return f"`{above}`.`{name}`", pa.types.is_list(kind.field(name).type)


def _predicate(predicate: hr.Predicate, column: str, is_list: bool) -> str:  # noqa: FBT001 - as _column says it
    row = OPERATORS[predicate.operator]
    values = [_literal(value) for value in predicate.values]
    test = (_list_test if is_list else _scalar_test)(row.base, column, values)
    return _ACCEPTED[row.accepts].format(test)


def _scalar_test(base: Operator, column: str, values: Sequence[str]) -> str:
    """Return a base test of a single value: null where that is missing, as in the language."""
    if base in _SIGNS:
        return f"({column} {_SIGNS[base]} {values[0]})"
    if base in _FUNCTIONS:
        return f"{_FUNCTIONS[base]}({column}, {values[0]})"
    return _SCALAR_TESTS[base](column, values)


def _list_test(base: Operator, column: str, values: Sequence[str]) -> str:
    """Return a base test of a list: most ask for an element of which the test is true."""
    if base in _LIST_TESTS:
        return _LIST_TESTS[base](column, values)
    return f"exists({column}, x -> {_scalar_test(base, 'x', values)})"


_Test = Callable[[str, Sequence[str]], str]

_SCALAR_TESTS: dict[Operator, _Test] = {
    Operator.BETWEEN: lambda column, values: f"({column} BETWEEN {values[0]} AND {values[1]})",
    Operator.IN: lambda column, values: f"({column} IN ({', '.join(values)}))",
    Operator.ALL_OF: lambda column, values: "(" + " AND ".join(f"{column} = {value}" for value in values) + ")",
    Operator.IS_NULL: lambda column, _: f"({column} IS NULL)",
    Operator.IS_EMPTY: lambda column, _: f"({column} IS NULL AND NULL)",
}

_LIST_TESTS: dict[Operator, _Test] = {
    Operator.IN: lambda column, values: f"arrays_overlap({column}, array({', '.join(values)}))",
    Operator.ALL_OF: lambda column, values: (
        f"forall(array({', '.join(values)}), value -> array_contains({column}, value))"
    ),
    Operator.IS_NULL: lambda column, _: f"({column} IS NULL)",
    Operator.IS_EMPTY: lambda column, _: f"(cardinality({column}) = 0)",
}


def _literal(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP_LTZ '{value.isoformat()}'"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"{value!r}D" if isinstance(value, float) else repr(value)

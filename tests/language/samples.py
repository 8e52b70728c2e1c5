"""Expressions and events for tests of the language: a few deep ones by hand, many small ones by Hypothesis."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operators import OPERATORS, Operands, OperatorRow

if TYPE_CHECKING:
    from hedgerow.values import Value

DEPTH = 100_000
NAMES = ("a", "b", "c", "user.age", "not", "first name", "`")
MOMENT = dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC)
# Few values, so that predicates and events often meet.
NUMBERS: tuple[Value, ...] = (0, 1, 2, -3, 1.5, -0.25, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 1e300)
STRINGS: tuple[Value, ...] = ("", "x", "xy", "X", "a%b", "it's", "ß", "\U0001f600", "line\nend", "a_b")
MOMENTS: tuple[Value, ...] = (MOMENT, MOMENT.replace(microsecond=7), dt.datetime(1, 1, 1, tzinfo=dt.UTC))
FAMILIES = ((False, True), NUMBERS, STRINGS, MOMENTS)
EVERY_VALUE = tuple(value for values in FAMILIES for value in values)
PATTERNS = ("", "%", "_", "x%", "%y", "a\\%b", "X_")
REGEXES = ("", "^x", "y$", "(?i)X", "[a-z]+", ".")


def deep(levels: int = DEPTH) -> Expression:
    """Return a new expression of this depth, with all logical operators in turn."""
    expression: Expression = Predicate("a", OPERATORS[0].operator, (1,))
    other = Predicate("b", OPERATORS[0].operator, (2,))
    for level in range(levels):
        expression = (And, Or, Xor, Xnor)[level % 5 - 1](expression, other) if level % 5 else Not(expression)
    return expression


@st.composite
def predicates(draw: st.DrawFn) -> Predicate:
    """Draw a predicate with any operator."""
    row = draw(st.sampled_from(OPERATORS))
    values = draw(operands(row))
    weights = draw(st.none() | st.lists(st.sampled_from((0, 1, 2.5)), min_size=len(values), max_size=len(values)))
    return Predicate(draw(st.sampled_from(NAMES)), row.operator, values, weights if row.weighted else None)


def operands(row: OperatorRow) -> st.SearchStrategy[Any]:
    """Return a strategy for what the operator takes."""
    if row.operands == Operands.NOTHING:
        return st.just(())
    if row.operands == Operands.TWO:
        return st.sampled_from(FAMILIES).flatmap(lambda values: st.tuples(*[st.sampled_from(values)] * 2))
    if row.operands == Operands.MANY:
        return st.lists(st.sampled_from(EVERY_VALUE), min_size=1, max_size=5)
    if row.operands == Operands.ONE:
        return st.tuples(st.sampled_from(EVERY_VALUE))
    texts = {"LIKE": PATTERNS, "ILIKE": PATTERNS, "MATCHES": REGEXES}.get(row.text.removeprefix("NOT "), STRINGS)
    return st.tuples(st.sampled_from(texts))


def _combined(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    chains = st.builds(
        lambda kind, operands: kind(*operands),
        st.sampled_from((And, Or, Xor, Xnor)),
        st.lists(parts, min_size=2, max_size=4),
    )
    return st.builds(Not, parts) | chains


EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    predicates() | st.builds(Constant, st.booleans()), _combined, max_leaves=12
)

_SCALARS = st.sampled_from((*EVERY_VALUE, None, float("nan"), float("inf")))
EVENTS: st.SearchStrategy[dict[str, object]] = st.dictionaries(
    st.sampled_from(NAMES), _SCALARS | st.lists(_SCALARS, max_size=3), max_size=len(NAMES)
)

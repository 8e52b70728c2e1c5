"""The oracle: what an expression means, in plain Python.

Every index must agree with this file on every event. So it is short, has one function for each base test, and does
nothing clever; but it takes any depth and any input in linear time, as everything does.

True, False and None stand for true, false and undefined.
"""

from __future__ import annotations

import operator as python
from collections.abc import Callable, Collection, Mapping
from typing import TypeAlias

from hedgerow.errors import KindError
from hedgerow.event.flatten import Asked, Entry, flatten
from hedgerow.language.build import Attribute
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.fold import folded
from hedgerow.language.operand import family
from hedgerow.language.operators import OPERATORS, Accepts, Operator
from hedgerow.language.pattern import like, regex_found
from hedgerow.language.walk import postorder
from hedgerow.values import Nested, Value

# Entry is passed on: this is the one file of the room that looks into the event's.
__all__ = [
    "Entry",
    "Outcome",
    "as_expression",
    "asked_of",
    "base_outcome",
    "check_missing",
    "combined",
    "evaluate",
    "outcome",
    "part_values",
    "value_key",
]

Outcome: TypeAlias = bool | None
_Test: TypeAlias = Callable[[Collection[Value], tuple[Value, ...]], bool]


def evaluate(
    expression: Expression | Attribute | str, event: Mapping[str, object], missing: str = "unknown"
) -> Outcome:
    """Return whether the expression is true of the event: True, False, or None where that is undefined.

    ``missing`` says how a predicate reads that is undefined, because its attribute is missing or of another kind:
    ``"unknown"`` leaves it undefined, ``"false"`` makes it false (so that its negation is true).

    >>> import hedgerow as hr
    >>> hr.evaluate("age >= 18 AND state != 'NY'", {"age": 20, "state": "CA"})
    True
    >>> print(hr.evaluate("NOT state = 'NY'", {"age": 20}))
    None
    >>> hr.evaluate("NOT state = 'NY'", {"age": 20}, missing="false")
    True
    """
    check_missing(missing)
    expression = as_expression(expression)
    order = postorder(expression)
    return part_values(order, asked_of(event, order), missing)[id(expression)]


def asked_of(event: Mapping[str, object], parts: list[Expression]) -> dict[str, Entry]:
    """Return the flat event with what these parts ask for; nothing else is looked at."""
    return flatten(event, Asked(part.attribute for part in parts if isinstance(part, Predicate)))


def part_values(order: list[Expression], flat: Mapping[str, Entry], missing: str) -> dict[int, Outcome]:
    """Return the values of parts in postorder on a flat event, by the parts' identity."""
    values: dict[int, Outcome] = {}
    for part in order:
        if isinstance(part, Predicate):
            values[id(part)] = outcome(part, flat, missing)
        else:
            values[id(part)] = combined(part, [values[id(operand)] for operand in part.operands])
    return values


def as_expression(expression: Expression | Attribute | str) -> Expression:
    """Return an expression as it is, an attribute by itself as ``attribute = true``, and text parsed."""
    if isinstance(expression, Expression):
        return expression
    if isinstance(expression, Attribute):
        return expression.holds()
    from hedgerow.language.parse import parse  # noqa: PLC0415 - the oracle must work where nothing is compiled

    return parse(expression)


def check_missing(missing: str) -> None:
    """Raise unless this is a reading of missing attributes."""
    if missing not in ("unknown", "false"):
        raise KindError(f"missing is 'unknown' or 'false', not {missing!r}")


def combined(part: Expression, values: list[Outcome]) -> Outcome:
    """Return the value of a part that is no predicate from the values of its operands (Kleene's logic)."""
    return part.value if isinstance(part, Constant) else _COMBINED[type(part)](values)


def outcome(predicate: Predicate, flat: Mapping[str, Entry], missing: str = "unknown") -> Outcome:
    """Return the value of a predicate on a flat event."""
    row = OPERATORS[predicate.operator]
    base = base_outcome(row.base, predicate.values, flat.get(predicate.attribute))
    value = _ACCEPTED[row.accepts](base)
    return False if value is None and missing == "false" else value


def base_outcome(base: Operator, values: tuple[Value, ...], actual: Entry | None) -> Outcome:
    """Return the value of a base test with these operands on what the event has."""
    if base == Operator.IS_NULL:
        return actual is None
    if actual is None or actual != actual:  # noqa: PLR0124 - missing, or NaN
        return None
    if base == Operator.IS_EMPTY:
        return actual == ()
    if isinstance(actual, Nested):  # an object, which has no value of its own
        return None
    families = {family(value) for value in values}
    if isinstance(actual, tuple):
        elements = [element for element in actual if element is not None and _in(families, element)]
        return _TESTS[base](elements, values)
    return _TESTS[base]((actual,), values) if _in(families, actual) else None


def _in(families: set[str | None], value: Value) -> bool:
    return family(value) in families and value == value  # noqa: PLR0124 - NaN is of no family


def value_key(value: object) -> tuple[bool, object]:
    """Return what tells canonical values apart as dictionary keys: Python calls True and 1 equal."""
    return isinstance(value, bool), value


def _and(values: list[Outcome]) -> Outcome:
    return False if False in values else None if None in values else True


def _or(values: list[Outcome]) -> Outcome:
    return True if True in values else None if None in values else False


def _not(values: list[Outcome]) -> Outcome:
    return None if values[0] is None else not values[0]


def _xor(values: list[Outcome]) -> Outcome:
    return None if None in values else values.count(True) % 2 == 1


def _xnor(values: list[Outcome]) -> Outcome:
    # Each XNOR is a XOR negated, and n operands have n - 1 of them.
    return _xor(values) if len(values) % 2 == 1 else _not([_xor(values)])


_COMBINED: dict[type[Expression], Callable[[list[Outcome]], Outcome]] = {
    And: _and,
    Or: _or,
    Not: _not,
    Xor: _xor,
    Xnor: _xnor,
}

# What an operator makes of its base test's outcome.
_ACCEPTED: dict[Accepts, Callable[[Outcome], Outcome]] = {
    Accepts.TRUE: lambda base: base,
    Accepts.FALSE: lambda base: None if base is None else not base,
    Accepts.NOT_TRUE: lambda base: base is not True,
    Accepts.NOT_FALSE: lambda base: base is not False,
}


def _some(compare: Callable[[Value, Value], bool]) -> _Test:
    """Return the test that some element compares so with the one operand."""
    return lambda elements, values: any(compare(element, values[0]) for element in elements)


def _text(test: Callable[[str, str], bool]) -> _Test:
    """Return the test that some element passes with the one operand, both being strings."""
    return lambda elements, values: any(test(str(element), str(values[0])) for element in elements)


def _between(elements: Collection[Value], values: tuple[Value, ...]) -> bool:
    low, high = values
    return any(python.le(low, element) and python.le(element, high) for element in elements)


def _is_in(elements: Collection[Value], values: tuple[Value, ...]) -> bool:
    listed = set(map(value_key, values))
    return any(value_key(element) in listed for element in elements)


def _all_of(elements: Collection[Value], values: tuple[Value, ...]) -> bool:
    return set(map(value_key, values)) <= set(map(value_key, elements))


# Elements are of the operands' families, which is what makes plain comparison right.
_TESTS: dict[Operator, _Test] = {
    Operator.EQ: _some(python.eq),
    Operator.LT: _some(python.lt),
    Operator.LE: _some(python.le),
    Operator.GT: _some(python.gt),
    Operator.GE: _some(python.ge),
    Operator.BETWEEN: _between,
    Operator.IN: _is_in,
    Operator.ALL_OF: _all_of,
    Operator.LIKE: _text(lambda text, pattern: like(pattern, text)),
    Operator.ILIKE: _text(lambda text, pattern: like(folded(pattern), folded(text))),
    Operator.STARTS_WITH: _text(str.startswith),
    Operator.ENDS_WITH: _text(str.endswith),
    Operator.CONTAINS: _text(lambda text, part: part in text),
    Operator.MATCHES: _text(lambda text, regex: regex_found(regex, text)),
}

"""The scoring oracle: what a match is worth, in plain Python.

The score is defined on the simplified literal form (``hedgerow.language.literal_form``), so that expressions which
differ only in how they are written score alike:

- a literal ``a = v`` or ``a IN (v, ...)`` that is true scores the largest product, over listed values that the event
  has, of the value's weight in the expression and in the event; any other literal scores 0;
- AND adds the scores of its operands, OR takes the largest of those that hold; a part that does not hold scores 0.

The weight in the expression is 0 where none is written, the weight in the event 1 where none is given.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from hedgerow.errors import EventError
from hedgerow.language.build import Attribute
from hedgerow.language.evaluate import Entry, as_expression, asked_of, base_outcome, check_missing, value_key
from hedgerow.language.literal_form import Chain, Literal, literal_form
from hedgerow.language.operand import shown
from hedgerow.language.operators import Accepts
from hedgerow.language.walk import postorder
from hedgerow.values import canonical

if TYPE_CHECKING:
    from hedgerow.language.expression import Expression

__all__ = ["CheckedWeights", "EventWeights", "checked_weights", "score"]

EventWeights: TypeAlias = Mapping[str, float | Mapping[object, float]]
"""An attribute's weight in an event: one number for whatever value it has, or one for each value."""

CheckedWeights: TypeAlias = dict[str, float | dict[tuple[bool, object], float]]
_ACCEPTED = {
    Accepts.TRUE: (True,),
    Accepts.FALSE: (False,),
    Accepts.NOT_TRUE: (False, None),
    Accepts.NOT_FALSE: (True, None),
}


def score(
    expression: Expression | Attribute | str,
    event: Mapping[str, object],
    weights: EventWeights | None = None,
    missing: str = "unknown",
) -> float | None:
    """Return the score of the expression for the event, or None where it does not match.

    >>> import hedgerow as hr
    >>> young = hr.parse("age IN (1^10, 2^5) AND state = 'CA'^3")
    >>> score(young, {"age": 1, "state": "CA"}, weights={"state": {"CA": 2.0}})
    16.0
    >>> score(young, {"age": 3, "state": "CA"}) is None
    True
    """
    check_missing(missing)
    expression = as_expression(expression)
    nodes = literal_form(expression, missing)
    flat = asked_of(event, postorder(expression))
    checked = checked_weights(weights or {})
    scores: list[float | None] = []
    for node in nodes:
        scores.append(_chain(node, scores) if isinstance(node, Chain) else _literal(node, flat, checked))
    return scores[-1]


def _chain(node: Chain, scores: list[float | None]) -> float | None:
    held = [operand for operand in (scores[number] for number in node.operands) if operand is not None]
    if not node.conjunction:
        return max(held, default=None)
    if len(held) < len(node.operands):
        return None
    total = 0.0
    for operand in held:  # not sum(), which rounds in another way from Python 3.12 on
        total += operand
    return total


def _literal(literal: Literal, flat: Mapping[str, Entry], weights: CheckedWeights) -> float | None:
    actual = flat.get(literal.attribute)
    if base_outcome(literal.base, literal.values, actual) not in _ACCEPTED[literal.accepts]:
        return None
    if literal.weights is None or actual is None:
        return 0.0
    given = weights.get(literal.attribute, 1.0)
    present = set(map(value_key, actual if isinstance(actual, tuple) else (actual,)))
    products = [
        weight * (given.get(key, 1.0) if isinstance(given, dict) else given)
        for key, weight in zip(map(value_key, literal.values), literal.weights, strict=True)
        if key in present
    ]
    return max(products, default=0.0)


def checked_weights(weights: EventWeights) -> CheckedWeights:
    """Return an event's weights with canonical values as keys, or raise ``EventError``."""
    if not isinstance(weights, Mapping):
        raise EventError(f"weights map attributes to numbers; {shown(weights)} does not")
    return {attribute: _checked_attribute(attribute, given) for attribute, given in weights.items()}


def _checked_attribute(attribute: object, given: object) -> float | dict[tuple[bool, object], float]:
    if not isinstance(attribute, str):
        raise EventError(f"weights map attribute names to numbers; {shown(attribute)} is no name")
    if isinstance(given, Mapping):
        return {_checked_key(attribute, value): _checked_weight(attribute, given[value]) for value in given}
    return _checked_weight(attribute, given)


def _checked_key(attribute: str, value: object) -> tuple[bool, object]:
    form = canonical(value)
    if form is None:
        raise EventError(f"attribute {shown(attribute)}: the weight of {shown(value)}, which is no value")
    return value_key(form)


def _checked_weight(attribute: str, weight: object) -> float:
    if isinstance(weight, (int, float)) and not isinstance(weight, bool) and 0 <= weight <= sys.float_info.max:
        return float(weight)
    raise EventError(f"attribute {shown(attribute)}: a weight is finite and not negative; {shown(weight)} is not")

"""What may stand on either side of an operator: names, values, lists, patterns and weights, checked once.

Every public way to an expression passes here, so that whatever comes later can rely on it.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from itertools import islice

from hedgerow.errors import ExpressionError, LimitError
from hedgerow.language.operators import OPERATORS, Operands, Operator, OperatorRow
from hedgerow.language.pattern import check_like, check_regex
from hedgerow.limits import MAX_LIST, MAX_NAME_BYTES
from hedgerow.values import Value, canonical, microseconds, timestamp

__all__ = ["checked_name", "checked_operator", "checked_values", "checked_weights", "family", "shown"]

_FAMILIES = {bool: "boolean", int: "number", float: "number", str: "string", dt.datetime: "timestamp"}
_COUNTS = {Operands.NOTHING: 0, Operands.ONE: 1, Operands.TWO: 2, Operands.TEXT: 1}
_PATTERN_CHECKS = {Operator.LIKE: check_like, Operator.ILIKE: check_like, Operator.MATCHES: check_regex}
_SHOWN = 60


def family(value: object) -> str | None:
    """Return which values a canonical value can be compared with: numbers of either kind are one family."""
    return _FAMILIES.get(type(value))


def shown(value: object) -> str:
    """Return a value for a message, cut where it is long."""
    try:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    except Exception:  # noqa: BLE001 - an integer of thousands of digits has no repr, nor may an object of one's own
        text = f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def checked_name(name: object) -> str:
    """Return the attribute name, or raise."""
    if not isinstance(name, str):
        raise ExpressionError(f"an attribute name is a string, not {shown(name)}")
    if not name:
        raise ExpressionError("an attribute name has at least one character")
    if len(name) > MAX_NAME_BYTES or len(_encoded(name)) > MAX_NAME_BYTES:
        raise LimitError(f"an attribute name has at most {MAX_NAME_BYTES:,} bytes; {shown(name)} has more")
    return str.__str__(name)


def checked_operator(operator: object) -> Operator:
    """Return the operator, or raise."""
    if not isinstance(operator, int) or isinstance(operator, bool) or not 0 <= operator < len(OPERATORS):
        raise ExpressionError(f"{shown(operator)} is not an Operator")
    return Operator(operator)


def checked_values(operator: Operator, values: object) -> tuple[Value, ...]:
    """Return the operands in canonical form, or raise where the operator cannot take them."""
    row = OPERATORS[operator]
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ExpressionError(f"{row.text}: its operands come as a sequence, not as {shown(values)}")
    forms = tuple(_checked_value(row, value) for value in islice(values, MAX_LIST + 1))
    _check_count(row, len(forms))
    if row.operands == Operands.TWO and family(forms[0]) != family(forms[1]):
        raise ExpressionError(f"{row.text}: {shown(forms[0])} and {shown(forms[1])} are of different kinds")
    if row.operands == Operands.TEXT:
        _check_text(row, forms[0])
    return forms


def checked_weights(operator: Operator, weights: object, count: int) -> tuple[float, ...] | None:
    """Return one float per value, or None where no value weighs anything; raise where there can be no weights."""
    if weights is None:
        return None
    row = OPERATORS[operator]
    if isinstance(weights, (str, bytes)) or not isinstance(weights, Iterable):
        raise ExpressionError(f"{row.text}: weights come as a sequence, not as {shown(weights)}")
    forms = tuple(_checked_weight(row, weight) for weight in islice(weights, count + 1))
    if len(forms) != count:
        raise ExpressionError(f"{row.text}: one weight for each of the {count} values, please")
    if not any(forms):
        return None
    if not row.weighted:
        raise ExpressionError(f"{row.text}: only the values of =, IN and ANY OF carry weights")
    return forms


def _checked_value(row: OperatorRow, value: object) -> Value:
    if value is None:
        raise ExpressionError(f"{row.text}: None is no value; IS NULL asks whether an attribute is missing")
    form = canonical(value)
    if form is None:
        beyond = " (integers have 64 bits)" if isinstance(value, int) else ""
        raise ExpressionError(f"{row.text}: {type(value).__name__} {shown(value)} is no value{beyond}")
    if isinstance(form, float) and not math.isfinite(form):
        raise ExpressionError(f"{row.text}: {form} can be compared with nothing; numbers here are finite")
    if isinstance(form, str):
        _encoded(form)
        return str.__str__(form)  # a plain string, where it was of a class derived from str
    if isinstance(form, dt.datetime) and type(form) is not dt.datetime:
        return _plain_moment(row, form)
    return form


def _plain_moment(row: OperatorRow, moment: dt.datetime) -> dt.datetime:
    """Return a moment of a derived class, as pandas has one, as a plain one."""
    try:
        return timestamp(microseconds(moment))
    except ValueError:
        raise ExpressionError(f"{row.text}: {shown(moment)} is no moment in time") from None


def _check_count(row: OperatorRow, count: int) -> None:
    if row.operands == Operands.MANY:
        if count == 0:
            raise ExpressionError(f"{row.text}: a list has at least one value")
        if count > MAX_LIST:
            raise LimitError(f"{row.text}: a list has at most {MAX_LIST:,} values")
    elif count != _COUNTS[row.operands]:
        raise ExpressionError(f"{row.text}: takes {_COUNTS[row.operands]} operands, not {count}")


def _check_text(row: OperatorRow, form: Value) -> None:
    if not isinstance(form, str):
        raise ExpressionError(f"{row.text}: takes a string, not {shown(form)}")
    if row.base in _PATTERN_CHECKS:
        _PATTERN_CHECKS[row.base](form)


def _checked_weight(row: OperatorRow, weight: object) -> float:
    if not isinstance(weight, (int, float)) or isinstance(weight, bool):
        raise ExpressionError(f"{row.text}: a weight is a number, not {shown(weight)}")
    try:
        form = float(weight)
    except OverflowError:
        form = math.inf
    if not math.isfinite(form) or form < 0:
        raise ExpressionError(f"{row.text}: a weight is finite and not negative; {shown(weight)} is not")
    return form + 0.0  # -0.0 becomes 0.0


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ExpressionError(f"{shown(text)} has a lone surrogate, which no text can have") from None

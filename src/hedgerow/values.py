"""The kinds of values that expressions and events are made of, and their one canonical form.

Equal values have equal form: a float that is a whole 64-bit number becomes that integer, a timestamp becomes an aware
datetime in UTC (one without a zone is read as UTC, a date as its midnight). So two values are equal exactly when kind
and form are, and ``1 = 1.0`` holds while no 64-bit integer loses precision.
"""

from __future__ import annotations

import datetime as dt
import math
from enum import Enum, IntEnum
from typing import TypeAlias

__all__ = [
    "EPOCH",
    "INT64_MAX",
    "INT64_MIN",
    "OBJECT",
    "Kind",
    "Nested",
    "Value",
    "canonical",
    "kind_of",
    "microseconds",
    "timestamp",
]

Value: TypeAlias = bool | int | float | str | dt.datetime

INT64_MIN = -(1 << 63)
INT64_MAX = (1 << 63) - 1
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


class Kind(IntEnum):
    """The number that compiled modules know a kind by."""

    NULL = 0
    BOOL = 1
    INT = 2
    FLOAT = 3
    STRING = 4
    TIMESTAMP = 5
    NAN = 6
    LIST = 7
    OBJECT = 8


class Nested(Enum):
    """What stands for an object in an event: it is present and has no value of its own, so it compares with nothing."""

    OBJECT = "object"

    def __repr__(self) -> str:
        """Return what people write for an object whose contents do not matter."""
        return "{...}"


OBJECT = Nested.OBJECT


def canonical(value: object) -> Value | None:
    """Return the canonical form of a scalar value, NaN as itself; None where the value is of no kind we know."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value) if INT64_MIN <= value <= INT64_MAX else None
    if isinstance(value, float):
        whole = math.isfinite(value) and value.is_integer() and INT64_MIN <= value < -float(INT64_MIN)
        return int(value) if whole else float(value)
    if isinstance(value, dt.date):
        try:
            return _canonical_timestamp(value)
        except OverflowError:  # its moment in UTC lies outside the years 1 to 9999
            return None
    return None


def _canonical_timestamp(value: dt.date) -> dt.datetime:
    if not isinstance(value, dt.datetime):
        return dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    if value.tzinfo is None:
        return value.replace(tzinfo=dt.UTC, fold=0)
    return timestamp(microseconds(value))


def kind_of(value: Value) -> Kind:
    """Return the kind of a value in canonical form."""
    if isinstance(value, bool):
        return Kind.BOOL
    if isinstance(value, int):
        return Kind.INT
    if isinstance(value, float):
        return Kind.NAN if math.isnan(value) else Kind.FLOAT
    return Kind.STRING if isinstance(value, str) else Kind.TIMESTAMP


def microseconds(moment: dt.datetime) -> int:
    """Return an aware datetime as microseconds since 1970."""
    return (moment - EPOCH) // _MICROSECOND


def timestamp(value: int) -> dt.datetime:
    """Return microseconds since 1970 as a datetime in UTC."""
    return EPOCH + dt.timedelta(microseconds=value)

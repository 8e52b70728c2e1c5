"""Events as the oracle reads them: one flat dict from attribute name to canonical value.

Plain Python on purpose: it is the definition that the compiled encoding is compared with.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np

from hedgerow.errors import EventError
from hedgerow.event.asked import Asked
from hedgerow.event.problems import shown_name
from hedgerow.limits import MAX_EVENT_MAPPINGS, MAX_LIST, MAX_NAME_BYTES
from hedgerow.value_sets import ValueSet
from hedgerow.values import OBJECT, Nested, Value, canonical, microseconds, timestamp

__all__ = ["Asked", "Entry", "Unusable", "canonical_entry", "collected", "flatten", "leaves"]

Entry: TypeAlias = Value | tuple[Value | None, ...] | Nested
"""What an attribute has: a canonical value, the canonical elements of a list (nulls and NaN kept), or an object."""

_LISTS = (list, tuple, set, frozenset)
# Booleans, integers, floats, text, moments and objects; not, for example, durations, whose items would pass as numbers.
_NUMPY_KINDS = "biufUMO"
_FIRST_YEAR, _LAST_YEAR = np.datetime64("0001", "Y"), np.datetime64("9999", "Y")
_OUT_OF_YEARS = "a timestamp outside the years 1 to 9999"
_TWICE = "given twice, once by nesting and once by a dotted name"


class Unusable(EventError):
    """A value that no event can have; the message says why, and not where."""


def flatten(event: Mapping[str, object], asked: Asked | None = None) -> dict[str, Entry]:
    """Return the event as a flat dict of canonical values, without what is missing or not asked for (None: nothing is).

    Nested mappings become dotted names, and are there themselves as ``OBJECT``. Raises ``EventError``, which names the
    attribute, for what no event can have.

    >>> flatten({"user": {"age": 20.0, "tags": ["a", None]}, "vip": None})
    {'user': {...}, 'user.age': 20, 'user.tags': ('a', None)}
    >>> flatten({"user": {"age": 20, "picture": b"..."}}, Asked(["user.age"]))
    {'user.age': 20}
    """
    flat, problems = collected(event, asked)
    for name, reason in problems:
        raise EventError(reason if name is None else f"attribute {shown_name(name)}: {reason}")
    return flat


def collected(
    event: Mapping[str, object], asked: Asked | None = None
) -> tuple[dict[str, Entry], list[tuple[str | None, str]]]:
    """Return the flat event as far as it can be used, and what cannot: names (None: the event itself) and reasons."""
    flat: dict[str, Entry] = {}
    met: set[str] = set()
    problems: list[tuple[str | None, str]] = []
    try:
        for name, value in leaves(event, asked):
            entry, reason = _usable(value)
            if name in met:
                entry, reason = None, _TWICE
                flat.pop(name, None)
            met.add(name)
            if reason is not None:
                problems.append((name, reason))
            elif entry is not None:
                flat[name] = entry
    except Unusable as error:  # the event itself
        problems.append((None, str(error)))
    return flat, problems


def _usable(value: object) -> tuple[Entry | None, str | None]:
    """Return what an attribute has, or why it cannot have it."""
    if isinstance(value, Mapping):
        return OBJECT, None
    try:
        return canonical_entry(value), None
    except Unusable as error:
        return None, str(error)


def canonical_entry(value: object) -> Entry | None:
    """Return one attribute's value in canonical form, a list as a tuple; None where it is missing."""
    _check_length(value)
    value = _from_numpy(value)
    if isinstance(value, _LISTS):
        return tuple(_scalar(_from_numpy(element)) for element in value)
    return _scalar(value)


def _check_length(value: object) -> None:
    if not isinstance(value, (*_LISTS, np.ndarray)):
        return
    length = value.size if isinstance(value, np.ndarray) else len(value)
    if length > MAX_LIST:
        raise Unusable(f"a list has at most {MAX_LIST:,} values, and this one {length:,}")


def leaves(event: Mapping[str, object], asked: Asked | None) -> Iterator[tuple[str, object]]:
    """Yield dotted names and values, each mapping before what is in it, in the order written and without recursion."""
    if not isinstance(event, Mapping):
        raise Unusable(f"an event maps attribute names to values; {_kind(event)} does not")
    stack = [("", iter(event.items()))]
    mappings = 1
    while stack:
        prefix, items = stack[-1]
        for key, value in items:
            name = _joined(prefix, key)
            if name is None:
                continue
            if asked is None or name in asked.names:
                yield name, value
            if isinstance(value, Mapping) and (asked is None or asked.leads_on(name)):
                mappings += 1
                if mappings > MAX_EVENT_MAPPINGS:
                    raise Unusable(
                        f"attribute {shown_name(name)}: more than {MAX_EVENT_MAPPINGS:,} mappings in one event"
                    )
                stack.append((f"{name}.", iter(value.items())))
                break
        else:
            stack.pop()


def _joined(prefix: str, key: object) -> str | None:
    """Return the name of an attribute; None for what no rule can mention."""
    if not isinstance(key, str) or not key:
        return None
    name = f"{prefix}{str.__str__(key)}"
    # This also ends a mapping that contains itself.
    if len(name) > MAX_NAME_BYTES:
        return None
    try:
        return name if len(name.encode()) <= MAX_NAME_BYTES else None
    except UnicodeEncodeError:  # a lone surrogate
        return None


def _from_numpy(value: object) -> object:
    """Return the plain Python form of a NumPy scalar or array, and anything else as it is."""
    if not isinstance(value, (np.generic, np.ndarray)):
        return value
    if value.dtype.kind not in _NUMPY_KINDS:
        raise Unusable(f"NumPy's {value.dtype} is of no kind that events have")
    if value.dtype.kind != "M":
        return value.tolist()
    years = value.astype("datetime64[Y]")
    if np.any((years < _FIRST_YEAR) | (years > _LAST_YEAR)):
        raise Unusable(_OUT_OF_YEARS)
    return value.astype("datetime64[us]").tolist()


def _scalar(value: object) -> Value | None:
    if isinstance(value, dt.datetime) and type(value) is not dt.datetime:
        value = _plain_moment(value)
    if value is None:
        return None
    form = canonical(value)
    if form is None:
        raise Unusable(_why_not(value))
    if isinstance(form, str):
        _check_text(form)
        return str.__str__(form)  # a plain string, where it was of a class derived from str
    return form


def _plain_moment(value: dt.datetime) -> dt.datetime | None:
    """Return a moment of a derived class (pandas has one) as a plain one; None where it is "not a time"."""
    if value != value:  # noqa: PLR0124 - only "not a time" differs from itself
        return None
    return timestamp(microseconds(value if value.tzinfo else value.replace(tzinfo=dt.UTC)))


def _why_not(value: object) -> str:
    if isinstance(value, int):
        return "an integer beyond 64 bits"
    if isinstance(value, dt.date):
        return _OUT_OF_YEARS
    if isinstance(value, _LISTS):
        return "a list inside a list"
    if isinstance(value, ValueSet):
        return "a set of values; only match and match_batch take these, in mappings"
    return f"{_kind(value)} is of no kind that events have"


def _check_text(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unusable("text with a lone surrogate") from None


def _kind(value: object) -> str:
    return f"a value of type {type(value).__name__}"

"""Events as the oracle reads them: one flat dict from attribute name to canonical value.

Plain Python on purpose: it is the definition that the compiled encoding is compared with.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np

from hedgerow.errors import EventError
from hedgerow.limits import MAX_EVENT_MAPPINGS, MAX_NAME_BYTES
from hedgerow.values import Value, canonical, microseconds, timestamp

__all__ = ["Entry", "canonical_entry", "flatten"]

Entry: TypeAlias = Value | tuple[Value | None, ...]
"""What an attribute has: a canonical value, or the canonical elements of a list (nulls and NaN kept)."""

_LISTS = (list, tuple, set, frozenset)
# Booleans, integers, floats, text, moments and objects; not, for example, durations, whose items would pass as numbers.
_NUMPY_KINDS = "biufUMO"
_FIRST_YEAR, _LAST_YEAR = np.datetime64("0001", "Y"), np.datetime64("9999", "Y")
_OUT_OF_YEARS = "a timestamp outside the years 1 to 9999"
_SHOWN = 60


def flatten(event: Mapping[str, object]) -> dict[str, Entry]:
    """Return the event as a flat dict of canonical values, without what is missing.

    Nested mappings become dotted names. Raises ``EventError``, which names the attribute, for what no event can have.

    >>> flatten({"user": {"age": 20.0, "tags": ["a", None]}, "vip": None})
    {'user.age': 20, 'user.tags': ('a', None)}
    """
    if not isinstance(event, Mapping):
        raise EventError(f"an event maps attribute names to values; {_kind(event)} does not")
    flat: dict[str, Entry] = {}
    missing: set[str] = set()
    for name, value in _leaves(event):
        if name in flat or name in missing:
            raise EventError(f"attribute {_shown(name)}: given twice, once by nesting and once by a dotted name")
        entry = canonical_entry(name, value)
        if entry is None:
            missing.add(name)
        else:
            flat[name] = entry
    return flat


def canonical_entry(name: str, value: object) -> Entry | None:
    """Return one attribute's value in canonical form, a list as a tuple; None where it is missing."""
    value = _from_numpy(name, value)
    if isinstance(value, _LISTS):
        return tuple(_scalar(name, _from_numpy(name, element)) for element in value)
    return _scalar(name, value)


def _leaves(event: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield dotted names and values, in the order written, without recursion."""
    stack = [("", iter(event.items()))]
    mappings = 1
    while stack:
        prefix, items = stack[-1]
        for key, value in items:
            name = _joined(prefix, key)
            if isinstance(value, Mapping):
                mappings += 1
                if mappings > MAX_EVENT_MAPPINGS:
                    raise EventError(
                        f"attribute {_shown(name)}: more than {MAX_EVENT_MAPPINGS:,} mappings in one event"
                    )
                stack.append((f"{name}.", iter(value.items())))
                break
            yield name, value
        else:
            stack.pop()


def _joined(prefix: str, key: object) -> str:
    if not isinstance(key, str) or not key:
        under = f" under {_shown(prefix[:-1])}" if prefix else ""
        found = "an empty one" if isinstance(key, str) else f"{_kind(key)} {_shown(key)}"
        raise EventError(f"attribute names are non-empty strings, not {found}{under}")
    name = prefix + key
    _check_text(name, name)
    # This also ends a mapping that contains itself.
    if len(name) > MAX_NAME_BYTES or len(name.encode()) > MAX_NAME_BYTES:
        raise EventError(f"attribute {_shown(name)}: the name is longer than {MAX_NAME_BYTES:,} bytes")
    return name


def _from_numpy(name: str, value: object) -> object:
    """Return the plain Python form of a NumPy scalar or array, and anything else as it is."""
    if not isinstance(value, (np.generic, np.ndarray)):
        return value
    if value.dtype.kind not in _NUMPY_KINDS:
        raise EventError(f"attribute {_shown(name)}: NumPy's {value.dtype} is of no kind that events have")
    if value.dtype.kind != "M":
        return value.tolist()
    years = value.astype("datetime64[Y]")
    if np.any((years < _FIRST_YEAR) | (years > _LAST_YEAR)):
        raise EventError(f"attribute {_shown(name)}: {_OUT_OF_YEARS}")
    return value.astype("datetime64[us]").tolist()


def _scalar(name: str, value: object) -> Value | None:
    if isinstance(value, dt.datetime) and type(value) is not dt.datetime:
        value = _plain_moment(value)
    if value is None:
        return None
    form = canonical(value)
    if form is None:
        raise EventError(f"attribute {_shown(name)}: {_why_not(value)}")
    if isinstance(form, str):
        _check_text(name, form)
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
    return f"{_kind(value)} is of no kind that events have"


def _check_text(name: str, text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise EventError(f"attribute {_shown(name)}: text with a lone surrogate") from None


def _shown(value: object) -> str:
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _kind(value: object) -> str:
    return f"a value of type {type(value).__name__}"

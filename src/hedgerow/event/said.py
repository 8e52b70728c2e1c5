"""What events say, as regions of values: for the search by relation, whose events may have sets of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from hedgerow.errors import EventError
from hedgerow.event.asked import Asked
from hedgerow.event.flatten import Unusable, canonical_entry, leaves
from hedgerow.event.problems import shown_name
from hedgerow.regions import IS_NAN, IS_OBJECT, Region, region_of
from hedgerow.value_sets import ValueSet
from hedgerow.values import OBJECT, Value

__all__ = ["Said", "collected_said", "has_sets", "said_of"]

Said: TypeAlias = Region | tuple[Value | None, ...]
"""What an event says of an attribute: a set of values, the set of one value, or a list."""

_TWICE = "given twice, once by nesting and once by a dotted name"


def said_of(event: Mapping[str, object], asked: Asked | None) -> dict[str, Said]:
    """Return what a flat or nested event says of each attribute; nothing of those it is silent about.

    Of what is not asked for (None: nothing is) only that it is said counts, so it may be anything. Raises
    ``EventError``, which names the attribute.

    >>> from hedgerow.value_sets import between
    >>> said_of({"age": between(18, 24), "town": None, "picture": b"..."}, Asked(["age"])).keys()
    dict_keys(['age', 'picture'])
    """
    said, problems = collected_said(event, asked)
    for name, reason in problems:
        raise EventError(reason if name is None else f"attribute {shown_name(name)}: {reason}")
    return said


def collected_said(
    event: Mapping[str, object], asked: Asked | None
) -> tuple[dict[str, Said], list[tuple[str | None, str]]]:
    """Return the same, and what cannot be used: names (None: the event itself) and reasons."""
    said: dict[str, Said] = {}
    met: set[str] = set()
    problems: list[tuple[str | None, str]] = []
    try:
        for name, value in leaves(event, None):
            entry, reason = _usable(value) if name not in met else (Region(), _TWICE)
            met.add(name)
            if reason is not None and (asked is None or name in asked.names):
                problems.append((name, reason))
            if entry is not None:
                said[name] = entry
    except Unusable as error:
        problems.append((None, str(error)))
    return said, problems


def _usable(value: object) -> tuple[Said | None, str | None]:
    try:
        return _said(value), None
    except Unusable as error:
        return Region(), str(error)


def _said(value: object) -> Said | None:
    if isinstance(value, ValueSet):
        return value.region
    if isinstance(value, Mapping) or value is OBJECT:
        return Region(marks=frozenset((IS_OBJECT,)))
    entry = canonical_entry(value)
    if entry is None or isinstance(entry, tuple):
        return entry
    if entry != entry:  # noqa: PLR0124 - NaN
        return Region(marks=frozenset((IS_NAN,)))
    return region_of([entry])  # type: ignore[list-item]  # an object was seen to


def has_sets(event: object, asked: Asked) -> bool:
    """Return whether an event has a set of values for something that is asked for."""
    if not isinstance(event, Mapping):
        return False
    return any(isinstance(value, ValueSet) for _, value in leaves(event, asked))

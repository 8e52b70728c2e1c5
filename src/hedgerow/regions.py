"""Regions: sets of values as spans of lines, for what an event says of an attribute and what a test asks of it.

::

    family      a line of values                       at_least(3)        [3, most]
    number      least ─────── 3 ──────── most          above(3)           (3, most]
    string      ''   ──────── 'x' ────── most          none_of([3])       [least, 3), (3, most]
    timestamp   least ─────────────────── most         any_of([3, 'x'])   [3, 3] of numbers, ['x', 'x'] of strings
    boolean     false, true: two values, no line

The lines of numbers, strings and timestamps have no gaps: between any two values are others, so ``above(3)`` and
``at_least(3)`` differ, and ``below(3)`` and ``at_least(3)`` are side by side. A region can have *marks* besides, for
what is no value: an attribute that is absent, NaN, an object.

An end is a tuple, so that Python compares ends: ``(0, value, 0)`` at a value, ``(0, value, 1)`` right after it,
``(0, value, -1)`` right before it. Spans of a family are sorted, and there is a gap between any two.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TypeAlias

from hedgerow.values import Kind, Value, kind_of

__all__ = [
    "ABSENT",
    "EVERYTHING",
    "FAMILIES",
    "IS_NAN",
    "IS_OBJECT",
    "LEAST",
    "MOST",
    "End",
    "Region",
    "Span",
    "at",
    "complement",
    "family_of",
    "region_of",
    "shifted",
    "spans_between",
    "union",
]

End: TypeAlias = tuple[int] | tuple[int, Value, int]
Span: TypeAlias = tuple[End, End]
Spans: TypeAlias = Sequence[Span]

LEAST: End = (-1,)
MOST: End = (1,)

ABSENT, IS_NAN, IS_OBJECT = "absent", "NaN", "object"

_FAMILIES = {
    Kind.BOOL: "boolean",
    Kind.INT: "number",
    Kind.FLOAT: "number",
    Kind.STRING: "string",
    Kind.TIMESTAMP: "timestamp",
}
FAMILIES = ("boolean", "number", "string", "timestamp")
_WHOLE: dict[str, Spans] = {name: [(LEAST, MOST)] for name in FAMILIES}
_WHOLE["boolean"] = [((0, False, 0), (0, False, 0)), ((0, True, 0), (0, True, 0))]

_low = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Region:
    """A set of values, by family; and marks of what is no value.

    >>> Region({"number": spans_between("number", at(3), MOST)}).meets(region_of([5, "x"]))
    True
    """

    spans: Mapping[str, Spans] = field(default_factory=dict)
    marks: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Return whether there is anything in it."""
        return bool(self.marks) or any(self.spans.values())

    def meets(self, other: Region) -> bool:
        """Return whether both have a value, or a mark, in common."""
        if self.marks & other.marks:
            return True
        return any(_meet(spans, other.spans.get(family, ())) for family, spans in self.spans.items())

    def is_inside(self, other: Region) -> bool:
        """Return whether the other region has all that is in this one."""
        if not self.marks <= other.marks:
            return False
        return all(_is_inside(spans, other.spans.get(family, ())) for family, spans in self.spans.items())

    def points(self) -> list[Value] | None:
        """Return the values, if they are some and no lines; None otherwise."""
        if self.marks or any(
            low != high or low in (LEAST, MOST) for spans in self.spans.values() for low, high in spans
        ):
            return None if self.marks else self._extreme_points()
        return [low[1] for spans in self.spans.values() for low, _ in spans]  # type: ignore[misc]  # no extremes here

    def _extreme_points(self) -> list[Value] | None:
        """Return the values where the least or the most of a line may be among them; None if there are lines."""
        found: list[Value] = []
        for family, spans in self.spans.items():
            for low, high in spans:
                value = _only_value(family, low, high)
                if value is None:
                    return None
                found.append(value)
        return found


def _only_value(family: str, low: End, high: End) -> Value | None:
    """Return the one value of a span, or None."""
    if low == high:
        return low[1] if len(low) == len((0, 0, 0)) else None  # type: ignore[misc]  # one with a value
    if low == LEAST and high == _LEAST_OF.get(family):
        return high[1]  # type: ignore[misc]  # it is a value's
    if high == MOST and low == _MOST_OF.get(family):
        return low[1]  # type: ignore[misc]  # it is a value's
    return None


def family_of(value: Value) -> str:
    """Return the family of a canonical value that is not NaN.

    >>> family_of(True), family_of(0.5)
    ('boolean', 'number')
    """
    return _FAMILIES[kind_of(value)]


def at(value: Value, side: int = 0) -> End:
    """Return the end at a value, right after it (1) or right before it (-1)."""
    return (0, value, side)


def shifted(end: End, by: int) -> End:
    """Return the end next to another one."""
    return (0, end[1], end[2] + by) if len(end) > 1 else end


# The values that are the ends of their lines: a span up to one of them is a span to the end.
_LEAST_OF: dict[str, End] = {"number": (0, -math.inf, 0), "string": (0, "", 0)}
_MOST_OF: dict[str, End] = {"number": (0, math.inf, 0)}


def spans_between(family: str, low: End, high: End) -> Spans:
    """Return what lies between two ends of a family's line, in normal form; nothing if there is nothing.

    >>> spans_between("number", at(5), at(3)), spans_between("boolean", at(False), MOST)
    ([], [((0, False, 0), (0, False, 0)), ((0, True, 0), (0, True, 0))])
    """
    if family == "boolean":
        return [span for span in _WHOLE["boolean"] if low <= span[0] and span[1] <= high]
    least, most = _LEAST_OF.get(family), _MOST_OF.get(family)
    if least is not None and (low == least or high == shifted(least, -1)):
        low, high = (LEAST if low == least else low), (high if high != shifted(least, -1) else LEAST)
    if most is not None and (high == most or low == shifted(most, 1)):
        low, high = (low if low != shifted(most, 1) else MOST), (MOST if high == most else high)
    return [(low, high)] if low <= high and high != LEAST and low != MOST else []


def region_of(values: Iterable[Value]) -> Region:
    """Return the region of some canonical values, none of them NaN.

    >>> region_of([3, 1.5]).points()
    [1.5, 3]
    """
    spans: dict[str, list[Span]] = {}
    for value in values:
        family = family_of(value)
        spans.setdefault(family, []).extend(spans_between(family, at(value), at(value)))
    return Region({family: _merged(found) for family, found in spans.items()})


def complement(family: str, spans: Spans) -> Spans:
    """Return all of a family's line but some spans."""
    if family == "boolean":
        return [span for span in _WHOLE["boolean"] if span not in spans]
    low, gaps = LEAST, []
    for start, end in spans:
        if start != LEAST:
            gaps.append((low, shifted(start, -1)))
        if end == MOST:
            return gaps
        low = shifted(end, 1)
    return [*gaps, (low, MOST)]


def union(*regions: Region) -> Region:
    """Return all that is in some of the regions."""
    families = dict.fromkeys(family for region in regions for family in region.spans)
    spans = {family: _merged([s for region in regions for s in region.spans.get(family, ())]) for family in families}
    return Region(spans, frozenset().union(*(region.marks for region in regions)))


EVERYTHING = Region(_WHOLE, frozenset((ABSENT, IS_NAN, IS_OBJECT)))
"""Whatever an attribute can have, or be without."""


def _merged(spans: Iterable[Span]) -> Spans:
    """Return spans in order, those as one that overlap or have no gap between them."""
    merged: list[Span] = []
    for low, high in sorted(spans):
        if merged and low <= shifted(merged[-1][1], 1):
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def _meet(one: Spans, other: Spans) -> bool:
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    for low, high in few:
        place = bisect_right(many, high, key=_low)
        if place and many[place - 1][1] >= low:
            return True
    return False


def _is_inside(one: Spans, other: Spans) -> bool:
    for low, high in one:
        place = bisect_right(other, low, key=_low)
        if not place or other[place - 1][1] < high:
            return False
    return True

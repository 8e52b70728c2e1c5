"""Range rules: conjunctions of comparisons and equalities over 20 attributes, integers and floats.

::

    code_0 ...   6 attributes of 6 to 150 integers   rules ask for one of them, now and then for some in a row
    count_0 ...  7 attributes of integers            rules ask for one side of a bound, or for between two
    gauge_0 ...  7 attributes of floats              the same

Rules draw their bounds alike from all of an attribute's range; events have values that crowd at one of its ends or in
the middle, each attribute in its own way. So how often a comparison holds cannot be guessed from its bounds.

The workload is frozen: a seed gives the same rows in every version of Python, and a longer run starts as a shorter one.

>>> for row in range_expressions(2):
...     print(*row)
0 code_3 = 14 AND gauge_0 < 0.213 AND code_0 BETWEEN 0 AND 1
1 gauge_3 BETWEEN 508737.245 AND 627200.863 AND code_3 = 39 AND count_0 < 36
>>> event = next(range_events(1))
>>> event["code_3"], event["count_2"], event["gauge_5"]
(3, -4, 352.929)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hedgerow.workload.draw import Draw

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ATTRIBUTES", "range_events", "range_expressions"]

FEWEST_TESTS, MOST_TESTS = 2, 5

_ONE_SIDED = 0.45  # of the tests of counts and gauges; the others are BETWEEN
_WIDEST = 0.125  # BETWEEN has up to this share of the range
_FARTHEST = 0.42  # one-sided tests take at most this share of the range
_SPANNED = 0.1  # of the tests of codes are BETWEEN
_PRESENT = 0.95  # of the attributes of an event


class _Attribute(NamedTuple):
    """An attribute, its range, and how its values crowd in events."""

    name: str
    low: float
    high: float
    crowd: str
    """At the ``low`` end, at the ``high`` end, in the ``middle`` or ``nowhere``."""

    @property
    def is_code(self) -> bool:
        """Whether rules ask for its values one by one."""
        return self.name.startswith("code")

    def at(self, place: float) -> float:
        """Return what lies so far from the low end, as the share of the range: an integer if both ends are."""
        if isinstance(self.low, int) and isinstance(self.high, int):
            return self.low + int(place * (self.high - self.low + 1))
        return round(self.low + place * (self.high - self.low), 3)


_CROWDS = ("low", "nowhere", "high", "middle")
_CODES = (6, 10, 20, 40, 80, 150)
_COUNTS = ((0, 100), (1, 1000), (-50, 50), (0, 86_400), (1900, 2030), (0, 1_000_000), (0, 255))
_GAUGES = ((0.0, 1.0), (-1.0, 1.0), (-40.0, 60.0), (0.0, 1e6), (0.5, 5.0), (0.0, 360.0), (900.0, 1100.0))

ATTRIBUTES = (
    *(_Attribute(f"code_{n}", 0, size - 1, _CROWDS[n % 2]) for n, size in enumerate(_CODES)),
    *(_Attribute(f"count_{n}", *ends, _CROWDS[n % 4]) for n, ends in enumerate(_COUNTS)),
    *(_Attribute(f"gauge_{n}", *ends, _CROWDS[(n + 1) % 4]) for n, ends in enumerate(_GAUGES)),
)


def range_expressions(count: int, seed: int = 7) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them; ids count from 0."""
    draw = Draw(seed)
    for number in range(count):
        chosen = draw.some(ATTRIBUTES, FEWEST_TESTS, MOST_TESTS)
        yield number, " AND ".join([_test(draw, attribute) for attribute in chosen])


def range_events(count: int, seed: int = 11) -> Iterator[dict[str, float]]:
    """Yield events as ``Index.match`` takes them, with nearly all attributes."""
    draw = Draw(seed)
    for _ in range(count):
        yield {one.name: one.at(_crowded(draw, one.crowd)) for one in ATTRIBUTES if draw.chance(_PRESENT)}


def _crowded(draw: Draw, crowd: str) -> float:
    """Return a place from 0 to 1. Products and sums only: processors agree on these to the last bit."""
    one, other = draw.random(), draw.random()
    if crowd == "low":
        return one * other
    if crowd == "high":
        return max(one, other, draw.random())
    return (one + other) / 2 if crowd == "middle" else one


def _test(draw: Draw, attribute: _Attribute) -> str:
    if attribute.is_code:
        return _code_test(draw, attribute)
    if not draw.chance(_ONE_SIDED):
        width = draw.random() * _WIDEST
        return _between(draw, attribute, width)
    depth = draw.random() * _FARTHEST
    if draw.chance(0.5):
        return f"{attribute.name} {draw.one(('<', '<='))} {attribute.at(depth)!r}"
    return f"{attribute.name} {draw.one(('>', '>='))} {attribute.at(1 - depth)!r}"


def _code_test(draw: Draw, attribute: _Attribute) -> str:
    if draw.chance(_SPANNED):
        return _between(draw, attribute, _WIDEST)
    return f"{attribute.name} = {attribute.at(draw.random())}"


def _between(draw: Draw, attribute: _Attribute, width: float) -> str:
    low = draw.random() * (1 - width)
    return f"{attribute.name} BETWEEN {attribute.at(low)!r} AND {attribute.at(low + width)!r}"

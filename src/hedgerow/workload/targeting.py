"""Targeting rules: conjunctions of IN and NOT IN over 30 attributes that every event has, and ORs of such conjunctions.

None of the tests is rare by itself, and how often one holds cannot be guessed from the rules: neither from the values
that they name, nor from how many values an attribute has. Rules and events draw values by Zipf, each by their own::

    attributes                      rules name most       events have most
    few values (device, browser)    browser-0, then 1     browser-11, then 10: what rules want is rare there
    many values, every second one   city-0, then 1        city-0, then 1: most events come from a few cities
    many values, the others         site-0, then 1        any: an order of their own

So the access to a rule that looks best, one city of thousands, is a bad one, and must be learned from events.

Values are words or integers. The workload is frozen: a seed gives the same rows in every version of Python, and a
longer run starts as a shorter one.

>>> for row in targeting_expressions(2):
...     print(*row)
0 weekday IN ('weekday-0', 'weekday-3') AND interest NOT IN ('interest-65', 'interest-2') AND ...
1 format IN ('format-0') AND carrier IN ('carrier-8') AND interest IN ('interest-1', 'interest-21') AND ...
>>> event = next(targeting_events(1))
>>> event["device"], event["city"], event["site"]
('device-3', 'city-31', 'site-1712')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hedgerow.workload.draw import Draw
from hedgerow.workload.numbered import Zipf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ATTRIBUTES", "targeting_dnf_expressions", "targeting_events", "targeting_expressions"]

_NAMES = (
    *("gender", "device", "income_band", "household", "weekday", "format", "age_band", "lifecycle", "browser"),
    *("exchange", "os", "hour", "placement", "campaign", "language", "currency", "section", "carrier", "country"),
    *("interest", "brand", "category", "region", "deal", "segment", "app", "site", "city", "keyword", "postcode"),
)
_SIZES = (
    *(3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 24, 25, 40, 60, 80, 100, 150, 200),
    *(300, 400, 500, 600, 800, 1200, 1500, 2000, 3000, 4000, 5000),
)
ATTRIBUTES = dict(zip(_NAMES, _SIZES, strict=True))
"""How many values each has."""

FEWEST_TESTS, MOST_TESTS = 3, 8  # of a conjunction
LONGEST_LIST = 20
MOST_ALTERNATIVES = 4  # of a rule in disjunctive form

_IN_NUMBERS = frozenset({"hour", "campaign", "category", "deal", "segment", "postcode"})
_LENGTHS = (1, 1, 1, 1, 1, 2, 2, 2, 3, 4)  # of a list, but for the long ones
_LONG = 0.05  # of the lists have 5 to LONGEST_LIST values
_NEGATED_FIRST = 0.005  # of the rules begin with NOT IN: few ask for nothing that an event has
_NEGATED = 0.375  # of the other tests are NOT IN, so that nearly a third of all are
_PRESENT = 0.98  # of the attributes of an event
_RULE_EXPONENT = 1.5
_EVENT_EXPONENT = 1.0
_FEW_VALUES = 25
_ORDERS_SEED = 2026


class _Attribute(NamedTuple):
    """An attribute with its values, as rules write them and as events have them."""

    name: str
    literals: list[str]
    """In the order in which rules prefer them."""
    values: list[object]
    """In the order in which events prefer them."""
    rule_ends: list[int]
    event_ends: list[int]


def targeting_expressions(count: int, seed: int = 7) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them: conjunctions; ids count from 0."""
    draw, attributes = Draw(seed), _attributes()
    for number in range(count):
        yield number, _conjunction(draw, attributes)


def targeting_dnf_expressions(count: int, seed: int = 7) -> Iterator[tuple[int, str]]:
    """Yield the same with ORs of 1 to ``MOST_ALTERNATIVES`` such conjunctions.

    >>> print(next(targeting_dnf_expressions(1)))
    (0, "interest IN ('interest-0', 'interest-1') AND household NOT IN ('household-2') AND ... OR ...")
    """
    draw, attributes = Draw(seed), _attributes()
    for number in range(count):
        size = 1 + draw.below(MOST_ALTERNATIVES)
        yield number, " OR ".join([_conjunction(draw, attributes) for _ in range(size)])


def targeting_events(count: int, seed: int = 11) -> Iterator[dict[str, object]]:
    """Yield events as ``Index.match`` takes them, with nearly all attributes."""
    draw, attributes = Draw(seed), _attributes()
    for _ in range(count):
        yield {one.name: one.values[draw.rank(one.event_ends)] for one in attributes if draw.chance(_PRESENT)}


def _attributes() -> list[_Attribute]:
    """Return the attributes; what events prefer is the same whatever the seed of the rows."""
    draw = Draw(_ORDERS_SEED)
    return [_attribute(draw, number, name, size) for number, (name, size) in enumerate(ATTRIBUTES.items())]


def _attribute(draw: Draw, number: int, name: str, size: int) -> _Attribute:
    if size <= _FEW_VALUES:
        order = list(reversed(range(size)))
    else:
        order = list(range(size)) if number % 2 else draw.some(range(size), size, size)
    write: Callable[[int], object] = int if name in _IN_NUMBERS else f"{name}-{{}}".format
    return _Attribute(
        name,
        [repr(write(rank)) for rank in range(size)],
        [write(rank) for rank in order],
        Zipf(size, _RULE_EXPONENT).ends,
        Zipf(size, _EVENT_EXPONENT).ends,
    )


def _conjunction(draw: Draw, attributes: list[_Attribute]) -> str:
    tests: list[str] = []
    for attribute in draw.some(attributes, FEWEST_TESTS, MOST_TESTS):
        negated = draw.chance(_NEGATED if tests else _NEGATED_FIRST)
        tests.append(_test(draw, attribute, "NOT IN" if negated else "IN"))
    return " AND ".join(tests)


def _test(draw: Draw, attribute: _Attribute, operator: str) -> str:
    length = 5 + draw.below(LONGEST_LIST - 4) if draw.chance(_LONG) else draw.one(_LENGTHS)
    ranks: dict[int, None] = {}
    while len(ranks) < min(length, len(attribute.literals) // 2):  # a list names at most half of what there is
        ranks[draw.rank(attribute.rule_ends)] = None
    return f"{attribute.name} {operator} ({', '.join([attribute.literals[rank] for rank in ranks])})"

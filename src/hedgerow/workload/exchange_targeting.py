"""What a campaign of the ad exchange asks of a visit, written as an advertiser would write it.

A *clause* is text that can stand as an operand of AND. Each function from ``_age`` on writes one kind of clause.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import TypeAlias

from hedgerow.workload.draw import Draw
from hedgerow.workload.exchange_words import (
    AGE_RANGES,
    DEVICES,
    FIRST_DAY,
    HOURS,
    REGIONS,
    SAD_WORDS,
    SEGMENTS,
    SITES,
    Sector,
)

__all__ = ["searched", "targeting"]

# Flights begin up to four weeks before the first visit, so that at any time some are over and some are yet to come.
_DAYS = [f"TIMESTAMP '{FIRST_DAY + dt.timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}'" for day in range(-28, 57)]


def targeting(draw: Draw, sector: Sector, brand: str) -> str:
    """Return the expression of one campaign: for whom, on which pages, under which conditions, and when."""
    clauses = [_audience(draw, sector)]
    if draw.chance(0.7):
        clauses += _written(draw, sector, draw.some(_PAGES, 1, 2))
    clauses += _written(draw, sector, draw.some(_CONDITIONS, 0, 2))
    if draw.chance(0.3):
        clauses.append(f"(seen.{brand} IS NULL OR seen.{brand} < {2 + draw.below(3)})")
    if draw.chance(0.6):
        first = draw.below(56)
        clauses.append(f"time >= {_DAYS[first]} AND time < {_DAYS[first + draw.one((7, 14, 28))]}")
    return " AND ".join(clauses)


def searched(draw: Draw, sector: Sector) -> str:
    """Return how a search for one of a sector's interests ends the address of its page."""
    return f"q={draw.one(sector.interests).replace(' ', '+')}"


def _written(draw: Draw, sector: Sector, kinds: Sequence[_Clause]) -> list[str]:
    return [kind(draw, sector) for kind in kinds]


def _audience(draw: Draw, sector: Sector) -> str:
    """Return one group of people, or now and then either of two."""
    group = _group(draw, sector)
    if draw.chance(0.75):
        return group
    other = _group(draw, sector) if draw.chance(0.8) else "user.segments ANY OF ('cart abandoner')"
    return f"({group} OR {other})"


def _group(draw: Draw, sector: Sector) -> str:
    return " AND ".join(_written(draw, sector, [*draw.one(_BASICS), *draw.some(_TRAITS, 1, 2)]))


def _age(draw: Draw, _: Sector) -> str:
    return f"user.age {draw.one(AGE_RANGES)}"


def _interests(draw: Draw, sector: Sector) -> str:
    chosen = draw.some(sector.interests, 1, 3)
    if draw.chance(0.3):
        return f"user.interests IN {_weighted(draw, chosen)}"
    return f"user.interests {'ALL OF' if draw.chance(0.15) else 'ANY OF'} {_list(chosen)}"


def _gender(draw: Draw, _: Sector) -> str:
    return f"user.gender = '{draw.one('fm')}'"


def _state(draw: Draw, _: Sector) -> str:
    region = draw.one(REGIONS)
    if draw.chance(0.25):
        return f"user.state IN {_weighted(draw, region)}"
    return f"user.state {draw.one(('IN', 'IN', 'NOT IN', 'NOT IN', 'WEAK NOT IN'))} {_list(region)}"


def _segments(draw: Draw, _: Sector) -> str:
    if draw.chance(0.1):
        return "user.segments IS NOT EMPTY"
    return f"user.segments {draw.one(('ANY OF', 'ANY OF', 'NONE OF'))} {_list(draw.some(SEGMENTS, 1, 3))}"


def _member(draw: Draw, _: Sector) -> str:
    return draw.one(("user.member", "NOT user.member", "(user.member XOR user.segments ANY OF ('newsletter'))"))


def _income(draw: Draw, _: Sector) -> str:
    return draw.one(("user.income >= 60000", "user.income >= 100000", "(user.income < 45000 OR user.income IS NULL)"))


def _section(draw: Draw, sector: Sector) -> str:
    if draw.chance(0.5):
        return f"page.section IN {_list(sector.sections)}"
    return f"page.section = '{draw.one(sector.sections)}'"


def _keyword(draw: Draw, sector: Sector) -> str:
    if draw.chance(0.5):
        return f"page.keywords CONTAINS '{draw.one(sector.keywords).split()[0]}'"
    return f"page.keywords ANY OF {_list(draw.some(sector.keywords, 2, 3))}"


def _url(draw: Draw, sector: Sector) -> str:
    if draw.chance(0.4):
        return f"page.url LIKE '%/{draw.one(sector.sections)}/%'"
    if draw.chance(0.5):
        return f"page.url STARTS WITH 'https://{draw.one(SITES)}/'"
    word = draw.one(sector.keywords).split()[0]
    return f"page.url ILIKE '%{word.upper()}%'" if draw.chance(0.7) else f"page.url MATCHES '/{word}[a-z-]*[0-9]+$'"


def _slot(draw: Draw, _: Sector) -> str:
    large = "slot.width >= 300 AND slot.height >= 250"
    return draw.one(("slot.position = 'top'^0.5", "slot.position != 'bottom'", large))


def _device(draw: Draw, _: Sector) -> str:
    kind, system = draw.one(DEVICES)
    if system is None:
        return "device.type = 'tv' AND device.os IS NULL"
    if draw.chance(0.4):
        return "device.type IN ('phone'^0.5, 'tablet')" if kind == "tablet" else f"device.type = '{kind}'"
    return f"device.os {draw.one(('=', '!='))} '{system}'"


def _hour(draw: Draw, _: Sector) -> str:
    return draw.one(HOURS)


def _weekday(draw: Draw, _: Sector) -> str:
    return draw.one(("weekday IN ('sat', 'sun')", "weekday NOT IN ('sat', 'sun')", "weekday = 'fri'"))


def _safety(draw: Draw, _: Sector) -> str:
    if draw.chance(0.4):
        return f"page.site NOT IN {_list(draw.some(SITES, 1, 2))}"
    if draw.chance(0.3):
        return f"page.url NOT LIKE '%/{draw.one(SAD_WORDS).replace(' ', '-')}%'"
    return f"NOT (page.section = 'news' AND page.keywords ANY OF {_list(draw.some(SAD_WORDS, 1, 3))})"


def _referrer(draw: Draw, sector: Sector) -> str:
    if draw.chance(0.5):
        return "referrer IS NOT NULL"
    return f"referrer ENDS WITH '{searched(draw, sector)}'"


def _list(values: Sequence[str]) -> str:
    return "('" + "', '".join(values) + "')"


def _weighted(draw: Draw, values: Sequence[str]) -> str:
    return "(" + ", ".join([f"'{value}'^{draw.one(('0.5', '1', '1.5', '2'))}" for value in values]) + ")"


_Clause: TypeAlias = Callable[[Draw, Sector], str]

_BASICS: tuple[tuple[_Clause, ...], ...] = (
    (_age, _interests),
    (_age, _interests),
    (_interests,),
    (_interests,),
    (_age,),
)
_TRAITS: tuple[_Clause, ...] = (_gender, _state, _segments, _member, _income)
_PAGES: tuple[_Clause, ...] = (_section, _keyword, _url, _slot)
_CONDITIONS: tuple[_Clause, ...] = (_device, _hour, _weekday, _safety, _referrer)

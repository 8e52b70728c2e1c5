"""An ad exchange that people can read: campaigns say which visits they want and what they bid for them.

::

    campaign   id           fellrunner-trail-shoes-00042
               expression   user.age BETWEEN 18 AND 34 AND user.interests ANY OF ('running', 'hiking') AND ...
               bid          dollars for a thousand views

    visit      time, hour, weekday, referrer
               user         age, gender, state, income, member, interests, segments: any of them may be missing
               device       type, os
               page         site, section, url, keywords
               slot         position, width, height
               seen         how often the user saw each brand today: a map with two keys of thirty

The workload is frozen: a seed gives the same rows in every version of Python, and a longer run starts as a shorter one.
"""

from __future__ import annotations

import datetime as dt
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa

from hedgerow.workload.draw import Draw
from hedgerow.workload.exchange_targeting import searched, targeting
from hedgerow.workload.exchange_words import (
    AGES,
    DEVICES,
    FIRST_DAY,
    SAD_WORDS,
    SECTORS,
    SEGMENTS,
    SITES,
    SLOTS,
    STATES,
    WEEKDAYS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hedgerow.workload.exchange_words import Sector

__all__ = ["campaigns", "visit_batches", "visit_schema", "visits"]

_SECONDS = 28 * 24 * 3600


def campaigns(count: int, seed: int = 7) -> Iterator[tuple[str, str, float]]:
    """Yield ``(id, expression, bid)``, rows as ``Index.insert_many`` takes them.

    >>> _, (name, expression, bid) = campaigns(2)
    >>> name, bid
    ('tavolo-pizza-oven-00001', 2.8)
    >>> print(expression)
    user.age >= 21 AND user.interests ANY OF ('baking', 'vegan') AND user.state IN ('CA') AND page.url STARTS WITH ...
    """
    draw = Draw(seed)
    for number in range(count):
        sector = draw.one(SECTORS)
        brand = draw.one(sector.brands)
        name = f"{brand}-{draw.one(sector.products)}-{number:05d}"
        luck = draw.random()  # squared, because most bids are low
        yield name, targeting(draw, sector, brand), (10 + int(900 * luck * luck)) / 100


def visits(count: int, seed: int = 11) -> Iterator[dict[str, object]]:
    """Yield events as ``Index.match`` takes them, from four weeks in no order.

    >>> visit = next(visits(1))
    >>> visit["weekday"], visit["hour"], visit["slot"], visit["seen"]
    ('fri', 21, {'position': 'side', 'width': 300, 'height': 600}, {'dicebag': 4, 'tavolo': 3})
    """
    draw = Draw(seed)
    for _ in range(count):
        favourite, other = draw.one(SECTORS), draw.one(SECTORS)
        time = FIRST_DAY + dt.timedelta(seconds=draw.below(_SECONDS))
        kind, system = draw.one(DEVICES)
        position, width, height = draw.one(SLOTS)
        yield {
            "time": time,
            "hour": time.hour,
            "weekday": WEEKDAYS[time.weekday()],
            "user": _user(draw, favourite, other),
            "device": {"type": kind, "os": system},
            "page": _page(draw, favourite if draw.chance(0.6) else other),
            "slot": {"position": position, "width": width, "height": height},
            "referrer": f"https://search.example/?{searched(draw, favourite)}" if draw.chance(0.4) else None,
            "seen": {draw.one(sector.brands): 1 + draw.below(6) for sector in (favourite, other)},
        }


def visit_schema() -> pa.Schema:
    """Return the columns of ``visit_batches``: ``visit``, which is a number, and those of a visit."""
    words = pa.list_(pa.string())
    user = {"age": pa.int64(), "gender": pa.string(), "state": pa.string(), "member": pa.bool_(), "income": pa.int64()}
    return pa.schema(
        {
            "visit": pa.int64(),
            "time": pa.timestamp("us", "UTC"),
            "hour": pa.int64(),
            "weekday": pa.string(),
            "user": pa.struct({**user, "interests": words, "segments": words}),
            "device": pa.struct({"type": pa.string(), "os": pa.string()}),
            "page": pa.struct({"site": pa.string(), "section": pa.string(), "url": pa.string(), "keywords": words}),
            "slot": pa.struct({"position": pa.string(), "width": pa.int64(), "height": pa.int64()}),
            "referrer": pa.string(),
            "seen": pa.map_(pa.string(), pa.int64()),
        }
    )


def visit_batches(count: int, seed: int = 11, *, first: int = 0, size: int = 4096) -> Iterator[pa.RecordBatch]:
    """Yield the same visits as Arrow batches, numbered from ``first``.

    >>> batch = next(visit_batches(2))
    >>> batch["visit"].to_pylist(), batch["seen"].to_pylist()[0]
    ([0, 1], [('dicebag', 4), ('tavolo', 3)])
    """
    stream = visits(count, seed)
    schema = visit_schema()
    while rows := [
        {"visit": first + number, **visit, "seen": list(visit["seen"].items())}  # type: ignore[attr-defined]  # a dict
        for number, visit in enumerate(islice(stream, size))
    ]:
        yield pa.RecordBatch.from_pylist(rows, schema)
        first += len(rows)


def _user(draw: Draw, favourite: Sector, other: Sector) -> dict[str, object]:
    if draw.chance(0.15):  # nobody is logged in: all that is known is where the address lies
        return {"state": draw.one(STATES)}
    user: dict[str, object] = {
        "age": draw.one(AGES) if draw.chance(0.85) else None,
        "gender": draw.one("fffffmmmmmx"),
        "state": draw.one(STATES),
        "member": draw.chance(0.3),
        # Two sectors, or one drawn twice, may share an interest: a dict keeps each once, and in order.
        "interests": list(dict.fromkeys(draw.some(favourite.interests, 0, 3) + draw.some(other.interests, 0, 1))),
    }
    if draw.chance(0.6):
        user["segments"] = draw.some(SEGMENTS, 0, 3)
    if draw.chance(0.5):
        user["income"] = 18_000 + 500 * draw.below(300)
    return user


def _page(draw: Draw, sector: Sector) -> dict[str, object]:
    site, section = draw.one(SITES), draw.one(sector.sections)
    keywords = draw.some(sector.keywords, 1, 3)
    if section == "news" and draw.chance(0.3):
        keywords.append(draw.one(SAD_WORDS))
    title = keywords[-1].replace(" ", "-")
    url = f"https://{site}/{section}/{title}-{1000 + draw.below(9000)}"
    return {"site": site, "section": section, "url": url, "keywords": keywords}

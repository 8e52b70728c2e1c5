"""How much faster ``top`` finds the best matches than matching, scoring all matches and sorting them.

Rules of an ad exchange whose values weigh, half of them with a bid: about one in six matches an event, and a few of the
best are wanted. All ways are compiled and use one index. ``top`` scores only matches whose
upper bound could still bring them among the best; the other way scores every match with the same compiled code. The
last line of each table is that way. ``match`` alone is what no way can do without.
"""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING, cast

import hedgerow as hr
from benchmarks._common import Measured, arguments_of, best_of, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hedgerow.event.batch_cy import EventBatch
    from hedgerow.index.atree.engine_cy import ATreeEngine

SECTIONS = ("news", "sport", "money", "travel", "food", "films")
STATES = tuple(f"S{number}" for number in range(12))
WANTED = (1, 10, 100)


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of("benchmarks.top", __doc__, given, expressions=100_000, events=50, seed=7, repeats=7)
    index = hr.Index("atree")
    report = index.insert_many(rules(options.expressions, random.Random(options.seed)), progress=False)
    assert report.inserted == options.expressions
    chance = random.Random(options.seed + 1)
    batches = [hr.events([event(chance)]) for _ in range(options.events)]
    engine = cast("ATreeEngine", index._state.engine)  # noqa: SLF001 - for ways that only this engine has
    for n in WANTED:
        print(*table("events", measured(engine, batches, n, options.repeats)), sep="\n")
        print(*(f"  {line}" for line in verified(engine, batches, n)), sep="\n")
    print(f"verified: the best {WANTED} of {len(batches)} events, the same slots and scores in both ways")


def rules(count: int, chance: random.Random) -> Iterator[tuple[int, str, float]]:
    """Yield campaigns: places and pages with their weights, an age, and in half of them a bid."""
    for number in range(count):
        states = ", ".join(f"'{state}'^{chance.randrange(1, 50)}" for state in chance.sample(STATES, 5))
        first, second = chance.sample(SECTIONS, 2)
        pages = f"section = '{first}'^{chance.randrange(1, 20)} OR interest IN ('{second}'^{chance.randrange(1, 20)})"
        low = chance.randrange(18, 60)
        bid = round(10 * chance.random(), 2) if number % 2 else 0.0
        yield number, f"state IN ({states}) AND ({pages}) AND age BETWEEN {low} AND {low + 30}", bid


def event(chance: random.Random) -> dict[str, object]:
    """Return a visit: what the rules ask for is there."""
    interests = chance.sample(SECTIONS, 3)
    return {
        "state": chance.choice(STATES),
        "section": chance.choice(SECTIONS),
        "interest": interests,
        "age": chance.randrange(40, 60),
    }


def measured(engine: ATreeEngine, batches: list[EventBatch], n: int, repeats: int) -> list[Measured]:
    """Return how long each way took for all events."""
    ways: dict[str, Callable[[EventBatch], object]] = {
        "match alone": engine.match,
        f"top(event, {n})": lambda batch: engine.top(batch, n, None),
        "match, score all, sort": lambda batch: engine.top_by_sorting(batch, n, None),
    }
    fastest = dict.fromkeys(ways, float("inf"))
    for _ in range(repeats):  # in turn, so that what slows the machine down for a while slows them all
        for name, way in ways.items():
            fastest[name] = min(fastest[name], best_of(1, partial(list, map(way, batches))))
    return [Measured(name, len(batches), seconds) for name, seconds in fastest.items()]


def verified(engine: ATreeEngine, batches: list[EventBatch], n: int) -> Iterator[str]:
    """Compare both ways on every event; yield how many matches there were and how many of them were scored."""
    matches = scored = 0
    for batch in batches:
        _, best, scores = engine.top(batch, n, None)
        scored += engine.last_scored
        _, other, worths = engine.top_by_sorting(batch, n, None)
        assert best.tolist() == other.tolist(), "top: not the best slots"
        assert scores.tolist() == worths.tolist(), "top: not their scores"
        matches += int(engine.count(batch)[0])
    yield f"matches an event: {matches / len(batches):,.0f}; scored of them by top: {scored / len(batches):,.0f}"


if __name__ == "__main__":
    main()

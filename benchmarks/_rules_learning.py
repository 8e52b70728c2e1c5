"""How the time of ``match`` falls as an engine sees events.

Each point is measured in an index of its own, since the events that measure teach too. The first events are slow for
any engine: nothing of a new index is in the processor's caches. The engine before, which does not learn, says how much
of the time that is, so what is gained is counted in the ratio to its time after as many events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from benchmarks._common import Floor, best_of, line
from benchmarks._engines_verified import mean
from benchmarks._rules import Given, built, in_turn, teach
from benchmarks._rules_floors import BEFORE

SEEN = (0, 50, 200, 1000, 2000, 4000)
"""Events; what is gained is counted up to the last."""
HALF, ALL = 200, 2000
HALF_FLOOR, ALL_FLOOR = Floor(0.5, least=True), Floor(0.9, least=True)
LEAST_GAIN = 0.1  # of the ratio; with less there is nothing to learn, and shares of it are noise


class Point(NamedTuple):
    """What an event takes after some were seen."""

    microseconds: float
    visits: float | None
    """If the engine counts them."""


Curve = Mapping[int, Point]
"""Points by how many events were seen before."""


def learned(engines: Sequence[str], given: Given, turns: int, *, floors: bool) -> Iterator[str]:
    """Yield the time of an event after each number of events seen, and which share of the gain is there by when."""
    curves = measured(engines, given, turns)
    for engine in [BEFORE, *(engine for engine in curves if engine != BEFORE)]:
        yield from told(engine, curves[engine], curves[BEFORE])
        if engine != BEFORE:
            yield from gains(engine, curves[engine], curves[BEFORE], floors=floors)


def told(engine: str, curve: Curve, before: Curve) -> Iterator[str]:
    """Yield a line for each point."""
    for seen, point in curve.items():
        other = before[seen].microseconds
        beside = f", ratio {point.microseconds / other:,.3f}" if engine != BEFORE else ""
        visits = "" if point.visits is None else f"{point.visits:,.0f} visits, "
        yield line(f"{engine}: match after {seen:,}", f"{visits}{point.microseconds:,.1f} us{beside}")


def gains(engine: str, curve: Curve, before: Curve, *, floors: bool) -> Iterator[str]:
    """Yield which share of what the ratio falls by in all is there after some events."""
    ratios = {seen: point.microseconds / before[seen].microseconds for seen, point in curve.items()}
    first, last = ratios[SEEN[0]], ratios[SEEN[-1]]
    if first - last < LEAST_GAIN * first:
        yield line(f"{engine}: gain", f"none beside {BEFORE}: {first:,.3f} to {last:,.3f}")
        return
    for seen, floor in ((HALF, HALF_FLOOR), (ALL, ALL_FLOOR)):
        share = (first - ratios[seen]) / (first - last)
        yield line(f"{engine}: gain after {seen:,}", f"{share:.0%}", floor if floors else None, share)


def measured(engines: Sequence[str], given: Given, turns: int) -> dict[str, Curve]:
    """Return the curve of each engine, its times the medians of the turns."""
    points: dict[str, dict[int, list[Point]]] = {engine: {seen: [] for seen in SEEN} for engine in engines}
    for turn in range(turns):
        for seen in SEEN:
            for engine in in_turn(engines, turn):
                points[engine][seen].append(after(engine, given, seen))
    return {
        engine: {
            seen: Point(median(point.microseconds for point in several), several[0].visits)
            for seen, several in those.items()
        }
        for engine, those in points.items()
    }


def after(engine: str, given: Given, seen: int) -> Point:
    """Return what an event takes in a new index that saw so many others before."""
    index, _ = built(engine, given, given.rules)
    index.match({})  # what the first search of all sets up
    teach(index, given.lessons[:seen])
    visits: list[int | None] = []

    def match() -> None:
        for event in given.events:
            index.match(event)
            visits.append(index.visits)

    return Point(1e6 * best_of(1, match) / len(given.events), mean(visits))

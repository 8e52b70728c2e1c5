"""How the time of ``match`` falls as an engine sees events.

Each point is measured in an index of its own, since the events that measure teach too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks._common import Floor, best_of, line
from benchmarks._rules import Given, Subject, built, in_turn, teach, ways

SEEN = (0, 50, 200, 1000, 2000, 4000)
"""Events; what is gained is counted up to the last."""
HALF, ALL = 200, 2000
HALF_FLOOR, ALL_FLOOR = Floor(0.5, least=True), Floor(0.9, least=True)
LEAST_GAIN = 0.1  # of the time; with less there is nothing to learn, and shares of it are noise


def learned(engines: Sequence[str], given: Given, turns: int, *, floors: bool) -> Iterator[str]:
    """Yield the time of an event after each number of events seen, and which share of the gain is there by when."""
    for engine, times in measured(engines, given, turns).items():
        first, last = times[SEEN[0]], times[SEEN[-1]]
        for seen, microseconds in times.items():
            of_first = f"{microseconds:,.1f} us by {first:,.1f} us, ratio {microseconds / first:,.3f}"
            yield line(f"{engine}: match after {seen:,}", of_first)
        if first - last < LEAST_GAIN * first:
            yield line(f"{engine}: gain", "none: it does not learn, or nothing is to be learned")
            continue
        for seen, floor in ((HALF, HALF_FLOOR), (ALL, ALL_FLOOR)):
            share = (first - times[seen]) / (first - last)
            yield line(f"{engine}: gain after {seen:,}", f"{share:.0%}", floor if floors else None, share)


def measured(engines: Sequence[str], given: Given, turns: int) -> dict[str, dict[int, float]]:
    """Return for each engine the microseconds of an event by how many it saw before, the median of the turns."""
    times: dict[str, dict[int, list[float]]] = {engine: {seen: [] for seen in SEEN} for engine in engines}
    for turn in range(turns):
        for seen in SEEN:
            for engine in in_turn(engines, turn):
                times[engine][seen].append(after(engine, given, seen))
    return {engine: {seen: median(several) for seen, several in those.items()} for engine, those in times.items()}


def after(engine: str, given: Given, seen: int) -> float:
    """Return the microseconds of an event by a new index that saw so many others before."""
    index, _ = built(engine, given, given.rules)
    subject = Subject(engine, given, index)
    index.match({})  # what the first search of all sets up
    teach(subject, given.lessons[:seen])
    return 1e6 * best_of(1, ways(subject)["match"]) / len(given.events)

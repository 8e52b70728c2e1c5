"""What is asked of an engine on the workloads of ``benchmarks.rules``: its figures beside those of ``atree``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchmarks._common import Floor, line
from benchmarks._rules import Subject, ratio

BEFORE = "atree"
"""The engine whose figures others are compared with."""

GROWTH = ("exchange-20k", "exchange-500k")
"""Of these two the time of a match is compared."""
GROWTH_FLOOR = Floor(1.5)
NOISE = 1.1  # what counts as not slower


class Compared(NamedTuple):
    """A ratio, and in words what by what."""

    name: str
    one: str
    other: str
    ratio: float | None


def by_before(way: str) -> Callable[[Subject, Subject], Compared]:
    """Return what compares the time of a way with that of the engine before."""

    def compared(subject: Subject, before: Subject) -> Compared:
        value = ratio(subject.times.get(way), before.times.get(way))
        return Compared(way, shown(subject.each(way)), shown(before.each(way)), value)

    return compared


def by_way(way: str, other: str) -> Callable[[Subject, Subject], Compared]:
    """Return what compares the time of a way with another way of the same engine."""

    def compared(subject: Subject, _: Subject) -> Compared:
        value = ratio(subject.times.get(way), subject.times.get(other))
        return Compared(f"{way} by {other}", shown(subject.each(way)), shown(subject.each(other)), value)

    return compared


def build(subject: Subject, before: Subject) -> Compared:
    """Compare the time of ``insert_many``."""
    value = ratio(subject.builds, before.builds)
    return Compared("build, a rule", shown(subject.build_each), shown(before.build_each), value)


def memory(subject: Subject, before: Subject) -> Compared:
    """Compare what ``stats().bytes`` says."""
    one, other = subject.bytes_each, before.bytes_each
    return Compared("memory, a rule", f"{one:,.0f} B", f"{other:,.0f} B", one / other if other else None)


FIGURES: Mapping[str, Callable[[Subject, Subject], Compared]] = {
    "build": build,
    "memory": memory,
    "match": by_before("match"),
    "match_batch": by_before("match_batch"),
    "count_batch": by_before("count_batch"),
    "top": by_before("top"),
    "match_batch by match": by_way("match_batch", "match"),
    "count_batch by match_batch": by_way("count_batch", "match_batch"),
    "top by match": by_way("top", "match"),
}

EVERYWHERE = {
    "build": 1.2,
    "memory": 1.0,
    "match_batch by match": NOISE,
    "count_batch by match_batch": NOISE,
}
_TARGETING = {"match": 0.08, "match_batch": 0.04}
_OTHERS = {"match": 0.25, "match_batch": 0.6}
_AS_BEFORE = {"match": NOISE, "match_batch": NOISE}
FLOORS: Mapping[str, Mapping[str, float]] = {
    "exchange-100k": {"match": 0.25, "match_batch": 0.25, "top by match": 0.6},
    "targeting-100k": _TARGETING,
    "targeting-1m": _TARGETING,
    "targeting-dnf-100k": _TARGETING,
    "trees-100k": _OTHERS,
    "ranges-100k": _OTHERS,
    "ranges-1m": _OTHERS,
    "logs-5k": {"match": 0.5, "match_batch by match": 0.5},
    "equality-1m": _AS_BEFORE,
    "mixed-1m": _AS_BEFORE,
}
"""By workload; what is asked everywhere is asked too, unless a workload asks for more of the same figure."""


def floor_of(workload: str, figure: str) -> Floor | None:
    """Return what is asked of a figure on a workload, if anything is."""
    bound = FLOORS.get(workload, {}).get(figure, EVERYWHERE.get(figure))
    return None if bound is None else Floor(bound)


def compared(subject: Subject, before: Subject, *, floors: bool) -> Iterator[str]:
    """Yield a line for each figure of an engine beside the one before, with its floor if that is wanted."""
    for figure, compare in FIGURES.items():
        name, one, other, value = compare(subject, before)
        title = f"{subject.engine}: {name}"
        floor = floor_of(subject.given.workload.name, figure) if floors else None
        if value is None:
            yield line(title, "not measured")
        else:
            yield line(title, f" {one} by {other}, ratio {value:,.3f}", floor, value)


def growth(engine: str, per_match: Mapping[str, Mapping[str, float]], *, floors: bool) -> Iterator[str]:
    """Yield how the time of a match grows with the exchange, if both of its sizes were measured."""
    small, large = (per_match.get(name, {}).get(engine) for name in GROWTH)
    if small and large:
        value = large / small
        measured = f"{1e3 * large:,.0f} ns by {1e3 * small:,.0f} ns, ratio {value:,.3f}"
        yield f"\n{GROWTH[1]} by {GROWTH[0]}:"
        yield line(f"{engine}: time of a match", measured, GROWTH_FLOOR if floors else None, value)


def shown(microseconds: float | None) -> str:
    """Return a time in words."""
    return "-" if microseconds is None else f"{microseconds:,.{1 + (microseconds < 10)}f} us"


def judged(subjects: Sequence[Subject]) -> Iterator[tuple[Subject, Subject]]:
    """Yield each engine with the one before; none if that one is not there."""
    before = next((subject for subject in subjects if subject.engine == BEFORE), None)
    if before is not None:
        yield from ((subject, before) for subject in subjects if subject is not before)

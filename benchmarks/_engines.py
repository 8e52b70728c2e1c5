"""What ``benchmarks.engines`` measures, and how: an index of each engine on one workload, and its figures.

All engines of a workload are built one after the other and then searched by turns, so that what slows the machine for
a while slows all of them.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

import hedgerow as hr
from benchmarks._common import best_of
from benchmarks._engines_workloads import BEST, Event, Workload
from hedgerow.event.batch_cy import EventBatch
from hedgerow.index.engine import engine_names

EVALUATIONS = 3_000_000  # the scan gets so many events that it has no more of these; the others get all events
WARM = 10_000  # expressions of a first build, which is not measured
SMALL_BUILDS = 2  # before the large one and after it, to see how time grows


@dataclass(frozen=True)
class Given:
    """The rows and events of a workload at one size, all of them there before anything is measured."""

    workload: Workload
    batches: list[pa.RecordBatch]
    predicates: int
    """In all texts together, each as often as it stands there."""
    events: list[Event]
    weights: list[dict[str, float]] | None

    @property
    def expressions(self) -> int:
        """How many there are."""
        return sum(len(batch) for batch in self.batches)


@dataclass
class Subject:
    """An engine that holds a workload, and its figures; times are microseconds, of an event if nothing else is said."""

    engine: str
    given: Given
    index: hr.Index
    refused: list[hr.Rejected]
    build: float
    """Of a predicate."""
    cpu: float
    """Of a predicate, in all threads together: if ``build`` is more, the processor did other things."""
    events: list[Event]
    """Those that it is measured on, the first ones."""
    batch: EventBatch
    smaller: float = 0.0
    """The time of a predicate in an index of a tenth of the expressions, if that was measured."""
    fastest: dict[str, float] = field(default_factory=dict)
    """Seconds of all events, by way of matching."""
    visits: float | None = None
    matches: float = 0.0
    top_visits: float | None = None
    top_skipped: float | None = None

    @property
    def growth(self) -> float:
        """The time of a predicate by that in an index of a tenth."""
        return self.build / self.smaller if self.smaller else 0.0

    @property
    def bytes_beside(self) -> int:
        """What the index says that it holds, without the ids."""
        stats = self.index.stats()
        return stats.bytes - stats.parts["ids"]

    @property
    def megabytes(self) -> float:
        """The same in 1,000,000 bytes."""
        return self.bytes_beside / 1e6

    @property
    def match(self) -> float:
        """The time of ``match``."""
        return self.time("match")

    @property
    def top_by_match(self) -> float:
        """The time of ``top`` by that of ``match``."""
        return self.time("top") / self.match

    def time(self, way: str) -> float:
        """Return the time of an event by one of ``ways``."""
        return 1e6 * self.fastest[way] / len(self.events)


def made(workload: Workload, expressions: int, events: int) -> Given:
    """Make the rows and the events of a workload at a size."""
    parameters = replace(workload.parameters, expressions=expressions)
    batches = list(workload.expressions(parameters))
    return Given(
        workload,
        batches,
        sum(predicates_of(workload, batch["expression"]) for batch in batches),
        list(workload.events(parameters, events)),
        list(workload.weights(parameters, events)) if workload.weights else None,
    )


def predicates_of(workload: Workload, texts: pa.Array) -> int:
    """Return how many predicates stand in texts."""
    return int(pc.sum(pc.count_substring_regex(texts, workload.attribute)).as_py() or 0)


def engines_of(workload: Workload, wanted: Sequence[str], *, only: bool) -> list[str]:
    """Return the engines to measure, in the workload's order; what is wanted of only it need not be its own."""
    chosen = [name for name in workload.engines if name in engine_names() and (not wanted or name in wanted)]
    others = [name for name in dict.fromkeys(wanted) if name not in workload.engines] if only else []
    # What evaluates everything has fewer events, and is what others are compared with: the last one.
    return sorted(chosen + others, key=lambda name: name == "scan")


def built(engine: str, batches: Sequence[pa.RecordBatch]) -> tuple[hr.Index, list[hr.Rejected], float, float]:
    """Return an index of these rows, those that it refused as too large for it, and the seconds and CPU seconds."""
    gc.collect()
    index, refused = hr.Index(engine), list[hr.Rejected]()
    start, begun = time.perf_counter(), time.process_time()
    for batch in batches:
        refused += index.insert_many(batch, progress=False).rejected
    seconds, cpu = time.perf_counter() - start, time.process_time() - begun
    for bad in refused:
        assert isinstance(bad.error, hr.LimitError), f"{engine}: row {bad.row}, id {bad.id!r}: {bad.error}"
    return index, refused, seconds, cpu


def subject_of(engine: str, source: Given, *, growth: bool) -> Subject:
    """Build an index, and smaller ones before and after it if it is asked how the time grows."""
    tenth = max(1, source.expressions // 10)
    few = first_rows(source.batches, tenth)
    built(engine, first_rows(source.batches, min(WARM, source.expressions)))
    smaller = [built(engine, few)[2] for _ in range(SMALL_BUILDS if growth else 0)]
    index, refused, seconds, cpu = built(engine, source.batches)
    smaller += [built(engine, few)[2] for _ in range(len(smaller))]
    seen = source.events if engine != "scan" else source.events[: max(1, EVALUATIONS // source.expressions)]
    each = (1e6 * seconds / source.predicates, 1e6 * cpu / source.predicates)
    subject = Subject(engine, source, index, refused, *each, seen, hr.events(seen))
    if growth:
        predicates = sum(predicates_of(source.workload, batch["expression"]) for batch in few)
        subject.smaller = 1e6 * sorted(smaller)[len(smaller) // 2] / predicates
    return subject


def first_rows(batches: Sequence[pa.RecordBatch], count: int) -> list[pa.RecordBatch]:
    """Return the first rows, in batches as they are."""
    rows: list[pa.RecordBatch] = pa.Table.from_batches(batches).slice(0, count).to_batches()
    return rows


def search(subjects: Sequence[Subject], turns: int) -> None:
    """Let each engine match in each way, by turns, and keep its fastest turn."""
    for _ in range(turns):
        for subject in subjects:
            for way, run in ways(subject).items():
                subject.fastest[way] = min(subject.fastest.get(way, float("inf")), best_of(1, run))


def ways(subject: Subject) -> dict[str, Callable[[], object]]:
    """Return the ways to match all events of a subject; what one event finds is gone before the next."""
    index, source = subject.index, subject.given

    def match() -> None:
        for event in subject.events:
            index.match(event)

    def top(weights: list[dict[str, float]]) -> None:
        for event, own in zip(subject.events, weights, strict=False):
            index.top(event, BEST, own)

    each: dict[str, Callable[[], object]] = {
        "match": match,
        "match_batch": lambda: index.match_batch(subject.batch),
        "count_batch": lambda: index.count_batch(subject.batch),
    }
    return each if source.weights is None else {**each, "top": partial(top, source.weights)}

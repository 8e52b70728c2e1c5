"""What ``benchmarks.rules`` measures, and how: engines that hold the same rules, and the times of each by turns.

In a turn each way of matching is run by one engine right after the other, so that what slows the machine for a while
slows them all; a ratio is the median of what the turns say. Engines may learn from the events that they are given, so
all are given the same ones, and before anything is measured others of the same kind.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeAlias, TypeVar

import pyarrow as pa

import hedgerow as hr
from benchmarks._common import best_of
from hedgerow.event.batch_cy import EventBatch
from hedgerow.workload.rules import RuleWorkload

Event: TypeAlias = Mapping[str, object]
T = TypeVar("T")

BEST = 10  # of the matches are wanted from ``top``
WAYS = ("match", "match_batch", "count_batch", "top")
WARM = 2000  # rules of a first build, which is not measured
CHUNK = 10_000  # rules that ``insert_many`` gets at once
SCHEMA = pa.schema({"id": pa.int64(), "expression": pa.string(), "weight": pa.float64()})


@dataclass(frozen=True)
class Given:
    """The rules and events of a workload at one size, all of them there before anything is measured."""

    workload: RuleWorkload
    rules: list[pa.RecordBatch]
    events: list[Event]
    lessons: list[Event]
    """Other events, which engines see first."""
    batch: EventBatch

    @property
    def size(self) -> int:
        """How many rules there are."""
        return sum(map(len, self.rules))


@dataclass
class Subject:
    """An engine that holds a workload, and its figures; times are seconds, one for each turn."""

    engine: str
    given: Given
    index: hr.Index
    builds: list[float] = field(default_factory=list)
    times: dict[str, list[float]] = field(default_factory=dict)
    """Of all events together, by way."""
    lacking: dict[str, str] = field(default_factory=dict)
    """Ways that the engine does not have, and what it says of them."""
    visits: float | None = None
    """Of an event, by ``match``."""
    matches: float = 0.0
    """Of an event."""

    @property
    def bytes_each(self) -> float:
        """What the index says that it holds for a rule."""
        return self.index.stats().bytes / max(1, len(self.index))

    @property
    def build_each(self) -> float:
        """Microseconds a rule."""
        return 1e6 * median(self.builds) / max(1, self.given.size)

    @property
    def per_match(self) -> float | None:
        """Microseconds of ``match`` for each rule that matches, if any does."""
        each = self.each("match")
        return each / self.matches if each is not None and self.matches else None

    def each(self, way: str) -> float | None:
        """Return the microseconds of an event by a way, if the engine has it."""
        times = self.times.get(way)
        return 1e6 * median(times) / len(self.given.events) if times else None


def made(workload: RuleWorkload, size: int, events: int, seen: int) -> Given:
    """Make the rules and events of a workload; those that are seen first come from another seed."""
    measured = workload.events(events)
    lessons = workload.events(seen, workload.event_seed + 1)
    return Given(workload, rules_of(workload, size), measured, lessons, hr.events(measured))


def rules_of(workload: RuleWorkload, size: int) -> list[pa.RecordBatch]:
    """Return the first rules of a workload in batches."""
    columns = zip(*workload.rows(size), strict=True)
    arrays = [pa.array(column, kind.type) for column, kind in zip(columns, SCHEMA, strict=True)]
    batches: list[pa.RecordBatch] = pa.table(arrays, schema=SCHEMA).to_batches(max_chunksize=CHUNK)
    return batches


class Refused(Exception):
    """An engine does not take all rules of a workload."""


def built_by_turns(engines: Sequence[str], given: Given, turns: int) -> tuple[list[Subject], dict[str, str]]:
    """Build an index of each engine so many times, by turns; return the last ones, and why others could not be."""
    subjects, refusals = dict[str, Subject](), dict[str, str]()
    for engine in engines:
        try:
            built(engine, given, first_rules(given.rules, WARM))
        except Refused as refused:
            refusals[engine] = str(refused)
    for turn in range(turns):
        for engine in in_turn([engine for engine in engines if engine not in refusals], turn):
            seconds = subjects.pop(engine).builds if engine in subjects else []  # the index before is gone by now
            try:
                index, taken = built(engine, given, given.rules)
            except Refused as refused:
                refusals[engine] = str(refused)
            else:
                subjects[engine] = Subject(engine, given, index, [*seconds, taken])
    return [subjects[engine] for engine in engines if engine in subjects], refusals


def first_rules(rules: Sequence[pa.RecordBatch], count: int) -> list[pa.RecordBatch]:
    """Return the first rules, in batches as they are."""
    first: list[pa.RecordBatch] = pa.Table.from_batches(rules).slice(0, count).to_batches()
    return first


def built(engine: str, given: Given, rules: Sequence[pa.RecordBatch]) -> tuple[hr.Index, float]:
    """Return an index of these rules and the seconds that ``insert_many`` took."""
    gc.collect()
    index = hr.Index(engine, missing=given.workload.missing)
    seconds = 0.0
    for batch in rules:
        start = time.perf_counter()
        report = index.insert_many(batch, progress=False)
        seconds += time.perf_counter() - start
        if report.rejected:
            bad = report.rejected[0]
            assert isinstance(bad.error, hr.LimitError), f"{engine}: rule {bad.id!r}: {bad.error}"
            raise Refused(f"refuses rule {bad.id!r}: {bad.error}")
    return index, seconds


def teach(index: hr.Index, lessons: Sequence[Event]) -> None:
    """Show events to an index, which may learn from them what is rare."""
    for event in lessons:
        index.match(event)


def search(subjects: Sequence[Subject], turns: int) -> None:
    """Let each engine match in each way by turns, first once without measuring: what a way lacks comes out then."""
    for subject in subjects:
        teach(subject.index, subject.given.lessons)
        subject.lacking = {way: said for way in WAYS if (said := lack(subject, way))}
    for turn in range(turns):
        for way in WAYS:
            for subject in in_turn(subjects, turn):
                if way not in subject.lacking:
                    subject.times.setdefault(way, []).append(best_of(1, ways(subject)[way]))


def in_turn(those: Sequence[T], turn: int) -> Sequence[T]:
    """Return engines in their order, or every second time from the last to the first: none always comes after one."""
    return those[::-1] if turn % 2 else those


def lack(subject: Subject, way: str) -> str:
    """Run a way once, and return what is said if the engine does not have it."""
    try:
        ways(subject)[way]()
    except (AttributeError, NotImplementedError, hr.Unsupported) as error:
        return str(error) or type(error).__name__
    return ""


def ways(subject: Subject) -> dict[str, Callable[[], object]]:
    """Return the ways to match all events, each in one thread; what one event finds is gone before the next."""
    index, given = subject.index, subject.given

    def match() -> None:
        for event in given.events:
            index.match(event)

    def top() -> None:
        for event in given.events:
            index.top(event, BEST)

    return {
        "match": match,
        "match_batch": lambda: index.match_batch(given.batch),
        "count_batch": lambda: index.count_batch(given.batch),
        "top": top,
    }


def ratio(one: Sequence[float] | None, other: Sequence[float] | None) -> float | None:
    """Return the median, over the turns, of one time by another; None if one of them was not measured."""
    if not one or not other:
        return None
    return median(own / others for own, others in zip(one, other, strict=True))

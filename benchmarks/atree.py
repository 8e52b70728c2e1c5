"""How long the A-Tree takes beside a textbook A-Tree in C++, on two workloads of the A-Tree paper's generator.

Both shapes have 16 predicates an expression, in AND and OR of AND and OR: ``equality`` has only ``=``, ``mixed`` has
``= != < <= > >= BETWEEN``. The textbook matches one event at a time. A ratio is the time of an event by that of the
textbook on the sample, which is measured again right before every run: what else the machine does then slows both. Each
line says what is asked of it, and whether it is so. At small sizes neither means much.

Building is measured in processes of their own, at a tenth of the size and at all of it; ``--full`` adds three times it,
and ``--growth`` measures nothing but these three. The smallest one may be quicker because the processor's caches hold
it, so each size is also compared with the one before. All share as many subexpressions on the whole, but larger ones
fewer within some thousand rows, which is more to look up: growth is that, and caches, and the index.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hedgerow as hr
from benchmarks._build import ENGINE, SHAPES, Built, built_apart, inserted, parameters_of
from benchmarks._common import Floor, arguments_of, best_of, line
from benchmarks._textbook import Textbook, textbook_events
from hedgerow.index.crew_cy import Crew
from hedgerow.workload.abe import AbeParameters, abe_events, abe_expression_batches
from hedgerow.workload.abe_trees import Trees

T = TypeVar("T")
Event = dict[str, int]

MATCH = {"equality": Floor(0.5), "mixed": Floor(0.7)}
MATCH_BATCH = {"equality": Floor(0.15), "mixed": Floor(0.10)}
TWO_THREADS = Floor(1.7, least=True)
BUILD = Floor(1.0)  # microseconds a predicate
GROWTH = Floor(1.3)  # a predicate's time in the largest index by that in the smallest: linear, but for caches
BYTES = {"equality": None, "mixed": Floor(250)}  # an expression
UNCOUNTED = Floor(0.1)  # the share by which stats().bytes is off
PAIRS = Floor(20_000, least=True)  # a second
OUT_OF_TURN = 1 << 40  # an id that no expression has
CHECKS = 20  # of the pairs are followed by matches
MOST_TURNS = 30
SMALL_BUILDS = 2  # before, between and after the larger ones
WITNESSES = 50  # events that these matches are of
HASHED = bytes(1 << 24)  # what threads hash that have nothing to do with each other


@dataclass(frozen=True)
class Subject:
    """One workload, in the index and in the textbook, and what the textbook found."""

    shape: str
    index: hr.Index
    textbook: Textbook
    parameters: AbeParameters
    events: list[Event]
    sample: int
    """How many of the events, the first ones, are matched one by one."""
    repeats: int
    counts: NDArray[np.int64]
    """How many expressions match each event, as the textbook has it."""


def main(given: Sequence[str] | None = None) -> None:
    """Measure both shapes, verify, print."""
    options = arguments_of(
        "benchmarks.atree",
        __doc__,
        given,
        "full",
        "growth",
        expressions=1_000_000,
        events=4096,
        sample=1000,
        pairs=20_000,
        repeats=3,
    )
    hits = changes = 0
    if not options.growth:
        machine(options.repeats)
    for shape in SHAPES:
        print(f"\n{shape}:")
        build(shape, options.expressions, full=options.full or options.growth)
        if options.growth:
            continue
        subject = prepared(shape, options.expressions, options.events, options.sample, options.repeats)
        single(subject)
        batches(subject)
        changes += churn(subject, options.pairs)
        hits += int(subject.counts.sum())
    if options.growth:
        return
    print(
        f"\nverified: {hits:,} hits, for each event as many by each way as by the textbook, "
        f"the same ones for a sample; matches right after {2 * changes:,} changes"
    )


def machine(repeats: int) -> None:
    """Print what two threads gain on this machine where they share nothing, to be compared with."""

    def work(_: int) -> None:
        hashlib.sha256(HASHED)  # which lets go of the GIL

    def twice() -> None:
        work(0)
        work(1)

    one, two = by_turns(repeats, twice, lambda: Crew(2).run(work))
    print(line("this machine, two threads of their own", f"{one / two:,.2f} times as fast as one"))


def build(shape: str, expressions: int, *, full: bool) -> None:
    """Print what building takes and what an index holds."""
    each = built_by_turns(shape, max(1, expressions // 10), [expressions, *([3 * expressions] if full else [])])
    for built in each:
        name = f"build of {built.expressions:,} from text"
        print(line(name, f"{built.microseconds:,.2f} us a predicate", BUILD, built.microseconds))
    for smaller, larger in itertools.pairwise(each):
        growth = larger.microseconds / smaller.microseconds
        name = f"{larger.expressions:,} by {smaller.expressions:,}"
        print(line(name, f"{growth:,.2f} times the time a predicate"))
    growth = each[-1].microseconds / each[0].microseconds
    print(line("largest build by smallest", f"{growth:,.2f} times the time a predicate", GROWTH, growth))
    memory(shape, each[1])


def built_by_turns(shape: str, smallest: int, larger: Sequence[int]) -> list[Built]:
    """Build an index of each size; the smallest, which is over soon, some times before and after each other one.

    What counts for it is the median: the machine is not the same in one second as in the minute of a large build.
    """
    often = [built_apart(shape, smallest) for _ in range(SMALL_BUILDS)]
    others = []
    for size in larger:
        others.append(built_apart(shape, size))
        often += [built_apart(shape, smallest) for _ in range(SMALL_BUILDS)]
    return [sorted(often, key=lambda built: built.seconds)[len(often) // 2], *others]


def memory(shape: str, built: Built) -> None:
    """Print what an index holds, and what it says that it holds."""
    size, counted = built.resident / built.expressions, built.counted / built.expressions
    off = abs(built.counted - built.resident) / max(1, built.resident)
    print(line("resident after build", f"{size:,.0f} bytes an expression", BYTES[shape], size))
    print(line("stats().bytes", f"{counted:,.0f} bytes, off by {off:.1%}", UNCOUNTED, off))


def prepared(shape: str, expressions: int, events: int, sample: int, repeats: int) -> Subject:
    """Make the index and the textbook of one workload, match all events by the textbook, and print what that took."""
    parameters = parameters_of(shape, expressions)
    index, textbook = hr.Index(ENGINE), Textbook(parameters)
    for batch in inserted(index, abe_expression_batches(parameters)):
        textbook.add(batch["expression"])
    textbook.finish()
    seen: list[Event] = list(abe_events(parameters, events))
    encoded = textbook_events(seen)
    start = time.perf_counter()
    counts = textbook.counts(encoded)
    seconds = (time.perf_counter() - start) / events
    held = f"{textbook.literals:,} distinct predicates, {textbook.nodes:,} nodes in the textbook"
    print(f"  {expressions:,} expressions, {held}; {counts.mean():,.1f} matches an event")
    print(line("textbook, all events once", f"{1e6 * seconds:,.2f} us an event"))
    return Subject(shape, index, textbook, parameters, seen, min(sample, events), repeats, counts)


def single(subject: Subject) -> None:
    """Print how long ``match`` takes, a dict in and a list out."""
    index, few = subject.index, subject.events[: subject.sample]

    def check(counts: list[int]) -> None:
        assert counts == subject.counts[: len(few)].tolist(), "match: not as many as the textbook finds"

    floor = MATCH[subject.shape]
    beside(subject, "match", len(few), lambda: [len(index.match(event)) for event in few], check, floor=floor)
    for event in few[:10]:
        ids = subject.textbook.match(event)
        assert index.match(event) == ids, "match: not what the textbook finds"
        assert index.match_batch([event])["id"].to_pylist() == ids, "match_batch: not what the textbook finds"


def batches(subject: Subject) -> None:
    """Print how long the ways to match a batch take."""
    index, counts = subject.index, subject.counts
    batch = hr.events(subject.events)
    match: Callable[..., pa.Table] = index.match_batch  # of any signature: not every version has threads
    has_threads = "threads" in inspect.signature(match).parameters

    def check(matches: pa.Table) -> None:
        found = np.bincount(matches["event"].to_numpy(), minlength=len(counts))
        assert np.array_equal(found, counts), "match_batch: not as many as the textbook finds"

    def check_counts(found: pa.Array) -> None:
        assert np.array_equal(found.to_numpy(), counts), "count_batch: not as many as the textbook finds"

    def way(name: str, run: Callable[[], pa.Table], floor: Floor | None = None) -> None:
        beside(subject, name, len(counts), run, check, floor=floor)

    one_thread = {"threads": 1} if has_threads else {}
    way("match_batch, one thread", lambda: match(batch, **one_thread), MATCH_BATCH[subject.shape])
    if has_threads:
        way("match_batch, threads=2", lambda: match(batch, threads=2))
        one, two = by_turns(subject.repeats, lambda: match(batch, threads=1), lambda: match(batch, threads=2), check)
        print(line("", f"{one / two:,.2f} times as fast as one", TWO_THREADS, one / two))
    way("match_batch, events as dicts", lambda: match(subject.events, **one_thread))
    beside(subject, "count_batch", len(counts), lambda: index.count_batch(batch), check_counts)
    # An id out of turn: until here they counted up, and needed no look-up.
    index.insert(OUT_OF_TURN, "FALSE")
    way("match_batch, ids looked up", lambda: match(batch, **one_thread))
    index.delete(OUT_OF_TURN)


def beside(
    subject: Subject,
    name: str,
    events: int,
    run: Callable[[], T],
    check: Callable[[T], object],
    *,
    floor: Floor | None = None,
) -> None:
    """Run the textbook and one way by turns, and print how their best runs compare."""
    few = textbook_events(subject.events[: subject.sample])

    baseline, seconds = by_turns(subject.repeats, lambda: subject.textbook.counts(few), run, check)
    each, textbook = 1e6 * seconds / events, 1e6 * baseline / subject.sample
    ratio = each / textbook
    print(line(name, f"{each:,.2f} us by {textbook:,.2f} us, ratio {ratio:,.3f}", floor, ratio))


def by_turns(
    repeats: int, one: Callable[[], object], other: Callable[[], T], check: Callable[[T], object] | None = None
) -> tuple[float, float]:
    """Return the seconds of the best run of each, the one right after the other: what else goes on then slows both.

    Those that are over soon have more than ``repeats`` turns, as many as a second has room for. What the other one
    returns is checked each time.
    """
    best, start, turns = (float("inf"), float("inf")), time.perf_counter(), 0
    while turns < repeats or (turns < MOST_TURNS and time.perf_counter() - start < 1.0):
        best = min(best[0], best_of(1, one)), min(best[1], best_of(1, other, check))
        turns += 1
    return best


def churn(subject: Subject, pairs: int) -> int:
    """Print how often a second a new expression is inserted and deleted, and return how many were checked by matches.

    Those are not in the time.
    """
    index, first = subject.index, len(subject.index)
    texts = Trees(subject.parameters).texts(first, first + pairs).to_pylist()
    witnesses = witnesses_of(texts, subject.events[:WITNESSES])
    seconds, checked, due = 0.0, 0, 0
    for number, text in enumerate(texts):
        if number >= due and number in witnesses:
            check_change(subject, first + number, text, witnesses[number])
            due = number + max(1, pairs // CHECKS)
            checked += 1
            continue
        start = time.perf_counter()
        index.insert(first + number, text)
        index.delete(first + number)
        seconds += time.perf_counter() - start
    rate = (pairs - checked) / max(seconds, 1e-9)
    print(line("insert and delete", f"{rate:,.0f} pairs a second", PAIRS, rate))
    return checked


def witnesses_of(texts: list[str], events: list[Event]) -> dict[int, Event]:
    """Return, for some expressions, an event that each of them matches, as the scan has it."""
    scan = hr.Index("scan")
    scan.insert_many(enumerate(texts), progress=False)
    matches = scan.match_batch(events)
    pairs = zip(matches["id"].to_pylist(), matches["event"].to_pylist(), strict=True)
    return {number: events[event] for number, event in pairs}


def check_change(subject: Subject, id: int, text: str, event: Event) -> None:
    """Insert and delete an expression that matches an event, and match that event after each."""
    index, others = subject.index, subject.textbook.match(event)
    index.insert(id, text)
    assert index.match(event) == [*others, id], "a match right after an insert does not see it"
    index.delete(id)
    assert index.match(event) == others, "a match right after a delete does not see it"


if __name__ == "__main__":
    main()

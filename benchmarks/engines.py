"""How engines compare, each on what its paper measures: building, bytes, and the time and the work of an event.

All engines of a workload are built of the same Arrow batches, which are there before, and then match the same events by
turns, in one thread; ``insert_many`` parses ahead in a thread of its own. Columns:

- build: microseconds a predicate, from text; a predicate counts as often as it stands in the texts
- cpu: the same in processor time of all threads; if it is less than build, the machine was busy otherwise
- MB, bytes: what ``stats()`` says without the ids, in all and an expression
- refused: expressions that the engine does not take, since they would be too large for it
- match: microseconds an event, from a dict to a list of ids
- batch, count: the same of ``match_batch`` and ``count_batch`` on events that were encoded before
- visits: nodes or entries that ``match`` looks at, an event
- matches: of an event
- ratio: how many times as fast as the last row ``match`` is

Times are those of the fastest turn. Where there are many expressions the scan matches fewer events (the column says how
many), so its figures, and the ratios, vary more. Every engine is compared with the oracle on a sample of the
expressions and with the other engines on all of them.

``--growth`` builds a tenth of the expressions too; ``--floors`` prints what is asked at 1,000,000 expressions and
whether it is so. ``--only`` and ``--engines`` take names between commas; an engine that a workload does not have by
default is measured on it if ``--only`` is given.

``--save`` writes the same figures of each workload to ``WORKLOAD.json`` in a folder, from which ``make plots`` draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks._common import arguments_of, line
from benchmarks._engines import Subject, engines_of, made, search, subject_of
from benchmarks._engines_saved import Figure, machine_facts, save
from benchmarks._engines_verified import verified
from benchmarks._engines_workloads import BEST, WORKLOADS, Asked, Workload
from hedgerow.index.engine import engine_names

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

HEADS = (
    "engine",
    "events",
    "build",
    "cpu",
    "MB",
    "bytes",
    "refused",
    "match",
    "batch",
    "count",
    "visits",
    "matches",
    "ratio",
)
WIDTHS = (-10, 6, 8, 8, 9, 9, 8, 13, 13, 13, 12, 10, 9)
SIZE = 1_000_000  # expressions, at which the floors are asked


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of(
        "benchmarks.engines",
        __doc__,
        given,
        "growth",
        "floors",
        words={"only": [one.name for one in WORKLOADS], "engines": engine_names()},
        folders={"save": "where to write WORKLOAD.json for each workload"},
        expressions=SIZE,
        events=200,
        sample=100,
        turns=3,
    )
    hits = outcomes = 0
    machine = machine_facts() if options.save else {}
    for workload in WORKLOADS:
        names = engines_of(workload, options.engines, only=bool(options.only))
        if names and (not options.only or workload.name in options.only):
            same, evaluated = measured(workload, names, options, machine)
            hits, outcomes = hits + same, outcomes + evaluated
    print(f"\nverified: {hits:,} hits of all ways and engines, the same ones; {outcomes:,} outcomes by the oracle too")


def measured(
    workload: Workload, names: Sequence[str], options: argparse.Namespace, machine: Mapping[str, Figure]
) -> tuple[int, int]:
    """Measure and verify the engines of a workload, print its table, and return what was verified."""
    source = made(workload, options.expressions, options.events)
    grows = {asked.engine for asked in workload.floors if asked.figure == "growth" and options.floors}
    subjects = [subject_of(name, source, growth=options.growth or name in grows) for name in names]
    search(subjects, options.turns)
    same = verified(subjects, options.sample)
    each = source.predicates / source.expressions
    print(f"\n{workload.name}: {source.expressions:,} expressions of {each:.2f} predicates, ", end="")
    print(f"an event matches {subjects[0].matches / source.expressions:.2%}")
    print(*table(subjects), *details(subjects), sep="\n")
    if options.floors and workload.floors:
        print(*floors(workload, {subject.engine: subject for subject in subjects}, source.expressions), sep="\n")
    if options.save:
        save(options.save, vars(options), machine, subjects)
    return same


def table(subjects: Sequence[Subject]) -> Iterator[str]:
    """Yield a row for each engine; the last one is what the others are compared with."""
    yield row(HEADS)
    base = subjects[-1].match
    for one in subjects:
        held, taken = one.bytes_beside, len(one.index)
        yield row(
            (
                one.engine,
                f"{len(one.events):,}",
                f"{one.build:,.2f}",
                f"{one.cpu:,.2f}",
                f"{held / 1e6:,.1f}",
                f"{held / max(1, taken):,.0f}",
                f"{len(one.refused):,}",
                *(f"{one.time(way):,.1f}" for way in ("match", "match_batch", "count_batch")),
                counted(one.visits),
                counted(one.matches),
                f"{base / one.match:.1f}",
            )
        )


def row(cells: Sequence[str]) -> str:
    """Return cells in their columns."""
    return "  " + " ".join(
        f"{cell:{'<' if width < 0 else '>'}{abs(width)}}" for cell, width in zip(cells, WIDTHS, strict=True)
    )


def counted(count: float | None) -> str:
    """Return a mean of counts, or a dash where nothing was counted."""
    return "-" if count is None else f"{count:,.0f}"


def details(subjects: Sequence[Subject]) -> Iterator[str]:
    """Yield what has no column: why expressions were refused, how building grows, the best matches."""
    for one in subjects:
        if one.refused:
            first = one.refused[0]
            yield f"  {one.engine} refused {len(one.refused):,}; the first, id {first.id!r}: {first.error}"
        if one.smaller:
            small = f"{one.smaller:,.2f} us a predicate at a tenth"
            yield f"  {one.engine} builds: {small}, {one.build:,.2f} at all, ratio {one.growth:.2f}"
        if "top" in one.fastest:
            times = f"{one.time('top'):,.1f} us by {one.match:,.1f} of match, ratio {one.top_by_match:.2f}"
            work = (
                f"{counted(one.top_visits)} visits by {counted(one.visits)}, {counted(one.top_skipped)} units skipped"
            )
            yield f"  {one.engine} top({BEST}): {times}; {work}"


def floors(workload: Workload, subjects: Mapping[str, Subject], expressions: int) -> Iterator[str]:
    """Yield what is asked, what was measured, and whether it is so."""
    if workload.floors and expressions != SIZE:
        yield f"  floors are asked of {SIZE:,} expressions, these are {expressions:,}:"
    for asked in workload.floors:
        if {asked.engine, asked.than or asked.engine} <= subjects.keys():
            yield from kept(asked, subjects)
        else:
            beside = f" beside {asked.than}" if asked.than else ""
            yield line(f"{asked.engine}: {asked.name}", f"not measured{beside}")


def kept(asked: Asked, subjects: Mapping[str, Subject]) -> Iterator[str]:
    """Yield the line of a floor; beside another engine with the work of both, which is to explain it."""
    one = subjects[asked.engine]
    value = float(getattr(one, asked.figure))
    if not asked.than:
        yield line(f"{asked.engine}: {asked.name}", f"{value:,.2f}", asked.floor, value)
        return
    other = subjects[asked.than]
    ratio = float(getattr(other, asked.figure)) / value
    yield line(f"{asked.engine}: {asked.name}", f"{ratio:,.2f} times as {asked.than}", asked.floor, ratio)
    for name, subject in ((asked.engine, one), (asked.than, other)):
        if subject.visits:
            each = f"{1e3 * subject.time('count_batch') / subject.visits:,.1f} ns of count_batch each"
            yield line(f"  visits of {name}", f"{subject.visits:,.0f}, {each}")


if __name__ == "__main__":
    main()

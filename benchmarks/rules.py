"""How an engine takes rules as people write them, beside ``atree`` in the same build.

Each workload of ``hedgerow.workload.rules`` is built and matched by all engines by turns, in one thread, except that
``insert_many`` parses ahead in a thread of its own. Before anything is measured each engine sees ``--seen`` other
events: some learn from events. A ratio is the median of the turns' ratios, an engine's time by that of ``atree`` or by
another way of its own. Columns:

- build: microseconds a rule, from text
- bytes: what ``stats()`` says, a rule
- match, batch, count, top: microseconds an event of ``match`` from a dict to a list of ids, of ``match_batch`` and
  ``count_batch`` on events that were encoded before, and of ``top`` for the ten best; ids are integers that count up
- visits: what ``match`` looks at, for each rule that matches
- matches: of an event
- per match: microseconds of ``match`` for each rule that matches

All engines and ways are compared with each other on all events, and with the oracle on ``--sample`` of the rules.
``--expressions 0`` is each workload's own size. ``--floors`` prints what is asked at that size and whether it is so. A
way or an engine that is not there is told of and left out; ``atree`` is always measured.

``--learning`` measures something else: how long ``match`` takes on ``exchange-100k`` (or on those of ``--only``) after
some events were seen, beside ``atree`` after as many: the first events are slow for any engine, since nothing is in the
processor's caches. Each point is an index of its own, since the events that measure teach too: give few of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence

from benchmarks._common import arguments_of
from benchmarks._engines_saved import machine_facts
from benchmarks._rules import Refused, Subject, built_by_turns, made, search
from benchmarks._rules_floors import BEFORE, compared, growth, judged
from benchmarks._rules_learning import SEEN, learned
from benchmarks._rules_verified import verified
from hedgerow.index.engine import engine_names
from hedgerow.workload.rules import WORKLOADS, RuleWorkload

SUBJECT = "hedge"
"""The engine that the floors are for."""

LEARNING = ("exchange-100k",)
HEADS = ("engine", "build", "bytes", "match", "batch", "count", "top", "visits", "matches", "per match")
WIDTHS = (-12, 8, 8, 12, 12, 12, 12, 9, 10, 10)


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of(
        "benchmarks.rules",
        __doc__,
        given,
        "floors",
        "learning",
        words={"only": list(WORKLOADS), "engines": sorted({*engine_names(), SUBJECT})},
        expressions=0,
        events=200,
        seen=1000,
        sample=100,
        turns=5,
        builds=2,
    )
    print(machine())
    engines = list(engines_of(options.engines))
    if options.learning:
        learning(options, engines)
        return
    hits = outcomes = 0
    per_match: dict[str, dict[str, float]] = {}
    for name in options.only or WORKLOADS:
        subjects, same, evaluated = measured(WORKLOADS[name], engines, options)
        hits, outcomes = hits + same, outcomes + evaluated
        per_match[name] = {subject.engine: subject.per_match or 0.0 for subject in subjects}
        del subjects  # before the next ones are made
    if not options.expressions:
        for engine in engines:
            show(growth(engine, per_match, floors=options.floors))
    print(f"\nverified: {hits:,} hits of all ways and engines, the same ones; {outcomes:,} outcomes by the oracle too")


def machine() -> str:
    """Return what of the machine decides how figures compare: whether an index fits the cache does."""
    facts = machine_facts()
    cache = f"{facts['l3_kib'] / 1024:g} MiB" if isinstance(facts["l3_kib"], int) else "unknown"
    return f"machine: L3 cache {cache}, " + ", ".join(
        f"{name} {facts[name] or 'unknown'}" for name in ("processor", "cores", "python", "commit")
    )


def engines_of(wanted: Sequence[str]) -> Iterator[str]:
    """Yield the engines to measure, the one before among them; those that are not registered are told of."""
    for name in dict.fromkeys([*(wanted or (SUBJECT, BEFORE)), BEFORE]):
        if name in engine_names():
            yield name
        else:
            print(f"there is no engine {name!r} in this build: it is left out")


def measured(
    workload: RuleWorkload, engines: Sequence[str], options: argparse.Namespace
) -> tuple[list[Subject], int, int]:
    """Measure and verify the engines on a workload, print it, and return them and what was verified."""
    given = made(workload, options.expressions or workload.size, options.events, options.seen)
    subjects, refusals = built_by_turns(engines, given, options.builds)
    search(subjects, options.turns)
    hits, outcomes = verified(subjects, options.sample)
    matches = subjects[0].matches
    print(f"\n{workload.name}: {given.size:,} rules, missing={workload.missing!r}, {matches:,.1f} matches an event")
    show(table(subjects))
    for engine, said in refusals.items():
        print(f"  {engine} is left out: it {said}")
    for subject in subjects:
        show(f"  {subject.engine} has no {way}: {said}" for way, said in subject.lacking.items())
    if options.floors and given.size != workload.size:
        print(f"  floors are asked of {workload.size:,} rules, these are {given.size:,}:")
    for subject, before in judged(subjects):
        show(compared(subject, before, floors=options.floors))
    return subjects, hits, outcomes


def show(lines: Iterable[str]) -> None:
    """Print each as soon as it is there."""
    for one in lines:
        print(one, flush=True)


def table(subjects: Sequence[Subject]) -> Iterator[str]:
    """Yield a row for each engine."""
    yield row(HEADS)
    for one in subjects:
        visits = None if one.visits is None or not one.matches else one.visits / one.matches
        yield row(
            (
                one.engine,
                f"{one.build_each:,.2f}",
                f"{one.bytes_each:,.0f}",
                *(figure(one.each(way)) for way in ("match", "match_batch", "count_batch", "top")),
                figure(visits),
                f"{one.matches:,.1f}",
                figure(one.per_match, 3),
            )
        )


def row(cells: Sequence[str]) -> str:
    """Return cells in their columns."""
    return "  " + " ".join(
        f"{cell:{'<' if width < 0 else '>'}{abs(width)}}" for cell, width in zip(cells, WIDTHS, strict=True)
    )


def figure(value: float | None, digits: int = 1) -> str:
    """Return a figure, or a dash where nothing was measured."""
    return "-" if value is None else f"{value:,.{digits}f}"


def learning(options: argparse.Namespace, engines: Sequence[str]) -> None:
    """Print how the time of ``match`` falls with the events seen."""
    for name in options.only or LEARNING:
        workload = WORKLOADS[name]
        given = made(workload, options.expressions or workload.size, options.events, SEEN[-1])
        print(f"\n{name}: {given.size:,} rules, {options.events:,} events after those seen")
        try:
            show(learned(engines, given, options.turns, floors=options.floors))
        except Refused as refused:
            print(f"  an engine {refused}")


if __name__ == "__main__":
    main()

"""What each idea of the A-Tree is worth: time of a match, of building, and bytes, with one switch off at a time.

After Figures 8 to 10 of the A-Tree paper, on the ad exchange and on the paper's default workload. A ratio is the time
of ``match``, a dict in and a list out, by that of the A-Tree with all switches on, the first line of each workload. It
is processor time; all variants match by turns, and each has its best turn. Both make what else the machine does count
less, but not nothing: a difference of a tenth or two may be chance. The workloads are small, so that all of it takes
less than a minute: sharing pays more in large ones.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import hedgerow as hr
from benchmarks._common import arguments_of
from hedgerow.workload.abe import PRESETS, abe_events, abe_expressions
from hedgerow.workload.exchange import campaigns, visits

Row = tuple[Any, ...]
Hits = list[list[int | str]]

ON = hr.ATreeOptions()
BARE = hr.ATreeOptions(
    uniqueness=False,
    reorganisation=False,
    self_adjustment=False,
    zero_suppression=False,
    propagation_on_demand=False,
    access="random",
)
VARIANTS: Mapping[str, hr.ATreeOptions] = {
    "all switches on": ON,
    "uniqueness off": replace(ON, uniqueness=False),
    "reorganisation off": replace(ON, reorganisation=False),
    "self-adjustment off": replace(ON, self_adjustment=False),
    "zero suppression off": replace(ON, zero_suppression=False),
    "propagation on demand off": replace(ON, propagation_on_demand=False),
    "access child at random": replace(ON, access="random"),
    "access child the first": replace(ON, access="first"),
    "all switches off": BARE,
}


@dataclass(frozen=True)
class Built:
    """One variant: its index, and the seconds that it took to build."""

    index: hr.Index
    seconds: float


class Times(NamedTuple):
    """The seconds that one variant took for all events, one by one and in a batch."""

    match: float
    batch: float


def main(given: Sequence[str] | None = None) -> None:
    """Measure both workloads, verify, print."""
    options = arguments_of(
        "benchmarks.ablation", __doc__, given, campaigns=5000, visits=200, expressions=10_000, events=200, repeats=5
    )
    whole = PRESETS["paper-default"]
    # A smaller workload has a smaller pool, so that it shares as many subexpressions.
    pool = max(1, whole.pool * options.expressions // whole.expressions)
    paper = replace(whole, expressions=options.expressions, pool=pool)
    hits = workload(
        "the ad exchange", list(campaigns(options.campaigns)), list(visits(options.visits)), options.repeats
    )
    hits += workload(
        "paper-default ABE", list(abe_expressions(paper)), list(abe_events(paper, options.events)), options.repeats
    )
    print(f"\nverified: {hits:,} hits, the same by every variant, one by one and in a batch, as by the scan")


def workload(name: str, rules: list[Row], events: list[dict[str, Any]], repeats: int) -> int:
    """Print the figures of all variants on one workload, and return how many hits there are."""
    hits = truth(rules, events)
    variants = {variant: built(options, rules) for variant, options in VARIANTS.items()}
    times = by_turns({variant: each.index for variant, each in variants.items()}, events, hits, repeats)
    print(f"\n{name}: {len(rules):,} expressions, {sum(map(len, hits)) / len(events):,.1f} matches an event")
    print(f"  {'':<28}{'match':>12}{'in a batch':>12}{'build':>12}{'size':>12}")
    print(f"  {'':<28}{'us/event':>12}{'us/event':>12}{'us/expr.':>12}{'bytes/expr.':>12}")
    first = next(iter(times.values())).match
    for variant, (match, batch) in times.items():
        event, rule = 1e6 / len(events), 1e6 / len(rules)
        size = variants[variant].index.stats().bytes / len(rules)
        numbers = (
            f"{event * match:>12,.1f}{event * batch:>12,.1f}{rule * variants[variant].seconds:>12,.1f}{size:>12,.0f}"
        )
        print(f"  {variant:<28}{numbers}   ratio {match / first:,.2f}")
    return sum(map(len, hits))


def truth(rules: list[Row], events: list[dict[str, Any]]) -> Hits:
    """Return the matches of each event, as the scan has them."""
    scan = hr.Index("scan")
    assert not scan.insert_many(rules, progress=False).rejected
    return [scan.match(event) for event in events]


def built(options: hr.ATreeOptions, rules: list[Row]) -> Built:
    """Build one variant."""
    index = hr.Index("atree", options=options)
    start = time.process_time()
    report = index.insert_many(rules, progress=False)
    seconds = time.process_time() - start
    assert not report.rejected, str(report)
    return Built(index, seconds)


def by_turns(
    indexes: Mapping[str, hr.Index], events: list[dict[str, Any]], hits: Hits, repeats: int
) -> dict[str, Times]:
    """Let all variants match all events, by turns, and return the best time of each."""
    best = dict.fromkeys(indexes, Times(float("inf"), float("inf")))
    for _ in range(repeats):
        for variant, index in indexes.items():
            turn = measured(index, events, hits)
            best[variant] = Times(min(best[variant].match, turn.match), min(best[variant].batch, turn.batch))
    return best


def measured(index: hr.Index, events: list[dict[str, Any]], hits: Hits) -> Times:
    """Match all events by one variant, verify, and return what that took."""
    counts, batch = [len(found) for found in hits], hr.events(events)

    start = time.process_time()
    found = [index.match(event) for event in events]
    between = time.process_time()
    together = index.count_batch(batch)
    end = time.process_time()
    assert found == hits, f"{index.options}: not what the scan finds"
    assert together.to_pylist() == counts, f"{index.options}: not as many in a batch as the scan finds"
    return Times(between - start, end - between)


if __name__ == "__main__":
    main()

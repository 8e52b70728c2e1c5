"""What each idea of the A-Tree is worth: the time of a match, of building, and the bytes, with one switch off at a time.

After Figures 8 to 10 of the A-Tree paper, on the ad exchange and on the paper's default workload. A ratio is the time of
``match``, a dict in and a list out, by that of the A-Tree with all switches on, which is the first line of each workload.
The workloads are small, so that all of it takes less than a minute; sharing pays more in large ones.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import hedgerow as hr
from benchmarks._common import arguments_of, best_of
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


class Figures(NamedTuple):
    """What one variant takes: microseconds to match an event and to insert an expression, and bytes of an expression."""

    match: float
    batch: float
    build: float
    size: float


def main(given: Sequence[str] | None = None) -> None:
    """Measure both workloads, verify, print."""
    options = arguments_of(
        "benchmarks.ablation", __doc__, given, campaigns=5000, visits=200, expressions=10_000, events=200, repeats=3
    )
    paper = replace(PRESETS["paper-10k"], expressions=options.expressions, pool=options.expressions)
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
    print(f"\n{name}: {len(rules):,} expressions, {sum(map(len, hits)) / len(events):,.1f} matches an event")
    print(f"  {'':<28}{'match':>12}{'in a batch':>12}{'build':>12}{'size':>12}")
    print(f"  {'':<28}{'us/event':>12}{'us/event':>12}{'us/expr.':>12}{'bytes/expr.':>12}")
    first: Figures | None = None
    for variant, options in VARIANTS.items():
        figures = measured(options, rules, events, hits, repeats)
        first = first or figures
        numbers = f"{figures.match:>12,.1f}{figures.batch:>12,.1f}{figures.build:>12,.1f}{figures.size:>12,.0f}"
        print(f"  {variant:<28}{numbers}   ratio {figures.match / first.match:,.2f}")
    return sum(map(len, hits))


def truth(rules: list[Row], events: list[dict[str, Any]]) -> Hits:
    """Return the matches of each event, as the scan has them."""
    scan = hr.Index("scan")
    assert not scan.insert_many(rules, progress=False).rejected
    return [scan.match(event) for event in events]


def measured(
    options: hr.ATreeOptions, rules: list[Row], events: list[dict[str, Any]], hits: Hits, repeats: int
) -> Figures:
    """Build one variant, match all events by it, and return what that took."""
    index = hr.Index("atree", options=options)
    start = time.perf_counter()
    report = index.insert_many(rules, progress=False)
    build = time.perf_counter() - start
    assert not report.rejected, str(report)
    counts, batch = [len(found) for found in hits], hr.events(events)

    def check(found: Hits) -> None:
        assert found == hits, f"{options}: not what the scan finds"

    def check_counts(found: Any) -> None:  # noqa: ANN401 - an Arrow array
        assert found.to_pylist() == counts, f"{options}: not as many in a batch as the scan finds"

    match = best_of(repeats, lambda: [index.match(event) for event in events], check)
    together = best_of(repeats, lambda: index.count_batch(batch), check_counts)
    each = 1e6 / len(events)
    return Figures(each * match, each * together, 1e6 * build / len(rules), index.stats().bytes / len(rules))


if __name__ == "__main__":
    main()

"""How many expressions a second the scan engine evaluates, beside the oracle ``evaluate`` called in a loop.

The workload is the ad exchange. The oracle gets a sample of the visits, the first ones, since it takes its time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import hedgerow as hr
from benchmarks._common import Measured, arguments_of, best_of, table
from hedgerow.workload.exchange import campaigns, visits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

Event = dict[str, object]
Hits = list[list[int | str]]


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of("benchmarks.scan", __doc__, given, campaigns=2000, visits=1000, sample=10, seed=7, repeats=3)
    rules = list(campaigns(options.campaigns, options.seed))
    events = list(visits(options.visits, options.seed + 4))
    few = events[: options.sample]
    index = hr.Index()
    assert index.insert_many(rules, progress=False).inserted == len(rules)
    expressions = {name: hr.parse(text) for name, text, _ in rules}
    rows = measured(index, expressions, events, few, options.repeats)
    hits = verify(index, expressions, events, few)
    print(*table("evaluations", rows), sep="\n")
    print(f"verified: {hits:,} hits, the same in batches and one by one; those of {len(few)} visits by the oracle too")


def measured(
    index: hr.Index, expressions: dict[str, hr.Expression], events: list[Event], few: list[Event], repeats: int
) -> list[Measured]:
    """Return how long each way took."""
    batch = hr.events(events)

    def way(name: str, count: int, run: Callable[[], object]) -> Measured:
        return Measured(name, len(index) * count, best_of(repeats, run))

    return [
        way("count_batch, events encoded before", len(events), lambda: index.count_batch(batch)),
        way("match_batch, events encoded before", len(events), lambda: index.match_batch(batch)),
        way("match_batch, events as dicts", len(events), lambda: index.match_batch(events)),
        way("match, one event at a time", len(events), lambda: [index.match(event) for event in events]),
        way("evaluate, in a loop", len(few), lambda: by_oracle(expressions, few)),
    ]


def by_oracle(expressions: dict[str, hr.Expression], events: list[Event]) -> Hits:
    """Return the matches of each event, as the definition has them."""
    return [[name for name, rule in expressions.items() if hr.evaluate(rule, event)] for event in events]


def by_event(matches: pa.Table, count: int) -> Hits:
    """Return the matches of each event from those of a batch."""
    hits: Hits = [[] for _ in range(count)]
    for event, name in zip(matches["event"].to_pylist(), matches["id"].to_pylist(), strict=True):
        hits[event].append(name)
    return hits


def verify(index: hr.Index, expressions: dict[str, hr.Expression], events: list[Event], few: list[Event]) -> int:
    """Compare the hits of all ways, and return how many there are."""
    hits = by_event(index.match_batch(events), len(events))
    assert hits == [index.match(event) for event in events]
    assert list(map(len, hits)) == index.count_batch(events).to_pylist()
    assert hits[: len(few)] == by_oracle(expressions, few)
    return sum(map(len, hits))


if __name__ == "__main__":
    main()

"""How many events a second the A-Tree matches, beside the scan, on the A-Tree paper's generated workloads.

Both shapes have 16 predicates an expression, in AND and OR of AND and OR: ``equality`` has only ``=``, ``mixed`` has
``= != < <= > >= BETWEEN``. The scan gets the first events only, since it takes its time.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence

import hedgerow as hr
from benchmarks._common import Measured, arguments_of, best_of, table
from hedgerow.workload.abe import PRESETS, AbeParameters, abe_events, abe_expression_batches

Event = dict[str, int]


def main(given: Sequence[str] | None = None) -> None:
    """Measure both shapes, verify, print."""
    options = arguments_of("benchmarks.atree", __doc__, given, expressions=100_000, events=300, sample=10, repeats=3)
    hits = sum(
        shape(name, options.expressions, options.events, options.sample, options.repeats)
        for name in ("equality-1m", "mixed-1m")
    )
    print(f"verified: {hits:,} hits, the same in batches and one by one; those of the sample by the scan too")


def shape(name: str, expressions: int, events: int, sample: int, repeats: int) -> int:
    """Print one workload's table, and return how many matches it has."""
    parameters = dataclasses.replace(PRESETS[name], expressions=expressions)
    seen: list[Event] = list(abe_events(parameters, events))
    tree, scan = (built(engine, parameters) for engine in ("atree", "scan"))
    few, batch = seen[:sample], hr.events(seen)
    rows = [
        Measured("atree, count_batch", events, best_of(repeats, lambda: tree.count_batch(batch))),
        Measured("atree, match_batch", events, best_of(repeats, lambda: tree.match_batch(batch))),
        Measured("atree, match", events, best_of(repeats, lambda: [tree.match(event) for event in seen])),
        Measured("scan, match", len(few), best_of(repeats, lambda: [scan.match(event) for event in few])),
    ]
    print(*table("events", rows), sep="\n")
    return verified(tree, scan, seen, few)


def built(engine: str, parameters: AbeParameters) -> hr.Index:
    """Return an index of the workload's expressions, and print what it took."""
    index = hr.Index(engine)
    start = time.perf_counter()
    for rows in abe_expression_batches(parameters):
        assert not index.insert_many(rows, progress=False).rejected
    seconds, stats = time.perf_counter() - start, index.stats()
    size = stats.bytes / len(index)
    held = f"{len(index):,} expressions, {stats.predicates:,} distinct predicates"
    print(f"{engine}: {held}, in {seconds:.1f} s; {size:,.0f} bytes an expression")
    return index


def verified(tree: hr.Index, scan: hr.Index, events: list[Event], few: list[Event]) -> int:
    """Compare the hits of all ways, and return how many there are."""
    counts = tree.count_batch(events).to_pylist()
    assert counts == [len(tree.match(event)) for event in events]
    assert sum(counts) == tree.match_batch(events).num_rows
    assert [tree.match(event) for event in few] == [scan.match(event) for event in few]
    return sum(counts)


if __name__ == "__main__":
    main()

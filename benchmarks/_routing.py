"""What it costs to spread rules over shards, and what routing events by their attributes saves of that.

Three workloads, by how many of the attributes that rules need an event has: one of five hundred, twenty of a thousand
(ABE-Gen), and nearly all (the ad exchange).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

import hedgerow as hr
from benchmarks._build import parameters_of
from benchmarks._common import best_of
from hedgerow import ruleset
from hedgerow.workload.abe import abe_events, abe_expression_batches
from hedgerow.workload.exchange import campaigns, visits

_ATTRIBUTES = 500
_VALUES = 50
_SHARDS = 8
_LAYOUTS: dict[str, tuple[int, str]] = {
    "1 shard": (1, "size"),
    f"{_SHARDS} by id": (_SHARDS, "size"),
    f"{_SHARDS} by attribute": (_SHARDS, "attribute"),
}


class Routed(NamedTuple):
    """One workload in one layout: what an event took, and in how many of the shards it was looked up."""

    workload: str
    layout: str
    microseconds: float
    looked_up: float
    shards: int
    matches: int


def routed(folder: Path, rules: int, events: int, repeats: int) -> Iterator[Routed]:
    """Measure every workload in every layout; all layouts find the same number of matches."""
    for workload, make in _WORKLOADS.items():
        rows, seen = make(rules, events)
        batch, found = hr.events(seen), set[int]()
        for layout, (shards, partition) in _LAYOUTS.items():
            path = folder / f"{workload} {layout}"
            report = ruleset.build(rows, path, shards=shards, partition=partition)
            assert not report.rejected.num_rows
            one = _measured(ruleset.open_rules(path), batch, repeats)
            found.add(one.matches)
            yield one._replace(workload=workload, layout=layout)
        assert len(found) == 1, f"{workload}: layouts differ in how many matches they find: {found}"


def _measured(rules: ruleset.RuleSet, batch: hr.EventBatch, repeats: int) -> Routed:
    counts = ruleset.Counts()
    found = rules.match_batch(batch, counts=counts)
    seconds = best_of(repeats, lambda: rules.match_batch(batch))
    shards = len(rules.manifest.shards)
    return Routed("", "", 1e6 * seconds / len(batch), counts.looked_up / len(batch), shards, found.num_rows)


def _one_of_many(rules: int, events: int) -> tuple[pa.Table, list[dict[str, object]]]:
    """Return rules on one of 500 attributes each, and events that have one of them."""
    texts = [
        f"a{number % _ATTRIBUTES} = {number // _ATTRIBUTES % _VALUES} AND country IN ('DE', 'c{number % 97}')"
        for number in range(rules)
    ]
    seen: list[dict[str, object]] = [
        {f"a{7 * number % _ATTRIBUTES}": number % _VALUES, "country": "DE"} for number in range(events)
    ]
    return _table(texts), seen


def _abe(rules: int, events: int) -> tuple[pa.Table, list[dict[str, int]]]:
    parameters = parameters_of("equality", rules)
    return pa.Table.from_batches(abe_expression_batches(parameters)), list(abe_events(parameters, events))


def _exchange(rules: int, events: int) -> tuple[pa.Table, list[dict[str, object]]]:
    return _table([text for _, text, _ in campaigns(rules)]), list(visits(events))


def _table(texts: list[str]) -> pa.Table:
    return pa.table({"id": pa.array(range(len(texts)), pa.int64()), "expression": texts})


_WORKLOADS: dict[str, Callable[[int, int], tuple[pa.Table, object]]] = {
    "one of 500 attributes": _one_of_many,
    "ABE, equality": _abe,
    "campaigns": _exchange,
}

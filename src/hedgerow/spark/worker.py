"""What runs on the executors: Arrow batches in, Arrow batches out. Nothing here knows Spark.

A worker maps the shards into memory when its first batch comes, and finds them open in every later task
(``ruleset.opened``). Batches are put together into blocks, of which as much goes through one shard after the other as
has a bounded number of matches: a shard that does not stay in memory is paged in once for many events, and what is
held does not depend on how many rules match.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np
import pyarrow as pa

from hedgerow.errors import SchemaError
from hedgerow.ruleset.build import shards_of_ids
from hedgerow.ruleset.manifest import Manifest, Shard
from hedgerow.ruleset.opened import Counts, RuleSet, opened
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.routing import Plan, attribute_counts, pivot_names
from hedgerow.ruleset.shard import read_rows, write_shard

__all__ = [
    "MatchJob",
    "ShardJob",
    "count_attributes",
    "match_batches",
    "match_named",
    "pivots_of_rules",
    "rows_of_shards",
    "shard_of_rules",
    "write_shards",
]

BLOCK_ROWS = 32_768
"""Events that are held at once."""

OUT_ROWS = 65_536
"""Rows of a batch that is handed to Spark."""

_FIRST_ROWS = 1024
_LEAST_ROWS = 64
_MATCHES_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class MatchJob:
    """What a matching task has to know."""

    root: str
    manifest: bytes
    keys: int
    """How many of the columns are the key; the others are the event."""
    attributes: tuple[str, ...]
    """The names of the other columns."""
    names: tuple[str, ...]
    """The columns of the result."""
    top: int | None = None
    left: bool = False
    observed: bool = False


def match_batches(batches: Iterable[pa.RecordBatch], job: MatchJob) -> Iterator[pa.RecordBatch]:
    """Yield the keys and the rule ids of all matches."""
    matcher = _Matcher(job)
    for block in _blocks(batches, matcher):
        yield from matcher.matches(block)


def match_named(
    events: pa.RecordBatch, job: MatchJob, keys: tuple[str, ...], attributes: frozenset[str]
) -> Iterator[pa.Table]:
    """Yield the matches of a batch whose columns have the names that they have in SQL."""
    names = events.schema.names
    unknown = [name for name in keys if name not in names]
    if unknown:
        raise SchemaError(f"the table has no column {unknown[0]!r}; it has {', '.join(map(repr, names))}")
    above = {name.partition(".")[0] for name in attributes}
    wanted = [name for name in names if name in attributes or name in above]
    columns = [events.column(name) for name in (*keys, *wanted)]
    if not wanted:  # without a column there would be no rows
        wanted = ["__row"]
        columns.append(pa.repeat(pa.scalar(value=True), events.num_rows))
    batch = pa.RecordBatch.from_arrays(columns, [f"column_{number}" for number in range(len(columns))])
    for part in match_batches([batch], replace(job, attributes=tuple(wanted))):
        yield pa.Table.from_batches([part])


class _Matcher:
    """The rules, when they are wanted, and what was done so far."""

    def __init__(self, job: MatchJob) -> None:
        self._job = job
        self._rules: RuleSet | None = None
        self._rows = _FIRST_ROWS
        self.reading = 0

    def matches(self, block: pa.Table) -> Iterator[pa.RecordBatch]:
        if self._rules is None:  # a task without events opens nothing
            self._rules = opened(self._job.root, Manifest.from_json(self._job.manifest))
        start = 0
        while start < block.num_rows:
            part = block.slice(start, self._rows)
            began, counts = time.perf_counter_ns(), Counts()
            found = self._found(self._rules, part, counts)
            self._adapt(part.num_rows, counts.matches)
            result = self._result(part, found)
            if self._job.observed:
                result = _with_metrics(result, counts, time.perf_counter_ns() - began, self.reading)
                self.reading = 0
            yield from result.to_batches(max_chunksize=OUT_ROWS)
            start += part.num_rows

    def _found(self, rules: RuleSet, part: pa.Table, counts: Counts) -> pa.Table:
        events = part.select(range(self._job.keys, part.num_columns)).rename_columns(self._job.attributes)
        if self._job.top is None:
            return rules.match_batch(events, counts=counts)
        return rules.top_batch(events, self._job.top, counts=counts)

    def _adapt(self, events: int, matches: int) -> None:
        fitting = _MATCHES_AT_ONCE * events // max(1, matches)
        self._rows = int(min(BLOCK_ROWS, max(_LEAST_ROWS, fitting)))

    def _result(self, part: pa.Table, found: pa.Table) -> pa.Table:
        if self._job.left:
            found = _with_unmatched(found, part.num_rows)
        keys = [part.column(number).take(found["event"]) for number in range(self._job.keys)]
        columns = [*keys, *(found[name] for name in found.column_names[1:])]
        return pa.table(columns, names=list(self._job.names))


def _blocks(batches: Iterable[pa.RecordBatch], matcher: _Matcher) -> Iterator[pa.Table]:
    """Yield batches put together, and note how long they took to come."""
    held: list[pa.RecordBatch] = []
    rows = 0
    began = time.perf_counter_ns()
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= BLOCK_ROWS:
            matcher.reading += time.perf_counter_ns() - began
            yield pa.Table.from_batches(held)
            held, rows = [], 0
            began = time.perf_counter_ns()
    matcher.reading += time.perf_counter_ns() - began
    if rows:
        yield pa.Table.from_batches(held)


def _with_unmatched(found: pa.Table, events: int) -> pa.Table:
    """Return the matches, and a row of nulls for each event without one, in the order of the events."""
    matched = np.zeros(events, bool)
    matched[found["event"].to_numpy()] = True
    lonely = np.flatnonzero(~matched).astype(np.int32)
    nulls = [pa.nulls(len(lonely), field.type) for field in found.schema][1:]
    united = pa.concat_tables([found, pa.table([pa.array(lonely), *nulls], schema=found.schema)])
    return united.take(pa.array(np.argsort(united["event"].to_numpy(), kind="stable")))


def _with_metrics(result: pa.Table, counts: Counts, matching: int, reading: int) -> pa.Table:
    """Put a row in front that has no match but tells what was done; Spark adds these up and leaves them out."""
    told = f"{counts.events},{counts.matches},{counts.candidates},{counts.looked_up},{matching},{reading}"
    plain = result.append_column("metrics", pa.nulls(result.num_rows, pa.string()))
    schema = plain.schema
    row = [*(pa.nulls(1, field.type) for field in result.schema), pa.array([told])]
    return pa.concat_tables([pa.table(row, schema=schema), plain])


# Building


@dataclass(frozen=True, slots=True)
class ShardJob:
    """What a task that builds shards has to know."""

    root: str
    kind: str
    missing: str
    pivots: tuple[tuple[str, ...] | None, ...] = ()
    engine: str = "atree"


def count_attributes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield how often rules test each attribute: ``attribute``, ``count``."""
    for batch in batches:
        counts = attribute_counts(batch["expression"])
        yield pa.record_batch(
            {
                "attribute": pa.array(list(counts), pa.string()),
                "count": pa.array(list(counts.values()), pa.int64()),
            }
        )


def pivots_of_rules(
    batches: Iterable[pa.RecordBatch], counts: dict[str, int], missing: str
) -> Iterator[pa.RecordBatch]:
    """Yield the pivot of each rule and the length of its text: ``pivot``, ``size``."""
    for batch in batches:
        names = pivot_names(batch["expression"], counts, missing)
        sizes = pa.compute.binary_length(batch["expression"]).fill_null(0).cast(pa.int64())
        yield pa.record_batch({"pivot": pa.array(names, pa.string()), "size": sizes})


def shard_of_rules(
    batches: Iterable[pa.RecordBatch], counts: dict[str, int], missing: str, plan: Plan
) -> Iterator[pa.RecordBatch]:
    """Yield the rules with the number of their shard as the last column."""
    for batch in batches:
        names = pivot_names(batch["expression"], counts, missing)
        turns = shards_of_ids(batch["id"], 1 << 30)
        shard = pa.array(plan.assigned(names, turns), pa.int32())
        yield pa.RecordBatch.from_arrays([*batch.columns, shard], [*batch.schema.names, "shard"])


def write_shards(batches: Iterable[pa.RecordBatch], job: ShardJob) -> Iterator[pa.RecordBatch]:
    """Build the shards whose rules are in this partition; yield a row for each, and one for each rule refused."""
    held = list(batches)
    if not held:
        return
    rows = pa.Table.from_batches(held)
    place = Place(job.root)
    for number in rows["shard"].unique().to_pylist():
        own = rows.filter(pa.compute.equal(rows["shard"], number))
        own = own.sort_by("position").select(["id", "expression", "weight", "again"])
        again = own["again"]
        taken = own.filter(pa.compute.invert(again)).drop_columns("again")
        pivots = job.pivots[number] if job.pivots else None
        shard, bad = write_shard(place, taken, job.kind, job.missing, pivots, engine=job.engine)
        yield from _report(shard, bad, own.filter(again))


def _report(shard: Shard | None, bad: pa.Table, again: pa.Table) -> Iterator[pa.RecordBatch]:
    error = pa.array([f"DuplicateId: the id {id!r} is taken" for id in again["id"].to_pylist()], pa.string())
    doubles = pa.table(
        [again["id"], again["expression"], error, pa.nulls(again.num_rows, pa.int32())], schema=bad.schema
    )
    refused = pa.concat_tables([bad, doubles])
    told = [json.dumps(asdict(shard))] if shard else []
    nulls = [pa.nulls(len(told), field.type) for field in refused.schema]
    table = pa.concat_tables(
        [
            pa.table([*nulls, pa.array(told, pa.string())], names=[*refused.column_names, "shard"]),
            refused.append_column("shard", pa.nulls(refused.num_rows, pa.string())),
        ]
    )
    yield from table.combine_chunks().to_batches(max_chunksize=OUT_ROWS)


def rows_of_shards(batches: Iterable[pa.RecordBatch], root: str, manifest: bytes) -> Iterator[pa.RecordBatch]:
    """Yield the rules of the shards whose numbers come in."""
    place, shards = Place(root), Manifest.from_json(manifest).all_shards
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from read_rows(place, shards[number]).to_batches(max_chunksize=OUT_ROWS)

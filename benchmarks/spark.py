"""What Spark adds to matching: a table of visits against campaigns on ``local[2]``, beside its two halves.

The halves are ``match_batch`` with two threads in this process over the same Parquet files, where only matching counts,
encoding included; and the same job with a function that hands back the events instead of matching them. The job should
take not much more than both. Rules are also evaluated as one does on Spark without an index: row by row in a UDF, and
by cross joins whose condition is a CASE of rules. They get a sample, and what they would take is worked out from how
many pairs of an event and a rule they came through in a second.

Then what workers hold in memory of a small and of a large index, and what spreading rules over shards costs. At small
sizes ratios do not mean much: a job of Spark takes a second if there is nothing to do.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import hedgerow as hr
from benchmarks import _naive
from benchmarks._common import Floor, Measured, arguments_of, best_of, line, table
from benchmarks._routing import routed
from benchmarks._workers import SETTINGS, Held, most, other_workers, workers
from hedgerow import ruleset
from hedgerow import spark as hs
from hedgerow.ruleset.sizing import compressibility, estimated_bytes
from hedgerow.spark.columns import event_columns
from hedgerow.workload.exchange import campaigns, visit_batches, visit_schema
from tools import sources

MASTER, THREADS = "local[2]", 2
OVERHEAD = Floor(1.5)  # the job by its two halves
GROWTH = Floor(0.5)  # what a worker comes to hold for itself, by what the index grows
PARTS = 32  # of the table of visits, if there are enough
HANDFUL = 200  # visits after which memory is looked at: what they match is nothing beside the index
BATCH = 10_000  # events that Spark hands to Python at once
SMALLER = 10  # times: the small index has that much fewer rules
CASES = 25  # rules of one cross join: Spark compiles no method of more than 64 KB, which is less than a hundred rules
KEY = "visit"


@dataclass(frozen=True)
class Subject:
    """The session, and the tables and rule sets that all measurements share."""

    spark: SparkSession
    folder: Path
    texts: list[str]
    options: argparse.Namespace

    def table(self, name: str) -> DataFrame:
        """Return a table that was written here."""
        return self.spark.read.parquet(f"file://{self.folder}/{name}")

    def path(self, name: str) -> str:
        """Return where a rule set is."""
        return str(self.folder / name)


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of(
        "benchmarks.spark",
        __doc__,
        given,
        events=1_000_000,
        rules=100_000,
        sample=1000,
        naive=200,
        routed=100_000,
        looked=1000,
        seed=7,
        repeats=9,
    )
    running = SparkSession.getActiveSession()
    spark = running or started()
    try:
        with tempfile.TemporaryDirectory(prefix="hedgerow-benchmark-") as folder:
            measure(Subject(spark, Path(folder), texts_of(options), options))
    finally:
        if running is None:
            spark.stop()


def started() -> SparkSession:
    """Return a new Spark whose workers find the benchmarks."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(sources.ROOT), os.environ.get("PYTHONPATH")]))
    # By itself Spark takes such small files together into one task for each core, and all wait for the slower one.
    return hs.session(MASTER, app="benchmarks.spark", spark__sql__files__minPartitionNum=str(4 * THREADS))


def texts_of(options: argparse.Namespace) -> list[str]:
    """Return the rules; the naive ways cannot have more than there are."""
    options.naive = min(options.naive, options.rules)
    return [text for _, text, _ in campaigns(options.rules, options.seed)]


def measure(subject: Subject) -> None:
    """Measure one after the other, and print each when it is there."""
    write_tables(subject)
    build(subject)
    memory(subject)
    rows, matches = job(subject)
    hits = naive(subject, rows)
    routing(subject)
    print(
        f"\nverified: {matches:,} matches, as many on Spark as in this process; {hits:,} of a sample, the same ones by "
        "both naive ways; as many in every layout of shards"
    )


def write_tables(subject: Subject) -> None:
    """Write the visits, a sample of them, and the rules, all of them and a part."""
    options = subject.options
    start = time.perf_counter()
    for name, count in {"visits": options.events, "sample": options.sample, "handful": HANDFUL}.items():
        write_visits(subject, name, count)
    rules = pa.table({"id": pa.array(range(options.rules), pa.int64()), "expression": subject.texts})
    pq.write_table(rules, subject.folder / "all rules")
    pq.write_table(rules.slice(0, max(1, options.rules // SMALLER)), subject.folder / "few rules")
    size = sum(file.stat().st_size for file in (subject.folder / "visits").iterdir())
    columns = len(subject.table("visits").columns)
    said = f"{options.events:,} visits of {columns} columns, {size / 1e6:,.1f} MB"
    print(f"\n{said}, and {options.rules:,} campaigns, written in {time.perf_counter() - start:,.1f} s")


def write_visits(subject: Subject, name: str, count: int) -> None:
    """Write a table of visits; Spark makes them, since it has more than one process to do so."""
    parts = min(PARTS, max(THREADS, count // BATCH))
    ends = [count * number // parts for number in range(parts + 1)]
    seed = subject.options.seed + 4

    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for part in batch.column(0).to_pylist():
                yield from visit_batches(ends[part + 1] - ends[part], seed + part, first=ends[part])

    schema = subject.spark.createDataFrame(visit_schema().empty_table()).schema
    rows = subject.spark.range(0, parts, numPartitions=parts).mapInArrow(made, schema)
    fields = [F.col(f"slot.{field}").alias(f"slot.{field}") for field in ("position", "width", "height")]
    rows.select(*(column for column in rows.columns if column != "slot"), *fields).write.parquet(
        f"file://{subject.folder}/{name}"
    )


def build(subject: Subject) -> None:
    """Build both rule sets on Spark; print what that took, and how far off the estimate of the index's size was."""
    hs.build(subject.table("few rules"), subject.path("few"), progress=False)
    report = hs.build(subject.table("all rules"), subject.path("all"), progress=False)
    assert (report.rules, report.rejected_count) == (len(subject.texts), 0)
    texts = pa.chunked_array([pa.array(subject.texts)])
    characters = sum(map(len, subject.texts))
    estimate, size = estimated_bytes(report.rules, characters, compressibility(texts)), index_bytes(subject, "all")
    rate = f"{report.seconds:,.1f} s, {1e6 * report.seconds / report.rules:,.1f} us a rule"
    print(line("build on Spark", rate))
    print(line("index", f"{size / 1e6:,.1f} MB in {report.shards} shard{'s' * (report.shards != 1)}"))
    print(line("estimate of its size", f"{estimate / 1e6:,.1f} MB, {estimate / size:,.2f} of it"))


def index_bytes(subject: Subject, name: str) -> int:
    """Return the size of the index files of a rule set."""
    return sum(shard.bytes for shard in ruleset.open_rules(subject.path(name)).manifest.all_shards)


def memory(subject: Subject) -> None:
    """Print what workers hold after the same events were matched with few rules and with all of them."""
    print(f"\nthe worker that holds most, after {HANDFUL} visits:")
    sizes, holds = [], []
    for name, setting in zip(("few", "all"), SETTINGS, strict=True):
        sizes.append(index_bytes(subject, name))
        holds.append(memory_after(subject, name, setting))
        print(line(f"{name} rules, index {sizes[-1] / 1e6:,.1f} MB", str(holds[-1])))
    grown = (holds[1].dirty - holds[0].dirty) / max(1, sizes[1] - sizes[0])
    print(line("written", f"grew by {grown:,.2f} of what the index did", GROWTH, grown))


def memory_after(subject: Subject, name: str, setting: str) -> Held:
    """Match a few visits in workers that have done nothing else, and return the most that one of them holds."""
    before = workers()
    with other_workers(subject.spark, setting):
        sink(hs.match(subject.table("handful"), subject.path(name), KEY))
        return most_of_new(before)


def most_of_new(before: Container[int]) -> Held:
    """Return the most that a worker holds, of each kind, among those that were not there before."""
    return most(held for process, held in workers().items() if process not in before)


def job(subject: Subject) -> tuple[list[Measured], int]:
    """Print the time of the job beside its halves; return the rates, and how many matches there are."""
    print("\nthe job and its halves:")
    alone, matches = in_process(subject)
    print(line(f"match_batch, {THREADS} threads", f"{alone:,.2f} s"))
    print(line("  matches", f"{matches:,}, {matches / subject.options.events:,.1f} a visit"))
    before = workers()
    with other_workers(subject.spark, *SETTINGS):
        warm_up(subject)
        halves = alone + handing_back(subject)
        print(line("Spark, handing events back", f"{halves - alone:,.2f} s"))
        whole = matching(subject)
        ratio = whole / halves
        print(line("Spark, matching", f"{whole:,.2f} s, ratio {ratio:,.2f}", OVERHEAD, ratio))
        print(line("  a worker then", str(most_of_new(before))))
        check_observed(subject, halves, matches)
    pairs = subject.options.events * subject.options.rules
    return [Measured("match_batch", pairs, alone), Measured("hedgerow.spark.match", pairs, whole)], matches


def check_observed(subject: Subject, halves: float, matches: int) -> None:
    """Run the job once more, observed, which costs time for every match; print that and what is told, and verify it."""
    seconds, seen = matching_observed(subject)
    assert seen.events == subject.options.events
    assert seen.matches == matches, f"{seen.matches:,} matches on Spark, {matches:,} in this process"
    print(line("Spark, with an observation", f"{seconds:,.2f} s, ratio {seconds / halves:,.2f}"))
    told = f"matching {seen.matching_seconds:,.2f} s, reading {seen.reading_seconds:,.2f} s"
    print(line("  what it tells of all tasks", told))


def warm_up(subject: Subject) -> None:
    """Run a small job, after which the workers are up."""
    sink(hs.match(subject.table("handful"), subject.path("all"), KEY))


def handing_back(subject: Subject) -> float:
    """Return the seconds that the job takes if the events are handed back and not matched."""
    events = subject.table("visits")
    attributes = ruleset.open_rules(subject.path("all")).manifest.attributes
    read = events.select(*event_columns(events.schema, attributes, KEY).columns)
    return best_of(1, lambda: sink(read.mapInArrow(lambda batches: batches, read.schema)))


def matching(subject: Subject) -> float:
    """Return the seconds that the job takes."""
    return best_of(1, lambda: sink(hs.match(subject.table("visits"), subject.path("all"), KEY)))


def matching_observed(subject: Subject) -> tuple[float, hs.MatchMetrics]:
    """Return the seconds that the job takes if it is observed, and what was seen."""
    observation = Observation()
    matches = hs.match(subject.table("visits"), subject.path("all"), KEY, observation=observation)
    seconds = best_of(1, lambda: sink(matches))
    seen = hs.metrics_of(observation)
    assert seen is not None, "Spark has nothing to tell: there was no match"
    return seconds, seen


def in_process(subject: Subject) -> tuple[float, int]:
    """Match all visits here, batch by batch; return the seconds that matching took, and how many matches there are."""
    rules = ruleset.open_rules(subject.path("all"))
    seconds, matches = 0.0, 0
    for file in sorted((subject.folder / "visits").glob("*.parquet")):
        for batch in pq.ParquetFile(file).iter_batches(BATCH):
            events = batch.drop_columns([KEY])
            start = time.perf_counter()
            matches += rules.match_batch(events, threads=THREADS).num_rows
            seconds += time.perf_counter() - start
    return seconds, matches


def naive(subject: Subject, rows: list[Measured]) -> int:
    """Print the naive ways beside the others; return how many matches the sample has."""
    texts = subject.texts[: subject.options.naive]
    events = subject.table("sample")
    ways = {"cross join with a CASE": crossed(subject, events, texts), "UDF over a broadcast": called(events, texts)}
    expected = expected_of(subject, texts)
    pairs = subject.options.sample * len(texts)
    for name, matches in ways.items():
        found = {tuple(row) for row in matches.collect()}  # and its code is compiled, its rules are in the workers
        assert found == expected, f"{name}: {len(found):,} matches, not {len(expected):,} or not the same"
        rows.append(Measured(name, pairs, best_of(1, lambda matches=matches: sink(matches))))  # type: ignore[misc]
    size = f"{subject.options.sample:,} visits and {len(texts):,} campaigns"
    print(f"\npairs of a visit and a campaign; the naive ways got {size}:")
    print(*table("pairs", rows), sep="\n")
    for way in rows[-2:]:
        scaled = way.seconds * rows[0].work / way.work
        taken = f"{way.seconds:,.1f} s, scaled to all {scaled:,.0f} s"
        print(line(way.name, f"{taken}, ratio {scaled / rows[1].seconds:,.0f}"))
    print("  (scaled in proportion to the pairs)")
    return len(expected)


def crossed(subject: Subject, events: DataFrame, texts: Sequence[str]) -> DataFrame:
    """Return the matches by cross joins of events and rules, some rules at a time."""
    schema = pq.read_schema(next(iter((subject.folder / "sample").glob("*.parquet"))))
    joins = []
    for first in range(0, len(texts), CASES):
        some = texts[first : first + CASES]
        rules = F.broadcast(subject.spark.range(first, first + len(some)).withColumnRenamed("id", "rule_id"))
        condition = _naive.case_of(some, schema, f"(rule_id - {first})")
        joins.append(events.crossJoin(rules).where(condition).select(KEY, "rule_id"))
    return reduce(DataFrame.unionAll, joins)


def called(events: DataFrame, texts: Sequence[str]) -> DataFrame:
    """Return the matches by a UDF that has all rules."""
    shared = events.sparkSession.sparkContext.broadcast(tuple(texts))
    # Else Spark may call it twice for a row, once to see whether there is anything to explode.
    evaluated = F.udf(
        lambda row: _naive.matching_rules(shared.value, row.asDict(recursive=True)), "array<bigint>"
    ).asNondeterministic()
    event = F.struct(*(F.col(f"`{name}`") for name in events.columns if name != KEY))
    found = events.select(KEY, evaluated(event).alias("rule_ids"))
    return found.select(KEY, F.explode("rule_ids").alias("rule_id"))


def expected_of(subject: Subject, texts: Sequence[str]) -> set[tuple[int, int]]:
    """Return the matches of the sample by an index."""
    index = hr.Index()
    index.insert_many(enumerate(texts), progress=False)
    events = pq.read_table(subject.folder / "sample")
    found = index.match_batch(events.drop_columns([KEY]))
    keys = events[KEY].take(found["event"])
    return set(zip(keys.to_pylist(), found["id"].to_pylist(), strict=True))


def routing(subject: Subject) -> None:
    """Print what rules spread over shards cost."""
    options = subject.options
    print(f"\n{options.routed:,} rules in shards, {options.looked:,} events, match_batch in this process:")
    one = 1.0
    for each in routed(subject.folder, options.routed, options.looked, options.repeats):
        one = each.microseconds if each.shards == 1 else one
        looked = f"looked up in {each.looked_up:,.1f} of {each.shards:,}"
        measured = f"{each.microseconds:,.1f} us an event, {looked}"
        print(f"  {each.workload + ', ' + each.layout:<38}{measured:>50}   ratio {each.microseconds / one:,.2f}")


def sink(rows: DataFrame) -> None:
    """Run a job whose result goes nowhere."""
    rows.write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    main()

"""``build``: a DataFrame of rules in, a rule set out, made by the executors.

::

    rules ── size up ── shard of each ── repartition ── one task a shard: parse, index, write ── report
                                                                                                   │
                                                       the manifest, last ── shards <──────────────┤
                                                       DataFrame of bad rules <────────────────────┘

A task that is tried again writes its shard again, under another name; the report, which Spark commits once, says which
one counts. The others are removed by ``ruleset.expire``.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql import types as T  # noqa: N812 - as above

from hedgerow.ruleset.build import checked_options, committed, refuse_bad_rules, summary
from hedgerow.ruleset.manifest import Manifest, Shard, shard_from
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.routing import Plan, planned
from hedgerow.ruleset.sizing import SHARD_BYTES, compressibility, shard_count
from hedgerow.ruleset.versions import current, exists
from hedgerow.spark import worker
from hedgerow.spark.progress import watched
from hedgerow.spark.schemas import kind_of_ids, refused_schema

__all__ = ["BuildOptions", "SparkBuildReport", "build", "build_next"]

_SHOWN = 3
_SAMPLE = 4096  # rules, by which the size of an index is estimated


@dataclass(frozen=True, slots=True)
class SparkBuildReport:
    """What became of the rules: every one is in the version or among ``rejected``."""

    path: str
    version: int
    rules: int
    rejected: DataFrame = field(repr=False)
    """Rules that were refused: ``id``, ``expression``, ``error`` and ``offset``, where in the text."""
    rejected_count: int
    shards: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        """Return a summary in one line."""
        return summary(self, self.rejected_count)


def build(
    rules: DataFrame,
    path: str,
    *,
    missing: str = "unknown",
    shards: int | None = None,
    shard_bytes: int = SHARD_BYTES,
    partition: str = "size",
    on_error: str = "report",
    progress: bool | None = None,
    engine: str = "atree",
) -> SparkBuildReport:
    """Build a rule set of these rules at a path, as its next version, which has no other rules.

    ``rules`` has the columns ``id`` (an integer or a string), ``expression`` and perhaps ``weight``. ``path`` is one
    that this process, and all executors, can read and write. ``shards`` is how many there are to be; by default as many
    as keep each within ``shard_bytes``. ``partition="attribute"`` puts rules together that need the same attribute, so
    that events without it are not looked up there. ``engine`` is that of all index files (``hedgerow.engines()``).

    Bad rules come back as a DataFrame in the report; with ``on_error="fail"`` they are ``BadRules``, and no version is
    made. Of rules with the same id, the first is taken. ``VersionConflict`` if another writer was faster.
    """
    checked_options(missing, shards, shard_bytes, partition, on_error, engine)
    place = Place(path)
    parent = current(place) if exists(place) else None
    options = BuildOptions(missing, shards, shard_bytes, partition, on_error, progress, engine)
    return build_next(rules, place, parent, options)


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What ``build`` was asked for."""

    missing: str
    shards: int | None
    shard_bytes: int
    partition: str
    on_error: str
    progress: bool | None
    engine: str


def build_next(rules: DataFrame, place: Place, parent: Manifest | None, options: BuildOptions) -> SparkBuildReport:
    """Build the version after ``parent``."""
    started = time.perf_counter()
    kind = kind_of_ids(rules.schema)
    rows = _rows(rules)
    with watched(rules.sparkSession, "building", wanted=options.progress):
        count = options.shards or _shard_count(rows, options.shard_bytes)
        if options.partition == "attribute":
            spread, pivots = _by_attribute(rows, count, options.missing)
        else:
            spread, pivots = _by_id(rows, count), ()
        job = worker.ShardJob(place.root, kind, options.missing, pivots, options.engine)
        report = _run(spread, len(pivots) or count, job, place)
    written = [shard_from(json.loads(row.shard)) for row in report.filter("shard IS NOT NULL").collect()]
    rejected = report.filter("shard IS NULL").drop("shard")
    bad = rejected.count()
    if options.on_error == "fail" and bad:
        refuse_bad_rules(place, written, bad, [row.asDict() for row in rejected.take(_SHOWN)])
    manifest = committed(
        place,
        parent,
        sorted(written, key=_order),
        kind=kind,
        missing=options.missing,
        partition=options.partition,
        shard_bytes=options.shard_bytes,
        engine=options.engine,
    )
    seconds = time.perf_counter() - started
    return SparkBuildReport(
        place.root, manifest.version, manifest.expressions, rejected, bad, len(written), manifest.size, seconds
    )


def _rows(rules: DataFrame) -> DataFrame:
    """Return the rules with a position each, by which the first of several with one id is known."""
    weight = F.col("weight").cast("double") if "weight" in rules.columns else F.lit(0.0)
    rows = rules.select("id", "expression", weight.alias("weight"))
    return rows.withColumn("position", F.monotonically_increasing_id())


def _shard_count(rows: DataFrame, shard_bytes: int) -> int:
    total = rows.agg(F.count(F.lit(1)).alias("rules"), F.sum(F.octet_length("expression")).alias("bytes")).collect()[0]
    sample = rows.select("expression").limit(_SAMPLE).toArrow()["expression"]
    return shard_count(total.rules, total.bytes or 0, shard_bytes, compressibility(sample))


def _by_id(rows: DataFrame, count: int) -> DataFrame:
    """Give each rule a shard by its id, so that rules with the same id meet in one task, which takes the first."""
    shard = F.pmod(F.xxhash64("id"), F.lit(count)).cast("int") if count > 1 else F.lit(0)
    return rows.withColumn("shard", shard).withColumn("again", F.lit(col=False))


def _by_attribute(rows: DataFrame, count: int, missing: str) -> tuple[DataFrame, tuple[tuple[str, ...] | None, ...]]:
    """Give each rule a shard by its pivot; return also the pivots of each shard."""
    texts = rows.select("expression")
    tested = texts.mapInArrow(worker.count_attributes, "attribute string, count long")
    counts = {row[0]: row[1] for row in tested.groupBy("attribute").sum("count").collect()}

    def pivots(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return worker.pivots_of_rules(batches, counts, missing)

    found = texts.mapInArrow(pivots, "pivot string, size long").groupBy("pivot")
    sizes = {row[0]: row[1] for row in found.agg(F.sum(F.col("size") + 1)).collect()}
    plan: Plan = planned(sizes, count)

    def shards(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return worker.shard_of_rules(batches, counts, missing, plan)

    # Rules with the same id may have different pivots: only the first of them goes on.
    same = Window.partitionBy("id").orderBy("position")
    again = (F.row_number().over(same) > 1) & F.col("id").isNotNull()
    schema = T.StructType([*rows.schema.fields, T.StructField("shard", T.IntegerType())])
    return rows.mapInArrow(shards, schema).withColumn("again", again), plan.pivots


def _run(spread: DataFrame, count: int, job: worker.ShardJob, place: Place) -> DataFrame:
    """Write the shards, and return the report: a row for each shard, and for each rule that was refused."""

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return worker.write_shards(batches, job)

    schema = T.StructType([*refused_schema(job.kind).fields, T.StructField("shard", T.StringType())])
    where = place.for_spark(f"reports/{secrets.token_hex(8)}")
    columns = ("id", "expression", "weight", "position", "shard", "again")
    spread.select(*columns).repartitionById(count, "shard").mapInArrow(write, schema).write.parquet(where)
    return spread.sparkSession.read.schema(schema).parquet(where)


def _order(shard: Shard) -> tuple[tuple[str, ...], str]:
    return shard.pivots or (), shard.digest

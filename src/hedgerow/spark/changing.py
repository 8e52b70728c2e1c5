"""``apply_changes``: a DataFrame of inserts, updates and deletes, as the next version of a rule set.

Changes are few beside the rules: they are collected, and the shard of changes is built, in this process. When much has
changed since the last build, the executors build everything anew.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from hedgerow.errors import FileError, VersionConflict
from hedgerow.ruleset import ChangeReport
from hedgerow.ruleset import apply_changes as apply_in_process
from hedgerow.ruleset.changes import worth_compacting
from hedgerow.ruleset.manifest import Manifest
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.sizing import SHARD_BYTES
from hedgerow.ruleset.versions import manifest_of
from hedgerow.spark import worker
from hedgerow.spark.building import BuildOptions, build_next
from hedgerow.spark.schemas import rule_schema

__all__ = ["apply_changes", "rules_of"]


def apply_changes(
    path: str, changes: DataFrame, *, token: str | None = None, on_error: str = "report", order: str | None = None
) -> ChangeReport:
    """Apply changes to the newest version of a rule set, as one new version, which running streams take next.

    ``changes`` has the columns ``op`` (insert, update, upsert or delete), ``id``, ``expression`` and perhaps
    ``weight``. Rows of a DataFrame have no order of their own: where one id may come more than once, ``order`` names a
    column to sort by. Changes that come again with the same ``token`` are not applied twice, so a stream of changes can
    be applied exactly once by ``foreachBatch`` with a token made of the batch's number. Bad changes come back in the
    report, or are ``BadRules`` with ``on_error="fail"``.
    """
    ordered = changes.orderBy(order) if order else changes
    columns = [name for name in ("op", "id", "expression", "weight") if name in changes.columns]
    table = ordered.select(*columns).toArrow()
    report = apply_in_process(path, table, token=token, on_error=on_error, compacting=False)
    place = Place(path)
    manifest = manifest_of(place, report.version)
    if not worth_compacting(manifest):
        return report
    return _compacted(changes.sparkSession, place, manifest, report)


def _compacted(spark: SparkSession, place: Place, manifest: Manifest, report: ChangeReport) -> ChangeReport:
    options = BuildOptions(
        manifest.missing,
        None,
        manifest.shard_bytes or SHARD_BYTES,
        manifest.partition,
        "fail",
        progress=False,
        engine=manifest.engine,
    )
    try:
        built = build_next(rules_of(spark, place, manifest), place, manifest, options)
    except VersionConflict:  # another writer changed something meanwhile: that stands, and a later change will build
        return report
    except (FileError, PySparkException) as error:  # the changes are made, so what hinders this is no error
        warnings.warn(f"{place.root}: not built anew: {error}", RuntimeWarning, stacklevel=3)
        return report
    return replace(report, version=built.version, compacted=True)


def rules_of(spark: SparkSession, place: Place, manifest: Manifest) -> DataFrame:
    """Return the rules of a version, as they were given, read by the executors."""
    root, content = place.root, manifest.to_json()

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return worker.rows_of_shards(batches, root, content)

    count = max(1, len(manifest.all_shards))
    numbers = spark.range(len(manifest.all_shards), numPartitions=count).select(F.col("id").cast("int"))
    return numbers.mapInArrow(read, rule_schema(manifest.id_type))

"""``match``: a DataFrame of events in, one row a match out."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import types as T  # noqa: N812 - as everybody calls it

from hedgerow.errors import KindError
from hedgerow.ruleset.manifest import Manifest
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.versions import current, manifest_of
from hedgerow.spark import worker
from hedgerow.spark.building import build
from hedgerow.spark.columns import event_columns
from hedgerow.spark.observing import observed
from hedgerow.spark.schemas import result_schema

__all__ = ["match", "match_version", "match_with"]

ArrowFunction = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_HOW = ("inner", "left")


def match(
    events: DataFrame,
    rules: DataFrame | str,
    key: str | Sequence[str],
    *,
    top: int | None = None,
    how: str = "inner",
    version: int | None = None,
    missing: str = "unknown",
    on_error: str = "fail",
    scratch: str | None = None,
    observation: Observation | None = None,
) -> DataFrame:
    """Return which rules match which events: the key of the event, ``rule_id``, and ``score`` if ``top`` is given.

    ``events`` is any DataFrame: columns are attributes, fields of structs and keys of maps have dotted names, nulls are
    missing. ``key`` names the column or columns that are kept of an event. ``rules`` is the path of a rule set that
    ``build`` made (its newest version, or ``version``), or a DataFrame with the columns ``id``, ``expression`` and
    perhaps ``weight``: then a rule set is built of it first, at ``scratch``, a path that all executors can read (by
    default a temporary folder of this machine, which is right for a local Spark). ``missing`` says how absent
    attributes read then, and ``on_error="report"`` leaves bad rules out with a warning; use ``build`` to get them.

    ``top=n`` keeps the best n of each event. An event that matches nothing has no row, or with ``how="left"`` one with
    null. ``observation`` is told what the job did: ``metrics_of(observation)`` has it when the job has run.

    Raises ``SchemaError`` for a column that is not there or of a type that no event can have, ``MissingVersion``, or
    ``BadRules``.
    """
    path = _built(rules, missing, on_error, scratch) if isinstance(rules, DataFrame) else rules
    place = Place(path)
    manifest = current(place) if version is None else manifest_of(place, version)
    return match_version(events, place.root, manifest, key, top=top, how=how, observation=observation)


def match_version(
    events: DataFrame,
    root: str,
    manifest: Manifest,
    key: str | Sequence[str],
    *,
    top: int | None = None,
    how: str = "inner",
    observation: Observation | None = None,
) -> DataFrame:
    """Do what ``match`` does against just this version."""
    if how not in _HOW:
        raise KindError(f"how is one of {', '.join(_HOW)}, not {how!r}")
    read = event_columns(events.schema, manifest.attributes, key)
    schema = result_schema(read.keys, manifest, top)
    job = worker.MatchJob(
        root,
        manifest.to_json(),
        len(read.keys),
        read.names,
        tuple(schema.names),
        top,
        left=how == "left",
        observed=observation is not None,
    )
    if observation is not None:
        schema = T.StructType([*schema.fields, T.StructField("metrics", T.StringType())])
    matches = events.select(*read.columns).mapInArrow(match_with(job), schema)
    return matches if observation is None else observed(matches, observation)


def match_with(job: worker.MatchJob) -> ArrowFunction:
    """Return the function that a task runs; it carries the job, and not the rules."""

    def matched(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return worker.match_batches(batches, job)

    return matched


def _built(rules: DataFrame, missing: str, on_error: str, scratch: str | None) -> str:
    """Build a rule set of a DataFrame for this one job, and return where."""
    if scratch is None:
        scratch = tempfile.mkdtemp(prefix="hedgerow-rules-")
        atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    report = build(rules, scratch, missing=missing, on_error=on_error, progress=False)
    if report.rejected_count:
        first = report.rejected.first()
        told = "" if first is None else f"; the first is {first.id!r}: {first.error}"
        message = f"{report.rejected_count:,} of the rules are bad, and are left out{told}"
        warnings.warn(message, RuntimeWarning, stacklevel=3)
    return scratch

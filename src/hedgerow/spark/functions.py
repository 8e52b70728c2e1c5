"""``register``: matching as a table function of SQL.

The function is an Arrow table function over ``TABLE(...)``, the one form of SQL that hands whole Arrow batches to
Python. A scalar function with ``explode``, or a row-wise table function with ``LATERAL``, costs from twice to fifty
times as much, so neither is offered.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql import types as T  # noqa: N812 - as above

from hedgerow.errors import KindError
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.versions import current, manifest_of
from hedgerow.spark import worker
from hedgerow.spark.schemas import result_schema

__all__ = ["register"]


def register(
    spark: SparkSession,
    path: str,
    name: str,
    key: str | T.StructType | DataFrame = "id BIGINT",
    *,
    top: int | None = None,
    version: int | None = None,
) -> None:
    """Let SQL match events by ``SELECT * FROM name(TABLE(events))``: the key, ``rule_id``, and ``score`` with ``top``.

    SQL has to know the columns of the result before it sees the events, so ``key`` names the columns that are kept with
    their types, as in ``"visit_id BIGINT, day DATE"``. The function stays with the version that is the newest now, or
    with ``version``; register it again to move on. ``TABLE(SELECT ...)`` hands over just the columns that are selected:
    leave out those that no rule mentions.
    """
    place = Place(path)
    manifest = current(place) if version is None else manifest_of(place, version)
    keys = _key_fields(key)
    schema = result_schema(keys, manifest, top)
    job = worker.MatchJob(place.root, manifest.to_json(), len(keys), (), tuple(schema.names), top)
    handler = _handler(job, tuple(field.name for field in keys), frozenset(manifest.attributes))
    function = F.arrow_udtf(handler, returnType=schema)
    spark.udtf.register(name, function)  # type: ignore[arg-type]  # given a class, it returns no decorator


def _key_fields(key: str | T.StructType | DataFrame) -> tuple[T.StructField, ...]:
    schema: T.DataType = key.schema if isinstance(key, DataFrame) else T.NullType()
    if isinstance(key, (str, T.StructType)):
        try:
            schema = T.StructType.fromDDL(key) if isinstance(key, str) else key
        except Exception as error:
            raise KindError(f"key has columns with their types, as in 'visit_id BIGINT', not {key!r}") from error
    if not isinstance(schema, T.StructType) or not schema.fields:
        raise KindError(f"key has columns with their types, as in 'visit_id BIGINT', not {key!r}")
    return tuple(schema.fields)


def _handler(job: worker.MatchJob, keys: tuple[str, ...], attributes: frozenset[str]) -> type:
    """Return the class that Spark makes an instance of in each task."""

    class Match:
        def eval(self, events: pa.RecordBatch) -> Iterator[pa.Table]:
            return worker.match_named(events, job, keys, attributes)

    return Match

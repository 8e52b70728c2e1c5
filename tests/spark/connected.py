"""A program that does everything once in Spark Connect: ``python -m tests.spark.connected FOLDER``.

One process cannot have a classic session and a connected one, so the tests run it as another; it prints what came out.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from pyspark.sql import Observation, SparkSession

from hedgerow import spark as hs
from hedgerow.workload.exchange import campaigns, visit_batches
from tests.spark.conftest import RULES
from tests.spark.streams import SCHEMA


def main(folder: Path) -> dict[str, object]:
    """Build, match, change, ask by SQL and stream; return what came of each."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    rules = spark.createDataFrame([*campaigns(60), ("bad", "age >", 0.0)], RULES)
    report = hs.build(rules, str(folder / "rules"), shards=2, progress=True)
    batches = list(visit_batches(50))
    import pyarrow as pa  # noqa: PLC0415 - after Spark, which looks for it itself

    events = spark.createDataFrame(pa.Table.from_batches(batches))
    observation = Observation()
    matches = hs.match(events, str(folder / "rules"), "visit", observation=observation).collect()
    best = hs.match(events, rules.filter("id != 'bad'"), "visit", top=1).collect()
    hs.register(spark, str(folder / "rules"), "wanting", "visit BIGINT")
    events.createOrReplaceTempView("visits")
    by_sql = spark.sql("SELECT count(*) FROM wanting(TABLE(visits))").collect()[0][0]
    changes = spark.createDataFrame([("insert", "all", "hour >= 0")], "op string, id string, expression string")
    changed = hs.apply_changes(str(folder / "rules"), changes)
    (folder / "in").mkdir()
    (folder / "in" / "0.json").write_text('{"k": 7, "a": 1}')
    stream = hs.stream(
        spark.readStream.schema(SCHEMA + ", hour int").json(str(folder / "in")),
        str(folder / "rules"),
        "k",
        out=str(folder / "out"),
        checkpoint=str(folder / "checkpoint"),
        how="left",
        trigger={"availableNow": True},
    )
    stream.awaitTermination()
    streamed = spark.read.parquet(str(folder / "out")).collect()
    return {
        "connected": "connect" in type(spark).__module__,
        "rules": report.rules,
        "rejected": [row.id for row in report.rejected.collect()],
        "matches": sorted([row.visit, row.rule_id] for row in matches),
        "observed": getattr(hs.metrics_of(observation), "matches", None),
        "best": len(best),
        "sql": by_sql,
        "version": changed.version,
        "streamed": [[row.k, row.rule_id, row.version] for row in streamed],
    }


if __name__ == "__main__":
    print("RESULT", json.dumps(main(Path(sys.argv[1]))), flush=True)  # noqa: T201 - what it is for

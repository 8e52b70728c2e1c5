"""Matching as a table function of SQL."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import hedgerow as hr
from hedgerow import ruleset
from hedgerow import spark as hs


def test_a_table_function_gives_what_match_gives(
    spark: SparkSession, events: DataFrame, built: str, expected: set[tuple[int, object]]
) -> None:
    """``SELECT * FROM name(TABLE(events))``, with a table or a query in the middle."""
    events.createOrReplaceTempView("visits")
    hs.register(spark, built, "wanting", "visit BIGINT")
    found = spark.sql("SELECT * FROM wanting(TABLE(visits))")
    assert found.columns == ["visit", "rule_id"]
    assert {(row.visit, row.rule_id) for row in found.collect()} == expected
    counted = spark.sql("SELECT rule_id, count(*) AS n FROM wanting(TABLE(SELECT * FROM visits)) GROUP BY rule_id")
    assert sum(row.n for row in counted.collect()) == len(expected)


def test_scores_and_versions(spark: SparkSession, tmp_path: Path) -> None:
    """A function stays with the version it was registered with."""
    ruleset.build([(1, "a = 1^2", 3.0), (2, "a = 1", 4.0)], tmp_path)
    hs.register(spark, str(tmp_path), "best", "k INT", top=1)
    spark.range(1).selectExpr("CAST(id AS INT) AS k", "1 AS a").createOrReplaceTempView("one")
    assert [tuple(row) for row in spark.sql("SELECT * FROM best(TABLE(one))").collect()] == [(0, 1, 5.0)]
    ruleset.apply_changes(tmp_path, [("delete", 1)])
    assert [row.rule_id for row in spark.sql("SELECT * FROM best(TABLE(one))").collect()] == [1]
    hs.register(spark, str(tmp_path), "best", "k INT", top=1)
    assert [row.rule_id for row in spark.sql("SELECT * FROM best(TABLE(one))").collect()] == [2]


def test_the_key_is_a_column_id_unless_another_is_named(spark: SparkSession, tmp_path: Path) -> None:
    """Three arguments are enough for a table with numbers."""
    ruleset.build([("odd", "a = 1")], tmp_path)
    hs.register(spark, str(tmp_path), "plainly")
    found = spark.sql("SELECT * FROM plainly(TABLE(SELECT id, id % 2 AS a FROM range(4)))")
    assert sorted((row.id, row.rule_id) for row in found.collect()) == [(1, "odd"), (3, "odd")]


def test_wrong_registrations_are_named(spark: SparkSession, built: str, tmp_path: Path) -> None:
    """A key without a type, a path without rules, and a table without the key."""
    with pytest.raises(hr.KindError, match="columns with their types"):
        hs.register(spark, built, "wrong", "visit")
    with pytest.raises(hr.MissingVersion):
        hs.register(spark, str(tmp_path), "wrong", "visit BIGINT")
    hs.register(spark, built, "keyless", "visitor BIGINT")
    with pytest.raises(Exception, match="the table has no column 'visitor'"):
        spark.sql("SELECT * FROM keyless(TABLE(SELECT 1 AS visit))").collect()

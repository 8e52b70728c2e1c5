"""Rules become shards on the executors: good ones are in the version, bad ones in the report, none is lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Observation, SparkSession

import hedgerow as hr
from hedgerow import ruleset
from hedgerow import spark as hs
from tests.spark.conftest import RULES, Row, pairs

BAD = [("z-typo", "age BETWEN 1 AND 2", 1.0), ("z-null", None, 1.0), (None, "age > 1", 1.0)]


@pytest.mark.parametrize("partition", ("size", "attribute"))
def test_every_rule_is_in_the_version_or_in_the_report(
    spark: SparkSession,
    exchange: tuple[list[Row], DataFrame, set[tuple[int, object]]],
    tmp_path: Path,
    partition: str,
) -> None:
    """The first of two with one id is taken, a bad one comes back with its error and where it is."""
    rows, events, expected = exchange
    again = (rows[0][0], "hour >= 0", 0.0)
    given = spark.createDataFrame([*rows, again, *BAD], RULES).coalesce(1)
    report = hs.build(given, str(tmp_path / "rules"), shards=3, partition=partition, progress=False)
    assert (report.version, report.rules, report.rejected_count) == (1, len(rows), 4)
    refused = {(row.id, row.expression): row for row in report.rejected.collect()}
    assert set(refused) == {*((id, text) for id, text, _ in BAD), again[:2]}
    typo = refused["z-typo", BAD[0][1]]
    assert typo.error == "ParseError: line 1, column 5: expected an operator, found 'BETWEN'; did you mean BETWEEN?"
    assert typo.offset == 4
    assert refused[again[:2]].error == f"DuplicateId: the id '{rows[0][0]}' is taken"
    assert f"version 1, {len(rows)} rules, 4 rejected" in str(report)
    assert pairs(hs.match(events, report.path, "visit")) == expected


def test_one_bad_rule_can_fail_the_build(spark: SparkSession, tmp_path: Path) -> None:
    """Then there is no version, no file is left, and an older version stays what it was."""
    path = tmp_path / "rules"
    hs.build(spark.createDataFrame([("a", "x = 1", 0.0)], RULES), str(path), progress=False)
    before = {file.name for file in (path / "shards").iterdir()}
    with pytest.raises(hr.BadRules, match="3 of the rules are bad"):
        hs.build(spark.createDataFrame([("b", "x = 1", 0.0), *BAD], RULES), str(path), on_error="fail", progress=False)
    assert {file.name for file in (path / "shards").iterdir()} == before
    assert ruleset.open_rules(path).match({"x": 1}) == ["a"]


def test_the_number_of_shards_follows_the_size(rules: DataFrame, rows: list[Row], tmp_path: Path) -> None:
    """A budget that is too small for one shard makes several, all used, and of the engine that is named."""
    report = hs.build(rules, str(tmp_path / "rules"), shard_bytes=60_000, progress=False, engine="kindex")
    assert 2 <= report.shards <= 20
    opened = ruleset.open_rules(tmp_path / "rules")
    assert (opened.manifest.engine, opened.stats()[0][1].engine) == ("kindex", "kindex")
    assert sum(shard.expressions for shard, _ in opened.stats()) == len(opened) == len(rows)


def test_shards_by_attribute_are_asked_only_by_events_that_have_it(spark: SparkSession, tmp_path: Path) -> None:
    """Rules that need an attribute are not looked up for events without it; the others always are."""
    given = [(f"a{number}", f"a = {number} AND c = 1") for number in range(20)]
    given += [(f"b{number}", f"b = {number} AND c = 1") for number in range(20)]
    given += [("any", "NOT (x = 1 AND y = 2) OR z IS NULL")]
    rules = spark.createDataFrame(given, "id string, expression string")
    hs.build(rules, str(tmp_path / "rules"), shards=2, partition="attribute", progress=False)
    opened = ruleset.open_rules(tmp_path / "rules")
    assert sorted(shard.pivots or () for shard, _ in opened.stats()) == [(), ("a",), ("b",)]
    events = spark.createDataFrame([(1, 3, None, 1), (2, None, 4, 1)], "k int, a int, b int, c int")
    observation = Observation()
    found = hs.match(events, str(tmp_path / "rules"), "k", observation=observation).collect()
    assert {(row.k, row.rule_id) for row in found} == {(1, "a3"), (2, "b4"), (1, "any"), (2, "any")}
    seen = hs.metrics_of(observation)
    assert seen is not None
    assert seen.looked_up == 4


def test_columns_that_are_no_rules(spark: SparkSession, tmp_path: Path) -> None:
    """They are named before anything is built."""
    for columns, message in [
        ("id string, text string", "one column 'expression'"),
        ("id string, expression int", "'expression' is of type int"),
        ("id date, expression string", "ids are integers or strings, and date is neither"),
        ("id string, expression string, weight string", "'weight' is of type string"),
    ]:
        with pytest.raises(hr.SchemaError, match=message):
            hs.build(spark.createDataFrame([], columns), str(tmp_path / "rules"))
    assert not (tmp_path / "rules").exists()


def test_two_builds_at_once(rules: DataFrame, tmp_path: Path) -> None:
    """One wins, the other is told, and the winner's version is whole."""
    path = str(tmp_path / "rules")

    def attempt(_: int) -> object:
        try:
            return hs.build(rules, path, progress=False).version
        except hr.VersionConflict as error:
            return type(error)

    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(attempt, range(2)))
    assert results.count(1) == 1
    assert set(results) <= {1, 2, hr.VersionConflict}
    assert len(ruleset.open_rules(path)) == rules.count()

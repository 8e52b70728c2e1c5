"""What ``match`` returns is what the index returns, event by event, whatever the form of events and rules."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

import hedgerow as hr
from hedgerow import ruleset
from hedgerow import spark as hs
from hedgerow.spark.columns import event_columns
from hedgerow.spark.worker import MatchJob, match_batches
from tests.spark.conftest import VISITS, pairs


def test_a_built_rule_set_gives_what_the_index_gives(
    events: DataFrame, built: str, expected: set[tuple[int, object]]
) -> None:
    """Every match is there once, over all shards and partitions."""
    matches = hs.match(events, built, "visit")
    assert matches.columns == ["visit", "rule_id"]
    assert pairs(matches) == expected


def test_rules_may_be_a_data_frame(events: DataFrame, rules: DataFrame, expected: set[tuple[int, object]]) -> None:
    """Then they are built on the way."""
    assert pairs(hs.match(events, rules, "visit")) == expected


def test_a_bad_rule_in_a_data_frame_is_told_before_anything_runs(spark: SparkSession, events: DataFrame) -> None:
    """Unless it is to be left out."""
    rules = spark.createDataFrame([(1, "hour >= 0"), (2, "hour >")], "id int, expression string")
    with pytest.raises(hr.BadRules, match="2: ParseError: line 1, column 7"):
        hs.match(events, rules, "visit")
    with pytest.warns(RuntimeWarning, match="1 of the rules are bad, and are left out; the first is 2: ParseError"):
        matches = hs.match(events, rules, "visit", on_error="report")
    assert matches.count() == VISITS


def test_the_best_of_each_event(
    events: DataFrame, built: str, index: hr.Index, visit_rows: list[dict[str, Any]]
) -> None:
    """``top=n`` keeps the best n over all shards, equal ones by id, with their scores."""
    found = {(row.visit, row.rule_id): row.score for row in hs.match(events, built, "visit", top=3).collect()}
    best = {(number, one.id): one.score for number, visit in enumerate(visit_rows) for one in index.top(visit, 3)}
    assert found == best


def test_events_that_match_nothing(events: DataFrame, built: str, expected: set[tuple[int, object]]) -> None:
    """They have no row, or one with null if that is asked for."""
    found = hs.match(events, built, "visit", how="left")
    nothing = {row.visit for row in found.filter("rule_id IS NULL").collect()}
    assert nothing == set(range(VISITS)) - {visit for visit, _ in expected}
    assert nothing
    assert pairs(found.filter("rule_id IS NOT NULL")) == expected
    scored = hs.match(events, built, "visit", how="left", top=1)
    assert scored.count() == VISITS
    assert {row.visit for row in scored.filter("score IS NULL").collect()} == nothing


def test_several_columns_are_kept(events: DataFrame, built: str, expected: set[tuple[int, object]]) -> None:
    """In the order in which they are named, whether rules mention them or not, of whatever type."""
    matches = hs.match(events, built, ["weekday", "visit", "seen"])
    assert matches.columns == ["weekday", "visit", "seen", "rule_id"]
    assert matches.schema["seen"].dataType == events.schema["seen"].dataType
    assert pairs(matches) == expected


def test_a_key_may_be_a_field_of_a_struct(events: DataFrame, built: str, expected: set[tuple[int, object]]) -> None:
    """By its dotted name, which is that of the column then."""
    matches = hs.match(events, built, ["visit", "page.site"])
    assert matches.columns == ["visit", "page.site", "rule_id"]
    assert pairs(matches) == expected
    assert matches.filter("`page.site` IS NULL").count() == 0
    with pytest.raises(hr.SchemaError, match=r"no column 'page\.nothing'"):
        hs.match(events, built, "page.nothing")


@pytest.mark.parametrize(("kind", "ids"), (("tinyint", (1, 2)), ("int", (7, 1 << 30)), ("bigint", (3, 1 << 40))))
def test_ids_keep_their_type(spark: SparkSession, events: DataFrame, kind: str, ids: tuple[int, int]) -> None:
    """An id comes back as it was given."""
    rules = spark.createDataFrame([(ids[0], "hour < 12"), (ids[1], "hour >= 12")], f"id {kind}, expression string")
    matches = hs.match(events, rules, "visit")
    assert matches.schema["rule_id"].dataType.simpleString() == kind
    assert {row.rule_id for row in matches.collect()} == set(ids)


def test_values_of_every_type(spark: SparkSession) -> None:
    """Structs, maps, arrays, decimals, dates, times, booleans, nulls, and a dot in the name of a column."""
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        row = """SELECT 1 AS k, CAST(2.50 AS DOUBLE) AS price, DATE'2026-02-03' AS day, true AS vip,
            TIMESTAMP'2026-02-03 04:05:06+00:00' AS at, named_struct('b', named_struct('c', 5S)) AS a,
            map('x', 1, 'y', 2) AS m, array('p', null) AS tags, CAST(null AS INT) AS gone, 9 AS `dot.ted`,
            CAST(null AS STRUCT<inner: INT>) AS hollow"""
        truths = [
            "price = 2.5",
            "day >= TIMESTAMP '2026-02-03T00:00:00Z' AND day < TIMESTAMP '2026-02-04T00:00:00Z'",
            "vip",
            "at = TIMESTAMP '2026-02-03T04:05:06Z'",
            "a.b.c = 5",
            "m.y = 2 AND m.z IS NULL",
            "tags ANY OF ('p')",
            "gone IS NULL AND hollow.inner IS NULL",
            "dot.ted = 9",
            "a IS NOT NULL AND a.b IS NOT NULL AND a.z IS NULL AND m IS NOT NULL",
            "hollow IS NULL",
        ]
        rules = spark.createDataFrame(list(enumerate(truths)), "id int, expression string")
        found = {row.rule_id for row in hs.match(spark.sql(row), rules, "k").collect()}
        assert found == set(range(len(truths)))
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def test_only_what_rules_mention_is_read(events: DataFrame) -> None:
    """Of a struct, only the fields."""
    read = event_columns(events.schema, ["user.age", "seen.tavolo", "nowhere", "hour"], "visit")
    chosen = events.select(*read.columns)
    assert set(read.names) == {"hour", "user", "seen"}
    assert len(chosen.columns) == 1 + len(read.names)
    user = chosen.schema[1 + read.names.index("user")]
    assert user.dataType.simpleString() == "struct<age:bigint>"


def test_rules_that_mention_nothing_of_the_events(spark: SparkSession, events: DataFrame) -> None:
    """They still see every event."""
    rules = spark.createDataFrame([(1, "nowhere IS NULL"), (2, "TRUE")], "id int, expression string")
    assert hs.match(events, rules, "visit").count() == 2 * VISITS


def test_no_events_and_no_rules(spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
    """Nothing matches, with the right columns."""
    empty = spark.createDataFrame([], "id bigint, expression string")
    report = hs.build(empty, str(tmp_path / "none"), progress=False)
    assert (report.version, report.rules, report.shards) == (1, 0, 0)
    nothing = hs.match(events, str(tmp_path / "none"), "visit")
    assert nothing.count() == 0
    assert nothing.schema["rule_id"].dataType.simpleString() == "bigint"
    assert hs.match(events, str(tmp_path / "none"), "visit", how="left").count() == VISITS
    rules = spark.createDataFrame([(1, "hour >= 0")], "id int, expression string")
    assert hs.match(events.limit(0), rules, "visit").count() == 0


def test_an_older_version_can_be_asked_for(events: DataFrame, tmp_path: Path) -> None:
    """The newest is what one gets without asking."""
    path = str(tmp_path / "rules")
    ruleset.build([("a", "hour >= 0")], path)
    ruleset.build([("b", "hour >= 0")], path)
    assert {row.rule_id for row in hs.match(events, path, "visit").collect()} == {"b"}
    assert {row.rule_id for row in hs.match(events, path, "visit", version=1).collect()} == {"a"}
    with pytest.raises(hr.MissingVersion, match="version 9 is not there; there are 1 to 2"):
        hs.match(events, path, "visit", version=9)


def test_what_a_job_did_can_be_observed(events: DataFrame, built: str, expected: set[tuple[int, object]]) -> None:
    """Spark's own observation adds up what the tasks tell, and the rows are the same."""
    observation = Observation()
    assert pairs(hs.match(events, built, "visit", observation=observation)) == expected
    seen = hs.metrics_of(observation)
    assert seen is not None
    assert (seen.events, seen.matches, seen.looked_up) == (VISITS, len(expected), 3 * VISITS)
    assert seen.candidates >= seen.matches
    assert seen.matching_seconds > 0
    assert seen.reading_seconds > 0


def test_wrong_questions_are_named_at_once(spark: SparkSession, events: DataFrame, built: str, tmp_path: Path) -> None:
    """Before any job runs."""
    with pytest.raises(hr.SchemaError, match="no column 'visitor'"):
        hs.match(events, built, "visitor")
    with pytest.raises(hr.SchemaError, match="two columns 'rule_id'"):
        hs.match(events.withColumnRenamed("visit", "rule_id"), built, "rule_id")
    with pytest.raises(hr.KindError, match="how is one of inner, left"):
        hs.match(events, built, "visit", how="outer")
    with pytest.raises(hr.KindError, match="top is a number"):
        hs.match(events, built, "visit", top=0)
    with pytest.raises(hr.MissingVersion, match="no rule set is there"):
        hs.match(events, str(tmp_path / "nowhere"), "visit")
    rules = spark.createDataFrame([(1.5, "a = 1")], "id double, expression string")
    with pytest.raises(hr.SchemaError, match="ids are integers or strings"):
        hs.match(events, rules, "visit")


@pytest.mark.parametrize(
    "column",
    ("INTERVAL '1' DAY", "X'00'", "array(array(1))", "array(named_struct('x', 1))", "parse_json('1')", "1.5BD"),
)
def test_a_column_of_an_unsupported_type(spark: SparkSession, column: str) -> None:
    """It is named if a rule mentions it, and does not matter if none does."""
    events = spark.sql(f"SELECT 1 AS k, 2 AS a, {column} AS odd, named_struct('good', 3, 'odd', {column}) AS s")
    rules = spark.createDataFrame([(1, "a = 2 AND s.good = 3 AND s IS NOT NULL")], "id int, expression string")
    assert hs.match(events, rules, "k").count() == 1
    mentioned = spark.createDataFrame([(1, "odd = 2")], "id int, expression string")
    with pytest.raises(hr.SchemaError, match="'odd'"):
        hs.match(events, mentioned, "k")


def test_many_matches_come_in_bounded_batches(tmp_path: Path) -> None:
    """However many rules match, no batch is larger than it may be, and none is lost."""
    path = str(tmp_path / "dense")
    ruleset.build([(number, "a >= 0") for number in range(3000)], path)
    manifest = ruleset.open_rules(path).manifest
    batch = pa.record_batch({"key": pa.array(range(1500)), "a": pa.array([1] * 1500)})
    job = MatchJob(path, manifest.to_json(), 1, ("a",), ("k", "rule_id"))
    sizes = [part.num_rows for part in match_batches([batch], job)]
    assert max(sizes) <= 65_536
    assert sum(sizes) == 3000 * 1500


def test_time_zones_do_not_shift_times(spark: SparkSession) -> None:
    """An instant is the same instant in every session."""
    rules = spark.createDataFrame([(1, "at = TIMESTAMP '2026-07-01T12:00:00Z'")], "id int, expression string")
    at = dt.datetime(2026, 7, 1, 12, tzinfo=dt.UTC)
    events = spark.range(1).select("id", F.lit(at).alias("at"))
    assert hs.match(events, rules, "id").count() == 1

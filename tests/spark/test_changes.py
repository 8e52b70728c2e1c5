"""Changes of a rule set by a DataFrame."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import hedgerow as hr
from hedgerow import ruleset
from hedgerow import spark as hs
from hedgerow.ruleset import changes as ruleset_changes

CHANGES = "op string, id int, expression string, weight double"


def changed(spark: SparkSession, path: Path, *rows: tuple[object, ...], **options: str) -> ruleset.ChangeReport:
    """Apply changes given as tuples."""
    filled = [(*row, *(None,) * (4 - len(row))) for row in rows]
    return hs.apply_changes(str(path), spark.createDataFrame(filled, CHANGES), **options)


def test_inserts_updates_and_deletes_are_one_new_version(spark: SparkSession, tmp_path: Path) -> None:
    """What makes no sense comes back, the rest counts, and the old version is still there."""
    ruleset.build([(1, "a = 1"), (2, "a = 2"), (3, "a = 3")], tmp_path)
    report = changed(
        spark, tmp_path, ("insert", 4, "a >= 1"), ("update", 2, "a = 1"), ("delete", 3), ("insert", 1, "b = 1")
    )
    assert (report.version, report.rules, report.applied) == (2, 3, 3)
    assert report.rejected.to_pylist() == [
        {"id": 1, "expression": "b = 1", "error": "DuplicateId: the id 1 is taken", "offset": None}
    ]
    assert sorted(ruleset.open_rules(tmp_path).match({"a": 1})) == [1, 2, 4]
    assert ruleset.open_rules(tmp_path, 1).match({"a": 3}) == [3]


def test_a_column_can_say_the_order(spark: SparkSession, tmp_path: Path) -> None:
    """Several changes of one id are applied one after the other."""
    ruleset.build([(1, "a = 1")], tmp_path)
    rows = [("delete", 1, None, 3), ("update", 1, "a = 2", 1), ("insert", 1, "a = 9", 4), ("update", 1, "a = 3", 2)]
    frame = spark.createDataFrame(rows, "op string, id int, expression string, number int")
    assert hs.apply_changes(str(tmp_path), frame, order="number").applied == 4
    assert ruleset.open_rules(tmp_path).match({"a": 9}) == [1]


def test_the_same_changes_are_applied_once(spark: SparkSession, tmp_path: Path) -> None:
    """If they come with the same token."""
    ruleset.build([(1, "a = 1")], tmp_path)
    assert changed(spark, tmp_path, ("insert", 2, "a = 1"), token="batch-7").version == 2  # noqa: S106 - no secret
    again = changed(spark, tmp_path, ("insert", 2, "a = 1"), token="batch-7")  # noqa: S106 - as above
    assert (again.version, again.applied, again.rejected.num_rows) == (2, 0, 0)


def test_bad_changes_can_fail_all_of_them(spark: SparkSession, tmp_path: Path) -> None:
    """Then nothing has changed."""
    ruleset.build([(1, "a = 1")], tmp_path)
    with pytest.raises(hr.BadRules, match="ParseError"):
        changed(spark, tmp_path, ("delete", 1), ("insert", 2, "a =="), on_error="fail")
    assert ruleset.open_rules(tmp_path).version == 1


def test_the_executors_build_all_anew_when_much_has_changed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules are the same, and nothing is hidden any more."""
    monkeypatch.setattr(ruleset_changes, "_FEW", 3)
    ruleset.build([(number, f"a = {number}", number / 2) for number in range(20)], tmp_path, shards=2)
    report = changed(
        spark, tmp_path, ("delete", 3), ("update", 4, "a = 100", 7.0), ("insert", 50, "a = 100"), ("delete", 5)
    )
    assert report.compacted
    opened = ruleset.open_rules(tmp_path)
    assert opened.version == report.version == 3
    assert opened.manifest.changes is None
    assert not any(shard.hidden for shard in opened.manifest.shards)
    assert len(opened) == 19
    assert opened.top_batch([{"a": 100}], 5).to_pydict() == {"event": [0, 0], "id": [4, 50], "score": [7.0, 0.0]}
    assert opened.match({"a": 19}) == [19]


def test_changes_take_effect_in_the_next_match(spark: SparkSession, events: DataFrame, tmp_path: Path) -> None:
    """A worker that has the old version open takes the new one."""
    ruleset.build([(1, "hour >= 0")], tmp_path)
    assert {row.rule_id for row in hs.match(events, str(tmp_path), "visit").collect()} == {1}
    changed(spark, tmp_path, ("delete", 1), ("insert", 2, "hour >= 0"))
    assert {row.rule_id for row in hs.match(events, str(tmp_path), "visit").collect()} == {2}

"""The commands with ``--spark``: what they ask of ``hedgerow.spark``, for which something else stands here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING
from unittest.mock import MagicMock, call

import pyarrow as pa
import pytest

from hedgerow import ruleset
from hedgerow.ruleset.shard import rejected_schema
from tests.cli.samples import complaint, facts, flat_events, read, rules_table, run, written

if TYPE_CHECKING:
    from pathlib import Path


class SparkError(Exception):
    """What Spark raises, with more lines than anybody wants."""


SparkError.__module__ = "pyspark.errors"


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    """Put something in the place of Spark that notes what it is asked for."""
    module = MagicMock()
    module.metrics_of.return_value = MagicMock(events=4, matches=7)
    monkeypatch.setitem(sys.modules, "hedgerow.spark", module)
    return module


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with rules and events."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "rules.csv", rules_table())
    written(tmp_path / "events.csv", flat_events())
    ruleset.build(rules_table(), tmp_path / "rules")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_match_asks_for_a_rule_set_by_its_name(spark: MagicMock, capsys: pytest.CaptureFixture[str]) -> None:
    """And writes what comes as a folder."""
    words = "match --rules rules --events events.csv --out out.jsonl --key name age --top 3 --how left --version 1"
    assert run(*words.split(), "--spark", "--master", "local[3]", "--json") == 0
    assert spark.session.mock_calls[0] == call("local[3]")
    frame = spark.session().read.format("csv").options().load("events.csv")
    observed = {"observation": spark.observation()}
    assert spark.match.mock_calls[0] == call(frame, "rules", ["name", "age"], top=3, how="left", version=1, **observed)
    spark.match().write.format.assert_called_with("json")
    spark.match().write.format().options().save.assert_called_with("out.jsonl")
    told = facts(capsys)
    assert (told["out"], told["events"], told["matches"]) == ("out.jsonl", 4, 7)


@pytest.mark.usefixtures("folder")
def test_match_takes_a_rule_file(spark: MagicMock) -> None:
    """A rule set is built of it, with what else has a meaning then."""
    spark.build.return_value.rejected_count = 0
    words = "match --rules rules.csv --events events.csv --out out --key name --missing false --on-error fail --quiet"
    assert run(*words.split(), "--spark") == 0
    (table,) = spark.session().createDataFrame.call_args.args
    assert table.equals(rules_table())
    asked, built = spark.match.call_args.kwargs, spark.build.call_args.kwargs
    assert (built["missing"], built["on_error"], asked["top"], asked["how"]) == ("false", "fail", None, "inner")
    assert spark.match.call_args.args[1] == str(spark.build().path)
    spark.match().write.format.assert_called_with("parquet")


def test_build_asks_for_all_that_was_said(spark: MagicMock, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And bad rules go where they go without Spark."""
    bad = pa.table({"id": [7], "expression": ["a >"], "error": ["ParseError: x"], "offset": pa.array([3], pa.int32())})
    spark.build.return_value = MagicMock(
        rejected_count=1, rules=5, version=1, shards=2, bytes=9, seconds=0.5, path="new"
    )
    spark.build().rejected.toArrow.return_value = bad.cast(rejected_schema("int64"))
    words = "build --rules rules.csv --out new --shards 2 --partition attribute --missing false --rejected bad.jsonl"
    words += " --engine kindex"
    assert run(*words.split(), "--spark", "--json") == 0
    frame = spark.session().read.format("csv").options().load("rules.csv")
    asked = {"missing": "false", "shards": 2, "partition": "attribute", "on_error": "report", "progress": None}
    asked["engine"] = "kindex"
    assert call(frame, "new", **asked) in spark.build.mock_calls
    assert facts(capsys)["rejected"] == 1
    assert read(folder / "bad.jsonl") == [{"id": 7, "expression": "a >", "error": "ParseError: x", "offset": 3}]


def test_apply_hands_the_changes_over(spark: MagicMock, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a data frame, with ids of the rule set's kind."""
    (folder / "changes.csv").write_text("op,id\ndelete,1\n")
    nothing = rejected_schema("int32").empty_table()
    spark.apply_changes.return_value = ruleset.ChangeReport("rules", 2, 4, 1, nothing)
    assert run("apply", "--rules", "rules", "--changes", "changes.csv", "--spark", "--json") == 0
    assert spark.apply_changes.call_args.args == ("rules", spark.session().createDataFrame())
    assert facts(capsys)["version"] == 2


def test_stream_watches_a_folder_until_it_is_interrupted(
    spark: MagicMock, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The columns are those of the files that are there."""
    (folder / "inbox").mkdir()
    written(folder / "inbox" / "1.parquet", flat_events())
    spark.stream().awaitTermination.side_effect = KeyboardInterrupt
    words = "stream --rules rules --events inbox --out out --checkpoint state --key name --spark"
    assert run(*words.split()) == 130
    source = spark.session().readStream.schema().format("parquet").options().load("inbox")
    asked = {"out": "out", "checkpoint": "state", "top": None, "how": "inner", "trigger": None}
    assert call(source, "rules", ["name"], **asked) in spark.stream.mock_calls
    spark.stream().stop.assert_called_once_with()
    assert complaint(capsys) == "hedgerow stream: interrupted"


@pytest.mark.parametrize(
    ("change", "code", "reason"),
    (
        ({"--rules": "index.hedgerow"}, 2, "--spark takes a rule file or the folder of a rule set, and no saved index"),
        (
            {"--events": "events.arrow"},
            2,
            "Spark reads .parquet, .csv and .jsonl .ndjson .json, and not 'events.arrow'",
        ),
        ({"--events": "no.csv"}, 1, "no.csv: there is no such file"),
        ({"--out": "rules"}, 1, "cannot write 'rules': it is there, and Spark makes a new folder"),
    ),
)
@pytest.mark.usefixtures("spark")
def test_what_spark_cannot_do_is_told(
    change: dict[str, str], code: int, reason: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line."""
    written(folder / "events.arrow", flat_events())
    words = {"--rules": "rules", "--events": "events.csv", "--out": "out", "--key": "name"} | change
    assert run("match", *(word for pair in words.items() for word in pair), "--spark") == code
    assert complaint(capsys) == f"hedgerow match: {reason}"


@pytest.mark.usefixtures("folder")
def test_what_spark_raises_is_one_line(spark: MagicMock, capsys: pytest.CaptureFixture[str]) -> None:
    """Its first, without the trace of another machine."""
    spark.match.side_effect = SparkError("[COLUMN] there is no such column\nJVM stacktrace:\n...")
    assert run("match", "--rules", "rules", "--events", "events.csv", "--out", "out", "--key", "k", "--spark") == 1
    assert complaint(capsys) == "hedgerow match: Spark: [COLUMN] there is no such column"

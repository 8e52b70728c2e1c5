"""The commands on Spark give the rows that they give without it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

from hedgerow.cli.main import main
from tests.spark.conftest import Row, visit_table

pytestmark = pytest.mark.usefixtures("spark")


def table(path: Path) -> list[dict[str, object]]:
    """Return the rows of a file, or of a folder of files, sorted."""
    rows = dataset.dataset(path, format="parquet", exclude_invalid_files=True).to_table().to_pylist()
    return sorted(rows, key=lambda row: (row["visit"], str(row["rule_id"])))


@pytest.fixture
def files(tmp_path: Path, rows: list[Row], visit_rows: list[dict[str, object]]) -> Path:
    """Write rules, one of them bad, and events."""
    names, texts, weights = zip(*rows, ("z-bad", "age >", 0.0), strict=True)
    parquet.write_table(pa.table({"id": names, "expression": texts, "weight": weights}), tmp_path / "rules.parquet")
    parquet.write_table(visit_table(visit_rows[:200]), tmp_path / "events.parquet")
    return tmp_path


@pytest.mark.parametrize("more", ((), ("--top", "2", "--how", "left")))
def test_match_gives_the_same_rows(files: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]) -> None:
    """From a file of rules: bad ones are told in both."""
    asked = ["match", "--rules", f"{files}/rules.parquet", "--events", f"{files}/events.parquet", "--key", "visit"]
    assert main([*asked, "--out", f"{files}/here.parquet", "--json", *more]) == 0
    here = json.loads(capsys.readouterr().out)
    assert main([*asked, "--out", f"{files}/there", "--json", "--spark", *more]) == 0
    told = capsys.readouterr()
    there = json.loads(told.out)
    assert "z-bad" in told.err
    assert table(files / "there") == table(files / "here.parquet")
    assert there["events"] == here["events"] == 200
    assert there["matches"] > 0


def test_build_apply_and_stream(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rule set that Spark has built is changed without it, and a stream on Spark takes it."""
    (files / "inbox").mkdir()
    (files / "events.parquet").rename(files / "inbox" / "events.parquet")
    rules = f"{files}/rules"
    assert main(["build", "--rules", f"{files}/rules.parquet", "--out", rules, "--spark", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["version"], report["rejected"]) == (1, 1)
    (files / "changes.jsonl").write_text('{"op": "insert", "id": "all", "expression": "hour >= 0"}')
    assert main(["apply", "--rules", rules, "--changes", f"{files}/changes.jsonl", "--quiet"]) == 0
    (files / "more.csv").write_text("op,id,expression\ninsert,late,hour >= 12\ndelete,nobody,\n")
    assert main(["apply", "--rules", rules, "--changes", f"{files}/more.csv", "--spark", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["version"], told["applied"], told["rejected"]) == (3, 1, 1)
    stream = ["stream", "--rules", rules, "--events", f"{files}/inbox", "--out", f"{files}/out", "--key", "visit"]
    assert main([*stream, "--checkpoint", f"{files}/state", "--spark", "--once"]) == 0
    found = table(files / "out")
    assert {row["version"] for row in found} == {3}
    assert sum(row["rule_id"] == "all" for row in found) == 200


def test_what_goes_wrong_is_one_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And an exit code."""
    asked = ["match", "--rules", f"{files}/rules.parquet", "--events", f"{files}/events.parquet", "--spark"]
    assert main([*asked, "--out", f"{files}/there"]) == 2
    assert "--spark needs --key" in capsys.readouterr().err
    assert main([*asked, "--key", "visitor", "--out", f"{files}/there"]) != 0
    told = capsys.readouterr().err.splitlines()
    assert any("no column 'visitor'" in line for line in told)
    assert not any("Traceback" in line for line in told)

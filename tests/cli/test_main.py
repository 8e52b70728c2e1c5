"""What all commands have: help with examples, a tone, exit codes, and Spark that is missed in one line."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.cli import main as main_module
from hedgerow.cli import match
from hedgerow.cli.main import main
from tests.cli.samples import complaint, flat_events, nested_events, rules_table, run, written

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

COMMANDS = ("apply", "build", "check", "engines", "explain", "generate", "match", "stats", "stream")
WITH_SPARK = ("apply", "build", "match", "stream")


def helped(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the help of a command."""
    assert run(command, "--help") == 0
    return capsys.readouterr().out


def test_the_commands_are_these(capsys: pytest.CaptureFixture[str]) -> None:
    """The help lists each with what it does."""
    assert run("--help") == 0
    text = capsys.readouterr().out
    assert sorted(line.split()[0] for line in text.splitlines() if line.startswith("    ")) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_has_an_example_and_the_tone(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It fits a terminal of 120 columns."""
    text = helped(command, capsys)
    assert f"\n  hedgerow {command} --" in text or f"| hedgerow {command} --" in text
    assert "--quiet" in text
    assert "--json" in text
    assert ("--spark" in text) == (command in WITH_SPARK)
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("command", sorted({*COMMANDS} - {"generate"}))
def test_the_examples_work(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that need no Spark, on files of these names."""
    monkeypatch.chdir(tmp_path)
    ids = rules_table().set_column(0, "id", pa.array(["7", "campaign-7", "x", "y", "z"]))
    for suffix in (".csv", ".parquet"):
        written(tmp_path / f"rules{suffix}", ids)
    (tmp_path / "rules.txt").write_text("vip\n")
    index = hr.Index()
    index.insert_many(ids)
    index.save("rules.hedgerow")
    assert run("build", "--rules", "rules.csv", "--out", "rules/") == 0
    days = flat_events().append_column("user_id", pa.array([1, 2, 3, 4])).append_column("day", pa.array(["mon"] * 4))
    (tmp_path / "events").mkdir()
    written(tmp_path / "events" / "1.parquet", days)
    written(tmp_path / "events.csv", days)
    written(tmp_path / "events.jsonl", nested_events())
    (tmp_path / "event.json").write_text('{"age": 3}')
    changes = pa.table({"op": ["upsert"], "id": ["7"], "expression": ["vip"]})
    written(tmp_path / "changes.csv", changes)
    written(tmp_path / "changes.jsonl", changes)
    examples = [
        line.strip() for line in helped(command, capsys).splitlines() if line.startswith(f"  hedgerow {command}")
    ]
    ready = [example for example in examples if "--spark" not in example]
    assert ready
    for example in ready:
        assert run(*shlex.split(example)[1:]) == 0, example
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("trouble", "code", "said"),
    (
        (hr.KindError("an option"), 2, "an option"),
        (hr.EventError("an event"), 1, "an event"),
        (hr.SchemaError("a column"), 1, "a column"),
        (hr.UnknownId("an id"), 1, "an id"),
        (OSError(28, "No space left on device"), 1, "[Errno 28] No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ),
)
def test_what_is_raised_becomes_a_line_and_a_code(
    trouble: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever command it was."""

    def failing(_: argparse.Namespace) -> None:
        raise trouble

    monkeypatch.setattr(match, "run", failing)
    monkeypatch.setattr(main_module, "_COMMANDS", (match,))
    assert main(["match", "--rules", "r", "--events", "e", "--out", "o.csv"]) == code
    assert complaint(capsys) == f"hedgerow match: {said}"


def test_output_that_nobody_reads_is_no_error(tmp_path: Path) -> None:
    """Also where it is only noticed at the end."""
    rules = tmp_path / "rules.txt"
    rules.write_text("age >\n" * 2_000)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "hedgerow.cli.main", "check", "--rules", str(rules)]
    for lines in (2_000, 1):
        rules.write_text("age >\n" * lines)
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603 - ours
        assert (done.returncode, done.stderr) == (141, "")
    os.close(writing)


@pytest.mark.parametrize("command", ("build", "match", "stream"))
def test_spark_is_missed_in_one_line(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to install."""
    monkeypatch.setitem(sys.modules, "hedgerow.spark", None)
    rules = written(tmp_path / "rules.parquet", rules_table())
    words = {
        "build": ("--out", tmp_path / "rules"),
        "match": ("--events", rules, "--out", tmp_path / "out", "--key", "id"),
        "stream": ("--events", tmp_path, "--out", tmp_path / "out", "--key", "id", "--checkpoint", tmp_path / "state"),
    }[command]
    assert run(command, "--rules", rules, *words, "--spark") == 1
    assert complaint(capsys).startswith(f"hedgerow {command}: --spark needs Spark: install hedgerow[spark]")
    assert [*tmp_path.iterdir()] == [rules]

"""``hedgerow apply``: changes from every format, and what becomes of those that make no sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from hedgerow import ruleset
from tests.cli.samples import COLUMNAR, LINES, complaint, facts, quietly, read, run, written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Return a rule set of three rules."""
    ruleset.build(pa.table({"id": pa.array([1, 2, 3], pa.int32()), "expression": ["a = 1"] * 3}), tmp_path / "rules")
    return tmp_path / "rules"


def changes(path: Path) -> Path:
    """Write changes of each kind."""
    table = {
        "op": ["insert", "update", "delete", "upsert", "upsert"],
        "id": [4, 1, 2, 3, 5],
        "expression": ["a = 1", "a = 2", None, "a IN (1, 2)", "a = 1"],
        "weight": [1.0, None, None, 2.0, 0.5],
    }
    return written(path, pa.table(table))


@pytest.mark.parametrize("suffix", (*COLUMNAR, *LINES, ".csv"))
def test_changes_come_in_every_format(suffix: str, rules: Path, tmp_path: Path) -> None:
    """All of them are one new version, and the old one stays."""
    quietly("apply", "--rules", rules, "--changes", changes(tmp_path / f"changes{suffix}"))
    assert sorted(ruleset.open_rules(rules).match({"a": 1})) == [3, 4, 5]
    assert sorted(ruleset.open_rules(rules).match({"a": 2})) == [1, 3]
    assert sorted(ruleset.open_rules(rules, 1).match({"a": 1})) == [1, 2, 3]
    assert ruleset.open_rules(rules).id_type == pa.int32()


def test_deletes_need_no_more_than_an_id(rules: Path, tmp_path: Path) -> None:
    """The other columns may be left out."""
    for suffix in (".csv", ".jsonl"):
        table = pa.table({"op": ["delete"], "id": [{".csv": 1, ".jsonl": 2}[suffix]]})
        quietly("apply", "--rules", rules, "--changes", written(tmp_path / f"changes{suffix}", table))
    assert ruleset.open_rules(rules).match({"a": 1}) == [3]


def test_ids_of_text_that_look_like_numbers_are_found(tmp_path: Path) -> None:
    """CSV does not say which it is; the rule set does."""
    ruleset.build([("7", "a = 1"), ("007", "a = 1"), ("x", "a = 1")], tmp_path / "rules")
    path = tmp_path / "changes.csv"
    path.write_text("op,id\ndelete,7\n")
    quietly("apply", "--rules", tmp_path / "rules", "--changes", path)
    assert sorted(ruleset.open_rules(tmp_path / "rules").match({"a": 1})) == ["007", "x"]


def test_it_says_what_it_did(rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a line, or as JSON."""
    path = changes(tmp_path / "changes.csv")
    assert run("apply", "--rules", rules, "--changes", path) == 0
    assert capsys.readouterr() == (f"{rules}: version 2, 4 rules, 5 changes, 0 rejected\n", "")
    path.write_text("op,id,expression\nupdate,4,a = 9\n")
    assert run("apply", "--rules", rules, "--changes", path, "--json") == 0
    said = facts(capsys)
    assert said == {"path": str(rules), "version": 3, "rules": 4, "applied": 1, "rejected": 0, "compacted": False}


def test_bad_changes_are_shown_or_written_or_stop_it(
    rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And the others are applied, unless it is to fail."""
    path = tmp_path / "changes.csv"
    path.write_text("op,id,expression\ninsert,1,a = 1\ndelete,9,\nfrob,1,a = 1\ninsert,8,a >\ninsert,9,a = 1\n")
    words = ("apply", "--rules", rules, "--changes", path)
    assert run(*words, "--on-error", "fail") == 1
    assert "4 of the rules are bad, and no version was made" in complaint(capsys)
    assert ruleset.open_rules(rules).version == 1
    assert run(*words, "--quiet") == 0
    assert [line.partition("rejected: ")[2] for line in capsys.readouterr().err.splitlines()] == [
        "id 1: DuplicateId: the id 1 is taken",
        "id 9: UnknownId: no rule has the id 9",
        "id 1: KindError: op is one of insert, update, upsert, delete, not 'frob'",
        "id 8: ParseError: line 1, column 4: expected a value, found the end",
    ]
    assert 9 in ruleset.open_rules(rules)
    quietly(*words, "--rejected", tmp_path / "bad.jsonl")
    assert [row["id"] for row in read(tmp_path / "bad.jsonl")] == [1, 1, 8]


@pytest.mark.parametrize(
    ("content", "reason"),
    (
        (
            "id,expression\n1,a\n",
            "has no column 'op', or more than one; changes have op, id, expression and perhaps weight",
        ),
        ("op,id\ndelete,x\n", "the ids of the rules are of type int32, and those of the changes of type string"),
        ("", "cannot be read: Empty CSV file"),
    ),
)
def test_a_file_without_changes_is_told(
    content: str, reason: str, rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line with its name; the rule set stays as it is."""
    path = tmp_path / "changes.csv"
    path.write_text(content)
    assert run("apply", "--rules", rules, "--changes", path) == 1
    assert complaint(capsys).startswith(f"hedgerow apply: {path}: {reason}")
    assert ruleset.open_rules(rules).version == 1


def test_changes_need_a_rule_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And a file, that has a format for them."""
    path = changes(tmp_path / "changes.csv")
    assert run("apply", "--rules", tmp_path / "no", "--changes", path) == 1
    assert complaint(capsys).endswith("no rule set is there; build one first")
    assert run("apply", "--rules", tmp_path / "no", "--changes", tmp_path / "no.csv") == 1
    assert complaint(capsys).endswith("no.csv: there is no such file")
    assert run("apply", "--rules", tmp_path / "no", "--changes", path.rename(tmp_path / "changes.txt")) == 2
    assert "ends in one of .parquet" in complaint(capsys)


def test_no_changes_make_no_version(rules: Path, tmp_path: Path) -> None:
    """The one that is there has them all."""
    path = tmp_path / "changes.jsonl"
    path.touch()
    quietly("apply", "--rules", rules, "--changes", path)
    assert ruleset.open_rules(rules).version == 1

"""``hedgerow build`` and ``hedgerow check``: rules from every format, and what becomes of bad ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from hedgerow import ruleset
from hedgerow.cli.files import FORMATS
from tests.cli.samples import COLUMNAR, LINES, complaint, facts, quietly, read, rules_table, run, written

if TYPE_CHECKING:
    from pathlib import Path

BAD = "id,expression,weight\n7,age > 20,\n8,age >> 20,\n7,vip,\n,vip,\n9,vip,1e999\n"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """Return a file with one good rule and four bad ones."""
    path = tmp_path / "bad.csv"
    path.write_text(BAD)
    return path


def rows_of(folder: Path) -> list[dict[str, object]]:
    """Return the rules of a rule set by their ids."""
    rows = pa.concat_tables(ruleset.open_rules(folder).rows()).to_pylist()
    return sorted(rows, key=lambda row: row["id"])


@pytest.mark.parametrize("suffix", (*COLUMNAR, *LINES, ".csv"))
def test_rules_come_in_every_format(suffix: str, tmp_path: Path) -> None:
    """With their weights."""
    rules = written(tmp_path / f"rules{suffix}", rules_table())
    quietly("build", "--rules", rules, "--out", tmp_path / "rules")
    assert rows_of(tmp_path / "rules") == sorted(rules_table().to_pylist(), key=lambda row: row["id"])


@pytest.mark.parametrize("suffix", (*COLUMNAR, *LINES, ".csv"))
def test_weights_may_be_left_out_and_ids_may_be_text(suffix: str, tmp_path: Path) -> None:
    """Other columns do not matter."""
    table = pa.table({"note": ["x", "y"], "expression": ["vip", "age > 3"], "id": ["a-1", "b 2"]})
    rules = written(tmp_path / f"rules{suffix}", table)
    quietly("build", "--rules", rules, "--out", tmp_path / "rules")
    assert rows_of(tmp_path / "rules") == [
        {"id": "a-1", "expression": "vip", "weight": 0.0},
        {"id": "b 2", "expression": "age > 3", "weight": 0.0},
    ]


def test_lines_of_text_are_rules_under_their_numbers(tmp_path: Path) -> None:
    """Lines that say nothing are skipped, and counted."""
    rules = tmp_path / "rules.txt"
    rules.write_text("# rules\nvip\n\n   \nage > 3 # not a comment here\nage > 5\n")
    assert run("build", "--rules", rules, "--out", tmp_path / "rules") == 0
    assert [(row["id"], row["expression"]) for row in rows_of(tmp_path / "rules")] == [(2, "vip"), (6, "age > 5")]


def test_ids_of_csv_are_integers_or_text_and_nothing_else(tmp_path: Path) -> None:
    """What looks like a number of another kind, or a date, is left as it is."""
    rules = tmp_path / "rules.csv"
    rules.write_text("id,expression\n1.50,vip\n2026-01-01,TRUE\nTRUE,vip\n007,vip\n")
    assert run("build", "--rules", rules, "--out", tmp_path / "rules", "--quiet") == 0
    assert [row["id"] for row in rows_of(tmp_path / "rules")] == ["007", "1.50", "2026-01-01", "TRUE"]


def test_options_reach_the_rule_set(tmp_path: Path) -> None:
    """How missing attributes read, how many shards, and by what."""
    rules = written(tmp_path / "rules.parquet", rules_table(pa.int32()))
    words = ("build", "--rules", rules, "--out", tmp_path / "rules")
    quietly(*words, "--missing", "false", "--shards", 2)
    quietly(*words, "--partition", "attribute", "--shards", 2)
    first, second = (ruleset.open_rules(tmp_path / "rules", version).manifest for version in (1, 2))
    assert (first.missing, first.partition, len(first.shards), first.id_type) == ("false", "size", 2, "int32")
    assert (second.missing, second.partition, second.expressions) == ("unknown", "attribute", 5)


def test_it_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a line, or as JSON."""
    rules = written(tmp_path / "rules.parquet", rules_table())
    words = ("build", "--rules", rules, "--out", tmp_path / "rules")
    assert run(*words) == 0
    output, error = capsys.readouterr()
    assert output.startswith(f"{tmp_path}/rules: version 1, 5 rules, 0 rejected, 1 shard, 0.0 MB, ")
    assert error == ""
    assert run(*words, "--json") == 0
    said = facts(capsys)
    assert (said["version"], said["rules"], said["rejected"], said["shards"]) == (2, 5, 0, 1)


def test_bad_rules_are_counted_and_shown(bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, also if it is to be quiet: they are errors."""
    assert run("build", "--rules", bad, "--out", tmp_path / "rules", "--quiet") == 0
    output, error = capsys.readouterr()
    assert output == ""
    assert sorted(line.removeprefix("hedgerow build: rejected: ") for line in error.splitlines()) == [
        "id 7: DuplicateId: the id 7 is taken",
        "id 8: ParseError: line 1, column 6: expected a value, found '>'",
        "id 9: ExpressionError: a weight is a finite number, not inf",
        "id None: InvalidId: an id is a 64-bit integer or a string, not NoneType",
    ]
    assert [row["expression"] for row in rows_of(tmp_path / "rules")] == ["age > 20"]


def test_only_the_first_bad_rules_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A million of them would help nobody."""
    rules = tmp_path / "rules.txt"
    rules.write_text("age >\n" * 100)
    assert run("build", "--rules", rules, "--out", tmp_path / "rules", "--quiet") == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 6
    assert lines[-1] == "hedgerow build: ... and 95 more; --rejected FILE writes all of them"


@pytest.mark.parametrize("suffix", (".csv", ".parquet", ".jsonl", ".arrow"))
def test_bad_rules_go_into_a_file(suffix: str, bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With what was wrong; the file is there if none was, too."""
    out = tmp_path / f"rejected{suffix}"
    quietly("build", "--rules", bad, "--out", tmp_path / "rules", "--rejected", out)
    assert capsys.readouterr() == ("", "")
    assert {row["expression"]: row.get("offset") for row in read(out)} == {"age >> 20": 5, "vip": None}
    assert len(read(out)) == 4
    good = written(tmp_path / "good.csv", rules_table())
    quietly("build", "--rules", good, "--out", tmp_path / "rules", "--rejected", out)
    assert read(out) == []


def test_or_one_bad_rule_stops_it(bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And no version is made."""
    assert run("build", "--rules", bad, "--out", tmp_path / "rules", "--on-error", "fail") == 1
    assert complaint(capsys).startswith("hedgerow build: 4 of the rules are bad, and no version was made. ")
    assert not list((tmp_path / "rules").rglob("*.*"))


@pytest.mark.parametrize("command", ("check", "build"))
@pytest.mark.parametrize(
    ("name", "content", "reason"),
    (
        ("r.csv", "id,rule\n1,vip\n", "has no column 'expression', or more than one; rules have id, expression and"),
        ("r.csv", "id,id,expression\n1,2,vip\n", "has no column 'id', or more than one"),
        ("r.csv", "", "cannot be read: Empty CSV file"),
        ("r.csv", "id,expression,weight\n1,vip,2\n2,vip,heavy\n", "row 1: the weight is 'heavy' and not a number"),
        ("r.jsonl", '{"id": 1}\n', "has no column 'expression'"),
        (
            "r.jsonl",
            '{"id": 1, "expression": "vip"}\n{"id": "x", "expression": "vip"}\n',
            "line 2: the id is 'x' and not",
        ),
        ("r.jsonl", '{"id": 1.5, "expression": "vip"}\n', "line 1: the id is 1.5 and not an integer of 64 bits"),
        ("r.jsonl", '{"id": true, "expression": "vip"}\n', "line 1: the id is True and not an integer"),
        ("r.jsonl", f'{{"id": {2**63}, "expression": "vip"}}\n', f"line 1: the id is {2**63} and not an integer"),
        ("r.jsonl", '\n{"id": 1, "expression": 5}\n', "line 2: the expression is 5 and not text"),
        ("r.jsonl", '{"id": 1, "expression": "vip", "weight": "x"}\n', "line 1: the weight is 'x' and not a number"),
        ("r.jsonl", "vip\n", "line 1: not JSON: Expecting value at column 1; one line has one object"),
        ("r.txt", b"\xff", "cannot be read: 'utf-8' codec can't decode byte 0xff"),
        ("r.parquet", "vip", "cannot be read: Parquet"),
    ),
)
def test_a_file_that_is_no_rule_file_is_told_in_one_line(  # noqa: PLR0917 - fixtures
    command: str, name: str, content: str | bytes, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its name, and the row where there is one; nothing is made."""
    rules = tmp_path / name
    rules.write_bytes(content if isinstance(content, bytes) else content.encode())
    more = ("--out", tmp_path / "rules") if command == "build" else ()
    assert run(command, "--rules", rules, *more) == 1
    assert complaint(capsys).startswith(f"hedgerow {command}: {rules}: {reason}")
    assert [*tmp_path.iterdir()] == [rules]


def test_ids_of_a_type_that_no_id_has_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the column."""
    rules = written(tmp_path / "rules.parquet", pa.table({"id": [1.5], "expression": ["vip"]}))
    assert run("check", "--rules", rules) == 1
    assert complaint(capsys).endswith(
        f"{rules}: the column 'id': ids are integers or strings, and a column of type double has neither"
    )


@pytest.mark.parametrize("suffix", FORMATS)
def test_no_rules_are_a_rule_set(suffix: str, tmp_path: Path) -> None:
    """That matches nothing."""
    rules = tmp_path / f"rules{suffix}"
    if suffix == ".txt":
        rules.touch()
    else:
        written(rules, rules_table().slice(0, 0))
    quietly("build", "--rules", rules, "--out", tmp_path / "rules")
    assert len(ruleset.open_rules(tmp_path / "rules")) == 0
    events = written(tmp_path / "events.csv", rules_table())
    for options in ((), ("--top", 2)):
        words = ("--events", events, "--out", tmp_path / "out.csv", "--how", "left", *options)
        quietly("match", "--rules", tmp_path / "rules", *words)
        assert [row["rule_id"] for row in read(tmp_path / "out.csv")] == [None] * 5
    quietly("check", "--rules", rules)


def test_check_shows_each_error_with_its_place_and_a_caret(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And ends with 1."""
    assert run("check", "--rules", bad) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{bad}: row 1, id 8: line 1, column 6: expected a value, found '>'",
        "  age >> 20",
        "       ^",
        f"{bad}: row 2, id 7: the id 7 is taken",
        f"{bad}: row 3, id None: an id is a 64-bit integer or a string, not NoneType",
        f"{bad}: row 4, id 9: a weight is a finite number, not inf",
        f"5 rules, 4 bad: {bad}",
    ]


def test_check_refuses_what_build_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of rules with the same id the first counts, also if it is bad."""
    rules = tmp_path / "rules.csv"
    rules.write_text("id,expression\n7,vip AND\n5,vip\n7,vip\n,vip\n,vip\n5,vip OR\n5,vip\n6,vip\n")
    assert run("check", "--rules", rules, "--json") == 1
    errors = facts(capsys)["errors"]
    assert isinstance(errors, list)
    assert [error["place"].rpartition(" ")[2] for error in errors] == ["0", "2", "3", "4", "5", "6"]
    quietly("build", "--rules", rules, "--out", tmp_path / "rules", "--rejected", tmp_path / "bad.jsonl")
    assert len(read(tmp_path / "bad.jsonl")) == 6
    assert [row["id"] for row in rows_of(tmp_path / "rules")] == [5, 6]


def test_check_tells_the_line_of_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As an editor counts."""
    rules = tmp_path / "rules.txt"
    rules.write_text("# one\nvip\nage >\n")
    assert run("check", "--rules", rules, "--quiet") == 1
    assert capsys.readouterr().out == f"{rules}: line 3, column 6: expected a value, found the end\n  age >\n       ^\n"


def test_check_of_good_rules_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And ends with 0."""
    rules = written(tmp_path / "rules.csv", rules_table())
    assert run("check", "--rules", rules) == 0
    assert capsys.readouterr() == (f"5 rules, 0 bad: {rules}\n", "")
    assert run("check", "--rules", rules, "--quiet") == 0
    assert capsys.readouterr() == ("", "")


def test_check_gives_errors_as_json(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of them, each with its place."""
    assert run("check", "--rules", bad, "--json") == 1
    said = facts(capsys)
    errors = said["errors"]
    assert isinstance(errors, list)
    assert (said["rules"], said["bad"], len(errors)) == (5, 4, 4)
    assert errors[0] == {
        "place": f"{bad}: row 1",
        "id": 8,
        "expression": "age >> 20",
        "error": "line 1, column 6: expected a value, found '>'",
        "line": 1,
        "column": 6,
        "offset": 5,
    }


def test_folders_and_files_are_not_taken_for_each_other(
    bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where rules come from is a file, and where they go is a folder."""
    assert run("build", "--rules", tmp_path, "--out", tmp_path / "rules") == 2
    assert complaint(capsys).endswith("is a folder, and a file of rules is wanted")
    assert run("build", "--rules", bad, "--out", bad) == 1
    assert complaint(capsys) == f"hedgerow build: cannot build in '{bad}': it is there, and is not a folder"
    assert bad.read_text() == BAD


def test_a_file_for_rejected_rules_that_cannot_be_is_told_first(
    bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is built."""
    out = tmp_path / "rules"
    assert run("build", "--rules", bad, "--out", out, "--rejected", tmp_path / "x.txt") == 2
    assert "ends in one of .parquet" in complaint(capsys)
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "reason"),
    (
        (["--shards", "0"], "argument --shards: it is to be 1 or more"),
        (["--shards", "9999"], "shards is a number from 1 to 4,096, not 9999"),
        (["--missing", "maybe"], "argument --missing: invalid choice: 'maybe'"),
        (["--partition", "colour"], "argument --partition: invalid choice: 'colour'"),
    ),
)
def test_a_wrong_option_is_told(
    options: list[str], reason: str, bad: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with the code of a wrong command."""
    assert run("build", "--rules", bad, "--out", tmp_path / "rules", *options) == 2
    assert reason in complaint(capsys)

"""``hedgerow explain`` and ``hedgerow stats``: what they say of each kind of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import ruleset
from tests.cli.samples import RULES, complaint, facts, rules_table, run, written

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ("rules.csv", "index.hedgerow", "set")


def made(folder: Path, kind: str) -> Path:
    """Make rules of a kind."""
    path = folder / kind
    if kind == "set":
        ruleset.build(rules_table(), path)
    elif kind == "index.hedgerow":
        index = hr.Index()
        index.insert_many(RULES)
        index.save(path)
    else:
        written(path, rules_table())
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_it_tells_what_decided(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And whether the rule matches; both are a success."""
    words = ("explain", "--rules", made(tmp_path, kind), "--id", "30", "--event")
    assert run(*words, '{"age": 30, "vip": false}') == 0
    assert capsys.readouterr().out.splitlines() == [
        "▶ AND: false",
        "  ├─ age > 20: true (age is 30)",
        "▶ └─ vip = true: false (vip is false)",
        "The rule 30 does not match.",
    ]
    assert run(*words, '{"age": 30, "vip": true}') == 0
    assert capsys.readouterr().out.endswith("The rule 30 matches.\n")


def test_the_rule_is_explained_as_it_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not as an index holds it."""
    ruleset.build([("a", "NOT (b = 1 XOR c = 2)")], tmp_path / "rules")
    assert run("explain", "--rules", tmp_path / "rules", "--id", "a", "--event", '{"b": 1, "c": 2}') == 0
    assert capsys.readouterr().out.startswith("▶ NOT: true\n▶ └─ XOR: false\n")


def test_the_event_may_be_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Over several lines, if it likes."""
    event = tmp_path / "event.json"
    event.write_text('\ufeff{\n "user": {"state": "CA"}\n}\n')
    assert run("explain", "--rules", made(tmp_path, "rules.csv"), "--id", "10", "--event", f"@{event}", "--json") == 0
    assert facts(capsys) == {
        "id": 10,
        "matches": True,
        "value": "true",
        "expression": "user.state = 'CA' OR tags ANY OF ('nba', 'nfl')",
        "deciding": [{"expression": "user.state = 'CA'", "value": "true", "actual": "CA"}],
    }


def test_missing_and_versions_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As they do for a match."""
    rules = made(tmp_path, "rules.csv")
    assert run("explain", "--rules", rules, "--id", "20", "--event", "{}", "--missing", "false", "--json") == 0
    assert facts(capsys)["matches"] is True
    ruleset.build(rules_table(), tmp_path / "rules", missing="false")
    ruleset.apply_changes(tmp_path / "rules", [("update", 20, "vip")])
    for version, matches in ((1, True), (2, False)):
        words = ("--rules", tmp_path / "rules", "--id", "20", "--event", "{}", "--version", version, "--json")
        assert run("explain", *words) == 0
        assert facts(capsys)["matches"] is matches


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("id", ("7", "x", "", "99999999999999999999", "1.5"))
def test_an_id_that_no_rule_has_is_told(kind: str, id: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever it looks like."""
    assert run("explain", "--rules", made(tmp_path, kind), "--id", id, "--event", "{}") == 1
    assert "has the id" in complaint(capsys)


def test_an_id_beyond_the_type_of_the_others_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No rule has it."""
    rules = written(tmp_path / "rules.parquet", rules_table(pa.int8()))
    for id, code in ((300, 1), (30, 0)):
        assert run("explain", "--rules", rules, "--id", id, "--event", "{}", "--quiet") == code
    assert capsys.readouterr().err == "hedgerow explain: no rule has the id 300\n"


@pytest.mark.parametrize(
    ("event", "code", "reason"),
    (
        ("{", 2, "--event: not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[]", 2, "--event: a list, where an object is wanted"),
        ("7", 2, "--event: a number, where an object is wanted"),
        ('{"age": 99999999999999999999}', 2, "--event: attribute 'age': an integer beyond 64 bits"),
        ("@no.json", 1, "no.json: there is no such file"),
    ),
)
def test_what_is_no_event_is_told(
    event: str, code: int, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line."""
    assert run("explain", "--rules", made(tmp_path, "rules.csv"), "--id", "30", "--event", event) == code
    assert complaint(capsys).startswith(f"hedgerow explain: {reason}")


def test_a_bad_rule_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its id."""
    rules = tmp_path / "rules.txt"
    rules.write_text("vip\nvip AND\n")
    assert run("explain", "--rules", rules, "--id", "2", "--event", "{}") == 1
    assert f"{rules}: the rule 2: line 1, column 8: expected" in complaint(capsys)
    assert run("explain", "--rules", rules, "--id", "1", "--event", '{"vip": true}', "--quiet") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_stats_have_levels_and_bytes(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As an index prints them."""
    path = made(tmp_path, kind)
    assert run("stats", "--rules", path) == 0
    text = capsys.readouterr().out
    assert "atree: 5 expressions, 6 predicates, " in text
    assert "level  nodes  occurrences  sharing\n    1      7            7     1.00\n" in text
    assert run("stats", "--rules", path, "--json") == 0
    said = facts(capsys)
    parts = said["parts"]
    assert isinstance(parts, dict)
    assert (said["rules"], said["predicates"], said["bytes"]) == (5, 6, sum(parts.values()))
    assert said["levels"] == [
        {"level": 1, "nodes": 7, "occurrences": 7},
        {"level": 2, "nodes": 2, "occurrences": 2},
    ]


def test_stats_of_a_rule_set_tell_its_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Version, shards, what is hidden and what was changed; the numbers of the shards are added up."""
    rules = tmp_path / "rules"
    ruleset.build([(number, f"a = {number % 3}") for number in range(100)], rules, shards=2, missing="false")
    ruleset.apply_changes(rules, [("delete", 1), ("update", 2, "b = 1"), ("insert", 200, "b = 2")])
    assert run("stats", "--rules", rules) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("version 2: 100 rules, 2 shards, 2 hidden, 2 in changes, ")
    assert lines[0].endswith("missing=false, ids: int64, partition: size")
    assert lines[2].startswith("atree: 100 expressions, 8 predicates, ")
    assert run("stats", "--rules", rules, "--version", 1, "--json") == 0
    said = facts(capsys)
    assert (said["version"], said["rules"], said["shards"], said["hidden"], said["changes"]) == (1, 100, 2, 0, 0)


def test_stats_list_the_versions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a rule set only."""
    rules = made(tmp_path, "set")
    ruleset.apply_changes(rules, [("delete", 10)])
    assert run("stats", "--rules", rules, "--versions") == 0
    assert [line.partition(" MB")[0] for line in capsys.readouterr().out.splitlines()] == [
        "version 1: 5 rules, 1 shard, 0 hidden, 0 in changes, 0.0",
        "version 2: 4 rules, 1 shard, 1 hidden, 0 in changes, 0.0",
    ]
    assert run("stats", "--rules", rules, "--versions", "--json") == 0
    said = facts(capsys)["versions"]
    assert isinstance(said, list)
    assert [(one["version"], one["rules"]) for one in said] == [(1, 5), (2, 4)]
    assert run("stats", "--rules", made(tmp_path, "rules.csv"), "--versions") == 2
    assert "--versions is for a rule set" in complaint(capsys)
    assert run("stats", "--rules", tmp_path, "--versions") == 1
    assert "no rule set is there" in complaint(capsys)


def test_stats_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rule set without rules has no shards to tell of."""
    ruleset.build([], tmp_path / "rules")
    assert run("stats", "--rules", tmp_path / "rules") == 0
    assert "atree: 0 expressions, 0 predicates, 0 bytes" in capsys.readouterr().out

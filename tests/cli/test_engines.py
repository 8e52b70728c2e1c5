"""``hedgerow engines``, and ``--engine`` wherever rules are read."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import ruleset
from tests.cli.samples import FLAT, complaint, expected, facts, flat_events, quietly, read, rules_table, run, written


def test_engines_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """A line each, or as JSON."""
    assert run("engines") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [about.name for about in hr.engines()]
    assert run("engines", "--json") == 0
    told = cast("list[dict[str, object]]", facts(capsys)["engines"])
    assert {about["name"] for about in told if about["relations"]} == {"betree", "scan"}


def test_rules_are_built_and_matched_with_the_engine_that_is_named(tmp_path: Path) -> None:
    """The same rows, whichever it is."""
    rules = written(tmp_path / "rules.parquet", rules_table(pa.int32()))
    events = written(tmp_path / "events.parquet", flat_events())
    quietly("build", "--rules", rules, "--out", tmp_path / "rules", "--engine", "kindex")
    assert ruleset.open_rules(tmp_path / "rules").manifest.engine == "kindex"
    for words in (("--rules", tmp_path / "rules"), ("--rules", rules, "--engine", "betree")):
        quietly("match", *words, "--events", events, "--out", tmp_path / "found.jsonl")
        assert read(tmp_path / "found.jsonl") == expected(FLAT)


def test_an_engine_that_was_decided_before_cannot_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a rule set; nor one that there is not."""
    rules = written(tmp_path / "rules.parquet", rules_table())
    quietly("build", "--rules", rules, "--out", tmp_path / "rules")
    assert run("stats", "--rules", tmp_path / "rules", "--engine", "scan") == 2
    assert "--engine is for a rule file" in complaint(capsys)
    assert run("stats", "--rules", rules, "--engine", "oak") == 2
    assert "oak" in complaint(capsys)

"""Rule sets of any engine: built, changed and compacted with it, whatever it refuses told of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow import ruleset
from hedgerow.ruleset.changes import compact
from hedgerow.ruleset.manifest import Manifest, _digest
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.versions import current

RULES = {number: f"a > {number} AND b IN ({number % 3}, 7)" for number in range(40)}
EVENT = {"a": 30, "b": 7}
TOO_LARGE = " AND ".join(f"(x{number} = 1 OR y{number} = 1)" for number in range(20))


@pytest.mark.parametrize("engine", [about.name for about in hr.engines()])
def test_all_of_a_rule_set_is_of_its_engine(engine: str, tmp_path: Path) -> None:
    """Its shards, those of changes, and those that are built anew."""
    ruleset.build(RULES, tmp_path, engine=engine, shards=2, progress=False)
    ruleset.apply_changes(tmp_path, [("insert", 100, "a = 30"), ("update", 3, "a = 3"), ("delete", 4)])
    expected = sorted({*range(30), 100} - {3, 4})
    assert sorted(ruleset.open_rules(tmp_path).match(EVENT)) == expected
    for _ in range(2):
        opened = ruleset.open_rules(tmp_path)
        assert {index.engine for _, index in opened.stats() for index in [index]} == {engine}
        assert opened.manifest.engine == engine
        assert sorted(opened.match(EVENT)) == expected
        compact(tmp_path)


def test_what_an_engine_refuses_is_a_bad_rule(tmp_path: Path) -> None:
    """In a build and among changes; another engine takes it."""
    report = ruleset.build({1: TOO_LARGE, 2: "a = 1"}, tmp_path / "betree", engine="betree", progress=False)
    assert report.rules == 1
    assert [(bad["id"], bad["error"][:10]) for bad in report.rejected.to_pylist()] == [(1, "LimitError")]
    changed = ruleset.apply_changes(tmp_path / "betree", [("insert", 3, TOO_LARGE), ("insert", 4, "a = 1")])
    assert [bad["id"] for bad in changed.rejected.to_pylist()] == [3]
    assert ruleset.open_rules(tmp_path / "betree").match({"a": 1}) == [2, 4]
    assert ruleset.build({1: TOO_LARGE}, tmp_path / "atree", progress=False).rules == 1


def test_an_unknown_engine_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    """By name, with those that there are."""
    for wrong in ("oak", 7):
        with pytest.raises(hr.KindError):
            ruleset.build(RULES, tmp_path / "rules", engine=wrong, progress=False)  # type: ignore[arg-type]
    assert not (tmp_path / "rules").exists()


def test_rule_sets_that_say_no_engine_are_of_the_a_tree(tmp_path: Path) -> None:
    """As those of an older hedgerow."""
    ruleset.build(RULES, tmp_path, progress=False)
    content = json.loads(current(Place(str(tmp_path))).to_json())
    del content["digest"], content["engine"]
    content["format"] = 1
    old = Manifest.from_json(json.dumps({**content, "digest": _digest(content)}).encode())
    assert (old.engine, old.expressions) == ("atree", len(RULES))


def test_engines_are_told_of() -> None:
    """Each with a line; and what it can do is what it does."""
    told = {about.name: about for about in hr.engines()}
    assert list(told) == sorted(told)
    assert told["atree"].form == "any"
    assert all(about.line and about.paper and about.dynamic for about in told.values())
    for name, about in told.items():
        index = hr.Index(name)
        if about.form == "DNF":
            with pytest.raises(hr.LimitError):
                index.insert(1, TOO_LARGE)
        else:
            index.insert(1, TOO_LARGE)
        if about.relations:
            assert index.match({}, relation="exact") == []

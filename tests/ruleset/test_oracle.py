"""A rule set matches as the oracle says, however it is sharded and whatever was changed."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow import ruleset, testing
from hedgerow.errors import UnknownId
from hedgerow.ruleset import changes as changes_module

Model: TypeAlias = dict[Any, tuple[hr.Expression, float]]
OPERATIONS = ("insert", "update", "upsert", "delete")
WEIGHTS = st.sampled_from([0.0, 0.0, 1.0, -2.5])
INTEGERS = (-(2**63), -1, 0, 1, 2, 300, 2**63 - 1)
STRINGS = ("", "a", "b", "Z", "é", "日本", "a b")
SLOW = settings(max_examples=25, suppress_health_check=list(HealthCheck))


def rules_of(ids: tuple[Any, ...]) -> st.SearchStrategy[list[tuple[Any, hr.Expression, float]]]:
    """Return rules with different ids, some of which always match."""
    expression = st.one_of(testing.expressions(5), st.just(hr.parse("true")))
    return st.lists(st.tuples(st.sampled_from(ids), expression, WEIGHTS), max_size=7, unique_by=lambda rule: rule[0])


def changes_of(ids: tuple[Any, ...]) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    """Return changes that often meet, bad ones among them."""
    expression = st.one_of(testing.expressions(4), st.just(hr.parse("true")), st.just("a = = 1"), st.none())
    good = st.tuples(st.sampled_from(OPERATIONS), st.sampled_from(ids), expression, WEIGHTS)
    bad = st.sampled_from(
        [("replace", ids[0], "a"), ("insert", None, "a"), ("delete", 2.5), ("insert", ids[1], 7), ("x",)]
    )
    return st.lists(st.one_of(good, good, good, bad), max_size=8)


def applied(model: Model, change: tuple[Any, ...]) -> bool:
    """Make a change in the model; return whether it makes sense."""
    op, id, expression, weight = [*change, None, None, None][:4]
    if op not in OPERATIONS or not isinstance(id, (int, str)):
        return False
    if (op == "insert" and id in model) or (op in {"update", "delete"} and id not in model):
        return False
    if op == "delete":
        del model[id]
    elif not isinstance(expression, hr.Expression):
        return False
    else:
        model[id] = (expression, weight or 0.0)
    return True


def check(rules: ruleset.RuleSet, model: Model, events: list[dict[str, Any]], missing: str) -> None:
    """Compare all that a rule set can be asked with the model."""
    assert len(rules) == len(model)
    assert all((id in rules) == (id in model) for id in (*INTEGERS, *STRINGS))
    assert not any(id in rules for id in (None, 2.5, True, 2**70, "\ud800"))
    found = rules.match_batch(events)
    assert found.schema == pa.schema({"event": pa.int32(), "id": rules.id_type})
    pairs = list(zip(*found.to_pydict().values(), strict=True))
    truth = [
        (row, id)
        for row, event in enumerate(events)
        for id, (expression, _) in model.items()
        if hr.evaluate(expression, event, missing) is True
    ]
    assert [row for row, _ in pairs] == sorted(row for row, _ in pairs)
    assert sorted(pairs) == sorted(truth)
    check_rows(rules, model)
    for n in (0, 1, 2, 50):
        check_best(rules, model, events, missing, n)
    for event in events[:1]:
        assert sorted(rules.match(event)) == sorted(id for row, id in pairs if row == 0)
        check_explained(rules, model, event, missing)


def check_rows(rules: ruleset.RuleSet, model: Model) -> None:
    """Every rule comes back as it was given, by its id and among all."""
    rows = [row for table in rules.rows() for row in table.to_pylist()]
    assert {row["id"]: (hr.parse(row["expression"]), row["weight"]) for row in rows} == model
    assert len(rows) == len(model)
    assert all(rules.expression(id) == str(expression) for id, (expression, _) in model.items())


def check_best(rules: ruleset.RuleSet, model: Model, events: list[dict[str, Any]], missing: str, n: int) -> None:
    """Compare the best: of equal ones the smaller ids come first, whatever shard they are in."""
    found = rules.top_batch(events, n).to_pylist()
    for row, event in enumerate(events):
        scores = {id: hr.score(expression, event, None, missing) for id, (expression, _) in model.items()}
        worth = {id: score + model[id][1] for id, score in scores.items() if score is not None}
        best = sorted(worth, key=lambda id: (-round(worth[id], 9), id))[:n]
        mine = [one for one in found if one["event"] == row]
        assert [one["id"] for one in mine] == best
        assert all(math.isclose(one["score"], worth[one["id"]], abs_tol=1e-9) for one in mine)


def check_explained(rules: ruleset.RuleSet, model: Model, event: dict[str, Any], missing: str) -> None:
    """Compare explanations with the oracle's value; nobody explains what is not there."""
    for id in (*INTEGERS, *STRINGS):
        if id in model:
            value = hr.evaluate(model[id][0], event, missing) is True
            assert (rules.explain(id, event).value is True) == value
        else:
            for ask in (lambda: rules.explain(id, event), lambda: rules.expression(id)):  # noqa: B023 - called at once
                with pytest.raises(UnknownId):
                    ask()


@SLOW
@given(
    st.sampled_from([INTEGERS, STRINGS]),
    st.sampled_from(["unknown", "false"]),
    st.tuples(st.sampled_from(["size", "attribute"]), st.sampled_from([None, 1, 2, 3, 7])),
    st.lists(testing.events(), max_size=4),
    st.data(),
)
def test_a_rule_set_matches_as_the_oracle_says(
    ids: tuple[Any, ...],
    missing: str,
    spread: tuple[str, int | None],
    events: list[dict[str, Any]],
    data: st.DataObject,
) -> None:
    """After a build, after every call with changes, good and bad, and after compaction."""
    partition, shards = spread
    rows = data.draw(rules_of(ids))
    model: Model = {id: (expression, weight) for id, expression, weight in rows}
    with tempfile.TemporaryDirectory() as folder:
        table = pa.table(
            {
                "id": pa.array([row[0] for row in rows], pa.string() if ids is STRINGS else pa.int64()),
                "expression": pa.array([str(row[1]) for row in rows], pa.string()),
                "weight": pa.array([row[2] for row in rows], pa.float64()),
            }
        )
        report = ruleset.build(table, folder, missing=missing, partition=partition, shards=shards)
        assert (report.rules, report.rejected.num_rows) == (len(rows), 0)
        check(ruleset.open_rules(folder), model, events, missing)
        for turn in range(data.draw(st.integers(0, 3))):
            given_changes = data.draw(changes_of(ids))
            good = sum(applied(model, change) for change in given_changes)
            changed = ruleset.apply_changes(folder, given_changes)
            assert (changed.applied, changed.rejected.num_rows) == (good, len(given_changes) - good)
            assert changed.rules == len(model)
            if turn == 1:
                ruleset.compact(folder)
            check(ruleset.open_rules(folder), model, events, missing)
        before = ruleset.open_rules(folder)
        ruleset.compact(folder)
        after = ruleset.open_rules(folder)
        assert after.version == before.version + 1
        assert not after.manifest.changes
        assert not any(shard.hidden for shard in after.manifest.shards)
        for rules in (before, after):
            check(rules, model, events, missing)


def test_changes_compact_when_there_are_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When what changed is more than a part of all, the same call builds all anew; what matches stays."""
    monkeypatch.setattr(changes_module, "_FEW", 3)
    ruleset.build([(number, f"a = {number}") for number in range(40)], tmp_path, partition="attribute")
    report = ruleset.apply_changes(tmp_path, [("update", number, "a = 1") for number in range(2)])
    assert not report.compacted
    assert ruleset.open_rules(tmp_path).manifest.changes
    report = ruleset.apply_changes(tmp_path, [("delete", 7), ("upsert", 50, "a = 1")])
    assert (report.compacted, report.version, report.rules) == (True, 4, 40)
    rules = ruleset.open_rules(tmp_path)
    assert not rules.manifest.changes
    assert rules.match({"a": 1}) == [0, 1, 50]
    assert ruleset.open_rules(tmp_path, 3).match({"a": 1}) == ruleset.open_rules(tmp_path).match({"a": 1})
    kept = ruleset.apply_changes(tmp_path, [("delete", number) for number in range(9)], compacting=False)
    assert not kept.compacted


def test_hidden_rules_do_not_crowd_out_the_best(tmp_path: Path) -> None:
    """However many better ones are hidden, the best of the others come."""
    ruleset.build([(number, "true", float(1000 - number)) for number in range(1000)], tmp_path)
    ruleset.apply_changes(tmp_path, [("delete", number) for number in range(990)] + [("insert", 5, "true", 7.5)])
    rules = ruleset.open_rules(tmp_path)
    assert rules.top_batch([{}, {}], 4).to_pydict() == {
        "event": [0, 0, 0, 0, 1, 1, 1, 1],
        "id": [990, 991, 992, 5, 990, 991, 992, 5],
        "score": [10.0, 9.0, 8.0, 7.5] * 2,
    }


def test_of_equal_ones_the_smaller_ids_are_best_whatever_the_shards(tmp_path: Path) -> None:
    """Ties do not depend on the order of rows, on the number of shards, or on what was changed."""
    ids = [f"r{number:03}" for number in range(60)]
    for shards in (1, 2, 9):
        folder = tmp_path / str(shards)
        ruleset.build([(id, "true") for id in reversed(ids)], folder, shards=shards)
        ruleset.apply_changes(folder, [("update", "r001", "true"), ("delete", "r003"), ("insert", "q", "true")])
        assert ruleset.open_rules(folder).top_batch([{}], 5)["id"].to_pylist() == ["q", "r000", "r001", "r002", "r004"]


def test_events_are_kept_away_from_shards_that_cannot_match_them(tmp_path: Path) -> None:
    """By attribute, an event is looked up only where it has a pivot; the counts say so."""
    texts = [f"{name} = {number}" for name in ("a", "b", "c") for number in range(10)]
    for partition in ("attribute", "size"):
        folder = tmp_path / partition
        ruleset.build(enumerate(texts), folder, shards=3, partition=partition)
        rules = ruleset.open_rules(folder)
        counts = ruleset.Counts()
        found = rules.match_batch([{"a": 3}, {"b": 4}, {"z": 1}], counts=counts)
        assert found.to_pydict() == {"event": [0, 1], "id": [3, 14]}
        assert (counts.events, counts.matches) == (3, 2)
        assert counts.looked_up == (2 if partition == "attribute" else 9)

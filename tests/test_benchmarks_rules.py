"""The benchmark of rules as people write them: its figures, its floors, and that wrong results stop it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import hedgerow as hr
from benchmarks import _rules, _rules_floors, _rules_learning, _rules_verified, rules
from benchmarks._common import Floor, arguments_of
from hedgerow.index.engine import engine_names
from hedgerow.workload.rules import WORKLOADS

TINY = ["--expressions", "120", "--events", "3", "--seen", "2", "--sample", "30", "--turns", "1", "--builds", "1"]


def printed(capsys: pytest.CaptureFixture[str], *given: str) -> list[str]:
    """Return the lines that a run prints."""
    rules.main([*TINY, *given])
    return capsys.readouterr().out.splitlines()


def subjects_of(name: str, *engines: str) -> list[_rules.Subject]:
    """Return engines that hold a few rules of a workload, and have been measured."""
    given = _rules.made(WORKLOADS[name], 120, 3, 2)
    subjects, refusals = _rules.built_by_turns(engines, given, 2)
    assert not refusals
    _rules.search(subjects, 2)
    return subjects


@pytest.mark.parametrize("name", [name for name, one in WORKLOADS.items() if one.size in {5000, 100_000, 1_000_000}])
def test_every_workload_is_measured_and_verified(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each engine has a row, and each but the one before has its ratios."""
    lines = printed(capsys, "--only", name, "--engines", "scan,atree")
    assert lines[1].startswith("machine: L3 cache ")
    assert any(re.match(rf"{name}: 120 rules, missing='\w+', [\d.]+ matches an event", line) for line in lines)
    assert [line.split()[0] for line in lines if re.match(r"  (scan|atree) +[\d.]+ +[\d,]+ ", line)] == [
        "scan",
        "atree",
    ]
    ratios = [line for line in lines if re.search(r"  scan: .* by .*, ratio [\d.]+$", line)]
    assert len(ratios) == len(_rules_floors.FIGURES)
    assert lines[-1].startswith("verified: ")


def test_an_engine_that_is_not_there_is_told_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run goes on with the others, and the one before is always among them."""
    monkeypatch.setattr(rules, "engine_names", lambda: ["atree", "scan"])
    lines = printed(capsys, "--only", "logs-5k")
    assert lines[2] == "there is no engine 'hedge' in this build: it is left out"
    assert list(rules.engines_of(["scan", "hedge", "scan"])) == ["scan", "atree"]
    assert list(rules.engines_of(["atree", "scan"])) == ["atree", "scan"]
    assert not any("ratio" in line for line in lines)
    assert {"atree", "scan"} <= set(engine_names())


def test_a_way_that_an_engine_does_not_have_is_told_of(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its figures and floors are not measured, and the other ways are."""

    def unsupported(*_: object, **__: object) -> None:
        raise hr.Unsupported("there is no ranking")

    monkeypatch.setattr(hr.Index, "top", unsupported)
    monkeypatch.delattr(hr.Index, "count_batch")
    lines = printed(capsys, "--only", "ranges-100k", "--engines", "scan", "--floors")
    assert "  scan has no top: there is no ranking" in lines
    assert any(line.startswith("  atree has no count_batch: ") for line in lines)
    assert any(re.match(r"  scan: count_batch by match_batch +not measured$", line) for line in lines)
    assert any(
        re.match(r"  scan: match_batch by match .* ratio [\d.]+ +at most 1.1 +(ok|MISSED)$", line) for line in lines
    )


def test_an_engine_that_refuses_a_rule_is_left_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before or after the first build; an error that is no limit is a bug."""
    whole = _rules.built

    def refused(engine: str, given: _rules.Given, those: Sequence[pa.RecordBatch]) -> tuple[hr.Index, float]:
        if engine == "scan":
            raise _rules.Refused("refuses rule 3: too large")
        return whole(engine, given, those)

    monkeypatch.setattr(_rules, "built", refused)
    lines = printed(capsys, "--only", "trees-100k", "--engines", "scan")
    assert "  scan is left out: it refuses rule 3: too large" in lines
    monkeypatch.undo()
    given = _rules.made(WORKLOADS["logs-5k"], 3, 1, 0)
    bad = pa.record_batch({"id": [0], "expression": ["a = "], "weight": [0.0]})
    with pytest.raises(AssertionError, match="scan: rule 0: "):
        _rules.built("scan", given, [bad])


def test_an_index_reads_what_is_missing_as_the_workload_does() -> None:
    """Detection rules would not match otherwise."""
    assert [one.index.missing for one in subjects_of("logs-5k", "scan")] == ["false"]
    assert [one.index.missing for one in subjects_of("trees-100k", "scan")] == ["unknown"]


def test_a_ratio_is_the_median_of_what_the_turns_say() -> None:
    """What slows one turn slows both of its times."""
    assert _rules.ratio([1.0, 20.0, 3.0], [2.0, 40.0, 3.0]) == 0.5
    assert _rules.ratio([1.0], None) is None
    assert list(_rules.in_turn("ab", 0)) == ["a", "b"]
    assert list(_rules.in_turn("ab", 1)) == ["b", "a"]


def test_events_to_learn_from_are_others_than_those_that_measure() -> None:
    """An engine that learned the very events would be measured on what it knows."""
    given = _rules.made(WORKLOADS["targeting-100k"], 10, 5, 5)
    assert not [event for event in given.events if event in given.lessons]
    assert given.size == 10


def test_floors_are_those_of_the_workload_or_of_all() -> None:
    """A workload that asks for more of a figure overrides what is asked everywhere."""
    assert _rules_floors.floor_of("targeting-100k", "match") == Floor(0.08)
    assert _rules_floors.floor_of("targeting-100k", "memory") == Floor(1.0)
    assert _rules_floors.floor_of("logs-5k", "match_batch by match") == Floor(0.5)
    assert _rules_floors.floor_of("trees-100k", "match_batch by match") == Floor(1.1)
    assert _rules_floors.floor_of("exchange-20k", "match") is None
    assert set(_rules_floors.FLOORS) <= set(WORKLOADS)
    asked = {figure for floors in _rules_floors.FLOORS.values() for figure in floors} | set(_rules_floors.EVERYWHERE)
    assert asked <= set(_rules_floors.FIGURES)


def test_figures_are_judged_beside_the_engine_before() -> None:
    """By their ratios, each turn for itself; without that engine nothing is judged."""
    before, one = subjects_of("exchange-100k", "atree", "scan")
    assert [[pair.engine for pair in pairs] for pairs in _rules_floors.judged([one, before])] == [["scan", "atree"]]
    assert not list(_rules_floors.judged([one]))
    before.times = {way: [2.0, 2.0] for way in _rules.WAYS}
    one.times = {"match": [0.4, 0.4], "match_batch": [0.5, 0.6], "count_batch": [0.6, 0.7], "top": [0.2, 0.2]}
    judgement = {
        re.split(r" +[\d.,]+ ", line.split(": ")[1])[0]: line.split()[-1]
        for line in _rules_floors.compared(one, before, floors=True)
    }
    assert judgement["match"] == "ok"
    assert judgement["match_batch"] == "MISSED"
    assert judgement["match_batch by match"] == "MISSED"
    assert judgement["count_batch by match_batch"] == "MISSED"
    assert judgement["top by match"] == "ok"
    assert judgement["top"] == "0.100"


def test_the_time_of_a_match_is_compared_between_two_sizes() -> None:
    """Only if both were measured, and something matched."""
    times = {"exchange-20k": {"hedge": 0.2, "atree": 0.1}, "exchange-500k": {"hedge": 0.25, "atree": 0.3}}
    assert list(_rules_floors.growth("hedge", times, floors=True))[1].endswith("ratio 1.250   at most 1.5       ok")
    assert list(_rules_floors.growth("atree", times, floors=True))[1].endswith("ratio 3.000   at most 1.5       MISSED")
    assert not list(_rules_floors.growth("scan", times, floors=True))
    assert not list(_rules_floors.growth("hedge", {"exchange-20k": {"hedge": 0.2}}, floors=True))


def test_sizes_that_are_given_are_no_growth(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two would be of one size; and floors are told to be asked of another."""
    sizes = {name: replace(WORKLOADS[name], size=60 + len(name)) for name in _rules_floors.GROWTH}
    monkeypatch.setattr(rules, "WORKLOADS", sizes)
    given = ["--only", ",".join(sizes), "--engines", "atree", "--floors"]
    assert not any(line.startswith("exchange-500k by") for line in printed(capsys, *given))
    rules.main([*TINY, *given, "--expressions", "70"])
    assert "  floors are asked of 72 rules, these are 70:" in capsys.readouterr().out
    monkeypatch.setattr(rules, "arguments_of", own_sizes)
    assert any(line.startswith("exchange-500k by exchange-20k:") for line in printed(capsys, *given))


def own_sizes(*args: Any, **words: Any) -> Any:
    """Return arguments as they are without ``--expressions``."""
    options = arguments_of(*args, **words)
    options.expressions = 0
    return options


def test_learning_tells_the_share_of_the_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what there is to gain beside the engine before: that all are slow at first is no learning."""
    given = _rules.made(WORKLOADS["exchange-20k"], 30, 2, 4)
    before = [20.0, 10.0, 10.0, 10.0, 10.0, 10.0]
    curves = {
        "hedge": curve([20.0, 8.0, 5.0, 3.0, 2.5, 2.0], 70),
        "slow": curve([40.0, 20.0, 20.0, 20.0, 20.0, 20.0], None),
        "atree": curve(before, 90),
    }
    monkeypatch.setattr(_rules_learning, "measured", lambda *_: curves)
    lines = list(_rules_learning.learned(list(curves), given, 1, floors=True))
    assert re.match(r"  atree: match after 0 +90 visits, 20.0 us$", lines[0])
    assert any(re.match(r"  hedge: match after 50 +70 visits, 8.0 us, ratio 0.800$", line) for line in lines)
    assert any(re.match(r"  hedge: gain after 200 +62% +at least 0.5 +ok$", line) for line in lines)
    assert any(re.match(r"  hedge: gain after 2,000 +94% +at least 0.9 +ok$", line) for line in lines)
    assert any(re.match(r"  slow: match after 50 +20.0 us, ratio 2.000$", line) for line in lines)
    assert re.match(r"  slow: gain +none beside atree: 2.000 to 2.000$", lines[-1])


def curve(times: Sequence[float], visits: int | None) -> _rules_learning.Curve:
    """Return a curve of these times."""
    points = [_rules_learning.Point(microseconds, visits) for microseconds in times]
    return dict(zip(_rules_learning.SEEN, points, strict=True))


def test_learning_is_measured_in_indexes_of_their_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the workload that is asked for, after so many events."""
    monkeypatch.setattr(_rules_learning, "SEEN", (0, 2, 4))
    monkeypatch.setattr(_rules_learning, "HALF", 2)
    monkeypatch.setattr(_rules_learning, "ALL", 4)
    monkeypatch.setattr(rules, "SEEN", (0, 4))
    lines = printed(capsys, "--learning", "--only", "exchange-20k", "--engines", "scan", "--floors")
    assert "exchange-20k: 120 rules, 3 events after those seen" in lines
    for engine in ("atree", "scan"):
        assert len([line for line in lines if line.startswith(f"  {engine}: match after")]) == 3
    assert lines[-1].startswith("  scan: gain")


def test_a_wrong_result_stops_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way, each engine and the best matches are compared."""
    subjects = subjects_of("exchange-20k", "atree", "scan")
    hits, outcomes = _rules_verified.verified(subjects, 120)
    assert (hits, outcomes) == (2 * sum(len(subjects[0].index.match(e)) for e in subjects[0].given.events), 2 * 3 * 120)
    for name, result, said in (
        ("count_batch", lambda *_: pa.array([99] * 3), "atree: count_batch finds others"),
        ("match_batch", lambda *_: pa.table({"event": [0], "id": [0]}), "atree: match_batch finds others"),
        ("top", lambda *_: [], "atree: top finds others"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(hr.Index, name, result)
            with pytest.raises(AssertionError, match=said):
                _rules_verified.verified(subjects, 10)
    for name, wrong, said in (
        ("evaluate", True, "atree differs from the oracle"),
        ("score", 99.5, "atree: top finds others"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(hr, name, lambda *_, result=wrong, **__: result)
            with pytest.raises(AssertionError, match=said):
                _rules_verified.verified(subjects, 120)
    event = next(event for event in subjects[1].given.events if subjects[1].index.match(event))
    subjects[1].index.delete(subjects[1].index.match(event)[0])
    with pytest.raises(AssertionError, match="scan differs from"):
        _rules_verified.verified(subjects, 1)


def test_an_unknown_workload_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Names between commas are names that there are."""
    with pytest.raises(SystemExit):
        rules.main(["--only", "logs-5k,oak"])
    assert "--only: 'oak' is none of exchange-20k, " in capsys.readouterr().err

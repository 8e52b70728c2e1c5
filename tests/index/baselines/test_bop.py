"""BoP: the byte code of the paper's example, what is run, and what is skipped."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow import limits
from hedgerow.index.baselines.bop_cy import BoPEngine
from tests.index.labels.test_trees import random_tree

EXAMPLE = "(p1 = 1 OR p2 = 1 OR p3 = 1) AND p4 = 1 AND (p5 = 1 OR p6 = 1)"


@pytest.fixture
def index() -> hr.Index:
    """Return an empty index of byte code."""
    return hr.Index("bop")


def code_of(index: hr.Index, unit: int = 0) -> tuple[list[int | str], int]:
    """Return the byte code of a unit, and how many of its literals must hold for it to be run."""
    engine = index._state.engine
    assert isinstance(engine, BoPEngine)
    return engine.byte_code(unit), engine.least(unit)


def holding(*numbers: int) -> dict[str, int]:
    """Return an event for which these literals of the example hold."""
    return {f"p{number}": 1 for number in numbers}


def test_the_example_of_the_paper_is_encoded_as_there(index: hr.Index) -> None:
    """But for the order of operands, by which literals come before what is made of them."""
    index.insert("r", EXAMPLE)
    p1, p2, p3, p4, p5, p6 = (f"p{number} = 1" for number in range(1, 7))
    assert code_of(index) == ([1, 3, 4, p4, 2, 3, 4, p1, 4, p2, 4, p3, 2, 2, 4, p5, 4, p6], 3)


def test_enough_literals_make_a_candidate_and_not_yet_a_match(index: hr.Index) -> None:
    """An entry of a list is a visit, and so is a part of the code that is run."""
    index.insert("r", EXAMPLE)
    assert index.match(holding(1, 4)) == []
    assert index.visits == 2
    assert index.match(holding(1, 2, 3)) == []
    assert index.visits == 3 + 2
    assert index.match(holding(1, 4, 6)) == ["r"]
    assert index.visits == 3 + 7
    assert index.match(holding(3, 4, 5)) == ["r"]
    assert index.visits == 3 + 8


def test_code_is_run_to_what_decides_it_and_the_rest_is_passed_over(index: hr.Index) -> None:
    """An OR that holds has a hundred operands more, each an AND."""
    either = " OR ".join(f"(a = {number} AND b = {number})" for number in range(100))
    index.insert("r", f"c = 1 AND ({either}) AND (d = 1 OR e = 1 AND f = 1)")
    assert index.match({"a": 0, "b": 0, "c": 1, "d": 1}) == ["r"]
    assert index.visits == 4 + 2 + 4 + 2
    assert code_of(index)[1] == 1 + 2 + 1


def test_a_literal_that_stands_in_two_places_counts_twice(index: hr.Index) -> None:
    """Each of two parts is true by it, and it alone makes the whole true."""
    index.insert("r", "(a = 1 AND b = 1 OR c = 1) AND (a = 1 AND d = 1 OR c = 1)")
    assert index.match({"c": 1}) == ["r"]
    assert index.match({"a": 1, "b": 1, "d": 1}) == ["r"]
    assert index.match({"a": 1, "b": 1}) == []


def test_what_needs_nothing_is_always_run(index: hr.Index) -> None:
    """A weak negation adds nothing to the least number; what stands beside it in an AND does."""
    index.insert("always", "a WEAK NOT IN (1) OR b = 1")
    index.insert("needs", "a WEAK NOT IN (1) AND b = 1")
    index.insert("true", "TRUE")
    index.insert("false", "FALSE")
    assert [code_of(index, unit)[1] for unit in range(3)] == [1, 1, 1]
    assert code_of(index, 2)[0] == []
    assert index.match({}) == ["always", "true"]
    assert index.visits == 2 + 2
    assert index.match({"a": 1, "b": 1}) == ["always", "true"]
    assert index.match({"b": 1}) == ["always", "needs", "true"]


def test_a_strong_negation_counts_when_its_attribute_is_there(index: hr.Index) -> None:
    """It is a NOT in the code, and both of one attribute count."""
    index.insert("r", "state != 'NY' AND state NOT LIKE 'T%'")
    code, least = code_of(index)
    assert (code[:3], least) == ([1, 2, 3], 2)
    assert index.match({"other": 1}) == []
    assert index.visits == 0
    assert index.match({"state": "OH"}) == ["r"]
    assert [index.match({"state": state}) for state in ("NY", "TX", 5)] == [[], [], []]


def test_parts_that_expressions_share_are_run_for_each(index: hr.Index) -> None:
    """That is a limitation which the paper names."""
    index.insert_many((number, f"(a = 1 OR b = 1) AND c != {number}") for number in range(10))
    assert index.match({"a": 1, "c": 3}) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert index.visits is not None
    assert index.visits >= 10 + 10 + 9 * 4


@pytest.mark.parametrize("missing", ("unknown", "false"))
@pytest.mark.parametrize("seed", range(4))
def test_deep_trees_are_run_without_recursion(missing: str, seed: int) -> None:
    """They are what `scan` says they are."""
    index, scan = hr.Index("bop", missing=missing), hr.Index("scan", missing=missing)
    rules = [(number, random_tree(10 * seed + number, 300)) for number in range(10)]
    for other in (index, scan):
        other.insert_many(rules)
    chosen = random.Random(seed)
    names = "abcdefgh"
    events = [{name: chosen.randrange(4) for name in names if chosen.random() < 0.7} for _ in range(30)]
    assert [index.match(event) for event in events] == [scan.match(event) for event in events]


def test_code_may_have_ten_thousands_of_levels(index: hr.Index) -> None:
    """Each is opened before the first leaf is known."""
    text = "leaf = 1"
    for level in range(20_000):
        text = f"(both{level % 7} = {level} {'AND' if level % 2 else 'OR'} {text})"
    index.insert("r", text)
    assert index.match({"leaf": 1}) == []
    assert index.match({"both6": 19_998}) == []
    assert index.match({"both6": 19_998, "both0": 19_999}) == ["r"]


def test_wide_code_is_counted_and_run(index: hr.Index) -> None:
    """All of so many operands must hold, or one."""
    everything = list(range(50_000))
    index.insert("all", " AND ".join(f"x ANY OF ({number})" for number in everything))
    index.insert("one", " OR ".join(f"(x ANY OF ({number}) AND y = {number})" for number in everything))
    assert index.match({"x": everything}) == ["all"]
    assert index.match({"x": everything[1:]}) == []
    assert index.match({"x": [7, 49_999], "y": 49_999}) == ["one"]


def test_a_chain_of_exclusive_or_is_written_out(index: hr.Index) -> None:
    """It has as many leaves as a tree as its operands squared, at most."""
    index.insert("r", " XOR ".join(f"a{number} = 1" for number in range(60)))
    event = {f"a{number}": number % 2 for number in range(60)}
    assert index.match(event | {"a0": 1}) == ["r"]
    assert index.match(event) == []


def test_code_that_would_be_too_long_is_refused_before_it_is_made(index: hr.Index) -> None:
    """Shared parts are written out in each place, so a chain of some thousands is too long; `atree` takes it."""
    text = " XOR ".join(f"a{number} = 1" for number in range(3_000))
    with pytest.raises(hr.LimitError, match=rf"{limits.MAX_LABELS:,} literals.*'atree'"):
        index.insert("r", text)
    assert len(index) == 0
    index.insert("r", "a0 = 1")
    assert index.match({"a0": 1}) == ["r"]


def test_a_file_has_the_code(index: hr.Index, tmp_path: Path) -> None:
    """What was saved is run as before, and takes further expressions."""
    index.insert("r", EXAMPLE)
    index.save(tmp_path / "rules")
    again = hr.open(tmp_path / "rules", mode="r+")
    assert code_of(again) == code_of(index)
    again.insert("s", "p4 = 1 AND (p5 = 1 OR p6 = 1)")
    assert again.match(holding(3, 4, 6)) == ["r", "s"]

"""Trees of all forms: deep, wide, random and too large."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow import limits
from tests.index.labels.engines import ENGINES, LEAVES, engine_of, labelled

_TESTS = ("{} = {}", "{} != {}", "{} < {}", "{} IN ({}, 3)", "{} WEAK NOT IN ({})", "NOT {} = {}", "{} IS NULL")


def random_tree(seed: int, depth: int) -> str:
    """Return an expression with a way down of this depth, and others beside it on each level."""
    chosen = random.Random(seed)
    text = leaf(chosen)
    for level in range(depth):
        beside = [bush(chosen, chosen.randrange(3)) for _ in range(chosen.choice((0, 1, 1, 2)))]
        operands = [text, *beside]
        chosen.shuffle(operands)
        text = "(" + (" AND " if level % 2 else " OR ").join(operands) + ")"
    return text


def bush(chosen: random.Random, depth: int) -> str:
    """Return a small tree."""
    if depth == 0:
        return leaf(chosen)
    operands = [bush(chosen, depth - 1) for _ in range(chosen.choice((1, 2, 2, 3)))]
    return "(" + chosen.choice((" AND ", " OR ")).join(operands) + ")"


def leaf(chosen: random.Random) -> str:
    """Return a test."""
    return chosen.choice(_TESTS).format(chosen.choice("abcdefgh"), chosen.randrange(3))


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("engine", ENGINES)
@given(st.integers(0, 2**32), st.sampled_from(("unknown", "false")))
def test_random_trees_decide_as_the_oracle_does(engine: str, leaves: str, seed: int, missing: str) -> None:
    """Of depths up to 50, with leaves that hold often enough for both results."""
    chosen = random.Random(seed)
    texts = [random_tree(chosen.randrange(2**32), chosen.choice((1, 2, 3, 5, 8, 20, 50))) for _ in range(8)]
    index = labelled(engine, leaves, missing)
    for number, text in enumerate(texts):
        index.insert(number, text)
    engine_of(index).check()
    for _ in range(6):
        event = {name: chosen.randrange(4) for name in "abcdefgh" if chosen.random() < 0.8}
        truth = [number for number, text in enumerate(texts) if hr.evaluate(text, event, missing) is True]
        assert index.match(event) == truth


def nested(levels: int) -> hr.Expression:
    """Return AND in OR in AND ..., each with a literal beside what is below."""
    expression: hr.Expression = hr.attr("leaf") == 1
    either, both = hr.attr("either") == 1, hr.attr("both") == 1
    for level in range(levels):
        expression = hr.And(both, expression) if level % 2 else hr.Or(either, expression)
    return expression


@pytest.mark.parametrize("leaves", LEAVES)
def test_intervals_take_any_depth(leaves: str) -> None:
    """100,000 levels, whose labels are as large as all others; two words, since there are more than 65,535 leaves."""
    index = labelled("interval", leaves)
    index.insert("r", nested(100_000))
    assert [index.match(event) for event in ({"leaf": 1}, {"both": 1, "leaf": 1}, {"both": 1, "either": 1})] == [
        [],
        ["r"],
        ["r"],
    ]
    assert index.match({"both": 1}) == []
    assert index.stats().figures["words a label"] == "2.00"


def test_dewey_refuses_labels_that_would_fill_the_memory_and_names_who_takes_them() -> None:
    """A label is as long as its leaf is deep: of so many levels, half as many on average, for each leaf."""
    index = labelled("dewey")
    most = int((2 * limits.MAX_LABEL_LEVELS) ** 0.5) - 2
    with pytest.raises(hr.LimitError, match=r"33,554,432 levels.*'interval'.*'atree'"):
        index.insert("r", nested(most + 20))
    assert len(index) == 0
    index.insert("r", nested(most))
    assert index.match({"both": 1, "leaf": 1}) == ["r"]
    assert index.match({"both": 1}) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("count", (62, 63, 64, 65_535, 65_536, 70_000))
def test_wide_trees_have_wide_labels(engine: str, count: int) -> None:
    """On both sides of each border of their form: 63 bits, 16 bits."""
    index = labelled(engine)
    index.insert("all", " AND ".join(f"x ANY OF ({number})" for number in range(count)))
    index.insert("pairs", " OR ".join(f"(x ANY OF ({number}) AND y = {number})" for number in range(count // 2)))
    everything = list(range(count))
    assert index.match({"x": everything}) == ["all"]
    for without in (0, count // 2, count - 1):
        assert index.match({"x": everything[:without] + everything[without + 1 :]}) == []
    last = count // 2 - 1
    assert index.match({"x": [last - 1, last], "y": last}) == ["pairs"]
    assert index.match({"x": [last - 1], "y": last}) == []


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("count", (2, 3, 10, 100))
def test_a_chain_of_exclusive_or_has_a_leaf_for_each_pair(engine: str, leaves: str, count: int) -> None:
    """Its graph is shared and has few nodes; a tree has each part as often as it stands somewhere."""
    index = labelled(engine, leaves)
    index.insert("r", " XOR ".join(f"a{number} = 1" for number in range(count)))
    event = {f"a{number}": number % 2 for number in range(count)}
    odd = (count // 2) % 2 == 1
    assert index.match(event) == (["r"] if odd else [])
    assert index.match(event | {"a0": 1}) == ([] if odd else ["r"])
    assert index.match({name: value for name, value in event.items() if name != "a1"}) == []


def test_a_tree_has_a_limit_and_the_error_names_who_takes_it() -> None:
    """1,024 operands of XOR are just it, 1,025 are too many; nothing has changed."""
    index = hr.Index("interval")
    index.insert("r", " XOR ".join(f"a{number} = 1" for number in range(1024)))
    assert engine_of(index).figures()["labels"] == limits.MAX_LABELS // 2  # half of its literals stand in pairs
    event = {f"a{number}": 0 for number in range(1024)}
    assert index.match(event) == []
    assert index.match(event | {"a5": 1}) == ["r"]
    for engine in ENGINES:
        other = hr.Index(engine)
        with pytest.raises(hr.LimitError, match="1,048,576 literals; the engine 'atree'"):
            other.insert("s", " XOR ".join(f"a{number} = 1" for number in range(1025)))
        assert list(other) == []


def test_interval_looks_at_a_label_once_and_dewey_at_its_branches() -> None:
    """Each leaf that holds is an entry of a list, and then a label."""
    for engine, branches in (("interval", 1), ("dewey", 3)):
        index = labelled(engine)
        index.insert("r", "(a = 1 OR b = 1 AND c = 1) AND d = 1")
        assert index.match({"b": 1, "c": 1, "d": 1}) == ["r"]
        assert index.visits == 3 + 1 + 2 * branches
        assert index.match({"e": 1}) == []
        assert index.visits == 0


@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("engine", ENGINES)
def test_files_keep_labels_of_every_width(engine: str, leaves: str, tmp_path: Path) -> None:
    """And their options; more can be inserted into what was opened."""
    index = labelled(engine, leaves)
    texts = ["a = 1 OR b = 1 AND c != 1", " AND ".join(f"x ANY OF ({number})" for number in range(66_000)), "TRUE"]
    for number, text in enumerate(texts):
        index.insert(number, text)
    index.save(tmp_path / "labels")
    opened = hr.open(tmp_path / "labels", mode="r+")
    assert engine_of(opened).options == hr.LabelOptions(leaves=leaves)
    opened.insert(3, "b = 1 AND c != 1 AND (a = 2 OR d = 1)")
    engine_of(opened).check()
    assert opened.match({"b": 1, "c": 2, "d": 1, "x": list(range(66_000))}) == [0, 1, 2, 3]
    assert opened.match({"b": 1, "c": 1, "d": 1, "x": list(range(65_999))}) == [2]

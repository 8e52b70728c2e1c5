"""BDD: what is one function, how large diagrams are, and what is refused."""

from __future__ import annotations

import itertools
import random

import pytest

import hedgerow as hr
from hedgerow import limits


@pytest.fixture
def index() -> hr.Index:
    """Return an empty index of decision diagrams."""
    return hr.Index("bdd")


def _figures(index: hr.Index) -> tuple[int, int, int]:
    """Return how many variables, nodes beside the terminals, and functions there are."""
    figures = index.stats().figures
    assert figures is not None
    return int(figures["variables"]), int(figures["nodes"]) - 2, int(figures["functions"])


def _named(count: int, name: str = "a") -> list[str]:
    return [f"{name}{number} = 1" for number in range(count)]


@pytest.mark.parametrize(
    "texts",
    (
        ("a = 1", "a = 1 OR (a = 1 AND b = 1)", "a = 1 AND (a = 1 OR b = 1)"),
        ("a = 1 AND (b = 1 OR c = 1)", "(a = 1 AND b = 1) OR (a = 1 AND c = 1)"),
        ("NOT (a = 1 OR b = 1)", "a != 1 AND b != 1"),
        ("(a = 1 AND b = 1) OR c = 1", "(c = 1 OR b = 1) AND (a = 1 OR c = 1)"),
    ),
)
def test_equal_functions_are_one_node(index: hr.Index, texts: tuple[str, ...]) -> None:
    """However they are written: absorption, distribution, De Morgan."""
    scan = hr.Index("scan")
    for other in (index, scan):
        other.insert_many(enumerate(texts))
    assert _figures(index)[2] == 1
    for values in itertools.product((0, 1, None), repeat=3):
        event = dict(zip("abc", values, strict=True))
        assert index.match(event) == scan.match(event)


def test_a_literal_and_its_negation_are_two_variables(index: hr.Index) -> None:
    """One of them holds only where the attribute is there."""
    index.insert("either", "a = 1 OR NOT a = 1")
    assert _figures(index) == (2, 2, 1)
    assert index.match({}) == []
    assert index.match({"a": 1}) == index.match({"a": 2}) == ["either"]
    assert hr.Index("bdd", missing="false").count_batch([{}]).to_pylist() == [0]


def test_the_example_of_the_paper_has_a_node_for_each_literal(index: hr.Index) -> None:
    """Each is asked in one place."""
    index.insert("r", "(p1 = 1 OR p2 = 1 OR p3 = 1) AND p4 = 1 AND (p5 = 1 OR p6 = 1)")
    assert _figures(index) == (6, 6, 1)


def test_what_ends_alike_is_shared(index: hr.Index) -> None:
    """The OR is a part of both, and the second brings one node."""
    index.insert(0, "b = 1 OR c = 1")
    assert _figures(index)[1] == 2
    index.insert(1, "b = 1 OR c = 1 OR d = 1")
    before = _figures(index)[1]
    index.insert(2, "(b = 1 OR c = 1) OR d = 1")
    assert _figures(index)[1] == before


def test_what_was_made_on_the_way_does_not_stay(index: hr.Index) -> None:
    """Ten pairs are joined to one function, whose nodes are all that there is."""
    index.insert("r", " OR ".join(f"(x{number} = 1 AND y{number} = 1)" for number in range(10)))
    assert _figures(index) == (20, 20, 1)


def test_a_node_is_looked_at_once_an_event(index: hr.Index) -> None:
    """And where the way of an expression ends, at a terminal or a node that is known."""
    index.insert(0, "a = 1 AND b = 1")
    index.insert(1, "b = 1")
    index.insert(2, "b = 1 AND (a = 1 OR b = 1)")
    assert index.match({"b": 1}) == [1, 2]
    assert index.visits == 2 + 2 + 1
    assert index.match({"a": 1, "b": 1}) == [0, 1, 2]
    assert index.visits == 3 + 1 + 1
    assert index.match({}) == []
    assert index.visits == 2 + 2 + 1


def test_constants_are_terminals(index: hr.Index) -> None:
    """They have no node."""
    index.insert("true", "TRUE")
    index.insert("false", "FALSE")
    assert _figures(index)[:2] == (0, 0)
    assert index.match({}) == ["true"]


@pytest.mark.parametrize("inner_first", (True, False))
def test_a_deep_nest_takes_a_node_a_level(index: hr.Index, inner_first: bool) -> None:
    """The outer literals come first in the order, so joining takes a step or two a level."""
    depth = 20_000
    text = "z = 1"
    for level in range(depth):
        operator = "AND" if level % 2 else "OR"
        text = f"({text}) {operator} a{level} = 1" if inner_first else f"a{level} = 1 {operator} ({text})"
    index.insert("r", text)
    assert _figures(index) == (depth + 1, depth + 1, 1)
    assert index.match({f"a{depth - 1}": 1, f"a{depth - 2}": 1}) == ["r"]
    assert index.match({f"a{depth - 1}": 1}) == []


def test_a_chain_of_exclusive_or_grows_linearly() -> None:
    """Each operand brings its two literals side by side, and a few nodes."""
    sizes = []
    for count in (50, 100, 200):
        other = hr.Index("bdd")
        other.insert("r", " XOR ".join(_named(count)))
        sizes.append(_figures(other)[1])
        event = {f"a{number}": number % 2 for number in range(count)}
        assert other.match(event | {"a0": 1}) == ([] if count // 2 % 2 else ["r"])
        assert other.match(event) == (["r"] if count // 2 % 2 else [])
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
    assert sizes[2] <= 11 * 200


def test_a_bad_order_is_refused_and_leaves_nothing(index: hr.Index) -> None:
    """Where all of one kind come before all of another, what held must be remembered: two to the twentieth."""
    index.insert("first", " AND ".join(_named(24, "x")))
    index.insert("second", " AND ".join(_named(24, "y")))
    pairs = " OR ".join(f"(x{number} = 1 AND y{number} = 1)" for number in range(24))
    before = _figures(index)
    with pytest.raises(hr.LimitError, match="'atree'"):
        index.insert("pairs", pairs)
    assert _figures(index) == before
    index.insert("last", "x3 = 1 AND y4 = 1")
    assert index.match({"x3": 1, "y4": 1}) == ["last"]
    other = hr.Index("bdd")
    other.insert("pairs", pairs)
    assert _figures(other) == (48, 48, 1)


def test_as_many_steps_as_the_limit_are_taken(index: hr.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of literals is a step each."""
    monkeypatch.setattr(limits, "MAX_DIAGRAM_STEPS", 10)
    index.insert(10, " AND ".join(_named(10)))
    with pytest.raises(hr.LimitError, match="more than 10 steps"):
        index.insert(11, " AND ".join(_named(11)))
    assert _figures(index)[1:] == (10, 1)


def test_compacting_refuses_nothing(index: hr.Index) -> None:
    """An expression that was small in the order of others stays so when they are gone."""
    pairs = " OR ".join(f"(x{number} = 1 AND y{number} = 1)" for number in range(24))
    index.insert("good order", pairs)
    index.insert_many((f"gone {number}", f"z = {number}") for number in range(4095))
    index.insert_many((f"{name}s", " AND ".join(_named(24, name)), 1.0) for name in "xy")
    index.insert("true", "TRUE")
    index.insert("false", "FALSE")
    index.insert("pairs", f"({pairs}) AND w = 1")
    index.delete("good order")
    before = _figures(index)
    for number in range(4095):
        index.delete(f"gone {number}")
    after = _figures(index)
    assert after[0] == 49
    assert after[1] < before[1]
    everything = {f"{name}{number}": 1 for name in "xy" for number in range(24)}
    assert sorted(map(str, index.match(everything | {"w": 1}))) == ["pairs", "true", "xs", "ys"]
    assert sorted(map(str, index.match({"x3": 1, "y4": 1, "w": 1}))) == ["true"]


def _monotone(chance: random.Random, depth: int) -> str:
    """Return AND and OR over few literals, some of them negated."""
    if depth == 0 or chance.random() < 0.2:
        attribute = chance.choice("abcdefg")
        return chance.choice((f"{attribute} = 1", f"{attribute} != 1", f"{attribute} IS NULL", f"{attribute} > 1"))
    operator = chance.choice((" AND ", " OR "))
    return "(" + operator.join(_monotone(chance, depth - 1) for _ in range(chance.randrange(2, 4))) + ")"


@pytest.mark.parametrize("missing", ("unknown", "false"))
def test_random_functions_are_what_scan_finds(missing: str) -> None:
    """Many share most of their nodes, before and after half of them is gone."""
    chance = random.Random(11)
    index, scan = (hr.Index(engine, missing=missing) for engine in ("bdd", "scan"))
    rules = [(number, _monotone(chance, 4)) for number in range(400)]
    events = [
        {name: chance.choice((0, 1, 2, "1", [1, 2])) for name in "abcdefg" if chance.random() < 0.7} for _ in range(60)
    ]
    for other in (index, scan):
        other.insert_many(rules)
    assert [index.match(event) for event in events] == [scan.match(event) for event in events]
    for other in (index, scan):
        for number in range(0, 400, 2):
            other.delete(number)
    assert [index.match(event) for event in events] == [scan.match(event) for event in events]

"""The worked examples of the paper: Figures 1 to 10, with what they find, what they read and what they skip."""

from __future__ import annotations

from typing import Any

import pytest

import hedgerow as hr
from hedgerow.index.kindex.keyed_cy import KeyedEngine

CONJUNCTIONS = {
    1: "age = 3^0.1 AND state = 'NY'^4",
    2: "age = 3^0.1 AND gender = 'F'^0.3",
    3: "age = 3^0.2 AND gender = 'M'^0.5 AND state WEAK NOT IN ('CA')",
    4: "state = 'CA'^1.5 AND gender = 'M'^0.9",
    5: "age IN (3^0.1, 4^0.5)",
    6: "state WEAK NOT IN ('CA', 'NY')",
}
FOUND_BY_CONJUNCTIONS: tuple[tuple[dict[str, Any], list[int]], ...] = (
    ({"age": 3, "state": "CA", "gender": "M"}, [4, 5]),
    ({"age": 3, "state": "NY", "gender": "F"}, [1, 2, 5]),
    ({"age": 4}, [5, 6]),
    ({"age": 3, "gender": "M"}, [3, 5, 6]),
    ({"state": "NY"}, []),
    ({"state": "TX", "age": 9}, [6]),
    ({"gender": "F"}, [6]),
)
CNFS = {
    1: "(A = 1^0.1 OR B = 1^0.3) AND (C = 1^0.2 OR D = 1^2.1)",
    2: "(A = 1^0.3 OR C = 2^2.5) AND (B = 1^0.5 OR D = 1^2.5)",
    3: "(A = 1^0.3 OR B = 1^0.3) AND (C = 2^2.7 OR D = 1^1.7)",
    4: "(A = 1^0.1 OR B = 1^0.5) AND (A IN (1^0.1, 2^0.1) OR D = 1^1.9)",
    5: "(A = 1^0.1 OR B = 1^0.7) AND (C WEAK NOT IN (1, 2) OR D WEAK NOT IN (1) OR E = 1^3.9)",
    6: "A WEAK NOT IN (1) OR B = 1^0.1",
}
FOUND_BY_CNFS: tuple[tuple[dict[str, Any], list[int]], ...] = (
    ({"A": 1, "C": 2}, [3, 4, 5]),
    ({"A": 2, "B": 1}, [4, 5, 6]),
    ({"B": 1, "D": 1}, [1, 3, 4, 5, 6]),
    ({"D": 1}, [6]),
    ({}, [6]),
    ({"A": 1, "C": 1, "D": 1}, [1, 2, 3, 4]),
    ({"A": 1, "C": 1, "D": 1, "E": 1}, [1, 2, 3, 4, 5]),
)


def index_of(engine: str, expressions: dict[int, str]) -> hr.Index:
    """Return an index of these expressions."""
    index = hr.Index(engine)
    for number, text in expressions.items():
        index.insert(number, text)
    return index


def engine_of(index: hr.Index) -> KeyedEngine:
    """Return the engine behind an index."""
    engine = index._state.engine
    assert isinstance(engine, KeyedEngine)
    return engine


def lists_of(index: hr.Index) -> dict[int, list[list[int]]]:
    """Return the lists of each size, of units counted from 1, those that reject or deny as negative numbers."""
    found: dict[int, list[list[int]]] = {}
    shift = engine_of(index).postings.width
    for _key, rank, _turn, values in engine_of(index).postings.lists():
        entries = values[::shift]
        units = [(entry >> shift) + 1 for entry in entries]
        signs = [1 if entry & (2 * shift - 1) else -1 for entry in entries]
        found.setdefault(rank >> 1, []).append([unit * sign for unit, sign in zip(units, signs, strict=True)])
    return {size: sorted(lists) for size, lists in found.items()}


def test_figure_2_the_lists_of_conjunctions() -> None:
    """By their sizes; that which asks for nothing is in Z, and under what rejects it."""
    assert lists_of(index_of("kindex", CONJUNCTIONS)) == {
        2: [[-3, 4], [1], [1, 2, 3], [2], [3, 4]],
        1: [[5], [5]],
        0: [[-6], [-6], [6]],
    }


@pytest.mark.parametrize(("event", "found"), FOUND_BY_CONJUNCTIONS)
def test_algorithm_1(event: dict[str, Any], found: list[int]) -> None:
    """What the paper says, and what follows from it."""
    assert index_of("kindex", CONJUNCTIONS).match(event) == found


def test_figure_4_lists_are_skipped() -> None:
    """Of size 2, the list of age goes from the first entry to the third at once."""
    index = hr.Index("kindex", options=hr.KIndexOptions(sweep=False))
    index.insert_many(CONJUNCTIONS)
    assert index.match({"age": 3, "state": "CA", "gender": "M"}) == [4, 5]
    # Three lists begin; age skips to 3; all three go past 3; state and gender go past 4. Then one list, and two.
    assert index.visits == (3 + 1 + 3 + 2) + (1 + 1) + (2 + 2)


def test_figure_8_the_lists_of_cnfs() -> None:
    """A key that two disjunctions of a CNF ask for has two lists."""
    assert lists_of(index_of("kindex-cnf", CNFS)) == {
        2: [[1], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [2, 3], [4], [4]],
        1: [[-5], [-5], [-5], [5], [5], [5]],
        0: [[-6], [6], [6]],
    }


@pytest.mark.parametrize(("event", "found"), FOUND_BY_CNFS)
def test_algorithm_2(event: dict[str, Any], found: list[int]) -> None:
    """What the paper says, and what follows from it."""
    assert index_of("kindex-cnf", CNFS).match(event) == found


@pytest.mark.parametrize("engine", ("kindex", "kindex-cnf"))
def test_weak_and_strong_negation(engine: str) -> None:
    """Section 2.2: without a state, only the weak one matches."""
    index = index_of(engine, {1: "age IN (2) AND state NOT IN ('NY')", 2: "age IN (2) AND state WEAK NOT IN ('NY')"})
    assert index.match({"age": 2}) == [2]
    assert index.match({"age": 2, "state": "CA"}) == [1, 2]
    assert index.match({"age": 2, "state": "NY"}) == []


def test_the_introduction() -> None:
    """The same predicates as DNF and as CNF."""
    event = {"A": "a1", "B": "b1", "C": "c2", "D": "d1"}
    first = "A IN ('a1', 'a2') {0} B NOT IN ('b1', 'b2') {0} C IN ('c1')"
    second = "A IN ('a1', 'a3') {0} D NOT IN ('d1')"
    dnf = f"{first.format('AND')} OR {second.format('AND')}"
    cnf = f"({first.format('OR')}) AND ({second.format('OR')})"
    for engine in ("kindex", "kindex-cnf"):
        assert index_of(engine, {1: dnf, 2: cnf}).match(event) == [2]


def test_the_best_conjunction_and_what_is_pruned() -> None:
    """Figure 10: c1 scores 4.08; c2 is bounded by less, and so are all of sizes 1 and 0."""
    index = hr.Index("kindex", options=hr.KIndexOptions(sweep=False))
    index.insert_many(CONJUNCTIONS)
    event, weights = {"age": 3, "state": "NY", "gender": "F"}, {"age": 0.8, "state": 1.0, "gender": 0.9}
    assert [(one.id, round(one.score, 9)) for one in index.top(event, 1, weights)] == [(1, 4.08)]
    # Three lists of size 2 begin, two go past c1; what is left is bounded by less, and no list of another size begins.
    assert (index.visits, engine_of(index).last_skipped) == (3 + 2, 1)
    best = [(one.id, round(one.score, 9)) for one in index.top(event, 3, weights)]
    assert best == [(1, 4.08), (2, 0.35), (5, 0.08)]


def test_the_best_cnf_and_what_is_pruned() -> None:
    """Figure 9 with weights: c3 scores 2.46; c4 and c5 are bounded by less."""
    index = index_of("kindex-cnf", CNFS)
    event, weights = {"A": 1, "C": 2}, {"A": 0.1, "C": 0.9}
    assert [(one.id, round(one.score, 9)) for one in index.top(event, 1, weights)] == [(3, 2.46)]
    assert engine_of(index).last_skipped >= 1
    best = [(one.id, round(one.score, 9)) for one in index.top(event, 3, weights)]
    assert best == [(3, 2.46), (4, 0.02), (5, 0.01)]


def test_dates_by_a_hierarchy() -> None:
    """Section 2.3: a range is cut into disjoint pieces, and an event has the pieces that its value lies in."""
    index = hr.Index("kindex", options=hr.KIndexOptions(ranges="dyadic"))
    index.insert(1, "month BETWEEN 11 AND 24")  # 11, 12 to 15, 16 to 23 and 24, as far as floats are even numbers
    found = [month for month in range(40) if index.match({"month": month})]
    assert found == list(range(11, 25))
    assert engine_of(index).literals.count == 0


def test_sizes() -> None:
    """Of a DNF each conjunction has its own; of a CNF, a disjunction with a NOT IN that absence satisfies is none."""
    dnf = index_of("kindex", {1: "age = 3 AND state WEAK NOT IN ('CA') OR age = 3 AND gender = 'F'"})
    assert lists_of(dnf) == {1: [[-2], [2]], 2: [[1], [1]]}
    cnf = index_of("kindex-cnf", {1: "(A = 1 OR B = 2) AND (C WEAK NOT IN (3) OR D = 4)"})
    assert set(lists_of(cnf)) == {1}


@pytest.mark.parametrize(
    ("event", "found"),
    (
        ({"A": 1}, [1]),
        ({"A": 1, "C": 3}, []),
        ({"A": 1, "C": 3, "D": 4}, [1]),
        ({"A": 1, "E": 5}, [1]),
        ({"A": 1, "E": 5, "F": 6}, []),
        ({"C": 7}, []),
    ),
)
def test_counters_of_negations(event: dict[str, Any], found: list[int]) -> None:
    """They begin at 0, -1 and -2: that of E and F is used up when both are denied."""
    text = "(A = 1 OR B = 2) AND (C WEAK NOT IN (3) OR D = 4) AND (E WEAK NOT IN (5) OR F WEAK NOT IN (6))"
    assert index_of("kindex-cnf", {1: text}).match(event) == found

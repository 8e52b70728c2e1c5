"""PSCAN: what is met, what is always met, and how often it is evaluated."""

from __future__ import annotations

import pytest

import hedgerow as hr


@pytest.fixture
def index() -> hr.Index:
    """Return an empty index that evaluates what its lists mention."""
    return hr.Index("pscan")


def test_only_what_a_list_of_the_event_mentions_is_evaluated(index: hr.Index) -> None:
    """An entry of a list is a visit, and an AND or OR that is evaluated is another."""
    index.insert_many((number, f"a = {number} AND b = {number % 10}") for number in range(1000))
    assert index.match({"a": 17, "b": 7}) == [17]
    assert index.visits == 1 + 100 + 100
    assert index.match({"a": -1, "b": -1}) == []
    assert index.visits == 0


def test_what_many_lists_mention_is_evaluated_once(index: hr.Index) -> None:
    """Five lists have it."""
    index.insert("r", " AND ".join(f"a{number} = 1" for number in range(5)))
    assert index.match({f"a{number}": 1 for number in range(5)}) == ["r"]
    assert index.visits == 5 + 1


def test_an_expression_keeps_its_form(index: hr.Index) -> None:
    """It is one expression whose DNF would have over a million clauses."""
    index.insert("r", " AND ".join(f"(a{number} = 1 OR b{number} = 1)" for number in range(20)))
    assert index.match({f"a{number}": 1 for number in range(19)}) == []
    assert index.match({f"{'ab'[number % 2]}{number}": 1 for number in range(20)}) == ["r"]
    assert index.visits == 20 + 21


def test_a_part_that_many_expressions_have_is_evaluated_once(index: hr.Index) -> None:
    """The OR is evaluated for the first of them."""
    index.insert_many((number, f"(a = 1 OR b = 1) AND c != {number}") for number in range(10))
    assert index.match({"a": 1, "c": 3}) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert index.visits == 10 + 10 + 10 + 1


def test_what_can_hold_with_nothing_is_always_evaluated(index: hr.Index) -> None:
    """A weak negation does not need its attribute; what stands beside it in an AND may need its own."""
    index.insert("always", "a WEAK NOT IN (1) OR b = 1")
    index.insert("needs", "a WEAK NOT IN (1) AND b = 1")
    index.insert("true", "TRUE")
    index.insert("false", "FALSE")
    assert index.match({}) == ["always", "true"]
    assert index.visits == 2 + 2
    assert index.match({"a": 1, "b": 1}) == ["always", "true"]
    assert index.match({"b": 1}) == ["always", "needs", "true"]


def test_a_strong_negation_is_met_by_what_must_be_there(index: hr.Index) -> None:
    """Two negations of one attribute want the same, and mention the expression once."""
    index.insert("r", "state != 'NY' AND state NOT LIKE 'T%'")
    assert index.match({"other": 1}) == []
    assert index.visits == 0
    assert index.match({"state": "OH"}) == ["r"]
    assert index.visits == 1 + 1
    assert [index.match({"state": state}) for state in ("NY", "TX", 5)] == [[], [], []]


def test_a_chain_of_exclusive_or_costs_its_nodes(index: hr.Index) -> None:
    """Its parts share theirs: as a tree it would have more nodes than could be counted."""
    index.insert("r", " XOR ".join(f"a{number} = 1" for number in range(200)))
    event = {f"a{number}": number % 2 for number in range(200)}
    assert index.match(event | {"a0": 1}) == ["r"]
    assert index.match(event) == []
    assert index.visits is not None
    assert index.visits <= 10 * 200

"""Counting: what is counted, what is denied, and what nothing leads to."""

from __future__ import annotations

import pytest

import hedgerow as hr


@pytest.fixture
def index() -> hr.Index:
    """Return an empty index that counts."""
    return hr.Index("counting")


def test_each_clause_is_counted_for_itself(index: hr.Index) -> None:
    """Two clauses that have half of what they ask for are not one that has all."""
    index.insert("r", "a = 1 AND b = 1 OR c = 1 AND d = 1")
    assert index.match({"a": 1, "c": 1}) == []
    assert index.match({"c": 1, "d": 1}) == ["r"]
    assert index.match({"a": 1, "b": 1, "c": 1, "d": 1}) == ["r"]


def test_a_literal_that_several_elements_satisfy_counts_once(index: hr.Index) -> None:
    """A list would otherwise make up for what does not hold."""
    index.insert("r", "a ANY OF (1, 2) AND b = 1")
    assert index.match({"a": [1, 2]}) == []
    assert index.match({"a": [1, 2], "b": 1}) == ["r"]


def test_what_denies_takes_precedence_and_absence_is_no_denial(index: hr.Index) -> None:
    """Strong NOT IN wants a value that it can compare; the weak one wants nothing."""
    index.insert("strong", "a = 1 AND state NOT IN ('NY', 'CA')")
    index.insert("weak", "a = 1 AND state WEAK NOT IN ('NY', 'CA')")
    assert index.match({"a": 1}) == ["weak"]
    assert index.match({"a": 1, "state": "TX"}) == ["strong", "weak"]
    assert index.match({"a": 1, "state": "NY"}) == []
    assert index.match({"a": 1, "state": 5}) == ["weak"]
    assert index.match({"a": 1, "state": ["TX", "NY"]}) == []
    assert index.match({"a": 1, "state": []}) == ["strong", "weak"]


def test_presence_that_two_literals_want_is_counted_once(index: hr.Index) -> None:
    """Both want the same attribute to be there."""
    index.insert("r", "state != 'NY' AND state != 'CA' AND state NOT LIKE 'T%'")
    assert index.match({"state": "OH"}) == ["r"]
    assert [index.match({"state": other}) for other in ("NY", "CA", "TX", 5)] == [[], [], [], []]


def test_a_clause_that_asks_for_nothing_is_hit_unless_denied(index: hr.Index) -> None:
    """Always true, and true when missing."""
    index.insert("always", "TRUE")
    index.insert("never", "FALSE")
    index.insert("weak", "a WEAK NOT IN (1)")
    assert index.match({}) == ["always", "weak"]
    assert index.match({"a": 1}) == ["always"]
    assert index.match({"a": 2}) == ["always", "weak"]


def test_no_more_clauses_are_looked_at_than_the_event_leads_to(index: hr.Index) -> None:
    """The lists of what holds are read, and nothing else."""
    index.insert_many((number, f"a = {number} AND b = {number % 10}") for number in range(1000))
    assert index.match({"a": 17, "b": 7}) == [17]
    assert index.visits == 1 + 100
    assert index.match({"a": -1, "b": -1}) == []
    assert index.visits == 0


def test_each_expression_has_clauses_of_its_own(index: hr.Index) -> None:
    """As in SIFT: that equal ones are held once is a point of the k-index."""
    index.insert("x", "a = 1 AND b = 2")
    index.insert("y", "b = 2 AND a = 1 OR c = 3")
    assert index.match({"a": 1, "b": 2}) == ["x", "y"]
    assert index.visits == 4


def test_too_many_clauses_are_refused_and_nothing_has_changed(index: hr.Index) -> None:
    """The error names an engine that takes such an expression."""
    index.insert("x", "a = 1")
    text = " AND ".join(f"(a{number} = 1 OR b{number} = 1)" for number in range(20))
    with pytest.raises(hr.LimitError, match="DNF of more than 10,000 clauses; the engine 'atree'"):
        index.insert("y", text)
    assert (list(index), index.match({"a": 1})) == (["x"], ["x"])

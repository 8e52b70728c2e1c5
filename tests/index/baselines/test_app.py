"""APP: which literal opens a clause, and what is counted then."""

from __future__ import annotations

import pytest

import hedgerow as hr


@pytest.fixture
def index() -> hr.Index:
    """Return an empty index that counts what is open."""
    return hr.Index("app")


def test_each_literal_of_a_clause_is_in_one_list(index: hr.Index) -> None:
    """The event reads the clause that a = 17 opens, and the hundred that b = 7 counts: none else was opened."""
    index.insert_many((number, f"a = {number} AND b = {number % 10}") for number in range(1000))
    assert index.match({"a": 17, "b": 7}) == [17]
    assert index.visits == 1 + 100


def test_without_access_an_entry_is_looked_at_and_not_counted(index: hr.Index) -> None:
    """Where nothing at all is open, the lists are not even read."""
    index.insert_many((number, f"a = {number} AND b = {number % 10}") for number in range(1000))
    assert index.match({"b": 7}) == []
    assert index.visits == 0
    index.insert(-1, "b = 7")
    assert index.match({"b": 7}) == [-1]
    assert index.visits == 1 + 100


def test_the_access_literal_is_found_by_value_and_seldom_asked_for(index: hr.Index) -> None:
    """Ranges are no access where there is an equality, and of two equalities it is the rarer one."""
    index.insert_many((number, "a = 1") for number in range(10))
    index.insert(10, "c > 5 AND a = 1 AND b = 2")
    assert index.match({"c": 7, "b": 3}) == []
    assert index.visits == 0
    assert index.match({"c": 7, "b": 2}) == []
    assert index.visits == 1 + 1
    assert index.match({"c": 7, "b": 2, "a": 1}) == [*range(11)]
    assert index.visits == 11 + 2


def test_what_denies_takes_precedence_whatever_is_counted(index: hr.Index) -> None:
    """Strong NOT IN wants a value that it can compare; the weak one wants nothing."""
    index.insert("strong", "a = 1 AND state NOT IN ('NY', 'CA')")
    index.insert("weak", "a = 1 AND state WEAK NOT IN ('NY', 'CA')")
    index.insert("alone", "state WEAK NOT IN ('NY')")
    assert index.match({"a": 1}) == ["weak", "alone"]
    assert index.match({"a": 1, "state": "TX"}) == ["strong", "weak", "alone"]
    assert index.match({"a": 1, "state": "NY"}) == []
    assert index.match({"a": 1, "state": ["TX", "CA"]}) == ["alone"]


def test_presence_that_two_literals_want_is_counted_once(index: hr.Index) -> None:
    """Also where presence is what opens the clause."""
    index.insert("r", "state != 'NY' AND state != 'CA' AND state NOT LIKE 'T%'")
    index.insert("s", "a = 1 AND state != 'NY' AND state != 'CA'")
    assert index.match({"state": "OH", "a": 1}) == ["r", "s"]
    assert [index.match({"state": state, "a": 1}) for state in ("NY", "CA", "TX", 5)] == [[], [], ["s"], []]

"""Propagation: which cluster a conjunction is in, and what an event looks at."""

from __future__ import annotations

import pytest

import hedgerow as hr


@pytest.fixture
def index() -> hr.Index:
    """Return an empty index of clusters."""
    return hr.Index("propagation")


def test_the_access_is_the_equality_that_fewest_have(index: hr.Index) -> None:
    """One look-up for the value of a, and the one conjunction in its cluster; b and c lead nowhere."""
    index.insert_many((number, f"c = 1 AND a = {number} AND b = {number % 10}") for number in range(10, 1000))
    assert index.match({"a": 17, "b": 7, "c": 1}) == [17]
    assert index.visits == 1 + 1
    assert index.match({"b": 7, "c": 1}) == []
    assert index.visits == 0


def test_a_crowded_cluster_is_opened_by_a_second_attribute_and_then_a_third(index: hr.Index) -> None:
    """Of 8,000 conjunctions with three equalities of 20 values each, an event looks at a few."""
    index.insert_many(
        (number, f"a = {number // 400} AND b = {number // 20 % 20} AND c = {number % 20} AND d > {number % 7}")
        for number in range(8000)
    )
    event = {"a": 3, "b": 4, "c": 5, "d": 6}
    assert index.match(event) == [3 * 400 + 4 * 20 + 5]
    assert index.visits is not None
    # By one attribute it would be 400 for each of the clusters that the conjunctions are shared among.
    assert index.visits < 150
    assert index.match({"a": 3, "b": 4, "d": 6}) == []


def test_what_has_no_equality_is_always_looked_at(index: hr.Index) -> None:
    """Clusters by size: all of them, whatever the event."""
    index.insert("one", "a > 3")
    index.insert("two", "a > 3 AND b != 2")
    index.insert("none", "TRUE")
    index.insert("weak", "b WEAK NOT IN (2)")
    assert index.match({}) == ["none", "weak"]
    assert index.visits == 4
    assert index.match({"a": 4, "b": 3}) == ["one", "two", "none", "weak"]
    assert index.match({"a": 4, "b": 2}) == ["one", "none"]
    assert index.visits == 4


def test_without_an_equality_an_in_is_the_access(index: hr.Index) -> None:
    """It holds for one of its values, and is looked up as one literal."""
    index.insert("r", "a IN (1, 2) AND b < 5")
    assert index.match({"a": 2, "b": 4}) == ["r"]
    assert index.visits == 1 + 1
    assert index.match({"a": 3, "b": 4}) == []
    assert index.visits == 0


def test_a_negation_is_a_bit_that_must_not_be_set(index: hr.Index) -> None:
    """With one for what must be there, unless it is weak."""
    index.insert("strong", "a = 1 AND state NOT IN ('NY', 'CA')")
    index.insert("weak", "a = 1 AND state WEAK NOT IN ('NY', 'CA')")
    assert index.match({"a": 1}) == ["weak"]
    assert index.match({"a": 1, "state": "TX"}) == ["strong", "weak"]
    assert index.match({"a": 1, "state": 5}) == ["weak"]
    assert index.match({"a": 1, "state": ["TX", "NY"]}) == []


def test_long_lists_cost_no_more_than_the_accesses_that_there_are(index: hr.Index) -> None:
    """Looked up pair by pair, 2 x 2,000 values would be four million accesses."""
    index.insert_many((number, f"a = {number % 40} AND b = {number // 40 % 40} AND c = 1") for number in range(4800))
    event = {"a": list(range(2000)), "b": list(range(2000)), "c": 1}
    assert len(index.match(event)) == 4800
    assert index.visits is not None
    assert index.visits < 20_000


def test_two_equalities_of_one_attribute_are_no_access_of_two(index: hr.Index) -> None:
    """A list can have both values; the second one is looked at as any other literal."""
    index.insert_many((number, "a = 1 AND a = 2") for number in range(200))
    assert len(index.match({"a": [1, 2]})) == 200
    assert index.stats().figures["nodes"] in {2, 3}
    assert index.match({"a": [1, 3]}) == []

"""What a list in an event leads to: the same as the tests say, for the work of its elements plus the literals."""

from __future__ import annotations

import datetime as dt
import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.language.operators import Accepts
from hedgerow.testing import expressions, predicates, values
from tests.predicate.literals import Literals
from tests.predicate.test_finder import EDGES, FOLDING, NEAR, TIMES

x = hr.attr("x")

SCALARS = st.one_of(st.none(), values(), st.just(math.nan), st.sampled_from(NEAR))
LISTS = st.one_of(
    st.lists(SCALARS, max_size=30),
    st.lists(values(), max_size=3).map(lambda some: some * 7),  # the same again and again
)
EVENTS = st.lists(st.dictionaries(st.sampled_from("abc"), LISTS, min_size=1), min_size=1, max_size=4)


# The same answers


@pytest.mark.parametrize("missing", ("unknown", "false"))
@given(st.lists(expressions(6, weighted=False), min_size=1, max_size=12), EVENTS)
def test_lists_match_what_the_oracle_says(
    missing: str, rules: list[hr.Expression], found_in: list[dict[str, Any]]
) -> None:
    """Lists short and long, of mixed kinds, with repeats, NaN, None or nothing: the A-Tree agrees with ``evaluate``."""
    index = hr.Index("atree", missing=missing)
    for number, rule in enumerate(rules):
        index.insert(number, rule)
    for event in found_in:
        expected = [number for number, rule in enumerate(rules) if hr.evaluate(rule, event, missing=missing)]
        assert index.match(event) == expected


@given(st.lists(predicates(weighted=False), min_size=1, max_size=30), EVENTS)
def test_all_four_literals_are_found_on_lists(given_predicates: list[hr.Predicate], found_in: list[Any]) -> None:
    """What accepts TRUE, FALSE, NOT_TRUE and NOT_FALSE is found as the tests say, row after row by one search."""
    literals = Literals()
    for predicate in given_predicates:
        literals.add_all(predicate)
    literals.check([*found_in, *reversed(found_in)])


@pytest.mark.parametrize("some", (NEAR, FOLDING, EDGES, TIMES, (False, True), (*NEAR, *EDGES, *TIMES, True)))
def test_long_lists_of_values_that_are_close_together_are_told_apart(some: tuple[Any, ...]) -> None:
    """Values that share their keys are in their order in long lists too: strings, integers beside floats."""
    literals = Literals()
    chance = random.Random(5)
    for value in some:
        for predicate in (x == value, x < value, x <= value, x > value, x >= value):
            literals.add_all(predicate)
        for other in some:
            if _family(value) == _family(other):
                literals.add_all(x.between(value, other))
            literals.add_all(x.isin([value, other]))
            literals.add_all(x.all_of([value, other]))
    found_in = [{"x": chance.choices(some, k=chance.randrange(9, 40))} for _ in range(40)]
    found_in += [{"x": [value] * 10} for value in some]
    literals.check([*found_in, {"x": [*some, None, math.nan] * 3}])


def _family(value: object) -> type:
    return float if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value)


@pytest.mark.parametrize("seed", range(5))
def test_many_ranges_are_found_on_lists_of_any_length(seed: int) -> None:
    """Intervals enough for runs of several levels, on lists from none to hundreds of elements."""
    chance = random.Random(seed)
    literals = Literals()
    for _ in range(700):
        low = chance.randrange(2000)
        literals.add(x.between(low, low + chance.choice((0, 1, 5, 300))), chance.choice(list(Accepts)))
    for bound in range(0, 2000, 90):
        literals.add_all(x < bound)
        literals.add_all(x >= bound + 0.5)
    sizes = (0, 1, 2, 3, 8, 9, 30, 400)
    literals.check([{"x": [chance.randrange(-50, 2100) + chance.choice((0, 0.5)) for _ in range(n)]} for n in sizes])


def test_a_search_goes_from_lists_to_values_and_back() -> None:
    """What one row's lists have marked is gone for the next row, and for the next attribute."""
    literals = Literals()
    for attribute in (hr.attr("x"), hr.attr("y")):
        for predicate in (attribute == 1, attribute > 0, attribute.contains("a"), attribute.all_of([1, 2])):
            literals.add_all(predicate)
    lists: dict[str, Any] = {"x": [1, 2, "a"], "y": [1, 2, "a"]}
    rows = [lists, {"x": 1, "y": "a"}, {"y": [1, 1]}, {"x": []}, {}]
    literals.check(rows * 3)


# Work


@pytest.mark.parametrize("predicate", (x.matches("q"), x.ilike("%q%"), x.like("_q"), x.contains("q")))
def test_a_string_test_is_done_once_a_list(predicate: hr.Predicate) -> None:
    """One string test and a list of 2,000 strings: it is asked once of the list, not of all of it for each element."""
    literals = Literals()
    literals.add(predicate)
    search = literals.search([{"x": [f"s{number}" for number in range(2000)]}])
    assert search.noted(0) == []
    assert search.tests == 1


def test_bounds_are_noted_once_each_by_the_least_and_the_greatest_element() -> None:
    """A thousand bounds that every element satisfies are noted once each, and the list is not put in order."""
    literals = Literals()
    for number in range(1000):
        literals.add(x >= -number)
        literals.add(x < 4000 + number)
    search = literals.search([{"x": list(range(2000))}])
    assert sorted(search.noted(0)) == list(range(2000))
    assert search.tests == 0
    assert search.ranges.touched < 2 * 2000
    assert search.members is not None
    assert search.members.orderings == 0


def test_ranges_that_no_element_is_in_are_passed_over() -> None:
    """A thousand BETWEENs in the gaps of a list of 2,000 numbers are neither noted nor tested."""
    literals = Literals()
    for number in range(1000):
        literals.add(x.between(10 * number + 1, 10 * number + 2))
    search = literals.search([{"x": [10 * number for number in range(2000)]}])
    assert search.noted(0) == []
    assert search.tests == 0
    assert search.ranges.touched < 2 * 1000
    assert search.members is not None
    assert search.members.orderings == 1


def test_ranges_that_all_elements_are_in_are_noted_once() -> None:
    """A thousand BETWEENs around all of a list's numbers are noted once each."""
    literals = Literals()
    for number in range(1000):
        literals.add(x.between(-number - 1, 3000 + number))
    search = literals.search([{"x": list(range(2000))}])
    assert sorted(search.noted(0)) == list(range(1000))
    assert search.tests == 0


def test_a_short_list_touches_few_of_many_ranges() -> None:
    """Of 20,000 intervals, those cost something in which one of three elements lies."""
    literals = Literals()
    for number in range(20_000):
        literals.add(x.between(10 * number, 10 * number + 15))
    search = literals.search([{"x": [100_003, 7, 100_003.5]}])
    assert sorted(search.noted(0)) == [0, 9999, 10_000]
    assert search.tests == 0
    assert search.ranges.touched < 1000


def test_bounds_that_only_a_test_can_tell_are_tested_once() -> None:
    """Strings that share their first 8 bytes with every bound: one test a literal, by bisection in the ordered list."""
    literals = Literals()
    for number in range(300):
        literals.add(x >= f"category-{number:04}")
        literals.add(x.between(f"category-{number:04}", f"category-{number:04}x"))
    search = literals.search([{"x": [f"category-{number:04}" for number in range(0, 2000, 2)]}])
    assert len(search.noted(0)) == 300 + 150
    assert search.tests == 600
    assert search.members is not None
    assert search.members.orderings == 1


@pytest.mark.parametrize("accepts", (Accepts.FALSE, Accepts.NOT_TRUE))
def test_what_no_element_may_be_is_tested_once_a_literal(accepts: Accepts) -> None:
    """A thousand !=, NOT IN and NOT <: each is tested once, against an order that is made once."""
    literals = Literals()
    for number in range(1000):
        literals.add(x == -number, accepts)
        literals.add(x.isin([-number, "s"]), accepts)
        literals.add(x < number - 2000, accepts)
    search = literals.search([{"x": list(range(1, 3000))}])
    assert sorted(search.noted(0)) == list(range(3000))
    assert search.tests == 3000
    assert search.members is not None
    assert search.members.orderings == 1


def test_values_that_several_elements_have_are_looked_up_once() -> None:
    """A thousand INs that share a value, and a list that has it a thousand times, or all of their values."""
    literals = Literals()
    for number in range(1000):
        literals.add(x.isin([5, 10 + number, 2000 + number]))
    search = literals.search([{"x": [5] * 1000}, {"x": [5, *range(10, 3000)]}])
    assert sorted(search.noted(0)) == list(range(1000))
    assert sorted(search.noted(1)) == list(range(1000))
    assert search.tests == 0


def test_a_pattern_is_tested_on_the_elements_that_it_may_be_in() -> None:
    """Of 1,000 substrings each is tested on the one string that has it, the few that wait on the list, none again."""
    literals = Literals()
    for number in range(1000):
        literals.add(x.contains(f"<{number}>"))
    found_in = [{"x": [f"<{number}>" for number in range(500)] * 3}]
    search = literals.search(found_in)
    assert sorted(search.noted(0)) == list(range(500))
    assert search.tests <= 500 + 16


def test_regular_expressions_found_in_many_elements_are_noted_once() -> None:
    """Expressions that a set finds in every element are noted once each, without a test."""
    literals = Literals()
    for number in range(64):
        literals.add(x.matches(f"a{{{number + 1}}}"))
    search = literals.search([{"x": ["a" * (64 + number) for number in range(100)]}])
    assert sorted(search.noted(0)) == list(range(64))
    assert search.tests == 0


def test_times_in_lists_have_an_order_of_their_own() -> None:
    """Numbers beside timestamps in one list do not count for each other's bounds."""
    index = hr.Index("atree")
    index.insert("time", x > dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    index.insert("number", x > 10**15)
    index.insert("between", x.between(3, 4))
    index.insert("never", x < 1)
    found = {"x": [dt.datetime(2025, 1, 1, tzinfo=dt.UTC), 10**16, *range(1, 10, 5), 3.5, *["a"] * 9]}
    assert index.match(found) == ["number", "between"]

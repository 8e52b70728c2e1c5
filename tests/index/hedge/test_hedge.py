"""What only the hedge has: where clauses are filed, what is learnt, and how much is looked at."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.testing import events, expressions


def lists_of(index: hr.Index) -> dict[str, list[int]]:
    """Return the slots that each atom leads to."""
    found: dict[str, list[int]] = index._state.engine.lists()  # type: ignore[attr-defined]
    return found


def index_of(*rules: str, missing: str = "unknown", **options: int) -> hr.Index:
    """Return a hedge of these rules, numbered from 0."""
    index = hr.Index("hedge", missing=missing, options=hr.HedgeOptions(**options))
    for number, rule in enumerate(rules):
        index.insert(number, rule)
    return index


def test_a_clause_is_filed_under_the_values_that_rules_name_least() -> None:
    """Before events were seen, that is what is known of values."""
    common = ["country = 'AT'"] * 6
    index = index_of(*common, "country = 'AT' AND os IN ('web', 'ios')", "os = 'tv' AND NOT country = 'AT'")
    assert lists_of(index) == {
        "country = 'AT'": [0, 1, 2, 3, 4, 5],
        "os = 'web'": [6],
        "os = 'ios'": [6],
        "os = 'tv'": [7],
    }


def test_what_events_have_seldom_leads_once_they_were_seen() -> None:
    """Rules say that 'AT' is everywhere; events say that it is rare, and 'web' is not."""
    rules = [f"country = 'AT' AND os = 'web' AND age = {age}" for age in range(20)]
    index = index_of(*rules, "country = 'AT' AND os = 'web' AND vip", after=40, again=100)
    assert lists_of(index)["country = 'AT'"] == [0]  # when it came, no value was rarer than another
    given = [{"country": "US", "os": "web", "vip": True, "age": number % 3} for number in range(200)]
    assert all(index.match(event) == [] for event in given)
    # Ages that no event had are as rare as 'AT', and these rules stay where they were.
    assert lists_of(index)["country = 'AT'"] == [0, 1, 2, 20]
    assert index.match({"country": "AT", "os": "web", "age": 2, "vip": True}) == [2, 20]


@pytest.mark.parametrize(
    ("rule", "atoms"),
    (
        ("a = 1 OR b = 2 OR vip", {"a = 1", "b = 2", "vip = 1"}),
        ("a != 1", {"a is there"}),
        ("a IS NOT NULL AND NOT b IN (1, 2)", {"b is there"}),
        ("a IS NULL", {"always"}),
        ("a WEAK NOT IN (1)", {"always"}),
        ("TRUE", {"always"}),
        ("FALSE", set()),
        ("a IN (1, 2, 3, 4, 5, 6)", {f"a = {value}" for value in range(1, 7)}),
        ("name LIKE 'x%' AND NOT b = 1", {"name LIKE 'x%'"}),
    ),
)
def test_what_leads_to_a_rule(rule: str, atoms: set[str]) -> None:
    """Values, presence, string tests; and what nothing leads to is looked at for every event."""
    assert set(lists_of(index_of(rule))) == atoms


def test_two_comparisons_are_one_range_but_not_for_a_list() -> None:
    """Elements may satisfy them apart from each other; then the list itself leads to the rule."""
    index = index_of("a > 10 AND a < 20", "a BETWEEN 11 AND 19")
    assert index.match({"a": 15}) == [0, 1]
    assert index.match({"a": [5, 25]}) == [0]
    assert index.match({"a": [5, 15]}) == [0, 1]
    assert index.match({"a": 20}) == []
    assert lists_of(index)["a is a list"] == [0]


def test_an_expression_of_many_clauses_is_beside() -> None:
    """And is found, deleted and ranked as any other."""
    large = " AND ".join(f"(a{number} = 1 AND b = {number} OR c = {number} AND d = 2)" for number in range(5))
    index = index_of("d = 2", large, "d = 2 AND c = 3")
    assert index.stats().figures["expressions beside"] == 1
    assert index.match({"d": 2, "c": [0, 1, 2, 3, 4]}) == [0, 1, 2]
    assert [best.id for best in index.top({"d": 2, "c": [0, 1, 2, 3, 4]}, 2)] == [0, 1]
    index.delete(1)
    assert index.match({"d": 2, "c": [0, 1, 2, 3, 4]}) == [0, 2]


def test_an_expression_that_gets_too_many_clauses_is_beside_from_then_on() -> None:
    """What keeps its alternatives together is that another test leads to it; events may show that it does not."""
    rule = "a = 1 AND (b IS NULL OR b < 2) AND (c IS NULL OR c < 3)"
    index = index_of(*[f"a = {number}" for number in range(20)], rule, clauses=2, after=4)
    assert index.stats().figures["expressions beside"] == 0
    assert all(index.match({"a": 1, "b": 1, "c": c}) == [1, 20] for c in range(3))
    assert all(index.match({"a": 1, "b": 1, "c": 2}) == [1, 20] for _ in range(20))
    assert index.stats().figures["expressions beside"] == 1
    assert index.match_batch([{"a": 1}, {"a": 1, "b": 5}]).num_rows == 3


def test_an_or_of_any_literals_is_one_test_where_something_else_leads() -> None:
    """Otherwise each of its literals leads to a clause of its own."""
    values = [f"a = {number}" for number in range(9)]
    index = index_of(*values, *[f"{value} AND (b IS NULL OR b < 2)" for value in values])
    assert index.stats().figures["clauses"] == 18
    assert index_of("b IS NULL OR b < 2").stats().figures["clauses"] == 2
    assert index.match({"a": 3}) == index.match({"a": 3, "b": 1}) == [3, 12]
    assert index.match({"a": 3, "b": 2}) == [3]


def test_atoms_that_share_codes_rule_out_and_decide_nothing() -> None:
    """Of 100,000 values, 40,000 have no code of their own; rules name them as wanted and as unwanted."""
    chance = random.Random(5)
    values = 100_000
    index = hr.Index("hedge", options=hr.HedgeOptions(after=50))
    rules = [(value, f"a = {value} AND b != {value + 1}") for value in range(0, values, 2)]
    index.insert_many(rules)
    for _ in range(300):
        value, other = 2 * chance.randrange(values // 2), chance.randrange(values)
        assert index.match({"a": value, "b": other}) == ([] if other == value + 1 else [value])
        assert index.match({"a": value, "b": value + 1}) == []
        assert index.match({"a": value}) == []


def test_only_what_an_event_leads_to_is_looked_at() -> None:
    """An exact count: the entries of the lists of its atoms."""
    index = index_of(*[f"a = {number % 10} AND b = {number}" for number in range(100)])
    lists = lists_of(index)
    assert index.match({"a": 3, "b": 53}) == [53]
    assert index.visits == len(lists["a = 3"]) + len(lists["b = 53"]) == 2
    assert index.match({"a": 3, "c": 1}) == []
    assert index.visits == 1


@given(st.lists(expressions(6), max_size=10), st.lists(events(), min_size=1, max_size=6), st.randoms())
def test_what_was_learnt_changes_no_result(
    rules: list[hr.Expression], given_events: list[dict[str, Any]], chance: random.Random
) -> None:
    """Searches between inserts and deletes, each of which files all anew, beside one that never does."""
    learning, plain = (hr.Index("hedge", options=hr.HedgeOptions(after=after, again=1, clauses=4)) for after in (1, 0))
    for number, rule in enumerate(rules):
        for index in (learning, plain):
            index.insert(number, rule)
            if number % 3 == 2:
                index.delete(number - 1)
        event = chance.choice(given_events)
        assert learning.match(event) == plain.match(event)
    batch = hr.events(given_events)
    assert learning.match_batch(batch) == plain.match_batch(batch)
    assert int(plain.stats().figures["events seen"]) >= len(given_events)


WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 3.0, 2.5e6, 1e-7])


@given(
    st.lists(st.tuples(st.integers(0, 3), WEIGHTS, WEIGHTS, WEIGHTS), min_size=20, max_size=60),
    st.integers(1, 9),
    st.one_of(st.none(), st.dictionaries(st.sampled_from("ab"), WEIGHTS)),
)
def test_the_best_are_those_of_scan(
    rules: list[tuple[int, float, float, float]], n: int, weights: dict[str, float] | None
) -> None:
    """Where more match than are wanted, ties included, most are ruled out by what they can score."""
    hedge, scan = hr.Index("hedge"), hr.Index("scan")
    for number, (kind, first, second, own) in enumerate(rules):
        text = (f"a = 1^{first} AND b = 2^{second}", f"a IN (1^{first}, 3^9) OR b = 2^{second}", "a = 1", "b != 3")[
            kind
        ]
        for index in (hedge, scan):
            index.insert(number, text, own)
    event = {"a": 1, "b": 2}
    assert hedge.top(event, n, weights) == scan.top(event, n, weights)


def test_what_cannot_be_among_the_best_is_not_scored() -> None:
    """Of a thousand that match, some dozens are."""
    index = hr.Index("hedge")
    index.insert_many((number, f"a = 1^{number % 100}", float(number % 7)) for number in range(1000))
    assert [best.score for best in index.top({"a": 1}, 3)] == [105.0, 104.0, 104.0]
    assert index._state.engine.last_skipped > 900  # type: ignore[attr-defined]


def test_ids_come_as_an_array_too() -> None:
    """Integers and strings."""
    index = index_of("a = 1", "a = 2", "a > 0")
    assert index.match_ids({"a": 1}).to_pylist() == [0, 2]
    other = hr.Index("hedge")
    other.insert("x", "a = 1")
    assert other.match_ids({"a": 1}).to_pylist() == ["x"]
    assert other.match_ids({"a": 2}).to_pylist() == hr.Index().match_ids({}).to_pylist() == []


RARE = [f"country = 'AT' AND os = 'web' AND age = {age}" for age in range(20)]
COMMON = [{"country": "US", "os": "web", "age": number % 20} for number in range(200)]


def test_optimize_learns_from_a_sample_at_once() -> None:
    """Without a sample, from what searches saw."""
    index = index_of(*RARE)
    index.optimize(COMMON)
    assert lists_of(index) == {"country = 'AT'": list(range(20))}
    assert index.match({"country": "AT", "os": "web", "age": 7}) == [7]
    other = index_of(*RARE)
    for event in COMMON:
        other.match(event)
    other.optimize(progress=False)
    assert lists_of(other) == lists_of(index)


def test_an_engine_that_learns_nothing_says_so() -> None:
    """And names one that does."""
    with pytest.raises(hr.Unsupported, match="'atree' does not learn from events; 'hedge' does"):
        hr.Index("atree").optimize()


def test_what_was_learnt_outlives_compaction() -> None:
    """Names, strings and literals have other numbers then."""
    index = hr.Index("hedge", options=hr.HedgeOptions(after=10_000))
    index.insert_many((number, f"gone = 'g{number}' AND NOT other LIKE 'x{number}%'") for number in range(9000))
    index.insert_many((number, f"{RARE[number % 20]} AND name LIKE 'n%' AND n < 9") for number in range(9000, 9100))
    for event in COMMON:
        index.match({**event, "name": "nobody", "n": event["age"]})
    assert index.stats().figures["events seen"] == 200
    before = index._state.engine
    for number in range(9000):
        index.delete(number)
    assert index._state.engine is not before
    assert index.stats().figures["events seen"] == 200
    index.optimize()
    assert len(lists_of(index)["country = 'AT'"]) == 100
    assert len(index.match({"country": "AT", "os": "web", "age": 3, "name": "no", "n": 1})) == 5


def test_rooms_of_lists_are_used_again() -> None:
    """Lists that grow leave no more behind than what they have, and a little room."""
    index = hr.Index("hedge")
    for first in range(0, 20_000, 1000):
        index.insert_many((number, f"a = {number % 7} AND b = {number % 11}") for number in range(first, first + 1000))
    assert index.stats().parts["entries"] < 1.6 * 32 * 20_000


def slots_of(place: int, words: Any) -> list[int] | None:
    """Return the slots that a reader with this array finds at a place, or None where it has to look again."""
    start, length = place >> 28, place & ((1 << 28) - 1)
    if 4 * (start + length) > len(words):
        return None
    slots: list[int] = (words[4 * start : 4 * (start + length) : 4] & np.uint64((1 << 28) - 1)).tolist()
    return slots


def test_a_reader_with_an_older_array_loses_no_entry() -> None:
    """A list that moves while a search runs is where the search finds it, or beyond the array that it has."""
    index, chance = hr.Index("hedge"), random.Random(3)
    index.insert_many((number, f"a = {number}") for number in range(999))  # so that no list is new from here on
    first = 999
    for _ in range(60):
        saved = index._state.engine.saved()
        place, words = saved["entries.place"], saved["entries.words"]
        before = [slots_of(int(at), words) for at in place]
        count = chance.randrange(1, 400)
        # What comes in one chunk is committed together: until then nothing can be given back.
        index.insert_many(
            (number, f"a = {int(chance.paretovariate(0.4)) % 999}") for number in range(first, first + count)
        )
        first += count
        after = [slots_of(int(at), words) for at in place]
        for had, has in zip(before, after, strict=True):
            assert has is None or has[: len(had or [])] == had

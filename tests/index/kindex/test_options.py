"""Every switch of the k-index on the whole contract, and what each of them does."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.kindex.keyed_cy import KeyedEngine
from hedgerow.testing import CHECKS, Factory, check_matches_are_the_oracles, check_scores_are_the_oracles

ENGINES = ("kindex", "kindex-cnf")
WHOLE = (
    ("kindex", hr.KIndexOptions(ranges="dyadic", tail=0)),
    ("kindex-cnf", hr.KIndexOptions(ranges="dyadic", deduplicate=False, tail=3)),
)
EVERY = [
    hr.KIndexOptions(deduplicate=deduplicate, ranges=ranges, sweep=sweep, prune=prune, tail=5)
    for deduplicate, ranges, sweep, prune in itertools.product(
        (True, False), ("found", "dyadic"), (True, False), (True, False)
    )
]


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize(("engine", "options"), WHOLE, ids=str)
def test_options_keep_the_whole_contract(
    engine: str, options: hr.KIndexOptions, check: Callable[[Factory], None]
) -> None:
    """With a tail that is merged at each commit, and with one that is merged now and then."""
    check(lambda missing: hr.Index(engine, missing=missing, options=options))


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("options", EVERY, ids=str)
@pytest.mark.parametrize("engine", ENGINES)
def test_every_combination_matches_and_ranks_as_the_oracles_do(engine: str, options: hr.KIndexOptions) -> None:
    """All 16 of them, for both forms."""
    check_matches_are_the_oracles(lambda missing: hr.Index(engine, missing=missing, options=options))
    check_scores_are_the_oracles(lambda missing: hr.Index(engine, missing=missing, options=options))


def engine_of(index: hr.Index) -> KeyedEngine:
    """Return the engine behind an index."""
    engine = index._state.engine
    assert isinstance(engine, KeyedEngine)
    return engine


NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.sampled_from([2**53 - 1, 2**53, 2**53 + 1, -(2**63), 2**63 - 1]),
    st.floats(allow_nan=False, allow_infinity=False),
)


@pytest.mark.parametrize("engine", ENGINES)
@given(NUMBERS, NUMBERS, st.lists(NUMBERS, max_size=6), st.sampled_from(["unknown", "false"]))
def test_pieces_have_just_the_values_of_their_range(
    engine: str, low: float, high: float, values: list[float], missing: str
) -> None:
    """Whatever the bounds: those that floats cannot tell from others are found, not cut."""
    index = hr.Index(engine, missing=missing, options=hr.KIndexOptions(ranges="dyadic"))
    age = hr.attr("age")
    rules: list[hr.Expression] = [age < low, age <= low, age > low, age >= low, age.between(low, high)]
    rules += [~rule for rule in rules]
    for number, rule in enumerate(rules):
        index.insert(number, rule)
    found: list[object] = [values, low, high, *values, "x", None]
    for event in [{"age": value} for value in found]:
        assert index.match(event) == [n for n, rule in enumerate(rules) if hr.evaluate(rule, event, missing) is True]


def test_equal_conjunctions_are_held_once_or_not() -> None:
    """The paper names it as a main source of speed."""
    for deduplicate, units in ((True, 5), (False, 7)):
        index = hr.Index("kindex", options=hr.KIndexOptions(deduplicate=deduplicate))
        index.insert("x", "a = 1 AND b = 2")
        index.insert("y", "b = 2 AND a = 1 OR c = 3")
        index.insert("z", "(a = 1 OR c = 4) AND b = 2 AND (a = 1 OR d = 5)")  # four, of which ab is one
        index.delete("z")
        assert engine_of(index).units.count == units
        assert index.match({"a": 1, "b": 2}) == ["x", "y"]


def test_the_tail_is_merged_when_it_is_worth_it() -> None:
    """Never before it has what the option says, and in geometric steps after that."""
    index = hr.Index("kindex", options=hr.KIndexOptions(tail=10))
    tails = []
    for number in range(100):
        index.insert(number, f"a = {number} AND b = 1")
        engine_of(index).check()
        tails.append(engine_of(index).postings.tail_count)
        assert index.match({"a": number, "b": 1}) == [number]
    assert max(tails) <= 10 + 200 // 8
    assert 5 <= tails.count(0) <= 20
    assert [number for number in range(100) if index.match({"a": number, "b": 1}) == [number]] == list(range(100))


def test_bounds_prune_and_are_right_where_scores_are_not_those_of_clauses() -> None:
    """(a^2 OR b) AND (a^2 OR c) scores 4 where a holds, though no clause of its DNF does."""
    index = hr.Index("kindex")
    index.insert("sum", "(a = 1^2 OR b = 1) AND (a = 1^2 OR c = 1)")
    index.insert("three", "a = 1^3")
    assert index.top({"a": 1}, 2) == [hr.Scored("sum", 4.0), hr.Scored("three", 3.0)]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_bounds_tell_is_not_looked_at(engine: str) -> None:
    """Lists whose bounds are too low are not begun, or not gone through."""
    index, plain = (hr.Index(engine, options=hr.KIndexOptions(prune=prune)) for prune in (True, False))
    for one in (index, plain):
        one.insert("best", "a = 1^3 AND b = 1^1")
        one.insert_many((f"r{number}", f"c = 1^0.5 AND d WEAK NOT IN ({number})") for number in range(50))
        assert one.top({"a": 1, "b": 1, "c": 1}, 1) == [hr.Scored("best", 4.0)]
    assert index.visits is not None
    assert plain.visits is not None
    assert index.visits < 10
    assert plain.visits > 50


def test_a_bid_counts_in_the_bounds() -> None:
    """Static weights come on top of what literals score."""
    index = hr.Index("kindex")
    index.insert("weighted", "a = 1^5")
    index.insert("bid", "a = 1", 7.5)
    index.insert("less", "a = 1", -1.0)
    assert [tuple(one) for one in index.top({"a": 1}, 3)] == [("bid", 7.5), ("weighted", 5.0), ("less", -1.0)]


@pytest.mark.parametrize("bad", ({"ranges": "x"}, {"tail": -1}, {"tail": True}, {"prune": 1}, {"deduplicate": "no"}))
def test_wrong_options_are_refused(bad: dict[str, object]) -> None:
    """By name, with what would be right."""
    with pytest.raises(hr.KindError, match=next(iter(bad))):
        hr.KIndexOptions(**bad)  # type: ignore[arg-type]  # wrong on purpose


def test_figures_tell_sizes_lists_and_what_is_shared() -> None:
    """In stats, and printed."""
    index = hr.Index("kindex")
    index.insert_many([(1, "a = 1 AND b = 2"), (2, "a = 1 AND b = 2"), (3, "a = 1 AND b IN (2, 3)"), (4, "c = 1")])
    figures = index.stats().figures
    assert (figures["units"], figures["held once for several"]) == (3, "25.0%")
    assert figures["size 2"] == "3 lists, 5 entries, 1.7 a list, 2 at most"
    assert "size 1: 1 lists, 1 entries, 1.0 a list, 1 at most" in str(index.stats())


@pytest.mark.parametrize("engine", ENGINES)
def test_rankings_over_many_lists_are_right(engine: str) -> None:
    """More lists than a ranking keeps in order, and sizes beyond those whose greatest bounds are looked for."""
    index = hr.Index(engine)
    for number in range(1200):
        index.insert(number, f"a > {-number}.5 AND b = 1^{number % 7}")
    many = " AND ".join(f"x{number} = 1^{number % 3}" for number in range(60))
    index.insert(5000, many)
    event = {"a": 0, "b": 1} | {f"x{number}": 1 for number in range(60)}
    assert [tuple(one) for one in index.top(event, 3)] == [(5000, 60.0), (6, 6.0), (13, 6.0)]
    assert len(index.match(event)) == 1200

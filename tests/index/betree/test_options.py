"""Every switch of the BE-Tree on the contract, its invariants after each step, and what each of them does."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.betree.engine_cy import BETreeEngine
from hedgerow.testing import CHECKS, Factory, _testcapi, check_matches_are_the_oracles, expressions

WHOLE = (
    hr.BETreeOptions(capacity=1, least=1, directory="generic", evaluation="lazy", bloom=0, adjust=False),
    hr.BETreeOptions(capacity=2, least=2, directory="hybrid", evaluation="bitmap", bloom=16),
)
EVERY = [
    hr.BETreeOptions(capacity=2, least=1, directory=directory, evaluation=evaluation, bloom=bloom)
    for directory, evaluation, bloom in itertools.product(
        ("ranked", "hybrid", "generic"), ("direct", "lazy", "bitmap"), (0, 16, 32)
    )
]


def engine_of(index: hr.Index) -> BETreeEngine:
    """Return the engine behind an index."""
    engine = index._state.engine
    assert isinstance(engine, BETreeEngine)
    return engine


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("options", WHOLE, ids=str)
def test_options_keep_the_whole_contract(options: hr.BETreeOptions, check: Callable[[Factory], None]) -> None:
    """Leaves of one and two expressions are cut all the time."""
    check(lambda missing: hr.Index("betree", missing=missing, options=options))


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("options", EVERY, ids=str)
def test_every_combination_matches_as_the_oracle_does(options: hr.BETreeOptions) -> None:
    """All 27 of them."""
    check_matches_are_the_oracles(lambda missing: hr.Index("betree", missing=missing, options=options))


@given(st.lists(expressions(), max_size=12), st.sampled_from(EVERY))
def test_invariants_hold_after_each_step(rules: list[hr.Expression], options: hr.BETreeOptions) -> None:
    """Of anything that can be inserted."""
    index = hr.Index("betree", options=options)
    for number, rule in enumerate(rules):
        try:
            index.insert(number, rule)
        except hr.LimitError:
            continue
        engine_of(index).check()


def ladder(count: int) -> Iterator[tuple[int, str]]:
    """Yield rules that overlap more and less on two lines, and ask for a value."""
    for number in range(count):
        width = 1 + number % 7
        yield (
            number,
            f"a BETWEEN {number % 50} AND {number % 50 + width} AND b >= {number % 11} AND c = {number % 3}",
        )


@pytest.mark.parametrize("directory", ("ranked", "hybrid", "generic"))
def test_a_tree_that_is_cut_often_is_sound_and_right(directory: str) -> None:
    """Checked as it grows; few of its expressions are looked at."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=4, directory=directory))
    rules = dict(ladder(600))
    for number, text in rules.items():
        index.insert(number, text)
        if number % 20 == 0:
            engine_of(index).check()
    engine_of(index).check()
    for event in ({"a": 20, "b": 5, "c": 2}, {"a": 3.5, "b": 100, "c": 1}, {"a": [1, 49], "b": [0, 10], "c": [0, 1]}):
        wanted = [n for n, text in rules.items() if hr.evaluate(hr.parse(text), event) is True]
        assert index.match(event) == wanted
        assert wanted
    index.match({"a": 20, "b": 5, "c": 2})
    assert index.visits is not None
    assert index.visits < 150


def test_a_line_grows_with_what_comes() -> None:
    """Rules that come in the order of their values are cut as well as others, and what is taken back is used again."""
    ascending, shuffled = (hr.Index("betree", options=hr.BETreeOptions(capacity=4)) for _ in range(2))
    rules = [(number, f"a BETWEEN {number} AND {number + 3} AND b > {-(number % 3)}") for number in range(1000)]
    for number, text in rules:
        ascending.insert(number, text)
        if number % 50 == 0:
            engine_of(ascending).check()
    shuffled.insert_many(rules[step * 379 % 1000] for step in range(1000))
    for index in (ascending, shuffled):
        engine_of(index).check()
        assert sorted(index.match({"a": 40, "b": 5})) == [*range(37, 41)]
        assert index.visits is not None
        assert index.visits < 60
    tree = engine_of(ascending).tree
    assert tree.node_count - tree.free_nodes > tree.free_nodes


NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.sampled_from([2**53 - 1, 2**53, 2**53 + 1, -(2**63), 2**63 - 1, 0.0, -0.0, 5e-324, 1.7e308, -1.7e308]),
    st.floats(allow_nan=False, allow_infinity=False),
)


@pytest.mark.parametrize("directory", ("ranked", "generic"))
@given(
    st.lists(st.tuples(st.sampled_from(["<", "<=", "=", ">=", ">", "between"]), NUMBERS, NUMBERS), max_size=30),
    st.lists(NUMBERS, max_size=6),
)
def test_lines_of_numbers_of_any_size_lose_nothing(
    directory: str, tests: list[tuple[str, float, float]], values: list[float]
) -> None:
    """Those that floats cannot tell from others are found, and those beyond both ends of what was there at first."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=1, least=1, directory=directory))
    texts = [
        f"a BETWEEN {low!r} AND {high!r}" if operator == "between" else f"a {operator} {low!r}"
        for operator, low, high in tests
    ]
    rules = [hr.parse(text) for text in texts]
    for number, rule in enumerate(rules):
        index.insert(number, rule)
        engine_of(index).check()
    found: list[object] = [*values, values, *[low for _, low, _ in tests], *[high for _, _, high in tests]]
    for event in [{"a": value} for value in found]:
        assert index.match(event) == [n for n, rule in enumerate(rules) if hr.evaluate(rule, event) is True]


def test_strings_are_cut_by_their_beginnings() -> None:
    """A line of strings goes by their first eight bytes."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=2, least=2))
    words = [f"{a}{b}" for a in "abcdefgh" for b in "xyz"]
    for word in words:
        index.insert(f"s{word}", f"name STARTS WITH '{word}'")
        index.insert(f"b{word}", f"name BETWEEN '{word}' AND '{word}zz'")
        engine_of(index).check()
    assert index.match({"name": "cyan"}) == ["scy", "bcy"]
    assert index.visits is not None
    assert index.visits < 20
    assert index.match({"name": ["cyan", "gz"]}) == ["scy", "bcy", "sgz", "bgz"]


def test_the_bloom_filter_passes_over_what_asks_for_other_attributes() -> None:
    """Rules of one leaf, each with an attribute that the event has not: none of their tests is looked at."""
    plain, filtered = (hr.Index("betree", options=hr.BETreeOptions(bloom=bloom)) for bloom in (0, 32))
    for index in (plain, filtered):
        index.insert_many((number, f"a > {number} AND x{number} > 0") for number in range(12))
        assert index.match({"a": 5}) == []
        assert index.match({"a": 5, "x3": 1}) == [3]


def test_absence_guides_nowhere() -> None:
    """What is true of a missing attribute stays in the root, whatever else there is."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=1, least=1))
    for number in range(9):
        index.insert(f"none {number}", f"a IS NULL AND b != {number}")
        index.insert(f"one {number}", f"a = {number} OR c IS NULL")
        engine_of(index).check()
    assert index.match({"b": 3, "c": 1}) == [f"none {number}" for number in range(9) if number != 3]
    assert index.match({"a": 3, "c": 1}) == ["one 3"]
    assert len(index.match({"a": 3})) == 9


@pytest.mark.parametrize(
    "bad",
    (
        {"capacity": 0},
        {"capacity": True},
        {"capacity": 2.5},
        {"least": -1},
        {"directory": "hash"},
        {"evaluation": 1},
        {"bloom": 64},
        {"bloom": False},
    ),
)
def test_wrong_options_are_refused(bad: dict[str, object]) -> None:
    """By name, with what would be right."""
    with pytest.raises(hr.KindError, match=next(iter(bad))):
        hr.BETreeOptions(**bad)  # type: ignore[arg-type]  # wrong on purpose


def test_figures_tell_what_the_tree_is_like() -> None:
    """In stats, and printed."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=2, least=2))
    index.insert_many(
        [(1, "a = 1 AND b > 2"), (2, "a = 1 AND b > 3"), (3, "a = 2"), (4, "c > 1"), (5, "c < 1"), (6, "c > 8")]
    )
    figures = index.stats().figures
    assert (figures["units"], figures["c-nodes"], figures["p-nodes"]) == (6, 6, 2)
    assert (figures["p-nodes by value"], figures["p-nodes by line"], figures["p-nodes by presence"]) == (1, 1, 0)
    assert figures["depth of a unit"] == "2.3, 3 at most"
    assert figures["capacity of a leaf"] == "2"
    assert "c-nodes: 6" in str(index.stats())


def test_figures_tell_how_many_units_the_last_search_checked() -> None:
    """Apart from its visits: what the Bloom filter passes over is not checked; of threads and batches, the sum."""
    index = hr.Index("betree")
    index.insert_many([(1, "a = 1 AND b > 2"), (2, "a = 1 AND b > 3"), (3, "a = 1 AND c = 1"), (4, "d > 1")])

    def checked() -> object:
        return index.stats().figures["units checked by the last search"]

    assert "units checked by the last search" not in index.stats().figures
    assert index.match({"a": 1, "b": 3}) == [1]
    assert (index.visits, checked()) == (1 + 4, 2)
    index.match({"x": 1})
    assert (index.visits, checked()) == (1 + 4, 0)
    for threads in (1, 2):
        index.count_batch([{"a": 1, "b": 3}, {"a": 1, "b": 3, "c": 1}, {"d": 1}], threads=threads)
        assert (index.visits, checked()) == (3 * (1 + 4), 2 + 3 + 1)
    assert index.match({"d": hr.above(0)}, relation="contained") == [4]
    assert checked() == 2 * 4  # once more when what they ask was answered


TWIN, AGAIN = 1000, 1001


def test_what_is_deleted_leaves_the_tree() -> None:
    """Cuts are undone on the way back to a tree of one node; equal conjunctions stay while one owns them."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=4))
    rules = dict(ladder(400))
    index.insert_many(rules.items())
    index.insert(TWIN, rules[399])
    tree = engine_of(index).tree
    most = tree.node_count
    for number in range(399):
        index.delete(number)
        if number % 20 == 0:
            engine_of(index).check()
            event = {"a": number % 50 + 3, "b": 12, "c": (number + 2) % 3}
            live = [n for n in range(number + 1, 400) if hr.evaluate(hr.parse(rules[n]), event) is True]
            assert [n for n in index.match(event) if n != TWIN] == live
    index.delete(399)
    engine_of(index).check()
    tree = engine_of(index).tree
    assert tree.node_count - tree.free_nodes == 1 < most
    assert index.match({"a": 49.5, "b": 30, "c": 0}) == [TWIN]
    index.delete(TWIN)
    index.insert(AGAIN, rules[399])
    assert index.match({"a": 49.5, "b": 30, "c": 0}) == [AGAIN]
    engine_of(index).check()


@pytest.mark.skipif(_testcapi is None, reason="this Python has nothing to make allocations fail with")
def test_a_delete_for_which_there_is_no_memory_takes_nothing_else_out() -> None:
    """Each allocation of a delete fails once; others that own the same conjunctions, or come to, are still found."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=2, least=1))
    rules = {number: f"a = {number % 3} AND b > {number % 5} OR c < {number % 4}" for number in range(40)}
    index.insert_many(rules.items())
    for turn, number in enumerate(list(rules)[:-8]):
        with contextlib.suppress(Exception):  # NumPy, short of memory, raises what comes of it
            _testcapi.set_nomemory(turn % 8, turn % 8 + 1)
            try:
                index.delete(number)
            finally:
                _testcapi.remove_mem_hooks()
        if number not in index:
            index.insert(100 + number, rules[number])
            rules[100 + number] = rules.pop(number)
        for event in ({"a": 1, "b": 9, "c": 9}, {"a": number % 3, "b": 1, "c": 2}):
            wanted = sorted(n for n, rule in rules.items() if hr.evaluate(rule, event))
            assert sorted(index.match(event)) == wanted


@given(st.lists(st.tuples(st.integers(0, 7), expressions(4)), max_size=40))
def test_invariants_hold_through_changes_of_all_kinds(changes: list[tuple[int, hr.Expression]]) -> None:
    """Insert, update, delete: a rule's number is inserted if it is not there, and else changed or deleted in turn."""
    index = hr.Index("betree", options=hr.BETreeOptions(capacity=2, least=1))
    kept: dict[int, hr.Expression] = {}
    for step, (number, rule) in enumerate(changes):
        if number in kept and step % 2:
            index.delete(number)
            del kept[number]
        else:
            (index.update if number in kept else index.insert)(number, rule)
            kept[number] = rule
        engine_of(index).check()
    for event in ({}, {"a": 1, "b": "x"}):
        wanted = sorted(n for n, rule in kept.items() if hr.evaluate(rule, event) is True)
        assert sorted(index.match(event)) == wanted


def shifted(index: hr.Index) -> int:
    """Let go of the rules for which the tree was partitioned on ``p0`` to ``p19``; return the visits of late events.

    What is left below these partitions is better off by ``q``: every event satisfies all that is asked of ``p``.
    """
    names = [f"p{number}" for number in range(20)]
    events = [dict.fromkeys(names, 1000) | {"q": value} for value in range(40)]
    index.insert_many((number, f"{names[number % 20]} > {number}") for number in range(380))
    index.insert_many((400 + number, f"q BETWEEN {number} AND {number + 2}") for number in range(30))
    for number in range(400, 418):
        index.delete(number)
    index.insert_many(
        (500 + number, f"{names[number % 20]} > {number} AND q BETWEEN {number % 40} AND {number % 40 + 1}")
        for number in range(380)
    )
    for number in range(380):
        index.delete(number)
        if number % 50 == 0:
            index.count_batch(events)
            engine_of(index).check()
    index.count_batch(events)
    assert index.visits is not None
    return index.visits


def test_leaves_that_are_looked_at_for_nothing_are_recycled() -> None:
    """The tree is reviewed as rules come and go, stays right, and has less to look at than one that is not."""
    adjusted, hidden = (hr.Index("betree", options=hr.BETreeOptions(adjust=adjust)) for adjust in (True, False))
    assert 3 * shifted(adjusted) < shifted(hidden)
    adjuster = engine_of(adjusted).adjuster
    assert adjuster.reviews > 0
    assert adjuster.recycled > 100
    assert engine_of(hidden).adjuster.reviews == 0
    for event in ({"p0": 70, "q": 1}, {"p0": [3, 300], "p7": 20, "q": [5, 27]}):
        assert sorted(adjusted.match(event)) == sorted(hidden.match(event)) != []

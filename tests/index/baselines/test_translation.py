"""Translation: the conjunctions of the paper's example, and predicates as keys."""

from __future__ import annotations

import itertools

import pytest

import hedgerow as hr
from hedgerow import limits
from hedgerow.index.baselines.translation_cy import TranslationEngine

EXAMPLE = "(p1 = 1 OR p2 = 1 OR p3 = 1) AND p4 = 1 AND (p5 = 1 OR p6 = 1)"


@pytest.fixture
def index() -> hr.Index:
    """Return an empty index of what expressions are translated to."""
    return hr.Index("translation")


def engine_of(index: hr.Index) -> TranslationEngine:
    """Return the engine behind an index."""
    engine = index._state.engine
    assert isinstance(engine, TranslationEngine)
    return engine


def test_the_example_of_the_paper_has_six_conjunctions(index: hr.Index) -> None:
    """Each of three predicates, all of size 3, which six lists have."""
    index.insert("r", EXAMPLE)
    figures = engine_of(index).figures()
    assert (figures["units"], figures["entries"]) == (6, 18)
    assert str(figures["size 3"]).startswith("6 lists, 18 entries")
    for first, last in itertools.product((1, 2, 3), (5, 6)):
        assert index.match({f"p{number}": 1 for number in (first, 4, last)}) == ["r"]
    assert index.match({"p1": 1, "p2": 1, "p3": 1}) == []
    assert index.match({"p1": 1, "p2": 1, "p4": 1}) == []


def test_a_predicate_has_one_list_whatever_its_values(index: hr.Index) -> None:
    """The k-index has one for each value of IN; here an event's list of values leads to it once."""
    index.insert("r", f"a IN ({', '.join(map(str, range(100)))}) AND b > 3")
    engine = engine_of(index)
    assert engine.figures()["entries"] == 2
    assert engine.keys.count == 1 + 2
    assert index.match({"a": [5, 6, 7], "b": 4}) == ["r"]
    assert index.match({"a": [5, 6, 7], "b": 3}) == []


def test_a_negated_predicate_rejects_by_the_list_of_what_denies_it(index: hr.Index) -> None:
    """It asks for its attribute to be there, unless it is weak."""
    index.insert("strong", "a = 1 AND b NOT IN (2, 3)")
    index.insert("weak", "a = 1 AND b WEAK NOT IN (2, 3)")
    assert index.match({"a": 1}) == ["weak"]
    assert index.match({"a": 1, "b": 4}) == ["strong", "weak"]
    assert index.match({"a": 1, "b": 3}) == []


def test_the_best_are_right_though_no_bound_is_known(index: hr.Index) -> None:
    """Weights of values are not looked at before all matches are known."""
    for number in range(50):
        index.insert(number, f"a IN (1: {number % 7}, 2: 1) AND b = 1" if number % 2 else "a = 1", weight=number % 3)
    scan = hr.Index("scan")
    for number in range(50):
        scan.insert(number, f"a IN (1: {number % 7}, 2: 1) AND b = 1" if number % 2 else "a = 1", weight=number % 3)
    assert index.top({"a": 1, "b": 1}, 5) == scan.top({"a": 1, "b": 1}, 5)


def test_a_file_is_a_translation_again(index: hr.Index, tmp_path: object) -> None:
    """What comes into it later is keyed by predicates too, and what is compacted."""
    index.insert("r", EXAMPLE)
    index.save(f"{tmp_path}/rules")
    again = hr.Index.open(f"{tmp_path}/rules", mode="r+")
    again.insert("s", "a IN (1, 2, 3)")
    assert engine_of(again).figures()["entries"] == 18 + 1
    assert engine_of(again).compacted([1]).figures()["entries"] == 1


def test_too_many_conjunctions_are_refused_and_who_takes_them_is_named(index: hr.Index) -> None:
    """Twenty ORs of two have a million."""
    with pytest.raises(hr.LimitError, match=rf"{limits.MAX_CLAUSES:,}.*'atree'"):
        index.insert("r", " AND ".join(f"(a{number} = 1 OR b{number} = 1)" for number in range(20)))
    assert len(index) == 0


def test_deep_wide_and_exclusive_expressions_are_translated(index: hr.Index) -> None:
    """As long as their conjunctions can be counted out."""
    index.insert("deep", "(" * 500 + "a = 0" + "".join(f" AND a ANY OF ({n}) OR b = {n})" for n in range(500)))
    index.insert("wide", " OR ".join(f"(c ANY OF ({number}) AND d = {number})" for number in range(2_000)))
    index.insert("exclusive", " XOR ".join(f"e{number} = 1" for number in range(8)))
    assert index.match({"b": 499}) == ["deep"]
    assert index.match({"a": list(range(500))}) == []
    assert index.match({"c": [3, 1_999], "d": 1_999}) == ["wide"]
    assert index.match({f"e{number}": int(number < 3) for number in range(8)}) == ["exclusive"]
    assert index.match({f"e{number}": int(number < 4) for number in range(8)}) == []

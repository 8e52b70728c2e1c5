"""Translation: the conjunctions of the paper's example, and predicates as keys."""

from __future__ import annotations

import itertools
from pathlib import Path

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


@pytest.mark.parametrize("options", (None, hr.KIndexOptions(prune=False), hr.KIndexOptions(sweep=False)), ids=str)
def test_the_best_are_those_of_scan_also_where_bounds_rule_out_the_rest(options: hr.KIndexOptions | None) -> None:
    """A predicate's bound is the greatest of its values' weights."""
    index, scan = hr.Index("translation", options=options), hr.Index("scan")
    for other in (index, scan):
        for number in range(500):
            either = f"a IN (1^{number % 7}, 2^{number % 11}) AND b = {number % 2}^{number % 5}"
            other.insert(number, either if number % 3 else f"({either}) OR c != {number % 4}", weight=number % 4)
    events: list[dict[str, int | list[int]]] = [{"a": 1, "b": 1}, {"a": [1, 2], "b": 0, "c": 3}, {"c": 1}]
    for event in events:
        assert index.top(event, 5) == scan.top(event, 5)


def test_a_file_is_a_translation_again(index: hr.Index, tmp_path: Path) -> None:
    """What comes into it later is keyed by predicates too, and what is compacted."""
    index.insert("r", EXAMPLE)
    index.save(tmp_path / "rules")
    again = hr.open(tmp_path / "rules", mode="r+")
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
    text = "a ANY OF (0)"
    for level in range(1, 100):
        text = f"(({text} OR b = {level}) AND a ANY OF ({level}))"
    index.insert("deep", text)
    index.insert("wide", " OR ".join(f"(c ANY OF ({number}) AND d = {number})" for number in range(2_000)))
    index.insert("exclusive", " XOR ".join(f"e{number} = 1" for number in range(8)))
    assert index.match({"a": list(range(100))}) == ["deep"]
    assert index.match({"a": list(range(50, 100)), "b": 50}) == ["deep"]
    assert index.match({"a": list(range(51, 100)), "b": 50}) == []
    assert index.match({"c": [3, 1_999], "d": 1_999}) == ["wide"]
    assert index.match({f"e{number}": int(number < 3) for number in range(8)}) == ["exclusive"]
    assert index.match({f"e{number}": int(number < 4) for number in range(8)}) == []

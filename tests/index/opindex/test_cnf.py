"""CNFs that are kept whole (Section 6.1 of the paper): their pivots, their clauses, and what stays a DNF."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.opindex.options import section_of
from hedgerow.store import container
from hedgerow.testing import _testcapi, events, predicates
from tests.index.opindex.test_paper import engine_of
from tools import sources

MERGED = hr.OpIndexOptions(tail=0)

C1 = "(A = 2 OR B >= 3) AND (C = 1 OR C = 4 OR D <= 5)"
C2 = "A = 2 AND (B = 1 OR C = 1 OR D != 5)"

LISTS = """\
pivot A
  =         B = 1 → 2
  =         C = 1 → 2   C = 1 → 1   C = 4 → 1   A = 2 → 1   A = 2 → 2
  <=        D <= 5 → 1
  >=        B >= 3 → 1
  found     NOT D = 5 → 2
pivot B
  =         C = 1 → 1   C = 4 → 1   A = 2 → 1
  <=        D <= 5 → 1
  >=        B >= 3 → 1
units
  1  'C1'
  2  'C2'"""

FOUND: tuple[tuple[dict[str, Any], list[str], int], ...] = (
    ({"A": 2, "B": 5, "D": 3}, ["C1", "C2"], 8),
    ({"A": 2, "B": 5}, [], 5),
    ({"B": 7, "C": 4, "D": 1}, ["C1"], 3),
    ({"A": 2, "C": 1}, ["C1", "C2"], 4),
    ({"A": 3, "C": 1, "D": 1}, [], 4),
    ({"C": 1, "D": 1}, [], 0),
)


def index_of(*rules: str, options: hr.OpIndexOptions = MERGED, missing: str = "unknown") -> hr.Index:
    """Return an index of rules, numbered from 0, whose invariants hold."""
    index = hr.Index("opindex", missing, options)
    index.insert_many(enumerate(rules))
    engine_of(index).check()
    return index


def pivots_of(*rules: str, options: hr.OpIndexOptions = MERGED) -> list[tuple[str | None, ...]]:
    """Return the pivots of each unit that rules become."""
    return engine_of(index_of(*rules, options=options)).pivot_names()


@pytest.mark.parametrize("tail", (0, 1024))
@pytest.mark.parametrize(("event", "found", "read"), FOUND)
def test_the_worked_example(event: dict[str, Any], found: list[str], read: int, tail: int) -> None:
    """Sorted into lists, of which exactly what holds is read, and before."""
    index = hr.Index("opindex", options=hr.OpIndexOptions(tail=tail))
    index.insert_many([("C1", C1), ("C2", C2)])
    engine_of(index).check()
    assert engine_of(index).pivot_names() == [("A", "B"), ("A",)]
    assert index.match(event) == found
    if tail == 0:
        assert index.picture() == LISTS
        assert engine_of(index).wanted() == {0: 2, 1: 2}
        assert index.visits == read


def test_the_pivots_are_the_attributes_of_the_smallest_clause() -> None:
    """Of several such those that are rarest in sum, an attribute counted once; a literal alone is a clause of one."""
    log = hr.OpIndexOptions(log={"a": 5, "b": 5, "c": 4, "d": 7, "e": 1, "f": 1, "g": 1})
    for rule, pivots in (
        ("(a = 1 OR b = 1) AND (e = 1 OR f = 1 OR g = 1)", ("a", "b")),
        ("(a = 1 OR b = 1) AND (c = 1 OR d = 1)", ("a", "b")),
        ("(a = 1 OR d = 1) AND (c = 1 OR b = 1)", ("b", "c")),
        ("(a = 1 OR b = 1) AND (d = 1 OR d > 5)", ("d",)),
        ("(a = 1 OR b = 1 OR c = 1) AND d = 1", ("d",)),
        ("(a = 1 OR b = 1 OR c = 1 OR e = 1) AND d = 1 AND a > 1", ("a",)),
    ):
        (found,) = pivots_of(rule, options=log)
        assert tuple(sorted(map(str, found))) == pivots, rule


def test_a_clause_that_absence_satisfies_gives_no_pivots() -> None:
    """Another does; where there is none, every event is led to the CNF."""
    assert pivots_of("(a IS NULL OR b = 1) AND (c = 1 OR d = 1 OR e = 1)") == [("c", "d", "e")]
    assert pivots_of("(a IS NULL OR b = 1) AND (c WEAK NOT IN (1) OR d = 1 OR e = 1)") == [(None,)]
    index = index_of("(a IS NULL OR b = 1) AND (c WEAK NOT IN (1) OR d = 1 OR e = 1)")
    assert [index.match(event) for event in ({}, {"c": 1}, {"a": 1}, {"a": 1, "b": 1, "c": 1, "e": 1})] == [
        [0],
        [],
        [],
        [0],
    ]
    strict, lenient = (
        index_of("(NOT a = 1 OR b = 1) AND (NOT c = 1 OR d = 1)", missing=m) for m in ("unknown", "false")
    )
    assert [len(engine_of(index).pivot_names()[0]) for index in (strict, lenient)] == [2, 1]
    assert engine_of(lenient).pivot_names() == [(None,)]
    assert (strict.match({}), lenient.match({})) == ([], [0])


@pytest.mark.parametrize(
    ("rule", "units"),
    (
        ("(a = 1 OR b = 1) AND (c = 1 OR d = 1)", 1),
        ("(a = 1 OR b = 1 OR c = 1) AND d = 1", 1),
        ("(a = 1 OR b = 1) AND c = 1", 2),
        ("(a = 1 OR b = 1) AND c = 1 AND d = 1", 2),
        ("a = 1 OR b = 1 OR c = 1", 3),
        ("a = 1 AND b = 1 AND c = 1", 1),
        ("(a = 1 AND b = 1) OR (c = 1 AND d = 1)", 2),
        ("(a = 1 OR b = 1) AND (c = 1 OR (d = 1 AND e = 1))", 4),
        ("NOT (a = 1 AND b = 1 OR c = 1 AND d = 1)", 1),
    ),
)
def test_the_form_with_fewer_parts_is_kept(rule: str, units: int) -> None:
    """A CNF of fewer clauses than its DNF has conjunctions; all else as a DNF."""
    assert index_of(rule).stats().figures["units"] == units


def test_without_the_switch_everything_becomes_a_dnf() -> None:
    """And a CNF whose DNF is too large is refused, which otherwise is taken."""
    large = " AND ".join(f"(a{number} = 1 OR b{number} = 1)" for number in range(30))
    without = index_of(C1, options=hr.OpIndexOptions(tail=0, cnf=False))
    assert without.stats().figures["units"] == 6
    assert [without.match(event) for event, _, _ in FOUND] == [[0] if "C1" in found else [] for _, found, _ in FOUND]
    with pytest.raises(hr.LimitError):
        without.insert(1, large)
    index = index_of(large)
    assert index.match({f"{'ab'[number % 2]}{number}": 1 for number in range(30)}) == [0]
    assert index.match({f"{'ab'[number % 2]}{number}": 1 for number in range(29)}) == []


@pytest.mark.parametrize("tail", (0, 1024))
def test_a_match_under_several_pivots_is_reported_once(tail: int) -> None:
    """However many of its pivots an event has, by whatever is asked, and more often than there are expressions."""
    rules = [" AND ".join(f"({' OR '.join(f'{name} = 1' for name in clause)})" for clause in ("abcde", "fghij"))] * 3
    rules[1] += " AND (k = 1^2 OR l = 1^3)"
    index = index_of(*rules, options=hr.OpIndexOptions(tail=tail))
    event = dict.fromkeys("abcdefghijkl", 1)
    assert index.match(event) == [0, 1, 2]
    assert index.count_batch([event, {"a": 1}, {"a": 1, "j": 1}]).to_pylist() == [3, 0, 2]
    assert index.match_batch([event, event], threads=2).to_pydict() == {
        "event": [0, 0, 0, 1, 1, 1],
        "id": [0, 1, 2] * 2,
    }
    assert index.top(event, 5) == [hr.Scored(1, 3.0), hr.Scored(0, 0.0), hr.Scored(2, 0.0)]
    index.delete(0)
    assert index.match(event) == [1, 2]


def test_a_negated_literal_denies_no_other_of_its_clause() -> None:
    """It satisfies the clause; only what is a clause alone denies the unit."""
    index = index_of(
        "(a != 1 OR b = 1) AND (c = 1 OR d NOT LIKE 'x%')",
        "a != 1 AND (a != 1 OR b = 1 OR c = 1) AND (b = 1 OR c = 1)",
        "a IS NOT NULL AND (a IS NOT NULL OR b = 1) AND (b = 1 OR c = 1 OR d IS NOT NULL)",
    )
    assert index.stats().figures["units"] == 3
    assert index.match({"a": 1, "b": 1, "c": 1}) == [0, 2]
    assert index.match({"a": 1, "d": "y"}) == [2]
    assert index.match({"a": 2, "d": "y"}) == [0, 2]
    assert index.match({"a": 2, "d": "xy"}) == [2]
    assert index.match({"a": [2, 1], "b": 1, "d": ["xy", "z"]}) == [2]
    assert index.match({"a": 2, "b": 1}) == [1, 2]


def test_elements_of_a_list_count_a_clause_once() -> None:
    """Several values of a set, several literals of a clause; and bounds that two elements are within are none."""
    index = index_of(
        "(a IN (1, 2, 3) OR a > 5 OR b = 1) AND (c = 1 OR d = 1) AND (e = 1 OR f = 1)",
        "(a BETWEEN 4 AND 6 OR b BETWEEN 4 AND 6) AND (a > 0 OR b > 0)",
    )
    assert index.match({"a": [1, 2, 3, 9], "c": 1}) == []
    assert index.match({"a": [1, 9], "b": [0, 9]}) == []
    assert index.match({"a": [1, 5, 9], "c": [1, 1], "f": 1, "d": 1}) == [0, 1]
    assert index.match({"a": 7, "b": [3, 7], "d": 1, "e": 1}) == [0]


def test_a_cnf_of_very_many_entries_is_in_the_catch_all() -> None:
    """Under hundreds of pivots each, they would be more than there is memory for."""
    clauses = [" OR ".join(f"{letter}{number} = {number}" for number in range(300)) for letter in "xy"]
    index = index_of(" AND ".join(f"({clause})" for clause in clauses), "x7 = 7 AND (z = 1 OR y3 = 3 OR y4 = 4)")
    assert engine_of(index).pivot_names() == [(None,), ("x7",)]
    figures = index.stats().figures
    assert sum(int(figures[name]) for name in figures if name.startswith("entries")) == 604
    assert index.match({"x7": 7, "y3": 3}) == [0, 1]
    assert index.match({"x7": 7, "y3": 4}) == []


def test_pivots_of_cnfs_are_chosen_anew() -> None:
    """When what was rare at first is frequent now."""
    index = hr.Index("opindex", options=MERGED)
    early = [
        f"(a{number % 50} = 1 OR b{number % 50} = 1) AND (n{number % 5} > {number} OR m{number % 5} > 3)"
        for number in range(400)
    ]
    index.insert_many(enumerate(early))
    assert engine_of(index).pivot_names()[399] == ("a49", "b49")
    index.insert_many(
        (1000 + number, f"a{number % 50} = 2 AND b{number % 50} = 2 AND z{number} = 1") for number in range(9000)
    )
    engine_of(index).check()
    assert index.stats().figures["times that pivots were chosen anew"] == 1
    assert engine_of(index).pivot_names()[399] == ("m4", "n4")
    assert index.match({"a9": 1, "b9": 1, "n4": 60, "m4": 3}) == [9, 59]
    assert index.match({"a9": 1, "n4": 10, "m4": 4}) == list(range(9, 400, 50))


def test_a_file_has_cnfs_in_lists_and_in_the_tail(tmp_path: Path) -> None:
    """What is opened goes on where it was, also when what waits is merged."""
    rules = [
        f"(a = {number} OR b > {number}) AND (c = {number} OR d < {number} OR e != {number})" for number in range(60)
    ]
    index, scan = (
        hr.Index(engine, options=options)
        for engine, options in (("opindex", hr.OpIndexOptions(tail=20)), ("scan", None))
    )
    for other in (index, scan):
        other.insert_many(enumerate(rules[:30]))
        other.insert_many((30 + number, rule) for number, rule in enumerate(rules[30:45]))
    assert index.stats().figures["units that wait in the tail"] == 15
    index.save(tmp_path / "index")
    opened = hr.open(tmp_path / "index", "r+")
    engine_of(opened).check()
    given_events = [{"a": number, "b": 44 - number, "d": 7, "e": [number, 3]} for number in range(0, 60, 7)]
    assert [opened.match(event) for event in given_events] == [scan.match(event) for event in given_events]
    for other in (opened, scan):
        other.insert_many((45 + number, rule) for number, rule in enumerate(rules[45:]))
        other.delete(3)
    engine_of(opened).check()
    assert opened.stats().figures["units that wait in the tail"] == 0
    assert [opened.match(event) for event in given_events] == [scan.match(event) for event in given_events]


def test_a_file_from_before_cnfs_were_kept_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has DNFs alone, and what comes to it is kept in the form that is smaller."""

    def without_the_switch(options: hr.OpIndexOptions) -> object:
        told = json.loads(section_of(options).tobytes())
        del told["cnf"]
        return type(section_of(options))(len(json.dumps(told)), "u1", json.dumps(told).encode())

    index = index_of(C1, options=hr.OpIndexOptions(tail=0, cnf=False))
    monkeypatch.setattr("hedgerow.index.opindex.engine_cy.section_of", without_the_switch)
    monkeypatch.setattr(container, "VERSION", 4)
    index.save(tmp_path / "index")
    opened = hr.open(tmp_path / "index", "r+")
    assert engine_of(opened).options == MERGED
    opened.insert(1, C1)
    engine_of(opened).check()
    assert opened.stats().figures["units"] == 7
    assert [opened.match(event) for event, _, _ in FOUND] == [[0, 1] if "C1" in found else [] for _, found, _ in FOUND]


@pytest.mark.skipif(_testcapi is None, reason="this Python has nothing to make allocations fail with")
@pytest.mark.parametrize("tail", (0, 1024))
def test_an_insert_that_fails_leaves_nothing(tail: int) -> None:
    """At any of its pivots; in a process of its own, since memory fails in all threads."""
    program = f"from {__name__} import fail; fail({tail})"
    done = subprocess.run(  # noqa: S603 - it is this file
        [sys.executable, "-c", program], cwd=sources.ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def fail(tail: int) -> None:
    """Let each insert fail at each allocation, and see what is found afterwards."""
    index = hr.Index("opindex", options=hr.OpIndexOptions(tail=tail))
    failed = 0
    for number in range(10):
        rule = f"(a = {number % 2} OR x = {number}) AND (b > {number} OR c NOT IN ({number}, -1) OR e IN (1, {number}))"
        expression = hr.parse(rule)
        for allocation in itertools.count():
            _testcapi.set_nomemory(allocation, allocation + 1)
            try:
                index.insert(number, expression)
                break
            except Exception:  # noqa: BLE001 - NumPy, short of memory, raises what comes of it
                failed += 1
            finally:
                _testcapi.remove_mem_hooks()
        engine_of(index).check()
    assert failed > len(index)
    assert index.match({"a": 1, "b": 6, "x": 4}) == [1, 3, 4, 5]
    assert index.match({"a": 0, "c": 2, "e": 8, "x": 7}) == [0, 4, 6, 7, 8]


@st.composite
def cnfs(draw: st.DrawFn) -> hr.Expression:
    """Return an AND of two to four clauses of up to three literals."""
    literals = st.tuples(predicates(), st.booleans()).map(lambda drawn: hr.Not(drawn[0]) if drawn[1] else drawn[0])
    clauses = draw(st.lists(st.lists(literals, min_size=1, max_size=3), min_size=2, max_size=4))
    return hr.And(*(hr.Or(*clause) if len(clause) > 1 else clause[0] for clause in clauses))


SWITCHES = (
    MERGED,
    hr.OpIndexOptions(tail=3, pivot="random", segments=1, signatures=False, seed=3),
    hr.OpIndexOptions(),
)


@pytest.mark.parametrize("missing", ("unknown", "false"))
@given(
    st.sampled_from(SWITCHES),
    st.lists(cnfs(), min_size=1, max_size=8),
    st.lists(events(), min_size=1, max_size=4),
)
def test_any_cnf_matches_as_the_oracle_does(
    missing: str, options: hr.OpIndexOptions, rules: list[hr.Expression], given_events: list[dict[str, Any]]
) -> None:
    """Of any literals, negated ones and lists of values among them; and so does the engine that compaction makes."""
    index = hr.Index("opindex", missing, options)
    for number, rule in enumerate(rules):
        index.insert(number, rule)
        engine_of(index).check()
    engine_of(index).compacted(range(len(rules))).check()
    for event in given_events:
        truth = [number for number, rule in enumerate(rules) if hr.evaluate(rule, event, missing=missing) is True]
        assert index.match(event) == truth

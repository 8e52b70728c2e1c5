"""Every switch of OpIndex on the contract, its invariants after each step, and what each of them does."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.testing import CHECKS, Factory, check_matches_are_the_oracles, expressions
from tests.index.opindex.test_paper import engine_of

WHOLE = (
    hr.OpIndexOptions(tail=0),
    hr.OpIndexOptions(tail=2, pivot="random", segments=1, signatures=False, seed=7),
    hr.OpIndexOptions(tail=1, log={"a": 3, "b": 1}, segments=4),
)
EVERY = [
    hr.OpIndexOptions(pivot=pivot, segments=segments, signatures=signatures, tail=tail, log=log, repivot=log is None)
    for pivot, segments, signatures, tail, log in itertools.product(
        ("rarest", "random"), (1, 2, 32), (True, False), (0, 1024), (None, {"a": 2.5, "c": 1})
    )
]


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("options", WHOLE, ids=str)
def test_options_keep_the_whole_contract(options: hr.OpIndexOptions, check: Callable[[Factory], None]) -> None:
    """With lists that are merged all the time, and pivots of each kind."""
    check(lambda missing: hr.Index("opindex", missing=missing, options=options))


@pytest.mark.usefixtures("_few_examples")
@pytest.mark.parametrize("options", EVERY, ids=str)
def test_every_combination_matches_as_the_oracle_does(options: hr.OpIndexOptions) -> None:
    """All 48 of them."""
    check_matches_are_the_oracles(lambda missing: hr.Index("opindex", missing=missing, options=options))


@given(st.lists(expressions(), max_size=12), st.sampled_from(EVERY))
def test_invariants_hold_after_each_step(rules: list[hr.Expression], options: hr.OpIndexOptions) -> None:
    """Of anything that can be inserted."""
    index = hr.Index("opindex", options=options)
    for number, rule in enumerate(rules):
        try:
            index.insert(number, rule)
        except hr.LimitError:
            continue
        engine_of(index).check()


NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.sampled_from([2**53 - 1, 2**53, 2**53 + 1, -(2**63), 2**63 - 1, 0.0, -0.0, 5e-324, 1.7e308, -1.7e308]),
    st.floats(allow_nan=False, allow_infinity=False),
)


@pytest.mark.parametrize("filler", (0, 40))
@given(
    st.lists(st.tuples(st.sampled_from(["<", "<=", "=", ">=", ">", "between"]), NUMBERS, NUMBERS), max_size=30),
    st.lists(NUMBERS, max_size=6),
)
def test_bounds_of_any_size_are_told_apart(
    filler: int, tests: list[tuple[str, float, float]], values: list[float]
) -> None:
    """Those that floats cannot tell from others too; by probes, and where there are many of these, entry by entry."""
    index = hr.Index("opindex", options=hr.OpIndexOptions(tail=0))
    texts = [
        f"a BETWEEN {low!r} AND {high!r}" if operator == "between" else f"a {operator} {low!r}"
        for operator, low, high in tests
    ]
    rules = [hr.parse(text) for text in texts]
    index.insert_many(enumerate(rules))
    more = {f"x{number}": 1 for number in range(filler)}
    index.insert_many((f"more {name}", f"{name} = 2") for name in more)
    found: list[object] = [values, values, *[low for _, low, _ in tests], *[high for _, _, high in tests]]
    for event in [{"a": value} for value in found]:
        assert index.match(event | more) == [n for n, rule in enumerate(rules) if hr.evaluate(rule, event) is True]


ATTRIBUTES = "abcdefgh"


def literal(chance: random.Random, attribute: str) -> str:
    """Return an equality as often as not, or another test."""
    value, other = chance.randrange(4), chance.randrange(4)
    others = (
        f"{attribute} IN ({value}, {other}, 7)",
        f"{attribute} NOT IN ({value}, {other})",
        f"{attribute} WEAK NOT IN ({value})",
        f"{attribute} > {value}",
        f"{attribute} <= {value}",
        f"{attribute} BETWEEN {value} AND {value + 1}",
        f"{attribute} IS NULL",
        f"{attribute} NOT BETWEEN {value} AND {other}",
        f"{attribute} STARTS WITH '{'xyz'[value % 3]}'",
        f"{attribute} ENDS WITH '{'xyz'[other % 3]}'",
        f"{attribute} MATCHES '^{'xyz'[other % 3]}+$'",
        f"NOT {attribute} LIKE '%{'xyz'[value % 3]}%'",
    )
    return f"{attribute} = {value}" if chance.random() < 0.4 else chance.choice(others)


def conjunction(chance: random.Random) -> str:
    """Return a conjunction of a few tests, which may be of one attribute."""
    return " AND ".join(literal(chance, name) for name in chance.choices(ATTRIBUTES, k=chance.randrange(1, 5)))


def rule(chance: random.Random) -> str:
    """Return a conjunction, or a CNF as often."""
    if chance.random() < 0.5:
        return conjunction(chance)
    clauses = [
        " OR ".join(literal(chance, name) for name in chance.choices(ATTRIBUTES, k=chance.randrange(1, 4)))
        for _ in range(chance.randrange(1, 5))
    ]
    return " AND ".join(f"({clause})" for clause in clauses)


def event_of(chance: random.Random) -> dict[str, object]:
    """Return an event with a string or a list now and then."""
    event: dict[str, object] = {}
    for name in chance.sample(ATTRIBUTES, chance.randrange(len(ATTRIBUTES) + 1)):
        kind = chance.random()
        texts = ["".join(chance.choices("xyz", k=chance.randrange(1, 4))) for _ in range(2)]
        listed: list[object] = [*chance.choices(range(4), k=chance.randrange(4)), *texts]
        event[name] = listed if kind < 0.2 else texts[0] if kind < 0.4 else chance.randrange(4)
    return event


CROWDS = (
    hr.OpIndexOptions(),
    hr.OpIndexOptions(tail=0, segments=4),
    hr.OpIndexOptions(tail=5000, pivot="random"),
    hr.OpIndexOptions(tail=64, signatures=False),
    hr.OpIndexOptions(cnf=False),
)


@pytest.mark.parametrize("missing", ("unknown", "false"))
@pytest.mark.parametrize("options", CROWDS, ids=str)
def test_a_crowd_is_found_as_scan_finds_it(options: hr.OpIndexOptions, missing: str) -> None:
    """By lists that are long and short, also after deletes, and when more has come."""
    chance = random.Random(7)
    rules = [(number, rule(chance)) for number in range(3000)]
    index, scan = hr.Index("opindex", missing, options), hr.Index("scan", missing)
    events = [event_of(chance) for _ in range(80)]
    for other in (index, scan):
        other.insert_many(rules[:1500])
        for number in range(0, 1500, 3):
            other.delete(number)
        for pair in rules[1500:1600]:
            other.insert(*pair)
    engine_of(index).check()
    assert [index.match(event) for event in events] == [scan.match(event) for event in events]
    for other in (index, scan):
        other.insert_many(rules[1600:])
    engine_of(index).check()
    assert [index.match(event) for event in events] == [scan.match(event) for event in events]


def test_each_kind_of_list_is_searched_by_probes_where_it_is_long() -> None:
    """Prefixes, suffixes, expressions, others that are found, and what denies: hundreds under one pivot."""
    index, scan = hr.Index("opindex", options=hr.OpIndexOptions(tail=0)), hr.Index("scan")
    kinds = ("STARTS WITH 'x{}'", "ENDS WITH '{}x'", "MATCHES '^x{}x$'", "LIKE '%{}%x'", "!= 'x{}x'", "> 'x{}'")
    for other in (index, scan):
        other.insert_many(
            (f"{kind} {number}", f"p = 1 AND name {kind.format(number)}") for kind in kinds for number in range(100)
        )
    for name in ("x7x", "x77x", "x", "y", ["x1x", "x42x"]):
        assert index.match({"p": 1, "name": name}) == scan.match({"p": 1, "name": name})
    figures = index.stats().figures
    for name, count in (("prefix", 100), ("suffix", 100), ("regex", 100), ("denies", 100), (">=", 100), ("=", 600)):
        assert figures[f"entries of '{name}'"] == count


def test_elements_of_a_list_count_a_set_once_and_an_interval_together() -> None:
    """Two elements of a set are one match of it, and bounds that two elements are within are none."""
    index = hr.Index("opindex", options=hr.OpIndexOptions(tail=0))
    index.insert("set", "a IN (1, 2, 3) AND b = 1")
    index.insert("interval", "a BETWEEN 4 AND 6")
    index.insert("sets", "a IN (1, 2) AND a IN (2, 3)")
    assert index.match({"a": [1, 2, 3]}) == ["sets"]
    assert index.match({"a": [1, 1, 2], "b": [0, 1, 1]}) == ["set", "sets"]
    assert index.match({"a": [1, 9], "b": 2}) == []
    assert index.match({"a": [1, 5, 9], "b": 2}) == ["interval"]
    assert index.match({"a": [1, 3]}) == ["sets"]


def test_what_needs_no_attribute_is_found_by_every_event() -> None:
    """Absence, weak tests and TRUE are under no pivot."""
    index = hr.Index("opindex", options=hr.OpIndexOptions(tail=0))
    index.insert_many([("null", "a IS NULL"), ("weak", "a WEAK NOT IN (1, 2)"), ("true", "TRUE"), ("one", "a = 1")])
    assert engine_of(index).pivot_names() == [(None,), (None,), (None,), ("a",)]
    assert index.match({}) == ["null", "weak", "true"]
    assert index.match({"a": 1}) == ["true", "one"]
    assert index.match({"a": 3}) == ["weak", "true"]
    assert index.stats().figures["units that need no attribute"] == 3


def test_without_signatures_and_segments_the_same_is_found() -> None:
    """The paper's OpIndex-BS, and each of the two alone."""
    chance = random.Random(3)
    rules = [
        (number, " AND ".join(f"a{chance.randrange(60)} >= {number % 9}" for _ in range(3))) for number in range(999)
    ]
    events = [{f"a{chance.randrange(60)}": chance.randrange(9) for _ in range(20)} for _ in range(20)]
    found = []
    for segments, signatures in ((32, True), (32, False), (1, True), (1, False)):
        index = hr.Index("opindex", options=hr.OpIndexOptions(segments=segments, signatures=signatures, tail=0))
        index.insert_many(rules)
        found.append([index.match(event) for event in events])
        assert (index.stats().figures["segments"] == index.stats().figures["predicate lists"]) == (segments == 1)
    assert all(one == found[0] for one in found)


def test_an_event_of_very_many_attributes_reads_no_more_than_there_is() -> None:
    """Where a list has fewer entries than the event has values, these are not looked for one by one."""
    index = hr.Index("opindex", options=hr.OpIndexOptions(tail=0))
    index.insert_many((number, f"a{number} = 1 AND b{number} > 2 AND c{number} != 7") for number in range(2000))
    event = {f"{letter}{number}": 1 + 2 * (letter == "b") for number in range(2000) for letter in "abc"}
    assert index.match(event) == list(range(2000))
    assert index.visits is not None
    assert index.visits <= 4 * 2000


def test_pivots_are_chosen_anew_when_the_frequencies_drift() -> None:
    """What was rare at first and is frequent now is no good pivot."""
    kept, chosen = (hr.Index("opindex", options=hr.OpIndexOptions(tail=0, repivot=again)) for again in (False, True))
    early = [(number, f"a{number % 100} = 1 AND n{number % 10} > {number}") for number in range(400)]
    later = [(1000 + number, f"a{number % 100} = 2 AND z{number} = 1") for number in range(8000)]
    for index in (kept, chosen):
        index.insert_many(early)
        assert engine_of(index).pivot_names()[398:] == [("a98",), ("a99",)]
        index.insert_many(later)
        engine_of(index).check()
        assert index.match({"a7": 1, "n7": 300}) == [7, 107, 207]
        index.match({"a7": 1})
    assert kept.stats().figures["times that pivots were chosen anew"] == 0
    assert chosen.stats().figures["times that pivots were chosen anew"] == 1
    assert engine_of(chosen).pivot_names()[398:400] == [("n8",), ("n9",)]
    assert kept.visits
    assert chosen.visits == 0


def test_a_file_has_the_options_and_the_log(tmp_path: Path) -> None:
    """What comes after it was opened gets its pivot by the same log."""
    options = hr.OpIndexOptions(log={"a": 1, "b": 2, "c": 0.5}, tail=0, segments=8, signatures=False)
    index = hr.Index("opindex", options=options)
    index.insert("one", "a = 1 AND b IN (1, 2)")
    index.save(tmp_path / "index")
    opened = hr.open(tmp_path / "index", "r+")
    assert engine_of(opened).options == options
    opened.insert("two", "a = 1 AND c = 1 AND d IN (2, 3)")
    opened.insert("three", "c > 1 AND a != 3")
    engine_of(opened).check()
    assert engine_of(opened).pivot_names() == [("a",), ("d",), ("c",)]
    assert opened.match({"a": 1, "b": [1, 2], "c": [1, 2], "d": [2, 3]}) == ["one", "two", "three"]


@pytest.mark.parametrize(
    "bad",
    (
        {"pivot": "rare"},
        {"pivot": True},
        {"segments": 3},
        {"segments": 0},
        {"segments": 2048},
        {"signatures": 1},
        {"cnf": None},
        {"repivot": "no"},
        {"tail": -1},
        {"seed": 2.5},
        {"log": ["a"]},
        {"log": {1: 2}},
        {"log": {"a": -1}},
        {"log": {"a": float("nan")}},
        {"log": {"a": True}},
    ),
)
def test_wrong_options_are_refused(bad: dict[str, object]) -> None:
    """By name, with what would be right."""
    with pytest.raises(hr.KindError, match=next(iter(bad))):
        hr.OpIndexOptions(**bad)  # type: ignore[arg-type]  # wrong on purpose


def test_a_log_is_ones_own() -> None:
    """What is done to it later changes no options."""
    log = {"a": 1.0}
    options = hr.OpIndexOptions(log=log)
    log["a"] = 2.0
    assert options.log == {"a": 1.0}
    assert hash(options) == hash(hr.OpIndexOptions(log={"a": 1.0}))


def test_pictures_tell_what_is_asked_denied_and_waiting() -> None:
    """What was deleted is not drawn; one that would say nothing is refused."""
    index = hr.Index("opindex", options=hr.OpIndexOptions(tail=0))
    index.insert("x", "a = TRUE AND b = 2.5 AND c = TIMESTAMP '2026-01-31T12:00:00Z' AND d LIKE 'x%' AND e > 3")
    index.insert("y", "NOT (f = 'q' OR g LIKE '%z') AND NOT h IS NULL AND k BETWEEN 'm' AND 'n'")
    index.insert("z", "TRUE")
    index.insert("gone", "nowhere = 1")
    index.delete("gone")
    picture = index.picture()
    for told in ("a = true", "b = 2.5", "d LIKE 'x%'", "e > 3", "is there", "k >= 'm'", "k <= 'n'", "anything"):
        assert told in picture
    assert "denies" in picture
    assert "nowhere" not in picture
    dot = index.to_graphviz()
    assert dot.startswith("digraph opindex {")
    assert dot.count("style=dashed") == 2
    waiting = hr.Index("opindex")
    waiting.insert("w", "a = 1")
    assert "waiting" in waiting.picture()
    with pytest.raises(hr.LimitError, match="most="):
        index.picture(most=2)

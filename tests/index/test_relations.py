"""Matching by relation: engines against the oracle, the paper's semantics, and what has no place in a relation."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.errors import EventError, KindError, LimitError, Unsupported
from hedgerow.language.relate import RELATIONS, conjunctions
from hedgerow.testing import _beside

OPTIONS = (
    ("scan", None),
    ("betree", hr.BETreeOptions(capacity=1, least=1)),
    ("betree", hr.BETreeOptions(capacity=2, least=1, directory="generic", bloom=0)),
    ("betree", None),
)
MOMENT = dt.datetime(2026, 1, 31, tzinfo=dt.UTC)
VALUES = (0, 1, 2, 3, 2.5, "", "x", "y", "yy", True, False, MOMENT)
SAID = (*VALUES, math.inf, -math.inf)  # which no rule can name


def in_pairs() -> st.SearchStrategy[tuple[Any, Any]]:
    """Return two values of one kind, in their order."""
    kinds = ((0, 1, 2, 2.5, 3), ("", "x", "y", "yy"), (False, True), (MOMENT, MOMENT + dt.timedelta(days=1)))
    return st.sampled_from(kinds).flatmap(lambda kind: st.tuples(st.sampled_from(kind), st.sampled_from(kind)))


@st.composite
def value_tests(draw: st.DrawFn) -> hr.Expression:
    """Draw a test that is no pattern."""
    name = draw(st.sampled_from("abc"))
    attribute = hr.attr(name)
    value = draw(st.sampled_from(VALUES))
    low, high = draw(in_pairs())
    some = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3))
    return draw(
        st.sampled_from(
            (
                attribute == value,
                attribute != value,
                attribute < value,
                attribute <= value,
                attribute > value,
                attribute >= value,
                attribute.between(low, high),
                ~attribute.between(low, high),
                attribute.isin(some),
                ~attribute.isin(some),
                hr.Predicate(name, hr.Operator.WEAK_NOT_IN, tuple(some)),
                hr.Predicate(name, hr.Operator.ALL_OF, tuple(some)),
                hr.Predicate(name, hr.Operator.IS_NULL),
                hr.Predicate(name, hr.Operator.IS_NOT_NULL),
                hr.Predicate(name, hr.Operator.IS_EMPTY),
                hr.Predicate(name, hr.Operator.IS_NOT_EMPTY),
            )
        )
    )


def rules() -> st.SearchStrategy[hr.Expression]:
    """Return expressions of all logical operators, with constants and repeated parts."""

    def combined(parts: st.SearchStrategy[hr.Expression]) -> st.SearchStrategy[hr.Expression]:
        several = st.lists(parts, min_size=2, max_size=3)
        return st.one_of(
            several.map(lambda operands: hr.And(*operands)),
            several.map(lambda operands: hr.Or(*operands)),
            several.map(lambda operands: hr.Xor(*operands)),
            several.map(lambda operands: hr.Xnor(*operands)),
            parts.map(hr.Not),
            parts.map(lambda operand: hr.And(operand, operand)),
            several.map(lambda operands: hr.And(hr.Or(*operands), hr.Or(*operands))),
        )

    leaves = st.one_of(value_tests(), value_tests(), st.booleans().map(hr.Constant))
    return st.recursive(leaves, combined, max_leaves=6)


def value_sets() -> st.SearchStrategy[hr.ValueSet]:
    """Return sets that have a value."""

    def made(kind: str, low: Any, high: Any, some: list[Any]) -> hr.ValueSet | None:
        ways = {
            "between": lambda: hr.between(low, high),
            "any": lambda: hr.any_of(some),
            "none": lambda: hr.none_of(some),
            "least": lambda: hr.at_least(low),
            "most": lambda: hr.at_most(low),
            "above": lambda: hr.above(low),
            "below": lambda: hr.below(low),
        }
        try:
            return ways[kind]()
        except KindError:  # it would have none
            return None

    kinds = st.sampled_from(("between", "any", "none", "least", "most", "above", "below"))
    some = st.lists(st.sampled_from(SAID), min_size=1, max_size=3)
    drawn = st.tuples(kinds, in_pairs(), some).map(lambda given: made(given[0], given[1][0], given[1][1], given[2]))
    return drawn.filter(lambda found: found is not None)  # type: ignore[return-value]  # None is gone


def expressive() -> st.SearchStrategy[dict[str, Any]]:
    """Return events of sets, values, nothing, NaN and objects; with attributes that no rule knows."""
    said = st.one_of(
        value_sets(), value_sets(), st.sampled_from(SAID), st.none(), st.just(math.nan), st.just({"d": 1, "e": None})
    )
    return st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), said, max_size=4)


@pytest.mark.parametrize(("engine", "options"), OPTIONS, ids=str)
@given(
    st.sampled_from(("unknown", "false")),
    st.lists(rules(), max_size=6),
    st.lists(expressive(), max_size=4),
    st.sampled_from(RELATIONS),
)
@example("unknown", [hr.parse("(a = 1 OR b = 2) AND (a = 1 OR b = 2)")], [{"a": 1, "b": 2}], "exact")
@example("unknown", [hr.parse("a = 1 OR TRUE")], [{"a": 1}, {}], "containing")
@example("unknown", [hr.parse("a = 1 AND NOT a = 1")], [{"a": 5}], "satisfying")
@example("false", [hr.parse("a != 1 XOR a = 2")], [{"a": hr.any_of([1, 2])}, {}], "symmetric")
def test_engines_agree_with_the_oracle(  # noqa: PLR0917 - two are the engine's, four are drawn
    engine: str,
    options: hr.BETreeOptions | None,
    missing: str,
    given_rules: list[hr.Expression],
    events: list[dict[str, Any]],
    relation: str,
) -> None:
    """For one event and for a batch, whatever is asked and said."""
    index = hr.Index(engine, missing=missing, options=options)
    taken = {}
    for number, rule in enumerate(given_rules):
        with contextlib.suppress(LimitError):  # the oracle has one too
            conjunctions(rule, missing)
            index.insert(number, rule)
            taken[number] = rule
    right = [[n for n, rule in taken.items() if hr.relates(rule, event, relation, missing)] for event in events]
    assert [index.match(event, relation=relation) for event in events] == right
    rows = index.match_batch(events, relation=relation).to_pydict()
    assert list(zip(rows["event"], rows["id"], strict=True)) == [
        (row, number) for row, found in enumerate(right) for number in found
    ]


@pytest.mark.parametrize(("engine", "options"), OPTIONS, ids=str)
def test_many_conjunctions_are_found_as_the_oracle_finds_them(
    engine: str, options: hr.BETreeOptions | None, tmp_path: Any
) -> None:
    """In a tree that is deep, after deletes, in a file, and compacted."""
    chance = random.Random(5)
    operators = ("= {0}", "> {0}", "<= {0}", "BETWEEN {0} AND {1}", "IN ({0}, {1})", "NOT IN ({0}, {1})", "!= {0}")

    def conjunction() -> str:
        return " AND ".join(
            f"a{name} {chance.choice(operators).format(low, low + chance.randrange(9))}"
            for name in chance.sample(range(6), chance.randrange(1, 5))
            for low in [chance.randrange(30)]
        )

    texts = {number: conjunction() for number in range(400)} | {400: "a0 = 1 OR TRUE", 401: "(a0 > 3 OR a1 > 3)"}
    index = hr.Index(engine, options=options)
    index.insert_many(texts.items())
    events: list[dict[str, Any]] = []
    for _ in range(25):
        low = chance.randrange(30)
        sets = (hr.between(low, low + 4), hr.any_of([low, low + 1]), hr.at_least(low), hr.none_of([low]), low)
        events.append({f"a{name}": chance.choice(sets) for name in chance.sample(range(6), chance.randrange(1, 4))})

    def check(index: hr.Index, kept: dict[int, str]) -> None:
        parsed = {number: hr.parse(text) for number, text in kept.items()}
        for relation in RELATIONS:
            for event in events[:: 1 if relation in ("satisfied", "contained") else 5]:
                right = [number for number, rule in parsed.items() if hr.relates(rule, event, relation)]
                assert sorted(index.match(event, relation=relation)) == right

    check(index, texts)
    for number in range(0, 400, 2):
        index.delete(number)
        del texts[number]
    index.save(tmp_path / "rules")
    opened = hr.open(tmp_path / "rules", mode="r+")
    opened.insert(1000, "a2 = 3 AND (a2 = 3 OR FALSE)")
    check(opened, texts | {1000: "a2 = 3 AND (a2 = 3 OR FALSE)"})
    engine_now = index._state.engine
    compacted = engine_now.compacted(index._state.ids.live_slots().tolist())
    assert str(compacted.expression(list(texts).index(400))) == str(index.expression(400))


@pytest.mark.parametrize("engine", ("scan", "betree"))
def test_relations_are_found_beside_a_writer(engine: str) -> None:
    """What was there first is always found, while the tree is cut and conjunctions leave it."""
    options = hr.BETreeOptions(capacity=2, least=1) if engine == "betree" else None
    index = hr.Index(engine, options=options)
    index.insert_many((number, f"a > {number} AND b BETWEEN {number % 7} AND 9") for number in range(60))
    event = {"a": hr.between(20, 30), "b": hr.any_of([5, 6])}
    right = {relation: index.match(event, relation=relation) for relation in RELATIONS}
    assert len(right["satisfied"]) == 30

    def read() -> None:
        for relation in RELATIONS:
            found = [number for number in index.match(event, relation=relation) if int(number) < 60]
            assert found == right[relation]

    def write(turn: int) -> None:
        start = 100 + 20 * turn
        index.insert_many((n, f"a > {n % 40} AND b < {n % 9} AND c = {n % 3}") for n in range(start, start + 20))
        for number in range(start, start + 20, 2):
            index.delete(number)

    _beside(write, [read, read], 12)


def test_an_event_may_say_much_of_what_no_rule_knows() -> None:
    """More than a word has bits: it counts as said, and can be anything."""
    event: dict[str, Any] = {f"z{number}": number for number in range(100)} | {"y": b"bytes"}
    for engine in ("scan", "betree"):
        index = hr.Index(engine)
        index.insert(1, "z70 = 70")
        index.insert(2, " AND ".join(f"z{number} >= 0" for number in range(100)))
        index.insert(3, "(" + ") AND (".join(f"z{number} >= 0 OR x = 1" for number in range(12)) + ")")
        assert index.match(event, relation="contained") == [1]
        assert index.match(event, relation="satisfying") == []
        del event["y"]
        assert index.match(event, relation="satisfying") == [2]
        assert index.match({f"z{number}": 0 for number in range(12)}, relation="containing") == [2, 3]
        event["y"] = b"bytes"


def test_engines_without_relations_name_those_that_have_them() -> None:
    """For another relation, and for sets in events; one and many."""
    index = hr.Index()
    index.insert(1, "a < 5")
    for call in (
        lambda: index.match({"a": 3}, relation="exact"),
        lambda: index.match({"a": hr.between(1, 3)}),
        lambda: index.match_batch([{"a": 3}], relation="exact"),
        lambda: index.match_batch([{"a": hr.between(1, 3)}]),
        lambda: index.match_batch([{"a": hr.between(1, 3)}], on_error="skip"),
    ):
        with pytest.raises(Unsupported, match=r"'atree'.*betree, scan can"):
            call()
    with pytest.raises(EventError, match="a set of values; only match and match_batch"):
        index.count_batch([{"a": hr.between(1, 3)}])
    with pytest.raises(KindError, match="'satisfied', 'satisfying'"):
        index.match({"a": 3}, relation="related")


@pytest.mark.parametrize("engine", ("scan", "betree"))
def test_patterns_and_lists_have_no_place(engine: str) -> None:
    """But under the default relation, where a pattern is tested on each of some values, and a list is a list."""
    index = hr.Index(engine)
    index.insert(1, "s LIKE 'a%' AND n > 3")
    index.insert(2, "s NOT LIKE 'a%'")
    index.insert(3, "n = 4")
    event = {"s": hr.any_of(["ab", "b"]), "n": [1, 4]}
    assert index.match(event) == [1, 2, 3]
    assert index.match({"s": "ab", "n": hr.at_most(3.5)}) == [1]
    assert index.match({"s": 7, "n": hr.at_most(3.5)}) == []
    with pytest.raises(Unsupported, match="a pattern on an endless set"):
        index.match({"s": hr.at_least("a")})
    with pytest.raises(Unsupported, match="a pattern under the relation 'exact'"):
        index.match({"n": 4}, relation="exact")
    index.delete(1)
    index.delete(2)
    assert index.match({"n": 4}, relation="exact") == [3]
    with pytest.raises(Unsupported, match="n: a list, under the relation 'exact'"):
        index.match({"n": [4]}, relation="exact")
    assert index.match({"n": 4, "other": [4]}, relation="contained") == [3]


@pytest.mark.parametrize("engine", ("scan", "betree"))
def test_tables_generators_and_bad_events(engine: str) -> None:
    """Relations take what events come as; what is wrong with some is told of, row by row."""
    index = hr.Index(engine)
    index.insert("low", "a BETWEEN 1 AND 3")
    index.insert("any", "a IS NOT NULL")
    table = pa.table({"a": [2, 9]})
    expected = {"event": [0, 0, 1], "id": ["low", "any", "any"]}
    assert index.match_batch(table, relation="containing").to_pydict() == expected
    assert index.match_batch(hr.events(table), relation="containing").to_pydict() == expected
    assert index.match(hr.events([{"a": 2}]), relation="containing") == ["low", "any"]
    assert index.match_batch(({"a": value} for value in (2, 9)), relation="containing").to_pydict() == expected
    events = [{"a": hr.between(0, 1)}, {"a": b"1"}, {"a": 3}]
    with pytest.raises(EventError, match="event 1: attribute 'a'"):
        index.match_batch(events)
    report = index.match_batch(events, on_error="skip")
    assert report.result.to_pydict() == {"event": [0, 0, 2, 2], "id": ["low", "any"] * 2}
    assert [(bad.row, bad.attribute) for bad in report.errors] == [(1, "a")]
    with pytest.raises(EventError):
        index.match_batch({"a": 3}, relation="exact")
    with pytest.raises(EventError):
        index.match(7, relation="exact")  # type: ignore[arg-type]


def test_what_is_too_much_is_refused() -> None:
    """An expression with far too many ways to cover an event is a ``LimitError``, in time."""
    pairs = " AND ".join(f"(a{number} = 1 OR b{number} = 1)" for number in range(40))
    event = {f"{letter}{number}": 1 for number in range(40) for letter in "ab"}
    index = hr.Index("scan")
    index.insert(1, pairs)
    assert index.match(event, relation="contained") == [1]
    with pytest.raises(LimitError, match="10,000 ways"):
        index.match(event, relation="containing")
    with pytest.raises(LimitError, match="10,000 conjunctions"):
        hr.relates(pairs, event, "containing")

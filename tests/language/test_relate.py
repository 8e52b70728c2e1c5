"""The oracle of relations: the paper's examples, a table of what relates how, and the meaning of expressions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.errors import KindError, LimitError, Unsupported
from hedgerow.language.relate import RELATIONS, conjunctions
from hedgerow.testing import events, expressions

SATISFIED, SATISFYING, SYMMETRIC, CONTAINED, CONTAINING, EXACT = RELATIONS
BOOK = (
    "genre = 'classics' AND era IN ('1720s', '1730s') AND price BETWEEN 20 AND 40 AND ranking < 5 "
    "AND format NOT IN ('mass market', 'paperback')"
)

# Expression, event, and the relations in which they stand.
TABLE: tuple[tuple[str, dict[str, Any], set[str]], ...] = (
    ("a BETWEEN 20 AND 22", {"a": hr.between(18, 24)}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINED}),
    ("a BETWEEN 10 AND 30", {"a": hr.between(18, 24)}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("a BETWEEN 18 AND 24", {"a": hr.between(18, 24)}, set(RELATIONS)),
    ("a BETWEEN 20 AND 30", {"a": hr.between(18, 24)}, {SATISFIED, SATISFYING, SYMMETRIC}),
    ("a BETWEEN 25 AND 30", {"a": hr.between(18, 24)}, set()),
    ("a = 20", {"a": 20, "b": 1}, {SATISFIED, CONTAINED}),
    ("a = 20 AND b = 1", {"a": 20}, {SATISFYING, CONTAINING}),
    ("a = 20 AND b = 1", {"a": 20, "b": 1}, set(RELATIONS)),
    ("a = 20 OR b = 1", {"a": 20, "b": 1}, {SATISFIED, CONTAINED}),
    ("a > 3", {"a": hr.above(3)}, set(RELATIONS)),
    ("a >= 3", {"a": hr.above(3)}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("a >= 4", {"a": hr.above(3)}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINED}),
    ("a < 3", {"a": hr.at_least(3)}, set()),
    ("a <= 3", {"a": hr.at_least(3)}, {SATISFIED, SATISFYING, SYMMETRIC}),
    ("a NOT IN (1, 2)", {"a": hr.none_of([1, 2])}, set(RELATIONS)),
    ("a != 1", {"a": hr.none_of([1, 2])}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("a IN (1, 2)", {"a": hr.any_of([1, 2, 3])}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINED}),
    ("a IN (1, 'x')", {"a": hr.any_of(["x", 1])}, set(RELATIONS)),
    ("a > 3 AND a < 9", {"a": hr.between(4, 5)}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("a > 3 AND a < 3", {"a": 5}, {SATISFYING, CONTAINING}),
    ("a BETWEEN 9 AND 3", {"a": 5}, set()),
    ("a IS NULL AND b = 1", {"b": 1}, set(RELATIONS)),
    ("a WEAK NOT IN (5) AND b = 1", {"b": 1}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("a IS NOT NULL", {"a": hr.at_most(3)}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("a IS NOT NULL AND a.b = 2", {"a": {"b": 2, "c": None}}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("TRUE", {}, set(RELATIONS)),
    ("TRUE", {"a": 1}, {SATISFIED, CONTAINED}),
    ("FALSE", {}, set()),
    ("a = 1 OR TRUE", {"a": 1}, set(RELATIONS)),
    ("NOT (a = 1 OR b = 2)", {"a": 2, "b": 1}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("a = 1 XOR b = 2", {"a": 1, "b": 3}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
    ("b = true", {"b": hr.at_least(True)}, set(RELATIONS)),
    (
        BOOK,
        {"genre": "classics", "title": "T", "era": "1730s", "price": 26, "ranking": 2, "format": "hardcover"},
        {SATISFIED},
    ),
    (
        "category = 'green jobs' AND hours > 15 AND rate < 45",
        {"category": "green jobs", "hours": 20, "rate": 30},
        {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING},
    ),
    ("age IN (25, 27, 29)", {"age": 27}, {SATISFIED, SATISFYING, SYMMETRIC, CONTAINING}),
)


@pytest.mark.parametrize(("rule", "event", "relations"), TABLE, ids=[f"{rule} {event}" for rule, event, _ in TABLE])
def test_what_relates_how(rule: str, event: dict[str, Any], relations: set[str]) -> None:
    """In just these relations, by the oracle and by both engines."""
    assert {relation for relation in RELATIONS if hr.relates(rule, event, relation)} == relations
    for engine in ("scan", "betree"):
        index = hr.Index(engine)
        index.insert(1, rule)
        assert {relation for relation in RELATIONS if index.match(event, relation=relation)} == relations


@given(expressions(8), events(), st.sampled_from(("unknown", "false")))
def test_the_default_is_what_expressions_mean(expression: hr.Expression, event: dict[str, Any], missing: str) -> None:
    """On events of values and lists: also for patterns."""
    try:
        found = hr.relates(expression, event, missing=missing)
    except LimitError:
        assume(False)
    assert found == (hr.evaluate(expression, event, missing) is True)


def test_conjunctions_are_those_that_are_written() -> None:
    """Nothing is merged, absorbed or left out; what is too much is refused, also if it is deep."""
    assert len(conjunctions(hr.parse("(a = 1 OR a = 1) AND (a = 1 OR b = 2) AND NOT a = 1"))) == 4
    assert len(conjunctions(hr.parse("a = 1 XNOR b = 2 XNOR c = 3"))) == 4
    deep = hr.parse("NOT (" * 3000 + "a = 1" + ")" * 3000)
    assert len(conjunctions(deep)) == 1
    with pytest.raises(LimitError, match="10,000 conjunctions"):
        conjunctions(hr.parse(" AND ".join(f"(a = {n} OR b = {n})" for n in range(20))))
    with pytest.raises(LimitError, match="10,000 conjunctions"):
        conjunctions(hr.parse(" XOR ".join(f"a = {n}" for n in range(40))))


def test_what_has_no_relation_is_refused() -> None:
    """By name: a relation that there is not, patterns, lists."""
    with pytest.raises(KindError, match=r"relation is one of 'satisfied', .*, not 'within'"):
        hr.relates("a = 1", {"a": 1}, "within")
    with pytest.raises(Unsupported, match="a LIKE 'x': a pattern under the relation 'exact'"):
        hr.relates("a LIKE 'x'", {"a": "x"}, "exact")
    with pytest.raises(Unsupported, match="a pattern on an endless set"):
        hr.relates("a LIKE 'x'", {"a": hr.above("x")})
    with pytest.raises(Unsupported, match="a: a list, under the relation 'contained'"):
        hr.relates("a = 1", {"a": [1]}, "contained")

"""The best matches: against the oracle, against scoring all of them, and how few of them are scored."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.language.graph_cy import Graph
from hedgerow.language.score import checked_weights
from hedgerow.testing import event_weights, events, expressions

Row = tuple[hr.Expression, float]

# Few values, so that many scores are equal; static weights may be negative.
STATIC = st.sampled_from([0.0, 0.0, 1.0, -2.5, 1e300, -1e300])
WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 3.0, 1e-300, 1e300])


def weighted(attribute: str, weights: dict[int, float]) -> hr.Predicate:
    """Return the test whether an attribute has one of some values, with their weights."""
    return hr.Predicate(attribute, hr.Operator.IN, tuple(weights), tuple(weights.values()))


@st.composite
def weighted_rows(draw: st.DrawFn) -> list[Row]:
    """Draw expressions over few attributes whose literals often hold, with weights, many of them alike."""
    literal = st.builds(
        lambda name, listed: weighted(name, dict(listed)),
        st.sampled_from("abc"),
        st.lists(st.tuples(st.integers(0, 2), WEIGHTS), min_size=1, max_size=3),
    )
    tree = st.recursive(
        literal,
        lambda below: st.one_of(
            st.builds(lambda x, y: x & y, below, below),
            st.builds(lambda x, y: x | y, below, below),
            st.builds(lambda x: ~x, below),
        ),
        max_leaves=6,
    )
    return draw(st.lists(st.tuples(tree, STATIC), max_size=20))


def engine_of(rows: list[Row], missing: str = "unknown") -> ATreeEngine:
    """Return an A-Tree with these expressions in slots from 0 on."""
    engine = ATreeEngine(missing)
    for slot, (expression, weight) in enumerate(rows):
        graph = Graph()
        engine.insert(slot, graph, graph.add(expression), weight)
    engine.commit()
    return engine


def check_best(engine: ATreeEngine, rows: list[Row], event: dict[str, Any], weights: Any, missing: str) -> None:
    """Compare the best of any number with all scored and sorted, and those with the oracle."""
    batch = hr.events([event])
    checked = None if weights is None else checked_weights(weights)
    _, slots, scores = engine.top_by_sorting(batch, len(rows), checked)
    expected = {}
    for slot, (expression, weight) in enumerate(rows):
        worth = hr.score(expression, event, weights, missing)
        if worth is not None:
            expected[slot] = worth + weight
    assert set(slots.tolist()) == set(expected)
    assert all(math.isclose(s, expected[slot], abs_tol=1e-9) for slot, s in zip(slots.tolist(), scores, strict=True))
    assert list(zip(-scores, slots, strict=True)) == sorted(zip(-scores, slots, strict=True))
    for n in range(len(rows) + 2):
        _, best, worths = engine.top(batch, n, checked)
        assert (best.tolist(), worths.tolist()) == (slots[:n].tolist(), scores[:n].tolist())


@given(
    weighted_rows(),
    st.fixed_dictionaries({}, optional={name: st.integers(0, 2) for name in "abc"}),
    st.one_of(st.none(), st.dictionaries(st.sampled_from("abc"), st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e300]))),
    st.sampled_from(["unknown", "false"]),
)
def test_ties_and_weights_of_any_size_come_out_as_when_all_are_scored(
    rows: list[Row], event: dict[str, Any], weights: dict[str, float] | None, missing: str
) -> None:
    """Pruning changes nothing: equal scores in ascending order of slots, negative and huge weights, event weights."""
    check_best(engine_of(rows, missing), rows, event, weights, missing)


@given(st.lists(st.tuples(expressions(8), STATIC), max_size=8), events(), st.one_of(st.none(), event_weights()))
def test_any_expression_scores_as_the_oracle_says(rows: list[Row], event: dict[str, Any], weights: Any) -> None:
    """All operators, lists and event weights, under the reading that most have."""
    check_best(engine_of(rows), rows, event, weights, "unknown")


def test_few_of_many_matches_are_scored() -> None:
    """Where bounds tell matches apart, only those are scored that can be among the best, and no other."""
    rows: list[Row] = [(hr.parse(f"a = 1^{number} AND b IN (1^2, 2^1)"), 0.0) for number in range(1000)]
    random.Random(5).shuffle(rows)
    engine = engine_of(rows)
    batch = hr.events([{"a": 1, "b": 1}])
    _, slots, scores = engine.top(batch, 10, None)
    assert scores.tolist() == [float(number) for number in range(1001, 991, -1)]
    assert [rows[slot][0] for slot in slots] == [
        hr.parse(f"a = 1^{n} AND b IN (1^2, 2^1)") for n in range(999, 989, -1)
    ]
    assert engine.last_scored == 10
    # Each is worth 1 less than its bound, so the next one or two must be looked at.
    engine.top(hr.events([{"a": 1, "b": 2}]), 10, None)
    assert engine.last_scored == 11
    # Bounds are scaled by the largest event weight, and still tell most of them apart.
    engine.top(batch, 10, checked_weights({"b": {1: 50.0}}))
    assert 10 < engine.last_scored < 1000
    engine.top_by_sorting(batch, 10, None)
    assert engine.last_scored == 1000


def test_static_weights_alone_need_no_scoring() -> None:
    """Expressions without weighted values have their static weight, and are never looked into."""
    rows: list[Row] = [(hr.parse("a = 1 AND b < 5"), float(number % 7 - 3)) for number in range(100)]
    rows[50] = hr.parse("a = 1^9"), -3.0
    engine = engine_of(rows)
    _, slots, scores = engine.top(hr.events([{"a": 1, "b": 1}]), 3, None)
    assert (slots.tolist(), scores.tolist()) == ([50, 6, 13], [6.0, 3.0, 3.0])
    assert engine.last_scored == 1
    plain = engine_of([(hr.parse("a = 1"), 0.0)] * 5)
    _, slots, scores = plain.top(hr.events([{"a": 1}]), 3, None)
    assert (slots.tolist(), scores.tolist()) == ([0, 1, 2], [0.0, 0.0, 0.0])


@pytest.mark.parametrize("weight", (1e-320, 1e-300, 1e-45, 1e-38, 1e38, 1e308))
def test_weights_beyond_what_a_bound_can_hold_are_scored(weight: float) -> None:
    """A bound is kept in 32 bits, rounded up; what is too small or too large for that is none the less scored."""
    rows: list[Row] = [(weighted("a", {1: weight}), 0.0), (hr.parse("a = 1"), 0.0)]
    rows.append((weighted("a", {1: weight}) & weighted("b", {1: weight}), 0.0))
    check_best(engine_of(rows), rows, {"a": 1, "b": 1}, None, "unknown")


def test_parts_that_are_shared_are_added_once_and_long_chains_cost_no_square() -> None:
    """Each expression has more operands than the one before, so that ANDs are made of ANDs; an operand counts once."""
    count = 3000
    texts = [" AND ".join(f"a{part} = 1^1" for part in range(number + 1)) for number in range(0, count, 100)]
    rows: list[Row] = [(hr.parse(text), 0.0) for text in texts]
    rows.append((hr.parse("(a0 = 1^1 AND a1 = 1^1) AND (a1 = 1^1 AND a2 = 1^1)"), 0.0))
    rows.append((hr.parse("(a0 = 1^1 AND a1 = 1^1) OR (a1 = 1^1 AND a2 = 1^1 AND a3 = 1^1)"), 0.0))
    event = {f"a{part}": 1 for part in range(count)}
    _, slots, scores = engine_of(rows).top(hr.events([event]), 100, None)
    expected = {slot: float(1 + 100 * slot) for slot in range(len(texts))} | {len(texts): 3.0, len(texts) + 1: 3.0}
    assert dict(zip(slots.tolist(), scores.tolist(), strict=True)) == expected


def test_slots_that_go_and_come_again_have_their_own_bounds() -> None:
    """What was taken back before a commit leaves no bound to what comes in its slot, and deleted slots do not match."""
    engine = engine_of([(hr.parse("a = 1^5"), 0.0)])
    graph = Graph()
    engine.insert(1, graph, graph.add(hr.parse("a = 1^9")), 0.0)
    engine.forget(1)
    graph = Graph()
    engine.insert(1, graph, graph.add(hr.parse("a = 1")), 1.0)
    engine.commit()
    _, slots, scores = engine.top(hr.events([{"a": 1}]), 5, None)
    assert (slots.tolist(), scores.tolist()) == ([0, 1], [5.0, 1.0])
    engine.delete(0)
    engine.commit()
    _, slots, _ = engine.top(hr.events([{"a": 1}]), 5, None)
    assert np.array_equal(slots, [1])

"""Batches, node by node: the same matches as one event at a time, whatever the events are made of."""

from __future__ import annotations

import functools
import gc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.arrays_cy import pooled
from hedgerow.index.atree import batch_cy, blocks
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.atree.plan_cy import Plan
from hedgerow.language.evaluate import evaluate
from hedgerow.language.graph_cy import Graph
from hedgerow.testing import events as event_strategy
from hedgerow.testing import expressions as expression_strategy
from tests.waiting import somebody_waiting

if TYPE_CHECKING:
    from hedgerow.event.batch_cy import EventBatch
    from hedgerow.index.atree.batch_cy import Block
    from hedgerow.index.crew_cy import Crew
    from hedgerow.index.engine import Matches


def engine_of(expressions: list[hr.Expression], missing: str = "unknown") -> ATreeEngine:
    """Return an engine with these expressions."""
    engine = ATreeEngine(missing)
    for slot, expression in enumerate(expressions):
        graph = Graph()
        engine.insert(slot, graph, graph.add(expression), 0.0)
    engine.commit()
    return engine


def pairs(matches: Matches) -> list[tuple[int, int]]:
    """Return (event, slot) of all matches."""
    rows = np.repeat(np.arange(len(matches.starts) - 1), np.diff(matches.starts))
    return list(zip(rows.tolist(), matches.slots.tolist(), strict=True))


@given(
    expressions=st.lists(expression_strategy(), max_size=12),
    events=st.lists(event_strategy(), max_size=70),
    missing=st.sampled_from(("unknown", "false")),
    threads=st.integers(1, 3),
)
def test_nodes_and_events_agree(
    expressions: list[hr.Expression], events: list[dict[str, object]], missing: str, threads: int
) -> None:
    """By node, by event and by the oracle."""
    engine = engine_of(expressions, missing)
    batch = hr.events(events)
    expected = [
        (row, slot)
        for row, event in enumerate(events)
        for slot, expression in enumerate(expressions)
        if evaluate(expression, event, missing) is True
    ]
    assert pairs(engine.match_by_node(batch, threads)) == expected
    assert pairs(engine.match_by_event(batch, threads)) == expected
    counts = np.bincount([row for row, _ in expected], minlength=len(events))
    assert engine.count_by_node(batch, threads).tolist() == counts.tolist()
    assert engine.count_by_event(batch, threads).tolist() == counts.tolist()


def test_a_plan_is_made_in_one_step() -> None:
    """A writer that came in between would leave a plan of two trees."""
    parts = [hr.parse(f"a{number} = 1 OR b{number % 7} = {number % 50} AND c = {number}") for number in range(2000)]
    engine = engine_of(parts)
    nowhere = np.full(len(parts), -1, np.int32)
    with somebody_waiting() as turns:
        before = turns[0]
        plan = Plan(engine.tree, nowhere)
        assert turns[0] == before
    assert plan.literal_count == 1 + 2000 + 350 + 2000
    assert gc.isenabled()


def test_the_memory_of_large_arrays_is_not_used_again_while_somebody_holds_it() -> None:
    """Neither the array nor a part of it."""
    first = pooled(1 << 20, np.int64)
    first[:] = 7
    second = pooled(1 << 20, np.int64)
    second[:] = 8
    assert first.ctypes.data != second.ctypes.data
    assert first.min() == first.max() == 7
    place, view = first.ctypes.data, first[5:]
    del first
    third = pooled(1 << 20, np.int64)
    assert third.ctypes.data != place
    assert view.min() == view.max() == 7


def many_slots() -> tuple[ATreeEngine, EventBatch]:
    """Return an engine with several parts of slots, and events: sets have many events, a few, or none."""
    index = hr.Index("atree")
    texts = [f"(a < {slot % 97} OR b = {slot % 1000}) AND c != {slot % 7}" for slot in range(9000)]
    index.insert_many(enumerate(texts), progress=False)
    batch = hr.events([{"a": row % 101, "b": row % 1003, "c": row % 5} for row in range(1000)])
    return index._state.engine, batch  # type: ignore[return-value]  # it is one


@functools.cache
def matches_of_many_slots() -> Matches:
    """Return what those slots match, found event by event: once, for it is millions of matches."""
    engine, batch = many_slots()
    return engine.match_by_event(batch)


def check(engine: ATreeEngine, batch: EventBatch, threads: int) -> None:
    """Match many slots node by node, and compare with event by event."""
    expected = matches_of_many_slots()
    matches = engine.match_by_node(batch, threads)
    assert np.array_equal(matches.starts, expected.starts)
    assert np.array_equal(matches.slots, expected.slots)
    assert np.array_equal(engine.count_by_node(batch, threads), np.diff(expected.starts))


@pytest.mark.parametrize("kept", (0, 200_000, batch_cy.MOST_KEPT))
@pytest.mark.parametrize("threads", (1, 2, 3))
def test_parts_of_many_slots(threads: int, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dense sets are kept until they are written or not, or some of them are."""
    monkeypatch.setattr(batch_cy, "MOST_KEPT", kept)
    check(*many_slots(), threads)


@pytest.mark.parametrize(
    ("most", "in_vain", "sizes"),
    (
        (1 << 29, [], [1000, 1000]),  # to match, and to count
        (1_500_000, [1000], [1000, 1000]),
        (200_000, [1000], [1000, 500, *[250] * 4, 1000, 500, *[250] * 4]),
    ),
)
def test_arenas_that_are_full(most: int, in_vain: list[int], sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """First no dense sets are kept any more; then there are fewer events at a time."""
    counted: list[int] = []
    count = blocks._counted

    def noted(block: Block, plan: Plan, crew: Crew, first: int, size: int) -> bool:
        counted.append(size)
        return count(block, plan, crew, first, size)

    monkeypatch.setattr(blocks, "_counted", noted)
    monkeypatch.setattr(batch_cy, "MOST_BYTES", most)
    engine, batch = many_slots()
    check(engine, batch, 1)
    assert counted == in_vain + sizes
    # That nothing can be kept the next batch need not find out.
    counted.clear()
    check(engine, batch, 1)
    assert counted == sizes

"""How threads share the events of a batch: all matches are there, in the order of events, whoever is done first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.atree.shares_cy import SHARE, Shares
from hedgerow.index.crew_cy import Crew


@given(
    events=st.integers(0, 400),
    threads=st.integers(1, 4),
    expected=st.sampled_from((0.0, 1.0, 20.0)),
    named=st.booleans(),
    data=st.data(),
)
def test_any_order(events: int, threads: int, expected: float, named: bool, data: st.DataObject) -> None:
    """Threads take a share or are done with one, in any order; as many match as expected, or far more."""
    counts = [
        data.draw(st.sampled_from((0, 1, 30)), label="matches") if row % 40 == 0 else row % 3 for row in range(events)
    ]
    slots = [np.arange(row, row + count, dtype=np.int32) for row, count in enumerate(counts)]
    names = np.arange(500, dtype=np.int64)[::-1].copy() if named else np.empty(0, np.int64)
    shares = Shares(events, threads, names, expected)
    held: dict[int, int] = {}
    left = True
    while left or held:
        thread = data.draw(st.integers(0, threads - 1), label="thread")
        if thread in held:
            share = held.pop(thread)
            for row in range(shares.first[share], shares.first[share + 1]):
                shares.listed[thread].add(slots[row], len(slots[row]))
            shares.finish(share, shares.listed[thread])
        elif left:
            share = shares.take()
            left = share >= 0
            if left:
                held[thread] = share
    found = shares.matches(Crew(threads)).tolist()
    listed = np.concatenate([np.empty(0, np.int32), *slots])
    assert found == (names[listed] if named else listed).tolist()


def test_shares_cover_all_events_and_end_small() -> None:
    """The last ones are small, so that nobody is left with a large one."""
    for events, threads in ((0, 1), (1, 1), (63, 1), (64, 2), (1000, 3), (4096, 2)):
        first = np.asarray(Shares(events, threads).first)
        sizes = np.diff(first)
        assert (first[0], first[-1]) == (0, events)
        assert sizes.size == 0 or 0 < sizes.min() <= sizes.max() <= SHARE
    sizes = np.diff(np.asarray(Shares(4096, 2).first))
    assert sizes[0] == SHARE
    assert sizes[-1] <= SHARE // 4


@pytest.mark.parametrize("threads", (1, 2, 3))
def test_threads_take_events_as_they_have_time(threads: int) -> None:
    """Many shares of a batch: matches come in the order of events, as slots and by name, and counts fit."""
    index = hr.Index("atree")
    for id in range(200):
        index.insert(1000 - 3 * id, f"a = {id % 7} OR b < {id % 11} AND c != {id % 3}")
    engine: ATreeEngine = index._state.engine  # type: ignore[assignment]  # it is one
    rows = [{"a": row % 9, "b": row % 13, "c": row % 4} for row in range(1000)]
    names = index._state.ids.numbers
    one_by_one = [engine.match_by_event(hr.events([row])).slots.tolist() for row in rows]
    none: list[list[int]] = [[]] * 500
    # After none a batch finds little room, after many it finds too much.
    for matching, expected in ((True, one_by_one), (True, one_by_one), (False, none), (True, one_by_one)):
        batch = hr.events(rows if matching else [{"a": -1}] * 500)
        matches = engine.match_by_event(batch, threads)
        assert np.diff(matches.starts).tolist() == [len(slots) for slots in expected]
        assert matches.slots.tolist() == [slot for slots in expected for slot in slots]
        named = engine.match_by_event(batch, threads, names)
        assert named.slots.tolist() == names()[matches.slots].tolist()
        assert engine.count_by_event(batch, threads).tolist() == [len(slots) for slots in expected]


def test_far_more_matches_than_expected() -> None:
    """So many that threads share writing those that had to wait."""
    index = hr.Index("atree")
    index.insert_many([(id, f"a >= {id}") for id in range(2000)], progress=False)
    engine: ATreeEngine = index._state.engine  # type: ignore[assignment]  # it is one
    values = [row * 7 % 2000 for row in range(600)]
    assert len(engine.match_by_event(hr.events([{"a": -1}] * 300), 2).slots) == 0
    matches = engine.match_by_event(hr.events([{"a": value} for value in values]), 2)
    assert np.diff(matches.starts).tolist() == [value + 1 for value in values]
    assert matches.slots.tolist() == [slot for value in values for slot in range(value + 1)]
    assert len(matches.slots) > 1 << 18

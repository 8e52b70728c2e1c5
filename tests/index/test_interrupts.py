"""A long search lets signals in, while it runs."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.index.engine import engine_names
from tests.effort import engines_of_each_make

TICK = 0.001


@pytest.fixture
def ticks() -> Iterator[list[int]]:
    """Return a list that grows each time a signal's handler is run: however many come, it is run when it can be."""
    seen: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    yield seen
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def many_rules(index: hr.Index) -> dict[str, Any]:
    """Insert many rules that must be looked at, and return an event that makes one do so."""
    index.insert_many((number, f"a != {number} AND b != {number + 1}") for number in range(20_000))
    return {"a": -1, "b": -1}


def a_long_list(index: hr.Index) -> dict[str, Any]:
    """Insert rules, and return an event with a long list."""
    index.insert_many((number, f"a NOT BETWEEN {number} AND {number + 1}") for number in range(30))
    return {"a": list(range(100, 20_100))}


def a_long_text(index: hr.Index) -> dict[str, Any]:
    """Insert rules that look for patterns, and return an event with a long text."""
    index.insert_many((number, f"a NOT ILIKE '%b_{number}%'") for number in range(10))
    return {"a": "ab" * 50_000}


def few_matches(index: hr.Index) -> dict[str, Any]:
    """Insert a few rules, so that most of the time goes by event."""
    index.insert_many((number, f"a >= {number} AND b < {number}") for number in range(40))
    return {"a": 20, "b": 10}


@pytest.mark.parametrize("given", (many_rules, a_long_list, a_long_text, few_matches))
@pytest.mark.parametrize(
    ("engine", "threads"), [(name, 1) for name in engine_names()] + [(name, 2) for name in engines_of_each_make()]
)
def test_signals_are_answered_while_a_search_runs(
    engine: str, given: Callable[[hr.Index], dict[str, Any]], threads: int, ticks: list[int]
) -> None:
    """A handler is run more often than the once or twice that it would be when the search is over."""
    index = hr.Index(engine)
    row = given(index)
    most, scale = 0, 1
    while most <= 2 and scale <= 4**9:
        batch = hr.events([row] * scale)
        ticks.clear()
        index._state.engine.count(batch, threads)
        most = len(ticks)
        scale *= 4
    assert most > 2

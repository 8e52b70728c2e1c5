"""The worked example of the paper: Table 1 and Figures 4 and 5, with what events find, read and leave alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.index.opindex.engine_cy import OpIndexEngine

TABLE_1 = {
    "S1": "A = 2 AND B IN (3, 6, 9)",
    "S2": "A <= 8 AND C >= 2",
    "S3": "C = 6 AND B <= 4 AND E BETWEEN 3 AND 12",
    "S4": "A = 2",
    "S5": "D >= 12 AND E <= 9",
    "S6": "B IN (3, 6) AND C <= 4 AND D >= 10 AND E <= 7",
}

# As the paper counts them, but that its ties, which it breaks by the order in which predicates are written, are told.
LOG = {"A": 2.8, "B": 3, "C": 2.9, "D": 2, "E": 3}

PAPER = hr.OpIndexOptions(tail=0, log=LOG)

FIGURE_5 = """\
pivot A
  =         B = 3 → 1   B = 6 → 1   B = 9 → 1
  =         A = 2 → 1   A = 2 → 4
  <=        A <= 8 → 2
  >=        C >= 2 → 2
pivot C
  =         C = 6 → 3
  <=        B <= 4 → 3   E <= 12 → 3
  >=        E >= 3 → 3
pivot D
  =         B = 3 → 6   B = 6 → 6
  <=        C <= 4 → 6   E <= 7 → 6   E <= 9 → 5
  >=        D >= 10 → 6   D >= 12 → 5
units
  1  'S1'
  2  'S2'
  3  'S3'
  4  'S4'
  5  'S5'
  6  'S6'"""

FOUND: tuple[tuple[dict[str, Any], list[str], int], ...] = (
    ({"B": 6, "C": 3, "E": 9}, [], 2),
    ({"A": 2, "B": 6}, ["S1", "S4"], 4),
    ({"A": 2, "C": 5}, ["S2", "S4"], 4),
    ({"B": 3, "C": 4, "D": 12, "E": 7}, ["S5", "S6"], 10),
    ({"B": 4, "C": 6, "E": 12}, ["S3"], 4),
    ({}, [], 0),
)


def index_of(**switches: Any) -> hr.Index:
    """Return an index of the paper's subscriptions, all of them sorted into lists."""
    index = hr.Index("opindex", options=replace(PAPER, **switches))
    index.insert_many(TABLE_1.items())
    engine_of(index).check()
    return index


def engine_of(index: hr.Index) -> OpIndexEngine:
    """Return the engine behind an index."""
    engine = index._state.engine
    assert isinstance(engine, OpIndexEngine)
    return engine


def test_figure_4_the_pivots() -> None:
    """By frequency, and the counters that are under each."""
    engine = engine_of(index_of())
    assert engine.pivot_names() == [("A",), ("A",), ("C",), ("A",), ("D",), ("D",)]
    assert list(engine.wanted().values()) == [2, 2, 1, 4, 2, 4]  # S1 S2 S4, S3, S5 S6


def test_figure_5_the_lists() -> None:
    """Sets are values of =, and an interval has an entry in each of two lists."""
    assert index_of(segments=2).picture() == FIGURE_5


@pytest.mark.parametrize(("event", "found", "read"), FOUND)
def test_example_5_and_others_are_found(event: dict[str, Any], found: list[str], read: int) -> None:
    """Of the lists of pivots that an event has not, nothing is read."""
    index = index_of()
    assert index.match(event) == found
    assert index.visits == read


@pytest.mark.parametrize("switches", ({"segments": 1, "signatures": False}, {"pivot": "random"}, {"tail": 1024}))
def test_the_examples_are_found_by_other_switches(switches: dict[str, Any]) -> None:
    """Without what speeds it up, with other pivots, and before anything is sorted."""
    index = index_of(**switches)
    assert [index.match(event) for event, _, _ in FOUND] == [found for _, found, _ in FOUND]


def test_a_missing_attribute_is_no_match() -> None:
    """Definition 1: every attribute that is asked for must be there."""
    index = hr.Index("opindex", options=hr.OpIndexOptions(tail=0))
    index.insert("both", "A <= 3 AND B = 2")
    assert index.match({"A": 2}) == []
    assert index.match({"B": 2}) == []
    assert index.match({"A": 2, "B": 2}) == ["both"]


def test_the_pivot_is_the_attribute_that_fewest_events_have() -> None:
    """Lemma 2: the candidates that events come to are then the fewest, for any log."""
    for rare in "ABCE":
        engine = engine_of(index_of(log=dict.fromkeys("ABCDE", 10) | {rare: 1}))
        for pivot, text in zip(engine.pivot_names(), TABLE_1.values(), strict=True):
            assert (pivot == (rare,)) == (f"{rare} " in text)

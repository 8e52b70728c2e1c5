"""Units: their owners in any number, slots that are taken back, and searches that began before."""

from __future__ import annotations

import random

import pytest

import hedgerow as hr
from hedgerow.event.encode import events
from hedgerow.index.kindex.dnf_cy import KIndexEngine
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse import parse


def insert(engine: KIndexEngine, text: str) -> int:
    """Insert an expression that is not committed; return its slot."""
    graph, slot = Graph(), engine.slots.count
    engine.insert(slot, graph, graph.add(parse(text)), 0.0)
    return slot


def matching(engine: KIndexEngine, **event: object) -> list[int]:
    """Return the slots that match an event."""
    slots: list[int] = engine.match(events([event])).slots.tolist()
    return slots


def test_a_unit_has_any_number_of_owners_in_order() -> None:
    """As many as there are expressions with that clause, each once."""
    index = hr.Index("kindex")
    chance = random.Random(0)
    model: dict[int, set[int]] = {}
    for number in range(500):
        clauses = {chance.randrange(5) for _ in range(3)}
        model[number] = clauses
        index.insert(number, " OR ".join(f"a = {clause} AND b = 1" for clause in clauses))
    for clause in range(5):
        assert index.match({"a": clause, "b": 1}) == [number for number in model if clause in model[number]]
    assert index._state.engine.units.count == 5  # type: ignore[attr-defined]  # this engine has them
    for number in range(0, 500, 3):
        index.delete(number)
    assert index.match({"a": 3, "b": 1}) == [number for number in model if number % 3 and 3 in model[number]]


def test_what_is_not_committed_is_not_found() -> None:
    """Not even by way of a unit that others own."""
    engine = KIndexEngine("unknown")
    insert(engine, "a = 1")
    engine.commit()
    insert(engine, "a = 1 OR b = 2")
    assert matching(engine, a=1, b=2) == [0]
    engine.commit()
    assert matching(engine, a=1, b=2) == [0, 1]


@pytest.mark.parametrize("again", ("a = 1", "b = 2", "c = 3", "a = 1 OR b = 2"))
def test_slots_that_are_taken_back_leave_nothing(again: str) -> None:
    """What comes next under their numbers is found where it is true, and nowhere else."""
    engine = KIndexEngine("unknown")
    insert(engine, "a = 1")
    engine.commit()
    for _ in range(3):
        insert(engine, "a = 1 OR b = 2")
        insert(engine, "b = 2 OR c = 3")
        engine.forget(1)
        slot = insert(engine, again)
        assert slot == 1
        engine.forget(1)
    insert(engine, again)
    insert(engine, "a = 1 AND c = 3")
    engine.commit()
    assert matching(engine, a=1) == [0, 1] if "a" in again else [0]
    assert matching(engine, b=2) == ([1] if "b" in again else [])
    assert matching(engine, c=3) == ([1] if "c" in again else [])


def test_a_search_goes_on_with_what_it_began_with() -> None:
    """Idle searches are used again only while nothing has changed."""
    engine = KIndexEngine("unknown")
    insert(engine, "a = 1")
    engine.commit()
    assert matching(engine, a=1) == matching(engine, a=1) == [0]
    engine.delete(0)
    assert matching(engine, a=1) == [0]
    engine.commit()
    assert matching(engine, a=1) == []

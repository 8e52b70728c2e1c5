"""Lists of where truth gets to: the same matches with them as without, through all changes of the tree."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.atree.reach_cy import Reach
from hedgerow.language.evaluate import evaluate
from hedgerow.testing import CHECKS, expressions
from hedgerow.testing import events as event_strategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from hedgerow.index.atree.engine_cy import ATreeEngine

NAMES = [f"p{number}" for number in range(9)]


def eager(missing: str = "unknown") -> hr.Index:
    """Return an index that makes the list of a literal when it holds for the first time."""
    index = hr.Index("atree", missing)
    engine_of(index).tree.reach.patience = False
    return index


def engine_of(index: hr.Index) -> ATreeEngine:
    """Return the engine of an index."""
    return index._state.engine  # type: ignore[return-value]  # it is one


def lists_of(index: hr.Index) -> int:
    """Return how many literals have lists."""
    return engine_of(index).tree.reach.count


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_contract_holds_with_lists_from_the_first_match_on(
    check: Callable[[Callable[[str], hr.Index]], None],
) -> None:
    """All checks of engines, on one that makes lists at once."""
    check(eager)


@given(st.lists(expressions(weighted=False), max_size=12), st.lists(event_strategy(), max_size=12))
def test_lists_agree_with_the_oracle(given_expressions: list[hr.Expression], events: list[dict[str, object]]) -> None:
    """Each event is matched without lists, while they are made, and with them."""
    index = eager()
    for id, expression in enumerate(given_expressions):
        index.insert(id, expression)
    for _ in range(3):
        for event in events:
            expected = [id for id, each in enumerate(given_expressions) if evaluate(each, event, "unknown") is True]
            assert index.match(event) == expected


def grouped(chance: random.Random) -> str:
    """Return an expression of shared ORs and ANDs in ORs and ANDs, three deep."""
    return chance.choice((" OR ", " OR ", " AND ")).join(
        "("
        + chance.choice((" OR ", " AND ")).join(
            "(" + chance.choice((" OR ", " OR ", " AND ")).join(chance.sample(NAMES, chance.randint(1, 3))) + ")"
            for _ in range(chance.randint(1, 2))
        )
        + ")"
        for _ in range(chance.randint(1, 3))
    )


def test_lists_follow_every_change() -> None:
    """A life of inserts and deletes, matched after every step; lists are made and forgotten all the time."""
    chance = random.Random(5)
    held: dict[int, list[bool]] = {}  # whether each event is matched by it: that never changes, so it is asked once
    index, made = eager(), 0
    events = [dict.fromkeys(chance.sample(NAMES, size), True) for size in (1, 1, 2, 3, 5)]
    for number in range(900):
        if held and chance.random() < 0.45:
            id = chance.choice(list(held))
            index.delete(id)
            del held[id]
        else:
            expression = hr.parse(grouped(chance))
            held[number] = [evaluate(expression, event, "unknown") is True for event in events]
            index.insert(number, expression)
        for row, event in enumerate(events):
            assert index.match(event) == [id for id, truths in held.items() if truths[row]]
        made += lists_of(index)
    assert made > 900


def test_a_literal_gets_a_list_when_it_holds_again() -> None:
    """Once is not enough; another insert that changes where truth gets to has it forgotten, others do not."""
    index = hr.Index("atree")
    index.insert(1, "(a = 1 OR b = 2) OR (c = 3 AND d = 4)")
    index.insert(2, "(a = 1 OR b = 2) AND d = 4")
    index.match({"a": 1})
    assert lists_of(index) == 0
    index.match({"a": 1})
    assert lists_of(index) == 1
    assert index.match({"a": 1}) == [1]
    index.insert(3, "e = 5")
    assert lists_of(index) == 1
    index.insert(4, "(a = 1 OR b = 2) OR f = 6")
    assert lists_of(index) == 0
    assert index.match({"a": 1}) == [1, 4]
    assert index.match({"b": 2, "d": 4}) == [1, 2, 4]


def test_an_event_that_a_list_serves_visits_its_matches() -> None:
    """With a list, ORs in between are not visited, and neither is an AND whose guard the event does not have."""
    index = hr.Index("atree")
    for id in range(5):
        index.insert(id, f"(a = 1 OR b = {id}) OR c = {id}")
        index.insert(10 + id, f"a = 1 AND d = {id}")
    visits = []
    for _ in range(3):
        assert index.match({"a": 1}) == list(range(5))
        visits.append(index.visits)
    assert visits[0] == visits[1]
    assert visits[2] == 5 + 2  # those that match, the literal, and what always holds


def test_what_is_looked_at_is_noted_on_the_way() -> None:
    """An OR that a list passes is still known to hold by an AND that looks at it, also if that came later."""
    index = eager()
    index.insert(1, "(a = 1 OR b = 2) OR z = 9")
    for _ in range(2):
        assert index.match({"a": 1, "e": 5}) == [1]
    index.insert(2, "e = 5 AND (a = 1 OR b = 2)")
    for _ in range(3):
        assert index.match({"a": 1, "e": 5}) == [1, 2]
        assert index.match({"b": 2, "e": 5}) == [1, 2]
        assert index.match({"e": 5}) == []


def test_lists_have_a_limit() -> None:
    """What wide ORs would make long is left to the tree, and so are ORs with many operands."""
    index = eager()
    wide = " OR ".join(f"w{number} = 1" for number in range(70))
    shared = " OR ".join(f"s{number} = 1" for number in range(40))
    index.insert(-1, wide)
    for id in range(200):
        index.insert(id, f"({shared}) OR x = {id}")
    for _ in range(3):
        assert index.match({"w3": 1}) == [-1]
        assert index.match({"s7": 1}) == list(range(200))
    assert index.stats().parts["reach"] < 20_000


def test_lists_are_thrown_away_when_there_are_too_many() -> None:
    """Room of lists that were forgotten is used again: many changes do not add up."""
    index = eager()
    for id in range(300):
        index.insert(id, f"a = 1 OR b = {id}")
    for id in range(300, 1500):
        index.insert(id, f"a = 1 OR b = {id}")
        index.delete(id)
        assert len(index.match({"a": 1})) == 300
        assert index.match({"a": 1, "b": 7}) == list(range(300))
    assert index.stats().parts["reach"] < 400_000


def test_a_search_before_the_commit_sees_what_was_built_over() -> None:
    """An expression that is there may be built over a part of one that is not committed; it still matches."""
    index = hr.Index("atree")
    index.insert(1, "a = 1 OR b = 2 OR c = 3")
    engine = engine_of(index)
    node = index._staged("(a = 1 OR b = 2) AND d = 4")
    engine.insert(1, index._graph, node, 0.0)
    events = [{"a": 1}, {"b": 2, "d": 4}, {"c": 3}]
    assert [index.match(event) for event in events] == [[1], [1], [1]]
    assert engine.match_by_node(hr.events(events)).slots.tolist() == [0, 0, 0]
    engine.forget(1)
    engine.commit()
    assert [index.match(event) for event in events] == [[1], [1], [1]]


def test_lists_that_are_full_leave_the_rest_to_the_tree() -> None:
    """No more lists are made when there is no room, matches stay right, and changes make room again."""
    index, groups = eager(), 800
    for group in range(groups):
        shared = " OR ".join(f"a{literal} = {group}" for literal in range(8))
        for id in range(8):
            index.insert(8 * group + id, f"({shared}) OR b{id} = {group}")
    reach = engine_of(index).tree.reach
    for group in range(groups):
        for literal in range(8):
            assert index.match({f"a{literal}": group}) == list(range(8 * group, 8 * group + 8))
    assert reach.full
    made = reach.count
    assert 0 < made < 8 * groups
    for group in range(groups):
        assert index.match({"a3": group, "b5": group}) == list(range(8 * group, 8 * group + 8))
    assert reach.count == made
    for id in range(0, 8 * groups, 4):
        index.delete(id)
    for group in range(groups):
        assert index.match({"a1": group}) == [id for id in range(8 * group, 8 * group + 8) if id % 4]
    assert not reach.full


def test_places_and_bits_grow_together() -> None:
    """Large places too are copied: a search that goes on with old bits must not see lists that count on new ones."""
    reach = Reach()
    reach.fit(2_200_000, 100)
    before = reach.arrays()
    reach.fit(3_000_000, 100)
    assert before[0].nbytes >= 1 << 23  # it could grow in its place
    assert not any(np.shares_memory(old, new) for old, new in zip(before, reach.arrays(), strict=True))

"""The table of ids and slots, against a dict."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.ids_cy import IdTable

INTEGERS = st.one_of(st.integers(-3, 3), st.sampled_from([2**63 - 1, -(2**63)]))
STRINGS = st.one_of(st.text("ab", max_size=2), st.sampled_from(["日本", "x" * 300]))


@given(st.one_of(st.lists(st.tuples(INTEGERS, st.booleans())), st.lists(st.tuples(STRINGS, st.booleans()))))
def test_the_table_says_what_a_dict_would(changes: list[tuple[int | str, bool]]) -> None:
    """Adds and removals in any order leave the ids that a dict would have, in the order it would have them."""
    table, slots = IdTable(), 0
    model: dict[int | str, int] = {}
    for id_, adding in changes:
        assert table.find(id_) == model.get(id_, -1)
        if adding and id_ not in model:
            model[id_] = table.add(id_)
            assert model[id_] == slots
            slots += 1
        elif not adding and id_ in model:
            table.remove(model.pop(id_))
    assert (list(table), len(table), table.slots) == (list(model), len(model), slots)
    assert table.arrow(table.live_slots()).to_pylist() == list(model)


def test_many_ids_survive_growth_and_removal() -> None:
    """Thousands of ids are found after the table has grown over removed ones."""
    for kind in (int, str):
        table = IdTable()
        for number in range(20_000):
            table.add(kind(number))
            if number % 3 == 0:
                table.remove(table.find(kind(number)))
        expected = [kind(number) for number in range(20_000) if number % 3]
        assert list(table) == expected
        assert all(table.find(id_) >= 0 for id_ in expected)
        assert table.find(kind(3)) == -1


def test_a_removed_slot_keeps_its_name_for_readers_that_began_before() -> None:
    """A slot can be named after its id has moved on."""
    table = IdTable()
    first = table.add("a")
    second = table.move(first)
    assert (table[first], table[second], table.find("a"), list(table)) == ("a", "a", second, ["a"])


def test_slots_that_were_never_given_out_raise() -> None:
    """Reading beyond the slots raises instead of reading memory."""
    table = IdTable()
    for slot in (-1, 0):
        with pytest.raises(IndexError):
            table[slot]


def test_string_ids_come_out_as_arrow_strings() -> None:
    """The Arrow type of string ids is string, though the table counts in 64 bits."""
    table = IdTable()
    table.add("a")
    assert str(table.arrow(table.live_slots()).type) == "string"


def test_the_first_id_decides_and_nothing_else_does() -> None:
    """Looking for an id of the other kind does not decide the kind."""
    table = IdTable()
    assert table.find("a") == -1
    table.add(1)
    with pytest.raises(hr.InvalidId, match="are integers"):
        table.add("a")


def test_the_table_has_at_most_four_places_an_id() -> None:
    """While ids are added it doubles when it is half full; ids that come and go make it anew only now and then."""
    table, places = IdTable(), 0
    for number in range(10_000):
        table.add(number)
        places = table.saved()["table"].size
        assert places <= max(32, 4 * (number + 1))
    for number in range(10_000, 200_000):
        table.remove(table.find(number - 10_000))
        table.add(number)
    assert table.saved()["table"].size == places
    assert len(table) == 10_000


@pytest.mark.parametrize(
    ("ids", "counting"),
    (
        ([], False),
        ([0, 1, 2], True),
        ([-2, -1, 0, 1], True),
        ([7], True),
        ([1, 2, 4], False),
        ([2, 1, 3], False),
        ([2**63 - 2, 2**63 - 1], True),
        ([2**63 - 1, -(2**63)], False),
        (["1", "2"], False),
    ),
)
def test_ids_that_count_up_are_known(ids: list[int] | list[str], counting: bool) -> None:
    """Whether they do is asked at any time; it makes no difference to what they are."""
    table = IdTable()
    for slot, id_ in enumerate(ids):
        assert table.counts_up == (ids[:slot] == [*range(int(ids[0]), int(ids[0]) + slot)] and slot > 0)
        table.add(id_)
    assert table.counts_up == counting
    slots = np.arange(len(ids), dtype=np.int32)
    assert table.listed(slots) == ids
    assert table.arrow(slots).to_pylist() == ids


@pytest.mark.parametrize("first", (0, 5, -3))
def test_matches_have_the_right_ids_when_they_stop_counting_up(first: int) -> None:
    """While ids count up, after a gap, and after a delete."""
    index = hr.Index()
    ids = list(range(first, first + 40))
    for id_ in ids:
        index.insert(id_, "a = 1")
    for change in ("none", "gap", "delete"):
        if change == "gap":
            index.insert(first + 100, "a = 1")
            ids.append(first + 100)
        elif change == "delete":
            index.delete(first)
            ids.remove(first)
        assert index.match({"a": 1}) == ids
        assert index.match_batch([{"a": 1}] * 40).column("id").to_pylist() == ids * 40


def test_a_table_of_integers_without_any_opens_again() -> None:
    """Nothing counts up where there is nothing, and no first id is read."""
    table = IdTable()
    table.add(7)
    again = IdTable.restored(table.emptied().saved())
    assert not again.counts_up
    nothing = np.empty(0, np.int32)
    assert (again.listed(nothing), again.arrow(nothing).to_pylist()) == ([], [])
    again.add(3)
    assert again.counts_up

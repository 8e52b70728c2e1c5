"""Finders and ranges that are saved as arrays and restored: as they were, and ready for more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow import sections
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operators import Accepts
from hedgerow.predicate.finder_cy import Finder
from hedgerow.predicate.ranges_cy import Ranges
from hedgerow.predicate.table_cy import PredicateTable
from hedgerow.testing import events, predicates
from tests.predicate.literals import Literals

Literal = tuple[hr.Predicate, Accepts]

# Saves a finder from another process, whose hashes start from another seed.
SAVING = """
import sys
import numpy as np
from tests.predicate.test_finder_files import known_literals, saved
np.savez(sys.argv[1], **saved(known_literals()))
"""


def saved(literals: Literals) -> dict[str, Any]:
    """Return what a file would give back of a graph, its table and its finder."""
    arrays = sections.nested(graph=literals.graph.saved(), table=literals.table.saved(), finder=literals.finder.saved())
    return {name: array.copy() for name, array in arrays.items()}


def restored(literals: Literals, arrays: sections.Arrays) -> Literals:
    """Return the literals whose arrays these are."""
    again = Literals()
    again.graph = Graph.restored(sections.part(arrays, "graph"))
    again.table = PredicateTable.restored(again.graph, sections.part(arrays, "table"))
    again.finder = Finder.restored(again.graph, again.table, sections.part(arrays, "finder"))
    again.count, again.numbers = literals.count, dict(literals.numbers)
    return again


def known_literals() -> Literals:
    """Return literals that are found in every way, with enough patterns for automata and sets."""
    literals = Literals()
    attribute = hr.attr("a")
    for number in range(100):
        text = f"{number:02d}x"
        for predicate in (attribute == number, attribute.isin([number, text]), hr.attr(f"a{number}") < number):
            literals.add_all(predicate)
        literals.add_all(attribute.between(number, number + 9))
        for predicate in (attribute.contains(text), attribute.ilike(f"%{text}_"), attribute.matches(f"^{text}+$")):
            literals.add_all(predicate)
    return literals


EVENTS: list[dict[str, Any]] = [{"a": 7}, {"a": "07xx"}, {"a": ["19X.", 55]}, {"a": "axx", "a9": 3}, {}, {"a": 1.5}]

given_literals = st.lists(st.tuples(predicates(weighted=False), st.sampled_from(Accepts)), max_size=25)


@given(
    given_literals, st.lists(st.booleans(), min_size=25, max_size=25), given_literals, st.lists(events(), max_size=5)
)
def test_a_finder_comes_back_and_changes(
    before: list[Literal], stays: list[bool], after: list[Literal], found_in: list[dict[str, Any]]
) -> None:
    """What was found is found, then other literals come and go as they would have in the finder that was saved."""
    literals = Literals()
    for predicate, accepts in before:
        literals.add(predicate, accepts)
    again = restored(literals, saved(literals))
    again.check(found_in)
    for changing in (again, restored(again, saved(again))):
        free = [number for number in changing.numbers.values() if not stays[number]]
        for number in free:
            changing.remove(number)
        changing.check(found_in)
        for predicate, accepts in after:
            known = len(changing.numbers)
            changing.add(predicate, accepts, free[-1] if free else None)
            if free and len(changing.numbers) > known:
                free.pop()
        changing.check(found_in)


def test_a_finder_with_all_ways_comes_back() -> None:
    """Keys, ranges, automata, sets and lists are as they were, also after being restored twice without use between."""
    literals = known_literals()
    again = restored(literals, saved(literals))
    assert set(again.finder.patterns) == {None}
    twice = restored(again, saved(again))
    for finder in (again, twice):
        finder.check(EVENTS)
        assert len([patterns for patterns in finder.finder.patterns if patterns]) == 3
    for number in range(0, twice.count, 2):
        twice.remove(number)
    twice.check(EVENTS)
    for number in range(100, 150):
        twice.add_all(hr.attr("a").contains(f"{number}x"))
        twice.add_all(hr.attr("a").matches(f"{number}"))
    last = restored(twice, saved(twice))
    last.check([*EVENTS, {"a": "149x"}, {"a": [" 100x", "07x"]}])


def test_hashes_of_another_process_hold(tmp_path: Path) -> None:
    """A finder goes on with the seed that it was made with: keys of another process are found, and not made again."""
    subprocess.run([sys.executable, "-c", SAVING, tmp_path / "finder.npz"], check=True)  # noqa: S603 - our own
    with np.load(tmp_path / "finder.npz") as arrays:
        again = restored(known_literals(), dict(arrays))
    again.check(EVENTS)
    keys = again.finder.saved()["key_list"].size
    for number in range(100):
        again.remove(again.numbers[again.graph.predicate_of(again.graph.add(hr.attr("a") == number))[0], 0])
        again.add(hr.attr("a") == number)
    assert again.finder.saved()["key_list"].size == keys
    again.check(EVENTS)


def test_restoring_copies_nothing() -> None:
    """A finder goes on in the arrays it is given, so that opening takes no time whatever the size."""
    arrays = sections.part(saved(known_literals()), "finder")
    literals = known_literals()
    literals.finder = Finder.restored(literals.graph, literals.table, arrays)
    made = {"numbers", "pattern_key", "pattern_start"}
    for name, view in literals.finder.saved().items():
        own = name.rpartition(".")[2] in made or name.endswith("seed")
        assert own or not view.size or np.shares_memory(arrays[name], view), name


def test_another_version_of_unicode_finds_patterns_anew() -> None:
    """Fragments that were folded otherwise are not looked for, and not what a removal looks up."""
    literals = known_literals()
    arrays = saved(literals)
    arrays["table.numbers"][1] += 1
    arrays["finder.fragments.heap"][:] = 0
    again = restored(literals, arrays)
    again.check(EVENTS)
    for number in range(again.count):
        again.remove(number)
    assert again.search([{"a": "07xx"}]).numbers(0) == []


@pytest.mark.parametrize(
    "name", ("code", "key_kind", "slots", "bands", "pending", "ranges.low", "ranges.runs", "numbers")
)
def test_sections_that_do_not_fit_are_refused(name: str) -> None:
    """Sizes that compiled code relies on are compared with each other."""
    literals = known_literals()
    arrays = literals.finder.saved()
    arrays[name] = arrays[name][:-1].copy()
    with pytest.raises(hr.CorruptFile):
        Finder.restored(literals.graph, literals.table, arrays)


@pytest.mark.parametrize(("name", "wrong"), (("pattern_start", 1), ("ranges.numbers", 2**40)))
def test_numbers_that_do_not_fit_are_refused(name: str, wrong: int) -> None:
    """What says how long another section is cannot say anything else."""
    literals = known_literals()
    arrays = literals.finder.saved()
    arrays[name] = arrays[name].copy()
    arrays[name][:] = wrong
    with pytest.raises(hr.CorruptFile):
        Finder.restored(literals.graph, literals.table, arrays)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-9, 9), st.integers(-9, 9)), max_size=300),
    st.integers(0, 300),
    st.integers(-9, 9),
)
def test_ranges_come_back_with_their_free_rooms(steps: list[tuple[int, int, int]], split: int, point: int) -> None:
    """Bands that were saved in the middle of inserts and removals hold what they would have held."""
    plain, held = Ranges(), dict[int, tuple[int, int, int]]()
    for number, (band, low, high) in enumerate(steps):
        if number == split:
            plain = Ranges.restored({name: array.copy() for name, array in plain.saved().items()})
        while plain.count <= band:
            plain.new()
        plain.add(band, low, high, number)
        held[number] = band, low, high
        if number % 3 == 2:
            gone = number - low % min(number, 40)
            if gone in held:
                plain.take_out(*held.pop(gone), gone)
    for band in range(plain.count):
        expected = [number for number, (own, low, high) in held.items() if own == band and low <= point <= high]
        assert plain.stabbed(band, point) == expected

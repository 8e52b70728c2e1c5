"""The parts of an index that are saved and restored by themselves, for engines to be built of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow import sections
from hedgerow.index.ids_cy import IdTable
from hedgerow.language.graph_cy import Graph
from hedgerow.lists_cy import Lists
from hedgerow.predicate.table_cy import PredicateTable
from hedgerow.symbols_cy import SymbolTable
from hedgerow.testing import expressions

# Saves an index from another process, whose hashes start from another seed.
SAVING = """
import sys
import hedgerow as hr
index = hr.Index()
index.insert_many((f"rule-{number}", f"a{number} = 'x{number}' AND b = {number}") for number in range(500))
index.save(sys.argv[1])
"""


def copied(arrays: sections.Arrays) -> dict[str, Any]:
    """Return what a file would give back: the same, elsewhere."""
    return {name: array.copy() for name, array in arrays.items()}


@given(st.lists(st.text(max_size=9)), st.lists(st.text(max_size=9)))
def test_a_symbol_table_comes_back_and_grows(before: list[str], after: list[str]) -> None:
    """Numbers stay, and new strings get the next ones."""
    table = SymbolTable()
    for text in before:
        table.intern(text)
    again = SymbolTable.restored(copied(table.saved()))
    assert [again[number] for number in range(len(again))] == [table[number] for number in range(len(table))]
    assert [again.find(text) for text in after] == [table.find(text) for text in after]
    assert [again.intern(text) for text in after] == [table.intern(text) for text in after]
    again.clear()
    assert (len(again), again.find("a"), again.intern("b")) == (0, -1, 0)


@given(st.lists(expressions(5), max_size=3), st.lists(expressions(5), max_size=3))
def test_a_graph_comes_back_and_grows(before: list[hr.Expression], after: list[hr.Expression]) -> None:
    """Numbers of nodes and predicates stay, and what is there is found and not added again."""
    graph = Graph()
    nodes = [graph.add(expression) for expression in before]
    again = Graph.restored(copied(graph.saved()))
    assert [again.expression(node) for node in nodes] == before
    assert (again.weighted, again.nbytes > 0) == (graph.weighted, True)
    assert [again.add(expression) for expression in before + after] == [
        graph.add(expression) for expression in before + after
    ]
    assert (again.node_count, again.predicate_count) == (graph.node_count, graph.predicate_count)


@given(st.lists(st.lists(st.integers(0, 99), max_size=9), max_size=9), st.lists(st.integers(0, 8), max_size=30))
def test_lists_come_back_and_grow(before: list[list[int]], after: list[int]) -> None:
    """Values stay, also removed ones, and lists go on growing."""
    lists = Lists()
    for values in before:
        number = lists.new()
        for value in values:
            lists.add(number, value)
        if values:
            lists.remove(number, 0)
    again = Lists.restored(copied(lists.saved()))
    for number in after:
        for changing in (lists, again):
            if number < len(changing):
                changing.add(number, 7)
            else:
                changing.new()
    assert [again.values(number) for number in range(len(again))] == [lists.values(n) for n in range(len(lists))]


@given(st.lists(st.integers(0, 9), max_size=30), st.lists(st.integers(0, 9), max_size=30), st.booleans())
def test_ids_come_back_and_grow(before: list[int], after: list[int], text: bool) -> None:
    """Slots stay, also those of removed ids, whatever the kind."""
    ids = IdTable()

    def toggle(table: IdTable, number: int) -> None:
        id = f"id-{number}" if text else number
        slot = table.find(id)
        if slot < 0:
            table.add(id)
        elif number % 2:
            table.remove(slot)
        else:
            table.move(slot)

    for number in before:
        toggle(ids, number)
    again = IdTable.restored(copied(ids.saved()))
    assert (list(again), again.slots, len(again)) == (list(ids), ids.slots, len(ids))
    for number in after:
        toggle(again, number)
        toggle(ids, number)
    assert (list(again), again.live_slots().tolist()) == (list(ids), ids.live_slots().tolist())


def test_weights_take_no_room_until_there_is_one() -> None:
    """Values have weights from the first one on that is given, before or after a restore; those before have 0."""
    graph = Graph()
    table = PredicateTable(graph)
    plain = graph.add(hr.parse("a IN (3, 1, 2) AND b = 'x'"))
    table.extend()
    assert (graph.saved()["value_weight"].size, table.saved()["listed_weight"].size) == (0, 0)
    again = Graph.restored(copied(graph.saved()))
    listed = PredicateTable.restored(again, copied(table.saved()))
    for own, prepared in ((graph, table), (again, listed)):
        weighted = own.add(hr.parse("a IN (3^2, 1) AND b = 'x'"))
        prepared.extend()
        assert own.saved()["value_weight"].tolist() == [0.0, 0.0, 0.0, 0.0, 2.0, 0.0]
        assert prepared.saved()["listed_weight"].tolist() == [0.0, 0.0, 0.0, 0.0, 0.0, 2.0]
        assert own.expression(plain) == hr.parse("a IN (3, 1, 2) AND b = 'x'")
        assert own.expression(weighted) == hr.parse("a IN (3^2, 1) AND b = 'x'")


def test_restoring_copies_nothing() -> None:
    """What is restored goes on in the arrays it is given, until it grows."""
    table = SymbolTable()
    table.intern("age")
    arrays = copied(table.saved())
    again = SymbolTable.restored(arrays)
    assert all(np.shares_memory(arrays[name], view) for name, view in again.saved().items() if name != "seed")


def test_hashes_of_another_process_hold(tmp_path: Path) -> None:
    """A table goes on with the seed that it was made with: nothing is hashed again, and everything is found."""
    subprocess.run([sys.executable, "-c", SAVING, tmp_path / "index"], check=True)  # noqa: S603 - our own
    opened = hr.open(tmp_path / "index", "r+")
    assert opened.match({"a7": "x7", "b": 7}) == ["rule-7"]
    assert "rule-499" in opened
    with pytest.raises(hr.DuplicateId):
        opened.insert("rule-499", "a = 1")
    nodes = opened.stats().predicates
    opened.insert("same", "a7 = 'x7' AND b = 7")
    assert opened.stats().predicates == nodes
    opened.insert_many((f"new-{number}", f"a{number} = 'x{number}' AND b = {number}") for number in range(5000))
    assert opened.match({"a7": "x7", "b": 7}) == ["rule-7", "same", "new-7"]


def test_regular_expressions_are_compiled_when_they_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening compiles none of them, and each is compiled once."""
    index = hr.Index("scan")
    index.insert_many((number, f"a MATCHES 'x{number}$' AND NOT b MATCHES '^{number}'") for number in range(50))
    index.save(tmp_path / "index")
    real, compiled = re2.compile, []

    def compile_counted(pattern: bytes, options: object) -> object:
        compiled.append(pattern)
        return real(pattern, options)

    monkeypatch.setattr(re2, "compile", compile_counted)
    opened = hr.open(tmp_path / "index", "r+")
    assert compiled == []
    for _ in range(2):
        assert opened.match({"a": "x7", "b": "none"}) == [7]
    # All patterns of each were looked at, once: the scan evaluates everything.
    assert (len(compiled), len(set(compiled))) == (100, 100)
    opened.insert(99, "a MATCHES '7'")
    assert opened.match({"a": "x7", "b": "none"}) == [7, 99]


def test_another_version_of_unicode_prepares_predicates_anew() -> None:
    """What it folds otherwise must not be compared with patterns that were folded before."""
    graph = Graph()
    graph.add(hr.parse("a ILIKE 'GRÖSSE%' AND b IN (3, 1, 2) AND c MATCHES 'x'"))
    table = PredicateTable(graph)
    table.extend()
    arrays = copied(table.saved())
    arrays["numbers"][1] += 1
    arrays["folded.heap"][:] = 0
    assert PredicateTable.restored(graph, arrays).folded[0] == "grösse%"


def test_a_section_is_checked() -> None:
    """Sizes and types that compiled code relies on are looked at before."""
    arrays = {"heap": np.zeros(3, np.int32)}
    with pytest.raises(hr.CorruptFile, match="'heap' holds int32, not uint8"):
        sections.section(arrays, "heap", np.uint8)
    with pytest.raises(hr.CorruptFile, match="'heap' has 3 elements, not 4"):
        sections.section(arrays, "heap", np.int32, 4)
    with pytest.raises(hr.CorruptFile, match="'heap' has 3 slots for 1 entries"):
        sections.table_section(arrays, "heap", 1)
    with pytest.raises(hr.CorruptFile, match="'heap' has 2 slots for 2 entries"):
        sections.table_section({"heap": np.zeros(2, np.int32)}, "heap", 2)

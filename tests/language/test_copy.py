"""Predicates that are found ahead of being copied: those that were there, and no others."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.rows import Texts
from hedgerow.language.copy_cy import Copier
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser
from hedgerow.testing import expressions


def found(texts: Sequence[str], seen: Graph) -> Copier:
    """Return a copier that has looked for the predicates of some expressions in a graph."""
    column = pa.array(texts, pa.large_string())
    first = Graph()
    Texts(column).parse(Parser(first))
    source = first.alike()  # with room for all of them, as a second chunk has it
    copier = Copier(source, seen)
    copier.prepare()
    _, errors = Texts(column).parse(Parser(source), copier)
    assert not errors
    return copier


def expected(copier: Copier, graph: Graph, count: int) -> dict[int, int]:
    """Return which of the source's predicates are among the first of a graph, by adding them to it."""
    numbers = {
        number: graph.predicate_of(graph.add(copier.source.predicate(number)))[0]
        for number in range(copier.source.predicate_count)
    }
    return {number: there for number, there in numbers.items() if there < count}


several = st.lists(expressions(), max_size=4)


@given(several, several, several)
def test_what_was_there_is_found(
    before: list[hr.Expression], later: list[hr.Expression], new: list[hr.Expression]
) -> None:
    """Not what has come since, though it stands in the same tables."""
    graph = Graph()
    for expression in before:
        graph.add(expression)
    seen = graph.seen()
    for expression in later:
        graph.add(expression)
    copier = found([str(expression) for expression in (*before, *new, *later)], seen)
    assert copier.known() == expected(copier, graph, seen.predicate_count)


@pytest.mark.parametrize("count", (10, 300, 5000))
def test_blocks_of_any_size_and_tables_that_have_grown(count: int) -> None:
    """What is found is complete, also where the graph has other arrays by now."""
    texts = [f"n{number % 700} = {number} AND s < 'v{number}'" for number in range(2 * count)]
    graph, later = Graph(), Graph()
    for text in texts[:count]:
        graph.add(hr.parse(text))
    seen = graph.seen()
    for text in texts:
        graph.add(hr.parse(text))
        later.add(hr.parse(text))
    copier = found(texts, seen)
    assert len(copier.known()) == 2 * count
    assert copier.known() == expected(copier, graph, seen.predicate_count)
    # Another graph that has the same predicates is none of its business.
    assert found(texts, later.seen()).known().keys() == set(range(4 * count))


def test_hashes_that_are_alike() -> None:
    """Of so many predicates some share all that is kept of a hash: all are found."""
    texts = [f"n{number % 700} = {number}" for number in range(200_000)]
    graph = Graph()
    Texts(pa.array(texts, pa.large_string())).parse(Parser(graph))
    assert found(texts, graph.seen()).known() == {number: number for number in range(len(texts))}


def test_without_room_less_is_found() -> None:
    """A copier that was not prepared for so many finds the first ones."""
    graph, source = Graph(), Graph()
    texts = [f"a{number} = {number}" for number in range(100)]
    for text in texts:
        graph.add(hr.parse(text))
    copier = Copier(source, graph.seen())
    Texts(pa.array(texts, pa.large_string())).parse(Parser(source), copier)
    assert 0 < len(copier.known()) < 100
    assert all(number == there for number, there in copier.known().items())


def test_looking_up_beside_a_writer() -> None:
    """What is found is right while another thread adds and the tables grow."""
    texts = [f"a{number % 900} = {number} OR b = 'w{number % 1000}'" for number in range(3000)]
    for turn in range(5):
        graph, done = Graph(), threading.Event()
        for text in texts[:1500]:
            graph.add(hr.parse(text))
        others = [hr.parse(f"c{number} = 'x{turn}' AND a1 = {number}") for number in range(3000)]
        seen = graph.seen()

        def add(graph: Graph = graph, others: list[hr.Expression] = others, done: threading.Event = done) -> None:
            for expression in others:
                graph.add(expression)
            done.set()

        thread = threading.Thread(target=add)
        thread.start()
        copiers = [found(texts, seen)]
        while not done.is_set():
            copiers.append(found(texts, seen))
        thread.join()
        for copier in copiers:
            assert copier.known() == expected(copier, graph, seen.predicate_count)

"""The shared graph: each distinct part once, and every expression back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.language.copy_cy import Copier
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operators import Accepts
from hedgerow.symbols_cy import SymbolTable
from hedgerow.testing import expressions


@given(st.lists(expressions(), max_size=5))
def test_expressions_come_back_as_they_went_in(given_expressions: list[hr.Expression]) -> None:
    """Adding and asking back is the identity, and adding twice adds nothing."""
    graph = Graph()
    nodes = [graph.add(expression) for expression in given_expressions]
    count = graph.node_count
    assert [graph.expression(node) for node in nodes] == given_expressions
    assert [graph.add(expression) for expression in given_expressions] == nodes
    assert graph.node_count == count


@given(st.lists(expressions(), max_size=5))
def test_copies_into_another_graph_are_equal(given_expressions: list[hr.Expression]) -> None:
    """A copier carries names, strings, weights and shared parts over, also when the target has other numbers."""
    source, target = Graph(), Graph()
    target.add(hr.parse("z = 'zz' OR c = 'ab'"))
    copier = Copier(source, target)
    copies = [copier.copy(source.add(expression)) for expression in given_expressions]
    assert [target.expression(node) for node in copies] == given_expressions
    assert copies == [target.add(expression) for expression in given_expressions]


def test_equal_parts_are_one_node_and_unequal_ones_are_not() -> None:
    """Sharing follows equality: order, kind and weight of operands count."""
    graph = Graph()
    texts = ["a = 1", "a = '1'", "a = true", "a = 1^2", "a IN (1)", "a = 1 AND b", "b AND a = 1", "a != 1", "a = 1.0"]
    nodes = [graph.add(hr.parse(text)) for text in texts]
    assert len(set(nodes)) == len(texts) - 1
    assert nodes[-1] == nodes[0]


def test_a_cleared_graph_is_as_good_as_new() -> None:
    """Clearing forgets everything, however full the tables were."""
    graph = Graph()
    for turn in range(3):
        nodes = [graph.add(hr.parse(f"a{number} = {number} AND s = 'x{turn}'")) for number in range(500)]
        assert len(set(nodes)) == 500
        assert str(graph.expression(nodes[7])) == f"a7 = 7 AND s = 'x{turn}'"
        graph.clear()
        assert (graph.node_count, graph.predicate_count, len(graph.names), len(graph.strings)) == (0, 0, 0, 0)
        assert graph.generation == turn + 1


def test_children_have_smaller_numbers() -> None:
    """A loop over the numbers visits children before parents."""
    graph = Graph()
    root = graph.add(hr.parse("(a AND b OR c) XOR NOT (a AND b) AND d"))
    assert graph.below(root)[-1] == root
    for node in graph.below(root):
        assert all(child < node for child in graph.children(node))


def test_literals_are_written_as_people_would() -> None:
    """Each literal has a text that means the same."""
    graph = Graph()
    number, _ = graph.predicate_of(graph.add(hr.parse("a IN (1, 2)")))
    written = [str(graph.expression(graph.literal(number, accepts))) for accepts in Accepts]
    assert written == ["a IN (1, 2)", "a NOT IN (1, 2)", "a WEAK NOT IN (1, 2)", "NOT a NOT IN (1, 2)"]
    less, _ = graph.predicate_of(graph.add(hr.parse("a < 1")))
    assert str(graph.expression(graph.literal(less, Accepts.FALSE))) == "NOT a < 1"


def test_numbers_from_elsewhere_are_refused() -> None:
    """A node or predicate that does not exist raises, and so does a wrong number of operands."""
    graph = Graph()
    node = graph.add(hr.parse("a"))
    for bad in (-1, 99):
        for call in (graph.kind, graph.children, graph.expression, graph.predicate, graph.predicate_of, graph.below):
            with pytest.raises(IndexError):
                call(bad)
        with pytest.raises(IndexError):
            graph.make(Graph.AND, [node, bad])
        with pytest.raises(IndexError):
            graph.literal(bad, Accepts.TRUE)
    for kind, children in ((Graph.AND, [node]), (Graph.NOT, [node, node]), (Graph.TRUE, [node]), (Graph.NOT, [])):
        with pytest.raises(ValueError, match="operands"):
            graph.make(kind, children)


def test_a_deep_and_a_wide_expression_go_through() -> None:
    """Neither depth nor width costs recursion or quadratic time."""
    deep: hr.Expression = hr.attr("a") == 1
    for level in range(100_000):
        deep = ~deep if level % 2 else deep & (hr.attr("b") == level % 7)
    wide = hr.Or(*[hr.attr("c") == number for number in range(50_000)])
    graph, target = Graph(), Graph()
    copier = Copier(graph, target)
    for expression in (deep, wide):
        assert target.expression(copier.copy(graph.add(expression))) == expression


def test_symbols_keep_their_numbers_through_growth() -> None:
    """Thousands of strings, empty and long ones among them, are found again."""
    table = SymbolTable()
    texts = ["", *[f"name {number} ü" * (number % 5 + 1) for number in range(5000)]]
    assert [table.intern(text) for text in texts] == list(range(len(texts)))
    assert [table.find(text) for text in texts] == list(range(len(texts)))
    assert [table[number] for number in range(len(table))] == texts
    assert table.find("name") == -1
    with pytest.raises(IndexError):
        table[len(texts)]


def test_a_graph_that_was_cleared_finds_nothing_of_before() -> None:
    """Whether it held much or little for the size of its tables."""
    graph = Graph()
    for count in (1000, 3, 3, 0, 1000):
        graph.clear()
        nodes = [graph.add(hr.parse(f"a = {number} AND b = 'x'")) for number in range(count)]
        assert graph.predicate_count == (count + 1 if count else 0)
        assert nodes == [graph.add(hr.parse(f"a = {number} AND b = 'x'")) for number in range(count)]

"""Rewrites stay linear: in the length of a chain, in the depth of nesting, and in what is shared."""

from __future__ import annotations

import threading

import pytest

from hedgerow import limits
from hedgerow.errors import LimitError
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser
from hedgerow.language.rewrite import PASSES, constants, exclusive, flatten, order, simplify, to_literals
from tests.language.rewrite.passes import READINGS

DEEP = 100_000


def parsed(text: str) -> tuple[Graph, int]:
    """Return a new graph and the node of a text in it."""
    graph = Graph()
    return graph, Parser(graph).parse(text)


def nested(depth: int, *operators: str) -> str:
    """Return predicates joined by the operators in turn, each in the parentheses of the next."""
    rest = "".join(f" {operators[level % len(operators)]} p{level % 9} = {level})" for level in range(depth))
    return "(" * depth + "p = 0" + rest


def height(graph: Graph, node: int) -> int:
    """Return how many nodes lie on the longest way down."""
    heights: dict[int, int] = {}
    for part in graph.below(node):
        heights[part] = 1 + max((heights[child] for child in graph.children(part)), default=0)
    return heights[node]


@pytest.mark.parametrize("operator", ("XOR", "XNOR"))
def test_a_chain_of_xor_takes_linear_space_and_logarithmic_depth(operator: str) -> None:
    """A thousand operands: six nodes for each pair of halves, two for each operand, ten times halved."""
    graph, node = parsed(f" {operator} ".join(f"a{number} = 1" for number in range(1000)))
    expanded = exclusive(graph, node)
    assert len(graph.below(expanded)) <= 8 * 1000
    assert height(graph, expanded) <= 2 * 10 + 2
    assert len(graph.below(simplify(graph, node))) <= 8 * 1000


@pytest.mark.parametrize("operators", (("XOR",), ("XNOR",), ("XOR", "XNOR"), ("XOR", "AND"), ("XNOR", "OR", "XOR")))
@pytest.mark.parametrize("missing", READINGS)
def test_nested_xor_takes_linear_space(operators: tuple[str, ...], missing: str) -> None:
    """A XOR in a XOR uses both forms of the inner one, and still has each only once."""
    graph, node = parsed(nested(1000, *operators))
    result = simplify(graph, node, missing)
    assert len(graph.below(result)) <= 8 * 1000
    assert sum(len(graph.children(part)) for part in graph.below(result)) <= 20 * 1000


@pytest.mark.parametrize("missing", READINGS)
def test_alternating_and_and_or_may_be_nested_very_deeply(missing: str) -> None:
    """No pass recurses, and none takes more than a few nodes for each level."""
    graph, node = parsed("NOT " + nested(DEEP, "AND", "OR"))
    before = graph.node_count
    result = simplify(graph, node, missing)
    assert height(graph, result) == DEEP + 1
    assert graph.node_count - before <= 4 * DEEP


@pytest.mark.parametrize(("count", "expected"), ((DEEP, "a = 1"), (DEEP + 1, "a != 1")))
def test_many_negations_cancel_out(count: int, expected: str) -> None:
    """NOT NOT ... is walked, not recursed into."""
    graph, node = parsed("NOT " * count + "a = 1")
    assert str(graph.expression(simplify(graph, node))) == expected


def test_nested_xor_may_be_very_deep() -> None:
    """A hundred thousand XORs in each other."""
    graph, node = parsed(nested(DEEP // 2, "XOR", "XNOR"))
    assert len(graph.below(simplify(graph, node))) <= 8 * DEEP


@pytest.mark.parametrize("operator", ("AND", "OR"))
@pytest.mark.parametrize("right", (False, True), ids=("left", "right"))
def test_a_deep_chain_of_one_operator_is_flattened_at_once(operator: str, right: bool) -> None:
    """One region, however deep, becomes one node, and nothing of its inside is written."""
    text = nested(DEEP, operator)
    if right:
        text = f" {operator} (".join(f"p{level % 9} = {level}" for level in range(DEEP + 1)) + ")" * DEEP
    graph, node = parsed(text)
    before = graph.node_count
    result = flatten(graph, node)
    assert len(graph.children(result)) == DEEP + 1
    assert graph.node_count == before + 1


def test_a_wide_chain_is_ordered_without_duplicates() -> None:
    """A hundred thousand operands, each written twice and backwards."""
    words = [f"p{number} = {number}" for number in range(DEEP)]
    graph, node = parsed(" OR ".join(words[::-1] + words))
    result = simplify(graph, node)
    assert len(graph.children(result)) == DEEP
    assert simplify(graph, Parser(graph).parse(" OR ".join(words))) == result


def test_constants_fold_through_any_depth() -> None:
    """A constant at the bottom of a deep expression travels all the way up."""
    graph, node = parsed("(" * DEEP + "TRUE" + " AND TRUE) XOR FALSE)" * (DEEP // 2))
    assert str(graph.expression(constants(graph, node))) == "TRUE"


def test_flattening_what_is_shared_too_often_is_refused() -> None:
    """A ladder of shared ANDs is small as a graph, but grows with the square of its height when it is flattened."""
    graph = Graph()
    parser = Parser(graph)
    node = parser.parse("a = 0 AND b = 0")
    rungs = []
    for number in range(1, 7000):
        node = graph.make(Graph.AND, [node, parser.parse(f"a = {number}")])
        rungs.append(node)
    with pytest.raises(LimitError, match=f"{limits.MAX_WRITTEN_PARTS:,}"):
        flatten(graph, graph.make(Graph.OR, rungs))


def test_a_list_of_a_million_values_becomes_canonical() -> None:
    """Values in any order, each of them twice."""
    count = 1_000_000
    values = ", ".join(str(number * 7919 % count) for number in range(count))
    graph, node = parsed(f"a IN ({values}, 5, 7)")
    predicate, _ = graph.predicate_of(to_literals(graph, node, "unknown"))
    assert graph.predicate(predicate).values == tuple(range(count))


@pytest.mark.parametrize("change", PASSES, ids=lambda change: change.__name__)
def test_a_node_that_is_none_is_refused(change: object) -> None:
    """A pass does not read outside of the graph."""
    graph, node = parsed("a = 1 AND b = 1")
    arguments = ("unknown",) if change is to_literals else ()
    for wrong in (-1, node + 1):
        with pytest.raises(IndexError):
            change(graph, wrong, *arguments)  # type: ignore[operator]


def test_a_reading_of_missing_that_is_none_is_refused() -> None:
    """There are two readings."""
    graph, node = parsed("a = 1")
    with pytest.raises(ValueError, match="'unknown' or 'false', not 'none'"):
        to_literals(graph, node, "none")


def test_literals_of_a_xor_are_refused() -> None:
    """Passes are run in their order."""
    graph, node = parsed("a = 1 XOR b = 2")
    with pytest.raises(ValueError, match="exclusive"):
        to_literals(graph, node, "unknown")


def test_threads_may_rewrite_side_by_side() -> None:
    """Each thread has its own graph; what passes keep for the next pass is never used by two."""
    texts = [nested(size, "AND", "XOR", "OR") for size in (3, 50, 7, 90)]
    expected = [rewritten(text) for text in texts]
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(list(map(rewritten, texts * 5)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected * 5] * 4


def rewritten(text: str) -> str:
    """Return the canonical form of a text, as far as its first pass over operators goes."""
    graph, node = parsed(text)
    return str(graph.expression(order(graph, flatten(graph, node))))

"""How many conjunctions an expression is an OR of, as it is written, beside the clauses that are made of it.

Clauses are made of what is simplified: constants are folded, an operand that comes again is dropped, and so is a clause
that asks for opposites. Where nothing was, there are as many clauses as conjunctions, and they are the same.
"""

from __future__ import annotations

from hedgerow.language.graph_cy import Graph

__all__ = ["clause_count", "conjunction_count", "is_plain"]

_LEAVES = (Graph.PREDICATE, Graph.LITERAL)
_MANY = 1 << 40


def is_plain(graph: Graph, node: int) -> bool:
    """Return whether a node is an OR of ANDs of tests, or less: its clauses are its conjunctions."""
    kind = graph.kind(node)
    if kind == Graph.OR:
        return all(_is_conjunction(graph, child) for child in graph.children(node))
    return _is_conjunction(graph, node)


def _is_conjunction(graph: Graph, node: int) -> bool:
    kind = graph.kind(node)
    if kind == Graph.AND:
        return all(graph.kind(child) in _LEAVES for child in graph.children(node))
    return kind in _LEAVES


def clause_count(graph: Graph, node: int) -> int:
    """Return how many clauses a DNF has."""
    kind = graph.kind(node)
    if kind == Graph.FALSE:
        return 0
    return len(graph.children(node)) if kind == Graph.OR else 1


def conjunction_count(graph: Graph, node: int) -> int:
    """Return how many conjunctions an expression has as it is written, or some large number if they are more."""
    counts: dict[int, tuple[int, int]] = {}
    for part in graph.below(node):
        counts[part] = _counts(graph, part, counts)
    return counts[node][0]


def _counts(graph: Graph, part: int, counts: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return how many there are of a part as true, and as false."""
    kind = graph.kind(part)
    if kind in _LEAVES:
        return 1, 1
    if kind in (Graph.TRUE, Graph.FALSE):
        return (1, 0) if kind == Graph.TRUE else (0, 1)
    below = [counts[child] for child in graph.children(part)]
    if kind == Graph.NOT:
        return below[0][1], below[0][0]
    if kind in (Graph.XOR, Graph.XNOR):
        return _exclusive(below, is_xnor=kind == Graph.XNOR)
    product, total = 1, 0
    both = [(yes, no) if kind == Graph.AND else (no, yes) for yes, no in below]
    for all_ways, some_way in both:
        product, total = min(product * all_ways, _MANY), min(total + some_way, _MANY)
    return (product, total) if kind == Graph.AND else (total, product)


def _exclusive(below: list[tuple[int, int]], *, is_xnor: bool) -> tuple[int, int]:
    true, false = below[0]
    for yes, no in below[1:]:
        differ, agree = true * no + false * yes, true * yes + false * no
        true, false = (agree, differ) if is_xnor else (differ, agree)
        true, false = min(true, _MANY), min(false, _MANY)
    return true, false

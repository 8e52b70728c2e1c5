"""Attributes that an event must have for an expression to match it.

The *pivot* of an expression is the rarest such attribute: an event without it need not look at the expression at all
(OpIndex chooses so for conjunctions). Each node of a graph gets two: the one without which it cannot be true, and the
one without which it cannot be false. An AND cannot be true without what any of its operands needs, so it takes the
rarest; it cannot be false without what *all* of its operands need to be false. OR is the other way round, NOT changes
the two over, and the operands of XOR and XNOR must each be one or the other.

An attribute is found only where all operands agree on their rarest one; a finer search would find it in some more ORs.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_FALSE,
    NODE_NOT,
    NODE_OR,
    NODE_PREDICATE,
    NODE_TRUE,
    Graph,
)

from hedgerow.language.operators import Operator

_WEAK_NOT_IN = cython.declare(cython.int, int(Operator.WEAK_NOT_IN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_IS_NOT_NULL = cython.declare(cython.int, int(Operator.IS_NOT_NULL))

# No attribute is needed; and: it cannot be at all, so that any attribute may be said to be needed.
_NONE = cython.declare(cython.int, -1)
_NEVER = cython.declare(cython.int, -2)

_VERY_MANY = cython.declare(cython.longlong, 1 << 40)


def occurrences(graph: Graph, roots: cython.int[::1]):
    """Return how often each attribute (by its number in the graph) is tested in the expressions at these nodes."""
    uses: cython.longlong[::1] = np.zeros(graph.node_count + 1, np.int64)
    counts: cython.longlong[::1] = np.zeros(len(graph.names) + 1, np.int64)
    node: cython.Py_ssize_t
    position: cython.longlong
    for node in range(roots.shape[0]):
        if roots[node] >= 0:
            uses[roots[node]] += 1
    # Children have smaller numbers than their parents: downwards, each has heard of all its parents when it is met.
    for node in range(graph.node_count - 1, -1, -1):
        if not uses[node]:
            continue
        if graph.node_kind[node] == NODE_PREDICATE:
            counts[graph.predicate_attribute[graph.node_code[node]]] += uses[node]
            continue
        for position in range(graph.node_start[node], graph.node_start[node + 1]):
            # What is shared by very many parents is frequent enough; the count need not overflow to say so.
            uses[graph.child[position]] = min(uses[graph.child[position]] + uses[node], _VERY_MANY)
    return np.asarray(counts)[: len(graph.names)]


def pivots(graph: Graph, roots: cython.int[::1], frequency: cython.longlong[::1], missing):
    """Return the pivot of the expression at each node, as a number of the graph's names; -1 if it has none.

    ``frequency`` has a number for each name: the pivot is the one with the smallest. A root below 0 has none.
    """
    count: cython.Py_ssize_t = graph.node_count
    when_true: cython.int[::1] = np.empty(count + 1, np.int32)
    when_false: cython.int[::1] = np.empty(count + 1, np.int32)
    absent_is_false: cython.bint = missing == "false"
    node: cython.Py_ssize_t
    for node in range(count):
        _settle(graph, cython.cast(cython.int, node), frequency, absent_is_false, when_true, when_false)
    found: cython.int[::1] = np.empty(roots.shape[0], np.int32)
    for node in range(roots.shape[0]):
        found[node] = _NONE if roots[node] < 0 else max(when_true[roots[node]], _NONE)
    return np.asarray(found)


@cython.cfunc
@cython.exceptval(-1, check=True)
def _settle(
    graph: Graph,
    node: cython.int,
    frequency: cython.longlong[::1],
    absent_is_false: cython.bint,
    when_true: cython.int[::1],
    when_false: cython.int[::1],
) -> cython.int:
    """Find both pivots of a node, whose children have theirs."""
    kind: cython.int = graph.node_kind[node]
    operator: cython.int
    attribute: cython.int
    weak: cython.bint
    first: cython.longlong
    end: cython.longlong
    if kind == NODE_TRUE or kind == NODE_FALSE:
        when_true[node] = _NONE if kind == NODE_TRUE else _NEVER
        when_false[node] = _NONE if kind == NODE_FALSE else _NEVER
        return 0
    if kind == NODE_PREDICATE:
        operator = graph.predicate_operator[graph.node_code[node]]
        attribute = graph.predicate_attribute[graph.node_code[node]]
        # Of an event without the attribute two say that they are true, one that it is false; all else is unknown.
        weak = operator == _WEAK_NOT_IN or operator == _IS_NULL
        when_true[node] = _NONE if weak else attribute
        when_false[node] = _NONE if operator == _IS_NOT_NULL or (absent_is_false and not weak) else attribute
        return 0
    first, end = graph.node_start[node], graph.node_start[node + 1]
    if kind == NODE_NOT:
        when_true[node] = when_false[graph.child[first]]
        when_false[node] = when_true[graph.child[first]]
    elif kind == NODE_AND:
        when_true[node] = _rarest(graph, first, end, frequency, when_true)
        when_false[node] = _common(graph, first, end, when_false)
    elif kind == NODE_OR:
        when_true[node] = _common(graph, first, end, when_true)
        when_false[node] = _rarest(graph, first, end, frequency, when_false)
    else:
        when_true[node] = _rarest_of_either(graph, first, end, frequency, when_true, when_false)
        when_false[node] = when_true[node]
    return 0


@cython.cfunc
@cython.exceptval(-3, check=True)
def _rarest(
    graph: Graph, first: cython.longlong, end: cython.longlong, frequency: cython.longlong[::1], needs: cython.int[::1]
) -> cython.int:
    best: cython.int = _NONE
    position: cython.longlong
    need: cython.int
    for position in range(first, end):
        need = needs[graph.child[position]]
        if need == _NEVER:
            return _NEVER
        best = _rarer(best, need, frequency)
    return best


@cython.cfunc
@cython.exceptval(-3, check=True)
def _rarer(one: cython.int, other: cython.int, frequency: cython.longlong[::1]) -> cython.int:
    if one < 0 or other < 0:
        return max(one, other)
    return other if frequency[other] < frequency[one] else one


@cython.cfunc
@cython.exceptval(-3, check=True)
def _common(graph: Graph, first: cython.longlong, end: cython.longlong, needs: cython.int[::1]) -> cython.int:
    best: cython.int = _NEVER
    position: cython.longlong
    for position in range(first, end):
        best = _agreed(best, needs[graph.child[position]])
        if best == _NONE:
            return _NONE
    return best


@cython.cfunc
@cython.exceptval(-3, check=True)
def _agreed(one: cython.int, other: cython.int) -> cython.int:
    """Return what is needed where either may come about: what both need, or one if the other never comes about."""
    if one == _NEVER:
        return other
    return one if other == _NEVER or other == one else _NONE


@cython.cfunc
@cython.exceptval(-3, check=True)
def _rarest_of_either(
    graph: Graph,
    first: cython.longlong,
    end: cython.longlong,
    frequency: cython.longlong[::1],
    when_true: cython.int[::1],
    when_false: cython.int[::1],
) -> cython.int:
    """Return the rarest of what the operands need, whether they are true or false."""
    best: cython.int = _NONE
    position: cython.longlong
    child: cython.int
    for position in range(first, end):
        child = graph.child[position]
        best = _rarer(best, _agreed(when_true[child], when_false[child]), frequency)
    return best

"""Push negations down to the predicates, and make each predicate a literal: a base test and the outcomes it accepts.

NOT goes down through AND and OR by De Morgan's laws; a node is visited at most twice, as it is and negated, so shared
parts stay shared. At the bottom, what the negation of a predicate accepts depends on the reading of missing attributes:

================ ===================== ===================================
``p`` accepts    ``NOT p`` (unknown)   ``NOT p`` (false)
================ ===================== ===================================
TRUE             FALSE                 NOT_TRUE: an undefined p is false
FALSE            TRUE                  NOT_FALSE
NOT_TRUE         TRUE                  TRUE
NOT_FALSE        FALSE                 FALSE
================ ===================== ===================================

Base tests that mean the same become one: values of a list are sorted, each once (with its largest weight); a list of
one value, and BETWEEN from a value to itself, are ``=``; IS NULL, never undefined, accepts TRUE or FALSE only; and
weights, which score only where a test comes out true, are kept only where TRUE is accepted.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_FALSE,
    NODE_LITERAL,
    NODE_NOT,
    NODE_OR,
    NODE_PREDICATE,
    NODE_TRUE,
    NODE_XNOR,
    NODE_XOR,
    Graph,
    weight_at,
)
from cython.cimports.hedgerow.language.rewrite.content_cy import Sorter, compare_values
from cython.cimports.hedgerow.language.rewrite.part_cy import Part, give_back, part_below

from hedgerow.arrays_cy import grown
from hedgerow.errors import KindError
from hedgerow.language.operators import OPERATORS as _OPERATORS
from hedgerow.language.operators import Accepts, Operands, Operator

_EQ = cython.declare(cython.int, int(Operator.EQ))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_TAKE_MANY = cython.declare(cython.int, int(Operands.MANY))
_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))

_base = cython.declare(cython.uchar[::1], np.array([row.base for row in _OPERATORS], np.uint8))
_accepts = cython.declare(cython.uchar[::1], np.array([row.accepts for row in _OPERATORS], np.uint8))
_takes = cython.declare(cython.uchar[::1], np.array([row.operands for row in _OPERATORS], np.uint8))
_OPPOSITES = {
    "unknown": (Accepts.FALSE, Accepts.TRUE, Accepts.TRUE, Accepts.FALSE),
    "false": (Accepts.NOT_TRUE, Accepts.NOT_FALSE, Accepts.TRUE, Accepts.FALSE),
}
_opposites = cython.declare(cython.uchar[::1], np.array([*_OPPOSITES["unknown"], *_OPPOSITES["false"]], np.uint8))

# Bits of ``mark``: a node is needed as it is, or negated.
_POSITIVE = cython.declare(cython.int, 1)
_NEGATIVE = cython.declare(cython.int, 2)

_KEPT_VALUES = cython.declare(cython.Py_ssize_t, 1 << 14)
_spare: list = []


def to_literals(graph: Graph, node: cython.int, missing: str):
    """Return AND and OR over literals that hold exactly when the node is true, under this reading of ``missing``.

    >>> from hedgerow.language.graph_cy import Graph
    >>> from hedgerow.language.parse_cy import Parser
    >>> graph = Graph()
    >>> node = Parser(graph).parse("NOT (a = 1 AND NOT b IN (3, 2))")
    >>> str(graph.expression(to_literals(graph, node, "unknown")))
    'a != 1 OR b IN (2, 3)'
    >>> str(graph.expression(to_literals(graph, node, "false")))
    'a WEAK NOT IN (1) OR b IN (2, 3)'
    """
    if missing != "unknown" and missing != "false":
        raise KindError(f"missing is 'unknown' or 'false', not {missing!r}")
    reading: cython.int = 4 if missing == "false" else 0  # where its half of ``_opposites`` starts
    part: Part = part_below(graph, node)
    rank: cython.int
    if part.kinds & (1 << NODE_XOR | 1 << NODE_XNOR):
        raise ValueError("XOR and XNOR have no literals: run the pass `exclusive` first")
    _mark_needs(graph, part)
    for rank in range(part.count):
        if part.mark[rank] & _POSITIVE:
            part.result[2 * rank] = _form(graph, part, rank, False, reading)
        if part.mark[rank] & _NEGATIVE:
            part.result[2 * rank + 1] = _form(graph, part, rank, True, reading)
    node = part.result[2 * (part.count - 1)]
    give_back(part)
    return node


@cython.cfunc
@cython.exceptval(-1)
def _mark_needs(graph: Graph, part: Part) -> cython.int:
    rank: cython.int
    needs: cython.int
    position: cython.longlong
    part.mark[: part.count] = 0
    part.mark[part.count - 1] = _POSITIVE
    for rank in range(part.count - 1, -1, -1):
        needs = part.mark[rank]
        if graph.node_kind[part.nodes[rank]] == NODE_NOT:
            needs = (needs & _POSITIVE) << 1 | needs >> 1
        for position in range(part.starts[rank], part.starts[rank + 1]):
            part.mark[part.edges[position]] |= needs
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _form(graph: Graph, part: Part, rank: cython.int, negative: cython.bint, reading: cython.int) -> cython.int:
    kind: cython.int = graph.node_kind[part.nodes[rank]]
    first: cython.longlong = part.starts[rank]
    count: cython.Py_ssize_t = part.starts[rank + 1] - first
    offset: cython.Py_ssize_t
    if kind == NODE_NOT:
        return part.result[2 * part.edges[first] + (not negative)]
    if kind <= NODE_LITERAL:
        return _leaf(graph, part.nodes[rank], negative, reading)
    for offset in range(count):
        part.operands[offset] = part.result[2 * part.edges[first + offset] + negative]
    if negative:
        kind = NODE_OR if kind == NODE_AND else NODE_AND
    return graph.add_node(kind, cython.address(part.operands[0]), count)


@cython.cfunc
@cython.exceptval(-1)
def _leaf(graph: Graph, node: cython.int, negative: cython.bint, reading: cython.int) -> cython.int:
    kind: cython.int = graph.node_kind[node]
    if kind <= NODE_TRUE:
        return graph.add_leaf(NODE_TRUE if (kind == NODE_TRUE) != negative else NODE_FALSE, 0)
    return graph.add_leaf(NODE_LITERAL, literal_code(graph, node, negative, reading))


def literal_code(graph, node, negative, reading):
    """Return the code of the literal that a leaf with a predicate, or its negation, stands for."""
    kind: cython.int = graph.node_kind[node]
    number: cython.int = graph.node_code[node]
    accepts: cython.int
    if kind == NODE_PREDICATE:
        accepts = _accepts[graph.predicate_operator[number]]
    else:
        accepts = number & 3
        number >>= 2
    if negative:
        accepts = _opposites[reading + accepts]
    if accepts >= _NOT_TRUE and _base[graph.predicate_operator[number]] == _IS_NULL:
        accepts = 3 - accepts  # NOT_TRUE is FALSE, and NOT_FALSE is TRUE
    return _base_test(graph, number, accepts == _TRUE) * 4 + accepts


@cython.cfunc
@cython.exceptval(-1)
def _base_test(graph: Graph, number: cython.int, weighted: cython.bint) -> cython.int:
    """Return the one predicate that stands for all with the same base test."""
    operator: cython.int = graph.predicate_operator[number]
    base: cython.int = _base[operator]
    start: cython.longlong = graph.predicate_start[number]
    count: cython.longlong = graph.predicate_start[number + 1] - start
    if _takes[operator] == _TAKE_MANY:
        if count == 1:
            base = _EQ
        elif not _is_sorted(graph, start, count):
            return _sorted_test(graph, number, weighted)
    elif base == _BETWEEN and compare_values(graph, start, start + 1) == 0:
        base = _EQ
        count = 1
    if base == operator and (weighted or not _has_weights(graph, start, count)):
        return number
    offset: cython.longlong
    try:
        for offset in range(start, start + count):
            _push(graph, offset, weight_at(graph, offset) if weighted else 0.0)
        return graph.intern_predicate(base, graph.predicate_attribute[number])
    except BaseException:
        graph.drop_values()
        raise


@cython.cfunc
@cython.exceptval(-1)
def _push(graph: Graph, position: cython.longlong, weight: cython.double) -> cython.int:
    return graph.push_value(graph.value_kind[position], graph.value_payload[position], weight)


@cython.cfunc
@cython.exceptval(-1)
def _has_weights(graph: Graph, start: cython.longlong, count: cython.longlong) -> cython.int:
    position: cython.longlong
    for position in range(start, start + count):
        if weight_at(graph, position) != 0.0:
            return 1
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _is_sorted(graph: Graph, start: cython.longlong, count: cython.longlong) -> cython.int:
    position: cython.longlong
    for position in range(start + 1, start + count):
        if compare_values(graph, position - 1, position) >= 0:
            return 0
    return 1


@cython.cclass
class ValueSorter(Sorter):
    """Sorts the values of one predicate; items are their offsets from its first."""

    graph: Graph
    start: cython.longlong

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def compare(self, left: cython.int, right: cython.int) -> cython.int:
        return compare_values(self.graph, self.start + left, self.start + right)

    @cython.cfunc
    @cython.exceptval(-1)
    def sort_values(self, graph: Graph, start: cython.longlong, count: cython.longlong) -> cython.int:
        offset: cython.int
        self.graph = graph
        self.start = start
        if count > self.items.shape[0]:
            self.items = grown(self.items, count)
        for offset in range(count):
            self.items[offset] = offset
        self.sort(0, count)
        self.graph = None
        return 0


@cython.cfunc
@cython.exceptval(-1)
def _sorted_test(graph: Graph, number: cython.int, weighted: cython.bint) -> cython.int:
    """Return the base test with the values of a list sorted, each once."""
    start: cython.longlong = graph.predicate_start[number]
    count: cython.longlong = graph.predicate_start[number + 1] - start
    base: cython.int = _base[graph.predicate_operator[number]]
    sorter: ValueSorter = _spare.pop() if _spare else ValueSorter()
    sorter.sort_values(graph, start, count)
    try:
        if _push_distinct(graph, sorter.items, start, count, weighted) == 1:
            base = _EQ
        number = graph.intern_predicate(base, graph.predicate_attribute[number])
    except BaseException:
        graph.drop_values()
        raise
    if sorter.items.shape[0] <= _KEPT_VALUES and not _spare:
        _spare.append(sorter)
    return number


@cython.cfunc
@cython.exceptval(-1)
def _push_distinct(
    graph: Graph, items: cython.int[::1], start: cython.longlong, count: cython.longlong, weighted: cython.bint
) -> cython.longlong:
    """Put each distinct value down once, with the largest of its weights; return how many there are."""
    offset: cython.longlong = 0
    position: cython.longlong
    distinct: cython.longlong = 0
    weight: cython.double
    while offset < count:
        position = start + items[offset]
        weight = weight_at(graph, position)
        offset += 1
        while offset < count and compare_values(graph, position, start + items[offset]) == 0:
            weight = max(weight, weight_at(graph, start + items[offset]))
            offset += 1
        _push(graph, position, weight if weighted else 0.0)
        distinct += 1
    return distinct

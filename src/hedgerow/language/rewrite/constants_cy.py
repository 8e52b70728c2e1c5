"""Fold TRUE and FALSE: they are left only where they are the whole expression.

::

    x AND TRUE = x      x OR FALSE = x     NOT TRUE = FALSE     x XOR FALSE = x
    x AND FALSE = FALSE x OR TRUE = TRUE   NOT FALSE = TRUE     x XOR TRUE = NOT x

All of these hold in three values, whatever x is. XNOR is a XOR negated once for each operand after the first.
"""

import cython
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_FALSE,
    NODE_LITERAL,
    NODE_NOT,
    NODE_OR,
    NODE_TRUE,
    NODE_XNOR,
    Graph,
)
from cython.cimports.hedgerow.language.rewrite.part_cy import Part, give_back, part_below


def constants(graph: Graph, node: cython.int):
    """Return the node with its constants folded.

    >>> from hedgerow.language.graph_cy import Graph
    >>> from hedgerow.language.parse_cy import Parser
    >>> graph = Graph()
    >>> node = Parser(graph).parse("(a = 1 OR FALSE) AND NOT (b = 2 AND FALSE) XOR TRUE")
    >>> str(graph.expression(constants(graph, node)))
    'NOT a = 1'
    """
    part: Part = part_below(graph, node)
    rank: cython.int
    if part.kinds & (1 << NODE_FALSE | 1 << NODE_TRUE):
        for rank in range(part.count):
            part.result[rank] = _folded(graph, part, rank)
        node = part.result[part.count - 1]
    give_back(part)
    return node


@cython.cfunc
@cython.exceptval(-1)
def _folded(graph: Graph, part: Part, rank: cython.int) -> cython.int:
    kind: cython.int = graph.node_kind[part.nodes[rank]]
    if kind <= NODE_LITERAL:
        return part.nodes[rank]
    if kind == NODE_NOT:
        return _negated(graph, part.result[part.edges[part.starts[rank]]])
    if kind == NODE_AND or kind == NODE_OR:
        return _folded_chain(graph, part, rank, kind)
    return _folded_parity(graph, part, rank, kind)


@cython.cfunc
@cython.exceptval(-1)
def _negated(graph: Graph, node: cython.int) -> cython.int:
    kind: cython.int = graph.node_kind[node]
    if kind == NODE_TRUE or kind == NODE_FALSE:
        return graph.add_leaf(NODE_FALSE if kind == NODE_TRUE else NODE_TRUE, 0)
    return graph.add_node(NODE_NOT, cython.address(node), 1)


@cython.cfunc
@cython.exceptval(-1)
def _folded_chain(graph: Graph, part: Part, rank: cython.int, kind: cython.int) -> cython.int:
    neutral: cython.int = NODE_TRUE if kind == NODE_AND else NODE_FALSE
    position: cython.longlong
    operand: cython.int
    count: cython.Py_ssize_t = 0
    for position in range(part.starts[rank], part.starts[rank + 1]):
        operand = part.result[part.edges[position]]
        if graph.node_kind[operand] > NODE_TRUE:
            part.operands[count] = operand
            count += 1
        elif graph.node_kind[operand] != neutral:
            return operand
    if count == 0:
        return graph.add_leaf(neutral, 0)
    return part.joined(graph, kind, count)


@cython.cfunc
@cython.exceptval(-1)
def _folded_parity(graph: Graph, part: Part, rank: cython.int, kind: cython.int) -> cython.int:
    """Leave the constants out of a XOR or XNOR, and negate what is left if that is what they did."""
    first: cython.longlong = part.starts[rank]
    last: cython.longlong = part.starts[rank + 1]
    position: cython.longlong
    operand: cython.int
    count: cython.Py_ssize_t = 0
    negations: cython.longlong = last - first - 1 if kind == NODE_XNOR else 0
    for position in range(first, last):
        operand = part.result[part.edges[position]]
        if graph.node_kind[operand] > NODE_TRUE:
            part.operands[count] = operand
            count += 1
        elif graph.node_kind[operand] == NODE_TRUE:
            negations += 1
    if count == 0:
        return graph.add_leaf(NODE_TRUE if negations & 1 else NODE_FALSE, 0)
    if kind == NODE_XNOR:
        negations -= count - 1  # those that the smaller XNOR still does
    operand = part.joined(graph, kind, count)
    return _negated(graph, operand) if negations & 1 else operand

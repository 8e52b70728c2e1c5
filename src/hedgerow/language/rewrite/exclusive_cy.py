"""Write XOR and XNOR as AND, OR and NOT, in space linear in their operands.

A chain is split at the middle, each half into the form in which an odd number of its operands is true and the form in
which an even number is; both forms of the whole are made from the four::

    odd  = (left odd AND right even) OR (left even AND right odd)
    even = (left odd AND right odd) OR (left even AND right even)

So a chain of n operands gets a few nodes for each of them and a depth of log n. XNOR is a XOR negated once for each
operand after the first. In three values both sides of each equation are the same: undefined as soon as an operand is.

Where a XOR stands under an odd number of NOTs, it becomes NOT of the form that says it is false. Once negations are
pushed down, what is false reads like what is true: two cases, of which one holds.
"""

import cython
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_LITERAL,
    NODE_NOT,
    NODE_OR,
    NODE_XNOR,
    NODE_XOR,
    Graph,
)
from cython.cimports.hedgerow.language.rewrite.part_cy import Part, give_back, part_below

# Bits of ``mark``: a node is used as it is, or under an odd number of NOTs.
_POSITIVE = cython.declare(cython.int, 1)
_NEGATIVE = cython.declare(cython.int, 2)


def exclusive(graph: Graph, node: cython.int):
    """Return the node with every XOR and XNOR written as AND, OR and NOT, in linear space.

    >>> from hedgerow.language.graph_cy import Graph
    >>> from hedgerow.language.parse_cy import Parser
    >>> graph = Graph()
    >>> node = Parser(graph).parse("a = 1 XOR b = 2")
    >>> str(graph.expression(exclusive(graph, node)))
    'a = 1 AND NOT b = 2 OR NOT a = 1 AND b = 2'
    """
    part: Part = part_below(graph, node)
    rank: cython.int
    if part.kinds & (1 << NODE_XOR | 1 << NODE_XNOR):
        _mark_uses(graph, part)
        for rank in range(part.count):
            if part.mark[rank] & _POSITIVE:
                part.result[2 * rank] = _expanded(graph, part, rank, False)
            if part.mark[rank] & _NEGATIVE:
                part.result[2 * rank + 1] = _expanded(graph, part, rank, True)
        node = part.result[2 * (part.count - 1)]
    give_back(part)
    return node


@cython.cfunc
@cython.exceptval(-1)
def _mark_uses(graph: Graph, part: Part) -> cython.int:
    rank: cython.int
    uses: cython.int
    kind: cython.int
    position: cython.longlong
    part.mark[: part.count] = 0
    part.mark[part.count - 1] = _POSITIVE
    for rank in range(part.count - 1, -1, -1):
        uses = part.mark[rank]
        kind = graph.node_kind[part.nodes[rank]]
        if kind == NODE_NOT:
            uses = (uses & _POSITIVE) << 1 | uses >> 1
        elif kind == NODE_XOR or kind == NODE_XNOR:
            uses = _POSITIVE | _NEGATIVE
        for position in range(part.starts[rank], part.starts[rank + 1]):
            part.mark[part.edges[position]] |= uses
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _expanded(graph: Graph, part: Part, rank: cython.int, negative: cython.bint) -> cython.int:
    node: cython.int = part.nodes[rank]
    kind: cython.int = graph.node_kind[node]
    first: cython.longlong = part.starts[rank]
    count: cython.Py_ssize_t = part.starts[rank + 1] - first
    offset: cython.Py_ssize_t
    if kind <= NODE_LITERAL:
        return node
    if kind == NODE_NOT:
        return graph.add_node(kind, cython.address(part.result[2 * part.edges[first] + (not negative)]), 1)
    if kind == NODE_XOR or kind == NODE_XNOR:
        return _parity(graph, part, rank, negative)
    for offset in range(count):
        part.operands[offset] = part.result[2 * part.edges[first + offset] + negative]
    return graph.add_node(kind, cython.address(part.operands[0]), count)


@cython.cfunc
@cython.exceptval(-1)
def _parity(graph: Graph, part: Part, rank: cython.int, negative: cython.bint) -> cython.int:
    """Return a XOR or XNOR as two cases; if ``negative``, as NOT of the two cases in which it is false."""
    first: cython.longlong = part.starts[rank]
    count: cython.Py_ssize_t = part.starts[rank + 1] - first
    middle: cython.Py_ssize_t = count >> 1
    odd: cython.bint = graph.node_kind[part.nodes[rank]] == NODE_XOR or (count & 1) == 1
    offset: cython.Py_ssize_t
    child: cython.int
    node: cython.int
    part.put_operand(2 * count - 1, 0)
    for offset in range(count):
        child = part.edges[first + offset]
        part.operands[2 * offset] = part.result[2 * child]
        part.operands[2 * offset + 1] = _opposite(graph, part.result[2 * child + 1])
    _halve(graph, part, 0, middle)
    _halve(graph, part, middle, count)
    node = _cases(graph, part, 0, middle, odd != negative)
    return graph.add_node(NODE_NOT, cython.address(node), 1) if negative else node


@cython.cfunc
@cython.exceptval(-1)
def _opposite(graph: Graph, node: cython.int) -> cython.int:
    if graph.node_kind[node] == NODE_NOT:
        return graph.child[graph.node_start[node]]
    return graph.add_node(NODE_NOT, cython.address(node), 1)


@cython.cfunc
@cython.exceptval(-1)
def _halve(graph: Graph, part: Part, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.int:
    """Put the odd and the even form of these operands where the first one's are. Recursion: as deep as halving goes."""
    middle: cython.Py_ssize_t = first + ((last - first) >> 1)
    odd: cython.int
    if last - first > 1:
        _halve(graph, part, first, middle)
        _halve(graph, part, middle, last)
        odd = _cases(graph, part, first, middle, True)
        part.operands[2 * first + 1] = _cases(graph, part, first, middle, False)
        part.operands[2 * first] = odd
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _cases(graph: Graph, part: Part, left: cython.Py_ssize_t, right: cython.Py_ssize_t, odd: cython.bint) -> cython.int:
    """Return the odd or the even form of two halves."""
    pair: cython.int[2]
    cases: cython.int[2]
    pair[0] = part.operands[2 * left]
    pair[1] = part.operands[2 * right + odd]
    cases[0] = graph.add_node(NODE_AND, pair, 2)
    pair[0] = part.operands[2 * left + 1]
    pair[1] = part.operands[2 * right + (not odd)]
    cases[1] = graph.add_node(NODE_AND, pair, 2)
    return graph.add_node(NODE_OR, cases, 2)

"""Merge AND under AND and OR under OR, keep each operand once, and put a single operand in the place of its parent.

A region is a largest set of nodes of one kind that hang together; only its top survives::

    AND ─┬─ a                      AND ─┬─ a          Nodes inside a region are not rewritten one by one: a chain
         ├─ AND ─┬─ b        =>         ├─ b          nested a thousand deep would be copied a thousand times.
         │       └─ AND ─ c, a          ├─ c
         └─ OR ─ d, d                   └─ d

A region that loses all operands but one becomes that operand, and if this is of the kind of the region above, it joins
it. Regions may share parts, so that all of them together can be much larger than the graph was; that is limited.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, Graph
from cython.cimports.hedgerow.language.rewrite.part_cy import Part, give_back, part_below

from hedgerow import limits
from hedgerow.arrays_cy import grown
from hedgerow.errors import LimitError

_MAX_OPERANDS = cython.declare(cython.longlong, limits.MAX_WRITTEN_PARTS)

# Values of ``mark``: which nodes are rewritten, and (from 0) the region that last came past.
_INSIDE = cython.declare(cython.int, -2)
_WANTED = cython.declare(cython.int, -1)


def flatten(graph: Graph, node: cython.int):
    """Return the node with AND under AND and OR under OR merged, and each operand once (where it came first).

    >>> from hedgerow.language.graph_cy import Graph
    >>> from hedgerow.language.parse_cy import Parser
    >>> graph = Graph()
    >>> node = Parser(graph).parse("(a = 1 AND (b = 2 AND a = 1)) AND (c = 3 OR c = 3)")
    >>> str(graph.expression(flatten(graph, node)))
    'a = 1 AND b = 2 AND c = 3'
    """
    return flattened(graph, node, False)


def flattened(graph, node, by_number):
    """Flatten; if ``by_number``, sort operands by node number, so that nodes equal but for the order become one."""
    part: Part = part_below(graph, node)
    rank: cython.int
    room: cython.longlong = _MAX_OPERANDS
    if part.kinds >> (NODE_LITERAL + 1):
        _mark_tops(graph, part)
        for rank in range(part.count):
            if part.mark[rank] != _INSIDE:
                part.result[rank] = _merged(graph, part, rank, by_number, cython.address(room))
        node = part.result[part.count - 1]
    give_back(part)
    return node


@cython.cfunc
@cython.exceptval(-1)
def _mark_tops(graph: Graph, part: Part) -> cython.int:
    """Mark what is rewritten: all but those AND and OR nodes that stand only under their own kind."""
    rank: cython.int
    kind: cython.int
    position: cython.longlong
    part.mark[: part.count] = _INSIDE
    part.mark[part.count - 1] = _WANTED
    for rank in range(part.count):
        kind = graph.node_kind[part.nodes[rank]]
        if not _merges(kind):
            kind = -1
        for position in range(part.starts[rank], part.starts[rank + 1]):
            if graph.node_kind[part.nodes[part.edges[position]]] != kind:
                part.mark[part.edges[position]] = _WANTED
    return 0


@cython.cfunc
@cython.exceptval(check=False)
def _merges(kind: cython.int) -> cython.bint:
    return kind == NODE_AND or kind == NODE_OR


@cython.cfunc
@cython.exceptval(-1)
def _merged(
    graph: Graph, part: Part, rank: cython.int, by_number: cython.bint, room: cython.pointer(cython.longlong)
) -> cython.int:
    node: cython.int = part.nodes[rank]
    kind: cython.int = graph.node_kind[node]
    count: cython.Py_ssize_t = 0
    position: cython.longlong
    if kind <= NODE_LITERAL:
        return node
    if _merges(kind):
        count = _collect(graph, part, rank, kind, room)
    else:
        for position in range(part.starts[rank], part.starts[rank + 1]):
            part.operands[count] = part.result[part.edges[position]]
            count += 1
    if by_number and count > 1:
        np.asarray(part.operands)[:count].sort()
    if count > 1 or not _merges(kind):
        return _kept(graph, part, node, count)
    return part.operands[0]


@cython.cfunc
@cython.exceptval(-1)
def _kept(graph: Graph, part: Part, node: cython.int, count: cython.Py_ssize_t) -> cython.int:
    """Return the node over these operands: itself, without a look into the hash table, if they are what it has."""
    start: cython.longlong = graph.node_start[node]
    offset: cython.Py_ssize_t = 0
    if graph.node_start[node + 1] - start == count:
        while offset < count and graph.child[start + offset] == part.operands[offset]:
            offset += 1
        if offset == count:
            return node
    return graph.add_node(graph.node_kind[node], cython.address(part.operands[0]), count)


@cython.cfunc
@cython.exceptval(-1)
def _collect(
    graph: Graph, part: Part, top: cython.int, kind: cython.int, room: cython.pointer(cython.longlong)
) -> cython.Py_ssize_t:
    """Put down the distinct operands of the region under ``top``, as they are written; return how many there are."""
    depth: cython.Py_ssize_t = 1
    count: cython.Py_ssize_t = 0
    position: cython.longlong
    rank: cython.int
    part.stack[0] = top
    while depth:
        depth -= 1
        rank = part.stack[depth]
        if part.mark[rank] == top:
            continue
        part.mark[rank] = top
        if graph.node_kind[part.nodes[rank]] != kind:
            count = _take(graph, part, part.result[rank], top, kind, count)
            continue
        position = part.starts[rank + 1]
        room[0] -= position - part.starts[rank]
        if depth + position - part.starts[rank] > part.stack.shape[0]:
            part.stack = grown(part.stack, depth + position - part.starts[rank])
        while position > part.starts[rank]:
            position -= 1
            part.stack[depth] = part.edges[position]
            depth += 1
    room[0] -= count
    if room[0] < 0:
        raise LimitError(f"an expression of more than {limits.MAX_WRITTEN_PARTS:,} operands once it is flattened")
    return count


@cython.cfunc
@cython.exceptval(-1)
def _take(
    graph: Graph, part: Part, operand: cython.int, top: cython.int, kind: cython.int, count: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Put an operand down, or those of its own if it has become a node of the region's kind; each once."""
    position: cython.longlong
    if graph.node_kind[operand] != kind:
        return _take_once(part, operand, top, count)
    for position in range(graph.node_start[operand], graph.node_start[operand + 1]):
        count = _take_once(part, graph.child[position], top, count)
    return count


@cython.cfunc
@cython.exceptval(-1)
def _take_once(part: Part, operand: cython.int, top: cython.int, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    entry: cython.int = part.entry_of(operand)
    if part.entry_mark[entry] == top:
        return count
    part.entry_mark[entry] = top
    part.put_operand(count, operand)
    return count + 1

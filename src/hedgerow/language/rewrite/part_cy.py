"""The part of a graph below one node, numbered anew: what every pass walks over.

::

    graph   ... 17 PREDICATE   18 PREDICATE   19 NOT [18]   40 AND [17 19] ...        millions of nodes
    part         rank 0           rank 1        rank 2         rank 3                 the few below node 40
    starts, edges                               [1]            [0 2]                  children as ranks

Ranks run from children to parents, the node itself is last, and all arrays are as long as the part: a pass over a small
expression costs the same however large the graph is. A hash table finds the rank of a node (``entry_of``).

Making arrays costs more than walking over a usual expression, so parts are used again. One that a pass holds belongs to
it alone until it is given back: threads may run passes side by side on graphs of their own.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import NODE_LITERAL, Graph
from cython.cimports.hedgerow.symbols_cy import mixed

from hedgerow.arrays_cy import grown

_NEW = cython.declare(cython.int, -2)  # an entry that the walk has not come to
_OPEN = cython.declare(cython.int, -1)  # an entry whose children are being walked
_FIRST_SLOTS = cython.declare(cython.int, 64)
_KEPT_NODES = cython.declare(cython.Py_ssize_t, 1 << 14)  # the arrays of a larger part are left to the system
_KEPT_PARTS = cython.declare(cython.Py_ssize_t, 4)

_spare: list = []


@cython.final
@cython.cclass
class Part:
    """A node and all below it; the fields are told at the top of the file."""

    def __init__(self):
        self.nodes = np.empty(32, np.int32)
        self.starts = np.zeros(33, np.int64)
        self.edges = np.empty(64, np.int32)
        self.result = np.empty(64, np.int32)
        self.mark = np.empty(32, np.int32)
        self.operands = np.empty(64, np.int32)
        self.stack = np.empty(64, np.int32)
        self.entry_node = np.empty(32, np.int32)
        self.entry_rank = np.empty(32, np.int32)
        self.entry_mark = np.empty(32, np.int32)
        self.slots = np.empty(_FIRST_SLOTS, np.int32)

    def walk(self, graph, node):
        """Give ranks to ``node`` and all below it; the stack holds those whose children come first."""
        if node < 0 or node >= graph.node_count:
            raise IndexError(node)
        depth: cython.Py_ssize_t = 1
        entry: cython.int
        self.count = 0
        self.kinds = 0
        self.entry_count = 0
        self.starts[0] = 0
        self.slot_count = _FIRST_SLOTS
        self.slots[:_FIRST_SLOTS] = -1
        self.stack[0] = node
        while depth:
            entry = self.entry_of(self.stack[depth - 1])
            if self.entry_rank[entry] == _NEW:
                self.entry_rank[entry] = _OPEN
                depth = self.enter(graph, self.entry_node[entry], depth)
                continue
            if self.entry_rank[entry] == _OPEN:
                self.close(graph, entry)
            depth -= 1
        return self.make_room(self.starts[self.count])

    def enter(self, graph, node, depth):
        """Push the children that have children of their own, and number the others at once; return the new depth."""
        position: cython.longlong
        child: cython.int
        entry: cython.int
        top: cython.longlong = depth + graph.node_start[node + 1] - graph.node_start[node]
        if top > self.stack.shape[0]:
            self.stack = grown(self.stack, top)
        for position in range(graph.node_start[node], graph.node_start[node + 1]):
            child = graph.child[position]
            entry = self.entry_of(child)
            if self.entry_rank[entry] == _NEW:
                if graph.node_kind[child] <= NODE_LITERAL:
                    self.close(graph, entry)
                else:
                    self.stack[depth] = child
                    depth += 1
        return depth

    def close(self, graph, entry):
        """Give the node of this entry the next rank; its children have theirs."""
        node: cython.int = self.entry_node[entry]
        rank: cython.int = self.count
        if rank + 1 >= self.nodes.shape[0]:
            self.nodes = grown(self.nodes, rank + 2)
            self.starts = grown(self.starts, rank + 3)
        edge: cython.longlong = self.starts[rank]
        position: cython.longlong
        last: cython.longlong = edge + graph.node_start[node + 1] - graph.node_start[node]
        if last > self.edges.shape[0]:
            self.edges = grown(self.edges, last)
        for position in range(graph.node_start[node], graph.node_start[node + 1]):
            self.edges[edge] = self.entry_rank[self.entry_of(graph.child[position])]
            edge += 1
        self.nodes[rank] = node
        self.starts[rank + 1] = edge
        self.entry_rank[entry] = rank
        self.kinds |= 1 << graph.node_kind[node]
        self.count = rank + 1
        return 0

    def entry_of(self, node):
        """Return the entry of a node, of the part or not; a new one (with no mark) if it has none."""
        mask: cython.Py_ssize_t = self.slot_count - 1
        slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, mixed(0, node) & cython.cast(cython.ulonglong, mask))
        entry: cython.int = self.slots[slot]
        while entry >= 0:
            if self.entry_node[entry] == node:
                return entry
            slot = (slot + 1) & mask
            entry = self.slots[slot]
        return self.add_entry(node, slot)

    def add_entry(self, node, slot):
        entry: cython.int = self.entry_count
        if entry >= self.entry_node.shape[0]:
            self.entry_node = grown(self.entry_node, entry + 1)
            self.entry_rank = grown(self.entry_rank, entry + 1)
            self.entry_mark = grown(self.entry_mark, entry + 1)
        self.entry_node[entry] = node
        self.entry_rank[entry] = _NEW
        self.entry_mark[entry] = -1
        self.slots[slot] = entry
        self.entry_count = entry + 1
        if 2 * cython.cast(cython.Py_ssize_t, self.entry_count) > self.slot_count:
            self.rehash()
        return entry

    def rehash(self):
        size: cython.Py_ssize_t = 2 * self.slot_count
        slot: cython.Py_ssize_t
        entry: cython.int
        if size > self.slots.shape[0]:
            self.slots = np.empty(size, np.int32)
        self.slots[:size] = -1
        for entry in range(self.entry_count):
            slot = cython.cast(
                cython.Py_ssize_t, mixed(0, self.entry_node[entry]) & cython.cast(cython.ulonglong, size - 1)
            )
            while self.slots[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            self.slots[slot] = entry
        self.slot_count = size
        return 0

    def make_room(self, widest):
        """Let the arrays that passes write have two results and a mark a rank, and hold the operands of any node."""
        if 2 * cython.cast(cython.Py_ssize_t, self.count) > self.result.shape[0]:
            self.result = grown(self.result, 2 * self.count)
        if self.count > self.mark.shape[0]:
            self.mark = grown(self.mark, self.count)
        if widest > self.operands.shape[0]:
            self.operands = grown(self.operands, widest)
        return 0

    def put_operand(self, position, node):
        if position >= self.operands.shape[0]:
            self.operands = grown(self.operands, position + 1)
        self.operands[position] = node
        return 0

    def joined(self, graph, kind, count):
        """Return the node of this kind over the first ``count`` operands put down, one operand being itself."""
        if count == 1:
            return self.operands[0]
        return graph.add_node(kind, cython.address(self.operands[0]), count)


def part_below(graph, node):
    """Return the part below a node; ``give_back`` it at the end. After an error it may be forgotten instead."""
    part: Part = _spare.pop() if _spare else Part()
    part.walk(graph, node)
    return part


def give_back(part):
    """Keep the arrays for the next pass, unless they are large."""
    longest: cython.Py_ssize_t = max(part.nodes.shape[0], part.edges.shape[0], part.operands.shape[0])
    if longest <= _KEPT_NODES and len(_spare) < _KEPT_PARTS:
        _spare.append(part)
    return 0


def kinds_below(graph: Graph, node: cython.int):
    """Return which kinds of nodes an expression is made of: bit ``1 << kind`` for each.

    >>> from hedgerow.language.graph_cy import Graph
    >>> from hedgerow.language.parse_cy import Parser
    >>> graph = Graph()
    >>> kinds = kinds_below(graph, Parser(graph).parse("a = 1 AND b = 2"))
    >>> kinds == 1 << Graph.PREDICATE | 1 << Graph.AND
    True
    """
    part: Part = part_below(graph, node)
    kinds: cython.int = part.kinds
    give_back(part)
    return kinds

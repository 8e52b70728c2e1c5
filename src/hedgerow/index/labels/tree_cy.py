"""One expression as a tree: what is labelled, written out so that a part which stands in several places has several.

::

    a = 1 AND (b = 2 OR c = 3)         node     0 AND   1 a = 1   2 OR    3 b = 2   4 c = 3      level by level
                                       parent     -       0         0       2         2
                                       ordinal    1       1         2       1         2          among its siblings
                                       leaves     3       1         2       1         1          below it
                                       left       0       0         1       1         2          before it

Parents stand before their children, and siblings side by side. Leaves in the order of ``left`` are those of the text.

The graph shares its parts, and a tree does not: a chain of n exclusive ORs is a graph of a few nodes for each of them,
and a tree of n * n leaves. So leaves are counted in the graph, before anything is written (``measure``). Nothing here
recurses, and the arrays are used again for the next tree, unless they have become large.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR
from cython.cimports.hedgerow.language.rewrite.part_cy import Part, give_back, part_below

from hedgerow import limits
from hedgerow.arrays_cy import grown
from hedgerow.errors import LimitError

_NONE = cython.declare(cython.int, -1)
_MOST = cython.declare(cython.longlong, 1 << 30)  # counts stop here: far beyond every limit, and their sums have room
_KEPT = cython.declare(cython.Py_ssize_t, 1 << 16)
_HINT = "the engine 'atree' takes such an expression as it is"


@cython.final
@cython.cclass
class Tree:
    """The tree of one expression after the other; compiled modules read its arrays until the next one."""

    def __init__(self):
        self.make(16)
        self.operands = np.empty(16, np.int32)

    def make(self, size: cython.Py_ssize_t):
        """Make arrays for so many nodes."""
        self.kind, self.last = np.empty(size, np.uint8), np.empty(size, np.uint8)
        self.node, self.parent = np.empty(size, np.int32), np.empty(size, np.int32)
        self.ordinal, self.leaves = np.empty(size, np.int32), np.empty(size, np.int32)
        self.depth, self.left = np.empty(size, np.int32), np.empty(size, np.int32)

    def write(self, graph, root, conjunctions):
        """Write the tree of a simplified expression; ``conjunctions`` says whether literals of an AND are one leaf."""
        place: cython.int = 0
        if self.kind.shape[0] > _KEPT:
            self.make(16)
        self.count = self.leaf_count = self.deepest = 0
        self.add(root, _NONE, 1, True)
        while place < self.count:
            if not self.is_leaf(graph, place, conjunctions):
                self.enter(graph, place, conjunctions)
            place += 1
        return self.count_leaves()

    def add(self, node, parent, ordinal, last):
        """Add a node of the tree, for now as a leaf; return its place."""
        place: cython.int = self.count
        if place >= self.kind.shape[0]:
            self.extend(place + 1)
        self.node[place] = node
        self.parent[place] = parent
        self.ordinal[place] = ordinal
        self.last[place] = last
        self.kind[place] = NODE_LITERAL
        self.depth[place] = 0 if parent < 0 else self.depth[parent] + 1
        self.count = place + 1
        return place

    def extend(self, needed):
        """Let there be room for so many nodes."""
        kinds, lasts = grown(self.kind, needed), grown(self.last, needed)
        nodes, parents = grown(self.node, needed), grown(self.parent, needed)
        ordinals, leaves = grown(self.ordinal, needed), grown(self.leaves, needed)
        depths, lefts = grown(self.depth, needed), grown(self.left, needed)
        self.last, self.node, self.parent, self.ordinal = lasts, nodes, parents, ordinals
        self.leaves, self.depth, self.left = leaves, depths, lefts
        self.kind = kinds  # last: its length tells how much room there is
        return 0

    def is_leaf(self, graph, place, conjunctions):
        """Return whether a node of the tree has no nodes below it."""
        node: cython.int = self.node[place]
        position: cython.longlong
        if graph.node_kind[node] <= NODE_LITERAL:
            return True
        if not conjunctions or graph.node_kind[node] == NODE_OR:
            return False
        for position in range(graph.node_start[node], graph.node_start[node + 1]):
            if graph.node_kind[graph.child[position]] != NODE_LITERAL:
                return False
        return True

    def enter(self, graph, place, conjunctions):
        """Add the nodes below one."""
        position: cython.int
        count: cython.int = self.take_operands(graph, self.node[place], conjunctions)
        self.kind[place] = graph.node_kind[self.node[place]]
        for position in range(count):
            self.add(self.operands[position], place, position + 1, position == count - 1)
        return 0

    def take_operands(self, graph, node, conjunctions):
        """Write down what is below a node; where conjunctions are leaves, the literals of an AND are the first one."""
        position: cython.longlong
        literals: cython.int = 0
        others: cython.int = 0
        first: cython.longlong = graph.node_start[node]
        count: cython.int = cython.cast(cython.int, graph.node_start[node + 1] - first)
        if count + 1 > self.operands.shape[0]:
            self.operands = grown(self.operands, count + 1)
        if not conjunctions or graph.node_kind[node] == NODE_OR:
            for position in range(count):
                self.operands[position] = graph.child[first + position]
            return count
        for position in range(count):
            if graph.node_kind[graph.child[first + position]] == NODE_LITERAL:
                self.operands[literals] = graph.child[first + position]
                literals += 1
        if literals > 1:
            self.operands[0] = graph.add_node(NODE_AND, cython.address(self.operands[0]), literals)
            literals = 1
        for position in range(count):
            if graph.node_kind[graph.child[first + position]] != NODE_LITERAL:
                self.operands[literals + others] = graph.child[first + position]
                others += 1
        return literals + others

    def count_leaves(self):
        """Count the leaves below each node and before it."""
        place: cython.int
        position: cython.int
        for place in range(self.count):
            self.leaves[place] = 0
        for position in range(self.count):
            place = self.count - 1 - position
            if self.kind[place] == NODE_LITERAL:
                self.leaves[place] = 1
                self.leaf_count = self.leaf_count + 1
                self.deepest = max(self.deepest, self.depth[place])
            if self.parent[place] >= 0:
                self.leaves[self.parent[place]] += self.leaves[place]
        self.left[0] = 0
        for place in range(1, self.count):
            if self.ordinal[place] == 1:
                self.left[place] = self.left[self.parent[place]]
            else:
                self.left[place] = self.left[place - 1] + self.leaves[place - 1]
        return 0


def measure(graph, node, levels):
    """Refuse an expression whose tree has too many leaves or, if that matters, too many levels above all of them."""
    part: Part
    rank: cython.int
    position: cython.longlong
    leaves: cython.longlong
    above: cython.longlong
    if graph.node_kind[node] <= NODE_LITERAL:
        return 0
    part = part_below(graph, node)
    for rank in range(part.count):
        leaves = 0
        above = 0
        for position in range(part.starts[rank], part.starts[rank + 1]):
            leaves = min(_MOST, leaves + part.mark[part.edges[position]])
            above = min(_MOST, above + part.mark[part.edges[position]] + part.result[part.edges[position]])
        part.mark[rank] = cython.cast(cython.int, max(leaves, 1))
        part.result[rank] = cython.cast(cython.int, above)
    leaves = part.mark[part.count - 1]
    above = part.result[part.count - 1]
    give_back(part)
    if leaves > limits.MAX_LABELS:
        raise LimitError(f"a tree of more than {limits.MAX_LABELS:,} literals; {_HINT}")
    if levels and above > limits.MAX_LABEL_LEVELS:
        raise LimitError(
            f"a tree whose literals have more than {limits.MAX_LABEL_LEVELS:,} levels above them, all added up; "
            f"the engine 'interval' has labels of one size, and {_HINT}"
        )
    return 0

"""Put operands in canonical order: by content, so that it depends neither on how they were written nor on node numbers.

Every distinct part gets a place. Leaves come first, by their predicates (attribute, operator, values) and what they
accept; then nodes, those with only leaves below first, then level by level; within a level by kind and by the places of
their operands, which are known by then. What is equal but for the order of operands gets the same place, and so becomes
one node (the way in which Aho, Hopcroft and Ullman compare trees).

Operands of AND and OR that turn out to be equal only now are kept once. That is rare, and changes levels; so the whole
is then flattened, with nodes that are equal but for the order made one beforehand, and ordered again.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, NODE_PREDICATE, Graph
from cython.cimports.hedgerow.language.rewrite.content_cy import Sorter, compare_predicates
from cython.cimports.hedgerow.language.rewrite.flatten_cy import flattened
from cython.cimports.hedgerow.language.rewrite.part_cy import Part, give_back, part_below

from hedgerow.arrays_cy import grown

_KEPT_NODES = cython.declare(cython.Py_ssize_t, 1 << 14)

# What the items of a sort are compared by.
_BY_LEAF = cython.declare(cython.int, 0)
_BY_PLACE = cython.declare(cython.int, 1)
_BY_NODE = cython.declare(cython.int, 2)

_spare: list = []


def order(graph: Graph, node: cython.int):
    """Return the node with all operands in canonical order, and each operand of AND and OR once.

    >>> from hedgerow.language.graph_cy import Graph
    >>> from hedgerow.language.parse_cy import Parser
    >>> graph = Graph()
    >>> parser = Parser(graph)
    >>> node = order(graph, parser.parse("(c = 3 OR b = 2) AND a = 1"))
    >>> str(graph.expression(node))
    'a = 1 AND (b = 2 OR c = 3)'
    >>> order(graph, parser.parse("a = 1 AND (b = 2 OR c = 3)")) == node
    True
    """
    if graph.kind(node) <= NODE_LITERAL:
        return node
    ordering: Ordering = _spare.pop() if _spare else Ordering()
    ordered: cython.int = ordering.ordered(graph, node)
    if ordered < 0:
        ordered = ordering.ordered(graph, flattened(graph, node, True))
    if ordering.place.shape[0] <= _KEPT_NODES and not _spare:
        _spare.append(ordering)
    return ordered


@cython.cclass
class Ordering(Sorter):
    """The places of the nodes of one part, by rank."""

    graph: Graph
    part: Part
    place: cython.int[::1]
    prefix: cython.ulonglong[::1]
    level: cython.int[::1]
    level_start: cython.int[::1]
    compared_by: cython.int
    repeated: cython.bint

    def __init__(self):
        Sorter.__init__(self)
        self.place = np.empty(64, np.int32)
        self.prefix = np.empty(64, np.uint64)
        self.level = np.empty(64, np.int32)
        self.level_start = np.empty(66, np.int32)

    @cython.cfunc
    @cython.exceptval(-2)
    def ordered(self, graph: Graph, node: cython.int) -> cython.int:
        """Return the node in order, or -1 if an AND or OR has equal operands."""
        self.graph = graph
        self.part = part_below(graph, node)
        self.repeated = False
        self.make_places_room(self.part.count)
        self.sort_levels()
        if not self.repeated:
            node = self.rebuilt()
        give_back(self.part)
        self.graph = None
        self.part = None
        return -1 if self.repeated else node

    @cython.cfunc
    @cython.exceptval(-1)
    def make_places_room(self, count: cython.int) -> cython.int:
        if count > self.place.shape[0]:
            self.place = grown(self.place, count)
            self.prefix = grown(self.prefix, count)
            self.level = grown(self.level, count)
            self.level_start = grown(self.level_start, count + 2)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def sort_levels(self) -> cython.int:
        """Give every rank its place, level by level, and sort the edges of each by them; stop at equal operands."""
        level_count: cython.int = self.find_levels()
        ranks: cython.int[::1] = self.items
        level: cython.int
        position: cython.int
        next_place: cython.int = self.place_leaves(self.level_start[1])
        for level in range(1, level_count):
            self.compared_by = _BY_PLACE
            self.items = self.part.edges
            for position in range(self.level_start[level], self.level_start[level + 1]):
                self.sort_edges(ranks[position])
            if self.repeated:
                self.items = ranks
                return 0
            self.compared_by = _BY_NODE
            self.items = ranks
            self.sort(self.level_start[level], self.level_start[level + 1])
            next_place = self.give_places(self.level_start[level], self.level_start[level + 1], next_place)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def find_levels(self) -> cython.int:
        """Put the ranks into ``items`` level by level; return how many levels there are."""
        part: Part = self.part
        rank: cython.int
        level: cython.int
        highest: cython.int = 0
        position: cython.longlong
        if part.count > self.items.shape[0]:
            self.items = grown(self.items, part.count)
        self.level_start[: part.count + 2] = 0
        for rank in range(part.count):
            level = 0
            for position in range(part.starts[rank], part.starts[rank + 1]):
                level = max(level, self.level[part.edges[position]] + 1)
            self.level[rank] = level
            self.level_start[level + 2] += 1
            highest = max(highest, level)
        for level in range(highest + 1):
            self.level_start[level + 2] += self.level_start[level + 1]
        for rank in range(part.count):
            level = self.level[rank]
            self.items[self.level_start[level + 1]] = rank
            self.level_start[level + 1] += 1
        return highest + 1

    @cython.cfunc
    @cython.exceptval(-1)
    def place_leaves(self, count: cython.int) -> cython.int:
        """Sort the leaves and number them: no two are equal. Return the next free place."""
        position: cython.int
        for position in range(count):
            self.prefix[self.items[position]] = _prefix(self.graph, self.part.nodes[self.items[position]])
        self.compared_by = _BY_LEAF
        self.sort(0, count)
        for position in range(count):
            self.place[self.items[position]] = position
        return count

    @cython.cfunc
    @cython.exceptval(-1)
    def sort_edges(self, rank: cython.int) -> cython.int:
        part: Part = self.part
        first: cython.longlong = part.starts[rank]
        last: cython.longlong = part.starts[rank + 1]
        kind: cython.int = self.graph.node_kind[part.nodes[rank]]
        position: cython.longlong
        self.sort(first, last)
        if kind == NODE_AND or kind == NODE_OR:
            for position in range(first + 1, last):
                if self.place[part.edges[position - 1]] == self.place[part.edges[position]]:
                    self.repeated = True
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def give_places(self, first: cython.int, last: cython.int, place: cython.int) -> cython.int:
        """Give the items of a sorted level their places, equal ones the same; return the next free place."""
        position: cython.int
        for position in range(first, last):
            if position > first and self.compare(self.items[position - 1], self.items[position]) != 0:
                place += 1
            self.place[self.items[position]] = place
        return place + 1

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def compare(self, left: cython.int, right: cython.int) -> cython.int:
        if self.compared_by == _BY_PLACE:
            return (self.place[left] > self.place[right]) - (self.place[left] < self.place[right])
        if self.compared_by == _BY_LEAF:
            return self.compare_leaves(left, right)
        return self.compare_nodes(left, right)

    @cython.cfunc
    @cython.exceptval(-2)
    def compare_leaves(self, left: cython.int, right: cython.int) -> cython.int:
        graph: Graph = self.graph
        first: cython.int
        second: cython.int
        if self.prefix[left] != self.prefix[right]:
            return -1 if self.prefix[left] < self.prefix[right] else 1
        first = self.part.nodes[left]
        second = self.part.nodes[right]
        kind: cython.int = graph.node_kind[first]
        if kind != graph.node_kind[second]:
            return -1 if kind < graph.node_kind[second] else 1
        first = graph.node_code[first]
        second = graph.node_code[second]
        if kind == NODE_PREDICATE:
            return compare_predicates(graph, first, second)
        if kind < NODE_PREDICATE or first >> 2 == second >> 2:
            return (first > second) - (first < second)
        return compare_predicates(graph, first >> 2, second >> 2)

    @cython.cfunc
    @cython.exceptval(-2)
    def compare_nodes(self, left: cython.int, right: cython.int) -> cython.int:
        part: Part = self.part
        first: cython.longlong = part.starts[left]
        second: cython.longlong = part.starts[right]
        kind: cython.int = self.graph.node_kind[part.nodes[left]]
        difference: cython.int = kind - self.graph.node_kind[part.nodes[right]]
        while difference == 0 and first < part.starts[left + 1] and second < part.starts[right + 1]:
            difference = self.place[part.edges[first]] - self.place[part.edges[second]]
            first += 1
            second += 1
        if difference == 0:
            difference = (first < part.starts[left + 1]) - (second < part.starts[right + 1])
        return (difference > 0) - (difference < 0)

    @cython.cfunc
    @cython.exceptval(-1)
    def rebuilt(self) -> cython.int:
        """Return the node made anew with its operands in the order of the edges."""
        part: Part = self.part
        graph: Graph = self.graph
        rank: cython.int
        for rank in range(part.count):
            if part.starts[rank] == part.starts[rank + 1]:
                part.result[rank] = part.nodes[rank]
            else:
                part.result[rank] = _rebuilt_node(graph, part, rank)
        return part.result[part.count - 1]


@cython.cfunc
@cython.exceptval(0, check=True)
def _prefix(graph: Graph, leaf: cython.int) -> cython.ulonglong:
    """Return the first bytes of a leaf's attribute as a number, which decides most comparisons; 0 for a constant."""
    code: cython.int = graph.node_code[leaf]
    packed: cython.ulonglong = 0
    offset: cython.longlong
    if graph.node_kind[leaf] < NODE_PREDICATE:
        return 0
    attribute: cython.int = graph.predicate_attribute[code if graph.node_kind[leaf] == NODE_PREDICATE else code >> 2]
    start: cython.longlong = graph.names.starts[attribute]
    length: cython.longlong = graph.names.starts[attribute + 1] - start
    for offset in range(8):
        packed = packed << 8 | (graph.names.heap[start + offset] if offset < length else 0)
    return packed


@cython.cfunc
@cython.exceptval(-1)
def _rebuilt_node(graph: Graph, part: Part, rank: cython.int) -> cython.int:
    node: cython.int = part.nodes[rank]
    first: cython.longlong = part.starts[rank]
    count: cython.Py_ssize_t = part.starts[rank + 1] - first
    start: cython.longlong = graph.node_start[node]
    same: cython.bint = True
    offset: cython.Py_ssize_t
    for offset in range(count):
        part.operands[offset] = part.result[part.edges[first + offset]]
        same = same and part.operands[offset] == graph.child[start + offset]
    return node if same else graph.add_node(graph.node_kind[node], cython.address(part.operands[0]), count)

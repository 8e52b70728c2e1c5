"""Paths: a tree whose edges are literals, and conjunctions packed at its nodes, for Propagation and Gryphon.

::

    0 ──a = 1──> 1 ──b = 2──> 2        an edge leads from a node by a literal to a node: one table, (0, a = 1) -> 1
    │            └───c > 5──> 3
    └───d = 4──> 4                     ends of node 3:  7 2 [e < 3, yes] [f = 1, no]   9 0   ...

An event comes to a node if all literals of its path hold. A conjunction ends at one node, where there is a record of
it: its unit, and the bits that are left to look at, each the number of a literal and whether it must hold. A negated
test is the bit that must be 0, with one for what must be there. Records stand one behind the other, and one that
fails costs the bits up to the first that is wrong.

From a node a search tries each edge, or looks each literal up that holds and is on an edge, whichever are fewer. So a
node costs no more than its edges, however long the lists of an event are. If paths are *ordered*, their literals have
attributes in ascending order, and no literal of an earlier one than the last is looked up.

Edges and records are only added. Units are in ascending order in each list, so a search is done with it at the first
that it must not see; a record that could not be written to its end is erased.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.keys_cy import Keys
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, ListsView, Literals
from cython.cimports.hedgerow.index.chassis.searcher_cy import hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.index.kindex.keyed_cy import sort_values
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.sections import nested, part, section

_EDGE = cython.declare(cython.int, 0)  # the kind of the keys of edges
_HEAD = cython.declare(cython.int, 2)  # numbers of a record before its bits


@cython.cclass
class PathEngine(UnitEngine):
    """The base of engines of paths: they say in ``add_unit`` which path a conjunction has, and what is left of it."""

    def __init__(self, missing: str):
        UnitEngine.__init__(self, missing)
        self.shares = False
        self.literals = Literals(self.graph, self.table)
        self.lists = Lists()
        self.lists.append(self.lists.new_list(), 0)
        self.keys = Keys()
        self.children, self.ends = filled(16, -1, np.int32), filled(16, -1, np.int32)
        self.attribute_of = filled(16, -1, np.int32)
        self.codes, self.bits = np.empty(16, np.int32), np.empty(16, np.int32)

    def read(self, node):
        """Read the literals of a clause, and begin with no bits."""
        position: cython.longlong
        first: cython.longlong = self.graph.node_start[node]
        self.bit_count = self.code_count = 0
        if self.graph.node_kind[node] == NODE_LITERAL:
            self.codes[0] = self.graph.node_code[node]
            self.code_count = 1
        elif self.graph.node_kind[node] == NODE_AND:
            self.code_count = cython.cast(cython.int, self.graph.node_start[node + 1] - first)
            if self.code_count > self.codes.shape[0]:
                self.codes = grown(self.codes, self.code_count)
            for position in range(self.code_count):
                self.codes[position] = self.graph.node_code[self.graph.child[first + position]]
        return 0

    def node_at(self, parent, literal, attribute):
        """Return the node that an edge leads to, a new one if there is none."""
        node: cython.int = self.keys.find(parent, _EDGE, literal) + 1
        if node:
            return node
        if literal >= self.attribute_of.shape[0]:
            self.attribute_of = grown(self.attribute_of, literal + 1, -1)
        self.attribute_of[literal] = attribute
        if self.children[parent] < 0:
            self.children[parent] = self.lists.new_list()
        return self.new_node(self.children[parent], parent, _EDGE, literal)

    def new_node(self, siblings, parent, kind, payload):
        """Return a new node of a list, with a new key."""
        node: cython.int = self.keys.count + 1
        if node >= self.children.shape[0]:
            self.children = grown(self.children, node + 1, -1)
        if node >= self.ends.shape[0]:
            self.ends = grown(self.ends, node + 1, -1)
        # A search leaves a node out that has no key yet.
        index: cython.int = self.lists.append(siblings, node)
        try:
            self.keys.number(parent, kind, payload)
        except BaseException:
            self.lists.erase(siblings, index)
            raise
        return node

    def add_bits(self, code):
        """Add what is left to look at for a literal."""
        number: cython.int
        if not self.literals.is_denied(code):
            return self.add_bit(self.literals.number(code), True)
        number = self.literals.denied(code)
        if number >= 0:
            self.add_bit(number, False)
        number = self.literals.there(code)
        return 0 if number < 0 else self.add_bit(number, True)

    def add_bit(self, literal, wanted):
        if self.bit_count >= self.bits.shape[0]:
            self.bits = grown(self.bits, self.bit_count + 1)
        self.bits[self.bit_count] = 2 * literal + wanted
        self.bit_count += 1
        return 0

    def end_at(self, unit, node):
        """Let a unit end at a node, with the bits that were added."""
        if self.ends[node] < 0:
            self.ends[node] = self.lists.new_list()
        number: cython.int = self.ends[node]
        before: cython.longlong = list_length(self.lists.place[number])
        index: cython.longlong
        position: cython.int
        try:
            self.lists.append(number, unit)
            self.lists.append(number, self.bit_count)
            for position in range(self.bit_count):
                self.lists.append(number, self.bits[position])
        except BaseException:
            # From its end: a search that sees anything of the record sees its unit, and stops.
            index = list_length(self.lists.place[number])
            while index > before:
                index -= 1
                self.lists.erase(number, index)
            raise
        return 0

    def structure_saved(self):
        """Return the edges and the lists."""
        parts = nested(literals=self.literals.saved(), lists=self.lists.saved(), keys=self.keys.saved())
        return parts | {
            "children": np.asarray(self.children)[: self.keys.count + 1],
            "ends": np.asarray(self.ends)[: self.keys.count + 1],
            "attribute_of": np.asarray(self.attribute_of),
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.lists = Lists.restored(part(arrays, "lists"))
        self.keys = Keys.restored(part(arrays, "keys"))
        self.children = section(arrays, "children", np.int32, self.keys.count + 1)
        self.ends = section(arrays, "ends", np.int32, self.keys.count + 1)
        self.attribute_of = section(arrays, "attribute_of", np.int32)

    def structure_bytes(self):
        """Return the bytes of literals, edges and lists."""
        edges = self.keys.nbytes + 8 * (self.keys.count + 1) + self.attribute_of.nbytes
        return {"literals": self.literals.nbytes, "edges": edges, "lists": self.lists.nbytes}

    def figures(self):
        """Return how many nodes there are."""
        return {"nodes": self.keys.count + 1}


@cython.cclass
class PathSearcher(UnitSearcher):
    """A search that follows paths. It leaves nothing behind."""

    def __init__(self, engine: PathEngine, outcomes, ordered: cython.bint):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        # First the nodes: what else they lead to is there when the rest is taken.
        self.keys = engine.keys.view()
        self.nodes = self.keys.count + 1
        self.children, self.ends = engine.children, engine.ends
        self.attribute_of, self.ordered = engine.attribute_of, ordered
        self.lists = ListsView()
        self.lists.begin(engine.lists)
        self.holding = Holding(engine.literals, outcomes)
        self.held = roomy(self.holding.limit, np.int32)
        self.grouped = roomy(self.holding.limit if ordered else 0, np.int32)
        self.group = filled(engine.graph.names.count, 0, np.int32)
        self.present = roomy(engine.graph.names.count, np.int64)
        # The tree leads to each node by one way.
        self.stack, self.held_from = roomy(self.nodes, np.int32), roomy(self.nodes, np.int32)

    def run(self, row):
        """Hit what ends at the nodes that the event comes to, and has no bit that is wrong."""
        position: cython.longlong
        place: cython.longlong
        self.holding.find(row)
        self.hold_edges()
        self.depth = 0
        place = self.lists.locate(STARTS)
        for position in range(list_start(place), list_start(place) + list_length(place)):
            self.push(self.lists.arena[position], 0)
        while self.depth:
            self.depth = self.depth - 1
            self.look(self.stack[self.depth])
            self.go_on(self.stack[self.depth], self.held_from[self.depth])
        return 0

    def hold_edges(self):
        """Note the literals that hold and are on edges."""
        position: cython.int
        number: cython.int
        attribute: cython.int
        for position in range(self.present_count):
            self.group[self.present[position]] = 0
        self.held_count = self.present_count = 0
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            attribute = self.attribute_of[number] if number < self.attribute_of.shape[0] else -1
            if 0 <= attribute < self.group.shape[0]:
                self.held[self.held_count] = number
                self.held_count = self.held_count + 1
                if self.group[attribute] == 0:
                    self.present[self.present_count] = attribute
                    self.present_count = self.present_count + 1
                self.group[attribute] += 1
        return self.group_held() if self.ordered and self.held_count else 0

    def group_held(self):
        """Put the literals that hold in the order of their attributes; ``group`` is then where those of one begin."""
        position: cython.int
        attribute: cython.int
        number: cython.int
        end: cython.int = 0
        sort_values(cython.address(self.present[0]), self.present_count)
        for position in range(self.present_count):
            end += self.group[self.present[position]]
            self.group[self.present[position]] = end
        for position in range(self.held_count):
            number = self.held[position]
            attribute = self.attribute_of[number]
            self.group[attribute] -= 1
            self.grouped[self.group[attribute]] = number
        self.held, self.grouped = self.grouped, self.held
        return 0

    def go_on(self, node, first):
        """Push the nodes behind a node that the event comes to, where only literals from ``first`` on can lead on."""
        place: cython.longlong = self.lists.locate(self.children[node])
        count: cython.longlong = list_length(place)
        position: cython.longlong
        child: cython.int
        if count > self.held_count - first:
            count = self.held_count - first
            for position in range(first, self.held_count):
                child = self.keys.find(node, _EDGE, self.held[position]) + 1
                if child:
                    self.follow(child, self.held[position])
        else:
            for position in range(list_start(place), list_start(place) + count):
                child = self.lists.arena[position]
                if 0 < child < self.nodes and self.holding.holds[self.keys.payload[child - 1]]:
                    self.follow(child, cython.cast(cython.int, self.keys.payload[child - 1]))
        self.visits = self.visits + count
        return self.outcomes.spend(count)

    def follow(self, child, literal):
        """Push the node that a literal leads to: if paths are ordered, no literal of an earlier attribute leads on."""
        first: cython.int = self.group[self.attribute_of[literal]] if self.ordered else 0
        return self.push(child, first)

    def push(self, node, first):
        if 0 <= node < self.nodes:
            self.stack[self.depth] = node
            self.held_from[self.depth] = first
            self.depth = self.depth + 1
        return 0

    def look(self, node):
        """Hit what ends at a node, unless one of its bits is wrong."""
        place: cython.longlong = self.lists.locate(self.ends[node])
        at: cython.longlong = list_start(place)
        end: cython.longlong = at + list_length(place)
        position: cython.longlong
        last: cython.longlong
        unit: cython.int
        bit: cython.int
        self.outcomes.spend(list_length(place))
        while at < end:
            unit = self.lists.arena[at]
            if unit >= self.unit_limit:
                break
            if unit < 0:
                at += 1
                continue
            self.visits = self.visits + 1
            position = at + _HEAD
            last = position + self.lists.arena[at + 1]
            at = last
            while position < last:
                bit = self.lists.arena[position]
                if self.holding.holds[bit >> 1] != (bit & 1):
                    break
                position += 1
            if position == last:
                hit(self, unit)
        return 0

r"""The nodes of the A-Tree and how they are tied together; see the package's docstring for the idea.

::

    kind level rarity   what a node is, its level, and how seldom it is expected to hold (eighths of a bit)
    body                a literal's code and number, or the place of an inner node's operands in ``parts``
    posts               the place in ``links`` of those who hear when the node holds: nodes over it, expressions
    uses                how many expressions end here, and how many nodes are made of it; at 0 the node goes.
                        The few that have 255 or more are counted apart, in ``many_uses``
                        a node that nobody wants to hear of is not linked to its operands

    parts   AND  [ access child, operand, operand │ where the node stands in the access child's list │ guard ]
            OR   [ operand, operand, operand      │ where it stands in the list of each, 16 bits each ]
    links   number of the target * 4 + LINK_OR, LINK_AND or LINK_SLOT

Where an OR stands in the list of an operand is noted by the low 16 bits of the index, which nearly always is all of
it; in a list of more than 65,536 links every 65,536th is looked at.

A *place* is one number: 40 bits of start, 24 bits of length. An operand is its node's number times two, plus one if it
is an inner node. A list of one link stands in ``posts`` itself; longer ones have room for the next power of two. The
guard of an AND is the attribute of its second operand, if that is a literal that needs it, else -1: most events do not
have it, and the AND is done with.

Inner nodes are found again by content: the sum of what their operands' numbers hash to, where an operand of the same
kind counts as its own operands, so neither order nor grouping matters. Equal sums are only candidates: operands decide.

Readers and the writer: a search works on views that it took when it began. While searches run, the writer uses only
new numbers and, once an array was replaced (``torn``), only room that no view has; what must be taken away is taken
away when no search is running. So a search never meets anything but what it began with, or what is wholly newer.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import prefetch
from cython.cimports.hedgerow.index.atree.counts_cy import Counts
from cython.cimports.hedgerow.index.atree.reach_cy import Reach, has_bit
from cython.cimports.hedgerow.index.atree.tree_cy import (
    LINK_AND,
    LINK_OR,
    LINK_SLOT,
    home_of,
    literal_code,
    looked_at_from,
    place_length,
    place_start,
    scattered,
)
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, NODE_TRUE, Graph
from cython.cimports.hedgerow.predicate.finder_cy import Finder
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable, listed_count
from cython.cimports.hedgerow.symbols_cy import mixed, seed
from cython.cimports.libc.math import exp2, log2
from cython.cimports.libc.string import memcpy, memset

from hedgerow.arrays_cy import extended, filled, grown
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.index.atree.options import SWITCHES as _SWITCHES
from hedgerow.index.atree.options import options_of, switches
from hedgerow.language.expression import And, Constant, Or
from hedgerow.language.operators import Accepts, Operator
from hedgerow.sections import nested, numbers, part, scalars, section
from hedgerow.values import Kind

_MOST = cython.declare(cython.int, 1 << 28)
_LONGEST = cython.declare(cython.longlong, (1 << 24) - 1)
_FREE = cython.declare(cython.int, 255)
_HIGHEST = cython.declare(cython.int, 255)  # levels from here on are not told apart
_RAREST = cython.declare(cython.int, 255)
_MANY = cython.declare(cython.int, 255)  # uses from here on are counted apart
_SOON = cython.declare(cython.int, 16)  # slots ahead: what they lead to is fetched meanwhile
_HALF_WORD = cython.declare(cython.uint, 0xFFFF)
_LOW_HALF = cython.declare(cython.ulonglong, 0xFFFFFFFF)  # as a literal it would be a Python object
_SIZES = cython.declare(cython.longlong, 256)  # bodies up to this size are used again
_CANDIDATES = cython.declare(cython.int, 16)
_TOGETHER = cython.declare(cython.int, 16)  # operands that are looked at together; with four links, 64 nodes
_WIDEST = cython.declare(cython.int, 256)  # of wider nodes, only the first operands are looked at

_SELECTIVE = cython.declare(cython.int, 0)
_RANDOM = cython.declare(cython.int, 1)

_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_ACCEPTS_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_GT = cython.declare(cython.int, int(Operator.GT))
_GE = cython.declare(cython.int, int(Operator.GE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IN = cython.declare(cython.int, int(Operator.IN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))


@cython.final
@cython.cclass
class Tree:
    """The shared structure of all expressions."""

    def __init__(self, options):
        self.options = options
        self.unique = options.uniqueness
        self.reorganising = options.reorganisation and options.uniqueness
        self.adjusting = options.self_adjustment and options.uniqueness
        self.on_demand = options.propagation_on_demand
        self.access_choice = ("selective", "random", "first").index(options.access)
        self.dice = 1
        self.graph = Graph(self.unique)
        self.table = PredicateTable(self.graph)
        self.finder = Finder(self.graph, self.table)
        self.kind = np.empty(16, np.uint8)
        self.level = np.empty(16, np.uint8)
        self.rarity = np.empty(16, np.uint8)
        self.body = np.empty(16, np.int64)
        self.posts = np.empty(16, np.int64)
        self.uses = np.empty(16, np.uint8)
        self.many_uses = Counts()
        self.content = np.empty(16, np.uint32)
        self.pushed = np.zeros(1, np.uint64)
        self.unpushed = []
        self.seed = seed()
        self.free_node = -1
        self.parts = np.empty(64, np.int32)
        self.free_parts = filled(_SIZES + 1, -1, np.int64)
        self.links = np.empty(64, np.int32)
        self.free_links = filled(26, -1, np.int64)
        self.slots = filled(32, -1, np.int32)
        self.literal_of = filled(16, -1, np.int32)
        self.literal_node = np.empty(16, np.int32)
        self.free_literal = -1
        self.reach = Reach()
        self.slot_back = np.empty(16, np.int32)
        self.attribute_values = np.zeros(16, np.int32)
        self.attribute_low = np.zeros(16, np.float64)
        self.attribute_high = np.zeros(16, np.float64)
        self.operands = np.empty(16, np.int32)
        self.flat = np.empty(16, np.int32)
        self.other = np.empty(16, np.int32)
        self.stack = np.empty(16, np.int32)
        self.candidates = np.empty(_CANDIDATES, np.int32)
        self.fresh = np.empty(16, np.int32)
        # Node 0 always holds: expressions that are TRUE end here.
        self.new_number(NODE_TRUE)
        self.uses[0] = 1
        self.level[0] = 1
        self.rarity[0] = 0
        self.body[0] = 0

    # Files

    def saved(self):
        """Return the arrays that ``restored`` makes this tree of, as ``hedgerow.sections`` has it."""
        count: cython.int = self.node_count
        node: cython.int
        pushed: cython.ulonglong[::1] = np.array(self.pushed)
        for node in self.unpushed:
            pushed[node >> 6] |= cython.cast(cython.ulonglong, 1) << (node & 63)
        parts = nested(graph=self.graph.saved(), table=self.table.saved(), finder=self.finder.saved())
        return parts | {
            "kind": np.asarray(self.kind)[:count],
            "level": np.asarray(self.level)[:count],
            "rarity": np.asarray(self.rarity)[:count],
            "body": np.asarray(self.body)[:count],
            "posts": np.asarray(self.posts)[:count],
            "uses": np.asarray(self.uses)[:count],
            "many_used": self.many_uses.keys(),
            "many_uses": self.many_uses.counts(),
            "content": np.asarray(self.content)[:count],
            "pushed": np.asarray(pushed),
            "parts": np.asarray(self.parts)[: self.parts_used],
            "free_parts": np.asarray(self.free_parts),
            "links": np.asarray(self.links)[: self.links_used],
            "free_links": np.asarray(self.free_links),
            "slots": np.asarray(self.slots),
            "literal_of": np.asarray(self.literal_of),
            "literal_node": np.asarray(self.literal_node)[: self.literal_count],
            "attribute_values": np.asarray(self.attribute_values),
            "attribute_low": np.asarray(self.attribute_low),
            "attribute_high": np.asarray(self.attribute_high),
            "options": numbers(*switches(self.options)),
            "numbers": numbers(
                self.seed,
                self.live_count,
                self.free_node + 1,
                self.free_literal + 1,
                self.parts_free,
                self.links_free,
                self.slots_filled,
                self.live_literals,
            ),
        }

    @staticmethod
    def restored(arrays):
        """Return the tree that was saved as these arrays, in these arrays."""
        tree: Tree = Tree(options_of(scalars(arrays, "options", _SWITCHES)))
        tree.graph = Graph.restored(part(arrays, "graph"))
        tree.graph.repeating = not tree.unique
        tree.table = PredicateTable.restored(tree.graph, part(arrays, "table"))
        tree.finder = Finder.restored(tree.graph, tree.table, part(arrays, "finder"))
        tree.restore_nodes(arrays)
        tree.parts = section(arrays, "parts", np.int32)
        tree.parts_used = tree.parts.shape[0]
        tree.free_parts = section(arrays, "free_parts", np.int64, _SIZES + 1)
        tree.links = section(arrays, "links", np.int32)
        tree.links_used = tree.links.shape[0]
        tree.free_links = section(arrays, "free_links", np.int64, 26)
        tree.slots = section(arrays, "slots", np.int32)
        tree.literal_of = section(arrays, "literal_of", np.int32)
        tree.literal_node = section(arrays, "literal_node", np.int32)
        tree.literal_count = tree.literal_node.shape[0]
        tree.attribute_values = section(arrays, "attribute_values", np.int32)
        attributes: cython.Py_ssize_t = tree.attribute_values.shape[0]
        tree.attribute_low = section(arrays, "attribute_low", np.float64, attributes)
        tree.attribute_high = section(arrays, "attribute_high", np.float64, attributes)
        (
            tree.seed,
            tree.live_count,
            tree.free_node,
            tree.free_literal,
            tree.parts_free,
            tree.links_free,
            tree.slots_filled,
            tree.live_literals,
        ) = scalars(arrays, "numbers", 8)
        tree.free_node -= 1
        tree.free_literal -= 1
        return tree

    def restore_nodes(self, arrays):
        """Take the arrays that have an element a node."""
        count: cython.int
        self.kind = section(arrays, "kind", np.uint8)
        count = self.kind.shape[0]
        self.node_count = count
        self.level = section(arrays, "level", np.uint8, count)
        self.rarity = section(arrays, "rarity", np.uint8, count)
        self.body = section(arrays, "body", np.int64, count)
        self.posts = section(arrays, "posts", np.int64, count)
        self.uses = section(arrays, "uses", np.uint8, count)
        used = section(arrays, "many_used", np.int32)
        uses = section(arrays, "many_uses", np.int32, used.size)
        self.many_uses = Counts.of(used, uses)
        self.content = section(arrays, "content", np.uint32, count)
        self.pushed = section(arrays, "pushed", np.uint64)
        if count < 1 or self.pushed.shape[0] < (count + 63) // 64:
            raise CorruptFile("the section 'pushed' does not fit the nodes")

    def renumber(self, root: cython.int[::1], kept: cython.int[::1]):
        """Give the expressions ``kept[0]``, ``kept[1]``, ... the numbers 0, 1, ...; all others have ended."""
        slot: cython.int
        old: cython.int
        index: cython.int
        value: cython.int
        back: cython.int[::1] = np.empty(max(kept.shape[0], 16), np.int32)
        for slot in range(kept.shape[0]):
            old = kept[slot]
            if root[old] < 0:
                continue
            index = self.slot_back[old]
            back[slot] = index
            value = slot << 2 | LINK_SLOT
            if place_length(self.posts[root[old]]) == 1:
                self.posts[root[old]] = cython.cast(cython.longlong, value) << 24 | 1
            else:
                self.links[place_start(self.posts[root[old]]) + index] = value
        self.slot_back = back

    def copied_into(self, graph: Graph, node: cython.int, known: dict):
        """Return a node of another graph that is the same as a node of this tree; ``known`` remembers what is there."""
        number: cython.int
        for number in self.below(node):
            if number not in known:
                known[number] = self._copied_part(graph, number, known)
        return known[node]

    def _copied_part(self, graph: Graph, node: cython.int, known: dict):
        kind: cython.int = self.kind[node]
        code: cython.int
        if kind == NODE_TRUE:
            return graph.constant(True)
        if kind == NODE_LITERAL:
            code = literal_code(self.body[node])
            return graph.literal(graph.add_predicate(self.graph.predicate(code >> 2)), code & 3)
        operands = []
        for operand in self.operands_of(node):
            operands.append(known[operand])
        return graph.make(kind, operands)

    # Reading, for people

    def bytes_by_part(self):
        """Return how many bytes each part holds, room that nothing was written to left out."""
        node: cython.longlong = 3 + 8 + 8 + 1 + 4
        table: cython.longlong = self.table.nbytes - self.table.folded.nbytes
        graph = self.graph.bytes_by_part()
        scratch = self.operands.nbytes + self.flat.nbytes + self.other.nbytes + self.stack.nbytes
        return {
            "symbols": graph["symbols"] + self.table.folded.nbytes,
            "predicates": graph["predicates"] + graph["nodes"] + table + 20 * self.attribute_values.shape[0],
            "finder": self.finder.nbytes,
            "nodes": node * self.node_count + self.pushed.nbytes + self.many_uses.nbytes,
            "operands": 4 * self.parts_used + self.free_parts.nbytes,
            "links": 4 * self.links_used + self.free_links.nbytes,
            "reach": self.reach.nbytes,
            "contents": 4 * (self.slots.shape[0] + self.literal_of.shape[0] + self.literal_count),
            "scratch": scratch + self.candidates.nbytes,
        }

    def kind_of(self, node: cython.int):
        """Return what a node is: ``Graph.AND``, ``Graph.OR``, ``Graph.LITERAL`` or ``Graph.TRUE``."""
        self._check(node)
        return self.kind[node]

    def use_count(self, node: cython.int):
        """Return how many expressions end at a node and how many nodes are made of it, together."""
        self._check(node)
        return self.many_uses.get(node) if self.uses[node] == _MANY else self.uses[node]

    def heard_count(self, node: cython.int):
        """Return how many of a node's operands, from the first one on, tell it when they hold."""
        self._check(node)
        if self.posts[node] == 0 or (self.kind[node] != NODE_AND and self.kind[node] != NODE_OR):
            return 0
        return 1 if self.kind[node] == NODE_AND and self.on_demand else self.width(node)

    def _check(self, node: cython.int):
        if node < 0 or node >= self.node_count:
            raise IndexError(node)

    def operands_of(self, node: cython.int):
        """Return the numbers of the nodes that a node is made of, the access child first."""
        place: cython.longlong
        position: cython.longlong
        self._check(node)
        if self.kind[node] != NODE_AND and self.kind[node] != NODE_OR:
            return []
        place = self.body[node]
        start: cython.longlong = place_start(place)
        return [self.parts[position] >> 1 for position in range(start, start + place_length(place))]

    def below(self, node: cython.int):
        """Return the numbers of a node and all below it, operands before what is made of them."""
        order = []
        done = set()
        stack = [node]
        while stack:
            number = stack.pop()
            if number in done:
                continue
            waiting = [operand for operand in self.operands_of(number) if operand not in done]
            if waiting:
                stack.append(number)
                stack.extend(waiting)
            else:
                done.add(number)
                order.append(number)
        return order

    def expression(self, node: cython.int):
        """Return a node as an expression; -1 is FALSE."""
        if node < 0:
            return Constant(False)
        objects = {}
        for number in self.below(node):
            objects[number] = self._object(number, objects)
        return objects[node]

    def _object(self, node: cython.int, objects):
        kind: cython.int = self.kind[node]
        if kind == NODE_TRUE:
            return Constant(True)
        if kind == NODE_LITERAL:
            return self.graph.literal_object(literal_code(self.body[node]) >> 2, self.body[node] & 3)
        operands = []
        # By number, and so in the order in which they first came: the order of the body is for searching.
        for operand in sorted(self.operands_of(node)):
            operands.append(objects[operand])
        return (And if kind == NODE_AND else Or)._trusted(tuple(operands))

    # One insertion

    def begin(self):
        """Begin to add the parts of an expression; ``keep`` ends it."""
        self.fresh_count = 0
        return 0

    def keep(self):
        """Take back the parts that were added and that nothing is made of; all of them, if nothing was made."""
        node: cython.int
        while self.fresh_count:
            self.fresh_count -= 1
            node = self.fresh[self.fresh_count]
            if self.kind[node] != _FREE and self.uses[node] == 0:
                self.free(node)
        return 0

    def note_fresh(self, node):
        """Note that a node was added by this insertion."""
        if self.fresh_count >= self.fresh.shape[0]:
            self.fresh = grown(self.fresh, self.fresh_count + 1)
        self.fresh[self.fresh_count] = node
        self.fresh_count += 1
        return 0

    def literal(self, code):
        """Return the literal of a code, as an operand; a new one if it is new."""
        predicate: cython.int = code >> 2
        node: cython.int
        if predicate >= self.literal_of.shape[0]:
            self.literal_of = grown(self.literal_of, predicate + 1, -1)
        node = self.literal_of[predicate]
        while node >= 0 and self.unique:
            if literal_code(self.body[node]) == code:
                return 2 * node
            node = cython.cast(cython.int, self.content[node]) - 1
        self.note_attribute(predicate, code & 3)
        node = self.new_number(NODE_LITERAL)
        self.body[node] = cython.cast(cython.longlong, self.new_literal(node)) << 32 | code
        self.level[node] = 1
        self.rarity[node] = _rarity(self.literal_chance(code))
        self.content[node] = self.literal_of[predicate] + 1
        self.literal_of[predicate] = node
        self.note_fresh(node)
        return 2 * node

    def new_literal(self, node):
        """Return the number that the finder has for a new literal: literals are counted for themselves."""
        number: cython.int = self.free_literal
        if number >= 0 and self.searches == 0:
            self.free_literal = -2 - self.literal_node[number]
        else:
            number = self.literal_count
            if number >= self.literal_node.shape[0]:
                self.literal_node = grown(self.literal_node, number + 1)
            self.literal_count = number + 1
        self.literal_node[number] = node
        self.live_literals += 1
        return number

    def inner(self, kind, count):
        """Return the node of a kind over ``operands[:count]``, as an operand; a new one if it is new."""
        flat_count: cython.int
        offset: cython.int
        node: cython.int
        content: cython.uint = 0
        count = self.sort_operands(count)
        if count == 1:
            return self.operands[0]
        flat_count = self.flatten(kind, count)
        for offset in range(flat_count):
            # It is meant to wrap, which the checked build would take for a mistake in 32 bits.
            content = cython.cast(
                cython.uint,
                (cython.cast(cython.ulonglong, content) + scattered(self.seed, self.flat[offset])) & _LOW_HALF,
            )
        if self.unique:
            node = self.find(kind, flat_count, content)
            if node >= 0:
                return 2 * node + 1
        if self.reorganising and count > 2:
            count = self.cover(kind, count)
        node = self.create(kind, count, content)
        if self.adjusting and self.searches == 0:
            self.adjust(node)
        return 2 * node + 1

    def ensure_scratch(self, count):
        if count > self.operands.shape[0]:
            self.operands = grown(self.operands, count)
        return 0

    def sort_operands(self, count):
        """Sort ``operands[:count]``, each once; return how many are left."""
        return _sorted(cython.address(self.operands[0]), count)

    def flatten(self, kind, count):
        """Write the operands into ``flat``, those of the same kind as their own operands, sorted, each once."""
        offset: cython.int
        operand: cython.int
        total: cython.int = 0
        depth: cython.int = 0
        nested: cython.bint = False
        if count > self.flat.shape[0]:
            self.flat = grown(self.flat, count)
        for offset in range(count):
            operand = self.operands[offset]
            if operand & 1 and self.kind[operand >> 1] == kind:
                self.push(depth, operand >> 1)
                depth += 1
                nested = True
            else:
                self.flat[total] = operand
                total += 1
        if not nested:
            return total
        return self.flatten_groups(kind, depth, total)

    def flatten_groups(self, kind, depth, total):
        """Add the operands of the groups on the stack to ``flat``; a group is opened once, however often it is met."""
        seen: set = None
        node: cython.int
        operand: cython.int
        position: cython.longlong
        place: cython.longlong
        while depth:
            depth -= 1
            node = self.stack[depth]
            place = self.body[node]
            if total + place_length(place) > self.flat.shape[0]:
                self.flat = grown(self.flat, total + place_length(place))
            for position in range(place_start(place), place_start(place) + place_length(place)):
                operand = self.parts[position]
                if operand & 1 and self.kind[operand >> 1] == kind:
                    if seen is None:
                        seen = set()
                    if operand not in seen:
                        seen.add(operand)
                        self.push(depth, operand >> 1)
                        depth += 1
                else:
                    self.flat[total] = operand
                    total += 1
        return _sorted(cython.address(self.flat[0]), total)

    def flat_body(self, node):
        """Write the flat operands of a node into ``other``; return how many there are."""
        kept: cython.int[::1] = self.flat
        total: cython.int
        self.flat = self.other
        self.push(0, node)
        total = self.flatten_groups(self.kind[node], 1, 0)
        self.other = self.flat
        self.flat = kept
        return total

    def find(self, kind, flat_count, content):
        """Return the node whose flat operands are ``flat[:flat_count]``, or -1."""
        size: cython.Py_ssize_t = self.slots.shape[0]
        slot: cython.Py_ssize_t = home_of(content, kind, size)
        node: cython.int
        offset: cython.int
        while self.slots[slot] >= 0:
            node = self.slots[slot]
            if self.content[node] == content and self.kind[node] == kind and self.flat_body(node) == flat_count:
                offset = 0
                while offset < flat_count and self.flat[offset] == self.other[offset]:
                    offset += 1
                if offset == flat_count:
                    return node
            slot = slot + 1 if slot + 1 < size else 0
        return -1

    def create(self, kind, count, content):
        """Make a node over ``operands[:count]``."""
        start: cython.longlong = self.new_parts(self.body_size(kind, count))
        node: cython.int = self.new_number(kind)
        offset: cython.int
        operand: cython.int
        level: cython.int = 0
        below: cython.int
        for offset in range(count):
            operand = self.operands[offset]
            self.parts[start + offset] = operand
            self.use(operand >> 1)
            below = self.level[operand >> 1]
            if not (operand & 1 and self.kind[operand >> 1] == kind):
                below += 1
            level = max(level, below)
        for offset in range(self.body_size(kind, count) - count):
            self.parts[start + count + offset] = -1
        self.body[node] = start << 24 | count
        self.level[node] = min(level, _HIGHEST)
        self.rarity[node] = self.rarity_of(kind, count)
        self.content[node] = content
        if self.unique:
            self.enter(node)
        if kind == NODE_AND:
            self.place_access(node)
        self.note_fresh(node)
        return node

    def new_number(self, kind):
        """Return the number of a new node; one that was free before, unless a search could mistake it."""
        node: cython.int = self.free_node
        if node >= 0 and self.searches == 0:
            self.free_node = cython.cast(cython.int, self.body[node])
        else:
            node = self.node_count
            if node >= _MOST:
                raise LimitError(f"more than {_MOST} parts of expressions in one index")
            if node >= self.kind.shape[0]:
                self.grow_nodes(node + 1)
            self.node_count = node + 1
        self.kind[node] = kind
        self.posts[node] = 0
        self.uses[node] = 0
        self.live_count += 1
        return node

    def grow_nodes(self, needed):
        """Make room for more nodes; where memory is short, nothing has changed."""
        kinds, levels, rarities = grown(self.kind, needed), grown(self.level, needed), grown(self.rarity, needed)
        bodies, posts, contents = grown(self.body, needed), grown(self.posts, needed), grown(self.content, needed)
        uses = grown(self.uses, needed)
        # Not by ``grown``, which at least doubles: a short array would stay ahead of what is needed for ever.
        words = extended(self.pushed, max(self.pushed.shape[0], (kinds.size + 63) // 64), 0)
        self.kind, self.level, self.rarity = kinds, levels, rarities
        self.body, self.posts, self.content = bodies, posts, contents
        self.uses, self.pushed = uses, words
        return 0

    # The table of contents

    def enter(self, node):
        """Let ``find`` find a node."""
        size: cython.Py_ssize_t = self.slots.shape[0]
        if 4 * (self.slots_filled + 1) > 3 * size:
            self.rehash(size + size // 2)
            size = self.slots.shape[0]
        slot: cython.Py_ssize_t = home_of(self.content[node], self.kind[node], size)
        while self.slots[slot] >= 0:
            slot = slot + 1 if slot + 1 < size else 0
        self.slots[slot] = node
        self.slots_filled += 1
        return 0

    def rehash(self, size):
        slots: cython.int[::1] = filled(size, -1, np.int32)
        count: cython.Py_ssize_t = self.slots.shape[0]
        position: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        node: cython.int
        for position in range(count):
            # A node keeps its rank among the slots, but in the tree they stand anywhere.
            if position + _SOON < count and self.slots[position + _SOON] >= 0:
                prefetch(cython.address(self.content[self.slots[position + _SOON]]))
                prefetch(cython.address(self.kind[self.slots[position + _SOON]]))
            node = self.slots[position]
            if node >= 0:
                slot = home_of(self.content[node], self.kind[node], size)
                while slots[slot] >= 0:
                    slot = slot + 1 if slot + 1 < size else 0
                slots[slot] = node
        self.slots = slots
        return 0

    def leave(self, node):
        """Let ``find`` find a node no more: those behind it move up, so that no gap cuts them off."""
        size: cython.Py_ssize_t = self.slots.shape[0]
        gap: cython.Py_ssize_t = home_of(self.content[node], self.kind[node], size)
        slot: cython.Py_ssize_t
        home: cython.Py_ssize_t
        while self.slots[gap] != node:
            gap = gap + 1 if gap + 1 < size else 0
        slot = gap
        while True:
            slot = slot + 1 if slot + 1 < size else 0
            if self.slots[slot] < 0:
                break
            home = home_of(self.content[self.slots[slot]], self.kind[self.slots[slot]], size)
            # It may move into the gap unless its home lies behind the gap, on the way around to where it stands.
            if (gap < home <= slot) if gap < slot else (home > gap or home <= slot):
                continue
            self.slots[gap] = self.slots[slot]
            gap = slot
        self.slots[gap] = -1
        self.slots_filled -= 1
        return 0

    # Room for operands and links

    def body_size(self, kind, count):
        return count + 2 if kind == NODE_AND and self.on_demand else count + (count + 1) // 2

    def new_parts(self, size):
        start: cython.longlong
        if size > _LONGEST:
            raise LimitError(f"an operator with more than {_LONGEST // 2} operands")
        if size <= _SIZES and self.free_parts[size] >= 0 and self.searches == 0:
            start = self.free_parts[size]
            self.free_parts[size] = (
                cython.cast(cython.longlong, self.parts[start]) << 32 | cython.cast(cython.uint, self.parts[start + 1])
            ) - 1
            self.parts_free -= size
            return start
        start = self.parts_used
        if start + size > self.parts.shape[0]:
            self.parts = grown(self.parts, start + size)
        self.parts_used = start + size
        return start

    def give_parts(self, start, size):
        """Keep the room of a body for the next one of its size; the chain's next start, plus one, stands in it."""
        following: cython.longlong
        self.parts_free += size
        if size <= _SIZES:
            following = self.free_parts[size] + 1
            self.parts[start] = cython.cast(cython.int, following >> 32)
            self.parts[start + 1] = cython.cast(cython.int, cython.cast(cython.uint, following & _LOW_HALF))
            self.free_parts[size] = start
        return 0

    def new_links(self, size):
        """Return where ``size`` links have room; a power of two from 2 on."""
        sort: cython.int = _logarithm(size)
        start: cython.longlong = self.free_links[sort]
        if start >= 0 and not self.torn:
            self.free_links[sort] = (
                cython.cast(cython.longlong, self.links[start]) << 32 | cython.cast(cython.uint, self.links[start + 1])
            ) - 1
            self.links_free -= size
            return start
        start = self.links_used
        if start + size > self.links.shape[0]:
            # Beyond the end of every view that a search may have.
            start = self.links.shape[0] if self.searches else start
            self.links_free += start - self.links_used
            self.links = grown(self.links, start + size)
            self.torn = self.searches > 0
        self.links_used = start + size
        return start

    def give_links(self, start, size):
        """Keep the room of links for the next list of its size, unless a search may still be reading there."""
        following: cython.longlong
        self.links_free += size
        if self.searches:
            return 0
        following = self.free_links[_logarithm(size)] + 1
        self.links[start] = cython.cast(cython.int, following >> 32)
        self.links[start + 1] = cython.cast(cython.int, cython.cast(cython.uint, following & _LOW_HALF))
        self.free_links[_logarithm(size)] = start
        return 0

    # Links

    def link(self, node, value):
        """Let a node or an expression hear when a node holds; return its index in the list."""
        place: cython.longlong = self.posts[node]
        start: cython.longlong = place_start(place)
        length: cython.longlong = place_length(place)
        room: cython.longlong = _room(length)
        fresh: cython.longlong
        self.touch(node)
        if length == 0:
            self.posts[node] = cython.cast(cython.longlong, value) << 24 | 1
            return 0
        if length == _LONGEST:
            raise LimitError(f"a part that more than {_LONGEST} others are made of")
        if length == room or self.torn:
            fresh = self.new_links(2 * room if length == room else room)
            if length == 1:
                self.links[fresh] = cython.cast(cython.int, start)
            else:
                memcpy(cython.address(self.links[fresh]), cython.address(self.links[start]), 4 * length)
                self.give_links(start, room)
            start = fresh
        self.links[start + length] = value
        self.posts[node] = start << 24 | (length + 1)
        return cython.cast(cython.int, length)

    def unlink(self, node, index):
        """Take the link at an index out of a node's list: the last one takes its place. No search is running."""
        place: cython.longlong = self.posts[node]
        start: cython.longlong = place_start(place)
        length: cython.longlong = place_length(place)
        last: cython.int
        self.touch(node)
        if length == 1:
            self.posts[node] = 0
            return 0
        last = self.links[start + length - 1]
        if index != length - 1:
            self.links[start + index] = last
            self.moved(last, node, index)
        length -= 1
        if length == 1:
            last = self.links[start]
            self.give_links(start, 2)
            self.posts[node] = cython.cast(cython.longlong, last) << 24 | 1
            return 0
        if _room(length) < _room(length + 1):
            self.give_links(start + length, length)
        self.posts[node] = start << 24 | length
        return 0

    def touch(self, node):
        """Have the lists forgotten that lead through the links of a node: they are about to change."""
        depth: cython.int = 1
        position: cython.longlong
        place: cython.longlong
        if self.reach.is_empty():
            return 0
        self.reach.push(0, node)
        while depth:
            depth -= 1
            node = self.reach.stack[depth]
            if self.kind[node] == NODE_LITERAL:
                self.reach.forget(cython.cast(cython.int, self.body[node] >> 32))
            elif self.kind[node] == NODE_OR and has_bit(self.reach.passed, node):
                place = self.body[node]
                for position in range(place_start(place), place_start(place) + place_length(place)):
                    self.reach.push(depth, self.parts[position] >> 1)
                    depth += 1
        return 0

    def moved(self, value, node, index):
        """Note that the link to a target stands at another index of a node's list now."""
        target: cython.int = value >> 2
        start: cython.longlong
        count: cython.longlong
        offset: cython.longlong
        if value < 0:
            return 0
        if value & 3 == LINK_SLOT:
            self.slot_back[target] = index
            return 0
        start = place_start(self.body[target])
        count = place_length(self.body[target])
        if value & 3 == LINK_AND and self.on_demand:
            self.parts[start + count] = index
            return 0
        for offset in range(count):
            if self.parts[start + offset] >> 1 == node:
                self.note_back(start + count, offset, index)
        return 0

    def note_back(self, first, offset, index):
        """Write the low half of where a node stands in the list of an operand among those of all its operands."""
        shift: cython.int = 16 * (offset & 1)
        kept: cython.uint = cython.cast(cython.uint, self.parts[first + offset // 2]) & (_HALF_WORD << (16 - shift))
        self.parts[first + offset // 2] = cython.cast(
            cython.int, kept | (cython.cast(cython.uint, index) & _HALF_WORD) << shift
        )
        return 0

    def back_index(self, operand, value, first, offset):
        """Return where a link stands in the list of an operand: of an index, its low half is known."""
        place: cython.longlong = self.posts[operand]
        index: cython.longlong = cython.cast(cython.uint, self.parts[first + offset // 2]) >> 16 * (offset & 1)
        index = index & _HALF_WORD
        if place_length(place) > 1:
            while self.links[place_start(place) + index] != value:
                index += _HALF_WORD + 1
        return cython.cast(cython.int, index)

    def width(self, node):
        return cython.cast(cython.int, place_length(self.body[node]))

    # How seldom nodes hold

    def place_access(self, node):
        """Put the access child of an AND first."""
        start: cython.longlong = place_start(self.body[node])
        count: cython.int = self.width(node)
        best: cython.int = 0
        offset: cython.int
        operand: cython.int
        if self.access_choice == _SELECTIVE:
            for offset in range(1, count):
                if self.more_selective(self.parts[start + offset] >> 1, self.parts[start + best] >> 1):
                    best = offset
        elif self.access_choice == _RANDOM:
            self.dice = mixed(self.dice, 1)
            best = cython.cast(cython.int, self.dice % cython.cast(cython.ulonglong, count))
        operand = self.parts[start + best]
        self.parts[start + best] = self.parts[start]
        self.parts[start] = operand
        return self.place_guard(node) if self.on_demand else 0

    def place_guard(self, node):
        """Put the rarest other literal that needs its attribute second, and note the attribute as the guard."""
        start: cython.longlong = place_start(self.body[node])
        count: cython.int = self.width(node)
        best: cython.int = 0
        offset: cython.int
        operand: cython.int
        for offset in range(1, count):
            operand = self.parts[start + offset]
            if not operand & 1 and self.needs_attribute(operand >> 1):
                if best == 0 or self.rarity[operand >> 1] > self.rarity[self.parts[start + best] >> 1]:
                    best = offset
        self.parts[start + count + 1] = -1
        if best:
            operand = self.parts[start + best]
            self.parts[start + best] = self.parts[start + 1]
            self.parts[start + 1] = operand
            self.parts[start + count + 1] = self.graph.predicate_attribute[literal_code(self.body[operand >> 1]) >> 2]
        return 0

    def needs_attribute(self, node):
        """Return whether a literal can only hold for an event that has its attribute."""
        code: cython.int = literal_code(self.body[node])
        if self.graph.predicate_operator[code >> 2] == _IS_NULL:
            return code & 3 == _ACCEPTS_FALSE
        return code & 3 <= _ACCEPTS_FALSE

    def more_selective(self, left, right):
        if self.rarity[left] != self.rarity[right]:
            return self.rarity[left] > self.rarity[right]
        return place_length(self.posts[left]) < place_length(self.posts[right])

    def rarity_of(self, kind, count):
        """Return the rarity of a node: an AND holds as all operands together, an OR as any."""
        total: cython.int = 0
        chance: cython.double = 0.0
        offset: cython.int
        for offset in range(count):
            if kind == NODE_AND:
                total += self.rarity[self.operands[offset] >> 1]
            else:
                chance += exp2(-self.rarity[self.operands[offset] >> 1] / 8.0)
        return min(total, _RAREST) if kind == NODE_AND else _rarity(chance)

    def note_attribute(self, predicate, accepts):
        """Learn from a new literal which values its attribute has."""
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        old: cython.Py_ssize_t = self.attribute_values.shape[0]
        position: cython.longlong
        number: cython.double
        if attribute >= old:
            values, low, high = (
                grown(self.attribute_values, attribute + 1),
                grown(self.attribute_low, attribute + 1),
                grown(self.attribute_high, attribute + 1),
            )
            values[old:], low[old:], high[old:] = 0, 0.0, 0.0
            self.attribute_values, self.attribute_low, self.attribute_high = values, low, high
        if self.graph.predicate_operator[predicate] == _EQ and accepts == _ACCEPTS_TRUE:
            self.attribute_values[attribute] += 1
        for position in range(self.graph.predicate_start[predicate], self.graph.predicate_start[predicate + 1]):
            if not self.number_at(position, cython.address(number)):
                return 0
            if self.attribute_low[attribute] == self.attribute_high[attribute] == 0.0:
                self.attribute_low[attribute] = number
                self.attribute_high[attribute] = number
            self.attribute_low[attribute] = min(self.attribute_low[attribute], number)
            self.attribute_high[attribute] = max(self.attribute_high[attribute], number)
        return 0

    def number_at(self, position, number):
        """Write the value at a position as a number; false if it is none."""
        kind: cython.int = self.graph.value_kind[position]
        if kind == _FLOAT:
            memcpy(number, cython.address(self.graph.value_payload[position]), 8)
            return True
        number[0] = cython.cast(cython.double, self.graph.value_payload[position])
        return kind == _INT or kind == _TIMESTAMP

    def literal_chance(self, code):
        """Return how likely a literal is to hold, as far as the expressions that are there tell."""
        predicate: cython.int = code >> 2
        accepts: cython.int = code & 3
        operator: cython.int = self.graph.predicate_operator[predicate]
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        chance: cython.double
        if accepts > _ACCEPTS_FALSE or (operator == _IS_NULL and accepts == _ACCEPTS_TRUE):
            return 1.0
        if operator == _EQ or operator == _IN:
            chance = (listed_count(self.table, predicate) + 0.0) / max(2, self.attribute_values[attribute])
        elif operator <= _BETWEEN:
            chance = self.range_chance(predicate, operator)
        else:
            chance = 0.2
        if accepts == _ACCEPTS_FALSE:
            chance = 1.0 - chance
        return min(max(chance, 1e-9), 1.0)

    def range_chance(self, predicate, operator):
        """Return how much of the range of an attribute, as far as it is known, satisfies a comparison."""
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        low: cython.double = self.attribute_low[attribute]
        extent: cython.double = self.attribute_high[attribute] - low
        start: cython.longlong = self.graph.predicate_start[predicate]
        first: cython.double
        second: cython.double
        if not extent > 0.0 or not self.number_at(start, cython.address(first)):
            return 0.4
        first = (first - low) / extent
        if operator == _LT or operator == _LE:
            return min(max(first, 0.05), 1.0)
        if operator == _GT or operator == _GE:
            return min(max(1.0 - first, 0.05), 1.0)
        if not self.number_at(start + 1, cython.address(second)):
            return 0.4
        return min(max((second - low) / extent - first, 0.005), 1.0)

    # Use

    def disuse(self, node):
        """Count one use less; a node without uses goes, and so on down. No search is running."""
        if self.unuse(node) == 0:
            self.free(node)
        return 0

    def use(self, node):
        """Count one use more."""
        if self.uses[node] < _MANY - 1:
            self.uses[node] += 1
        else:
            self.many_uses.add(node, 1 if self.uses[node] == _MANY else _MANY)
            self.uses[node] = _MANY
        return 0

    def unuse(self, node):
        """Count one use less; return whether any are left."""
        if self.uses[node] < _MANY:
            self.uses[node] -= 1
            return self.uses[node] > 0
        if self.many_uses.add(node, -1) < _MANY:
            self.many_uses.remove(node)
            self.uses[node] = _MANY - 1
        return 1

    def free(self, node):
        """Give back a node that nothing uses, and what only it used."""
        depth: cython.int = 1
        kind: cython.int
        place: cython.longlong
        position: cython.longlong
        operand: cython.int
        self.frees += 1
        self.push(0, node)
        while depth:
            depth -= 1
            node = self.stack[depth]
            kind = self.kind[node]
            place = self.body[node]
            if place_length(self.posts[node]) > 1:
                self.give_links(place_start(self.posts[node]), _room(place_length(self.posts[node])))
            if kind == NODE_LITERAL:
                self.forget_literal(node, literal_code(place) >> 2)
            else:
                if self.unique:
                    self.leave(node)
                for position in range(place_start(place), place_start(place) + place_length(place)):
                    operand = self.parts[position] >> 1
                    if self.unuse(operand) == 0:
                        self.push(depth, operand)
                        depth += 1
                self.give_parts(place_start(place), self.body_size(kind, cython.cast(cython.int, place_length(place))))
            self.kind[node] = _FREE
            self.body[node] = self.free_node
            self.posts[node] = 0
            self.free_node = node
            self.live_count -= 1
        return 0

    def forget_literal(self, node, predicate):
        """Take a literal out of the chain of those of its predicate, and free its number."""
        before: cython.int = self.literal_of[predicate]
        number: cython.int = cython.cast(cython.int, self.body[node] >> 32)
        self.literal_node[number] = -2 - self.free_literal
        self.free_literal = number
        self.live_literals -= 1
        if before == node:
            self.literal_of[predicate] = cython.cast(cython.int, self.content[node]) - 1
            return 0
        while cython.cast(cython.int, self.content[before]) - 1 != node:
            before = cython.cast(cython.int, self.content[before]) - 1
        self.content[before] = self.content[node]
        return 0

    # Asking

    def heed(self, node, value):
        """Let a target hear when a node holds; a node that nobody heeded before must heed its operands in turn.

        Return where the target stands in the node's list.
        """
        index: cython.int = self.link(node, value)
        depth: cython.int = 0
        if index == 0:
            depth = self.begin_asking(node, 0)
        while depth:
            depth -= 1
            depth = self.begin_asking(self.stack[depth], depth)
        return index

    def begin_asking(self, node, depth):
        """Link a node to its operands; those that were linked to nothing before are put on the stack."""
        kind: cython.int = self.kind[node]
        offset: cython.longlong
        if kind == NODE_TRUE:
            return depth
        if kind == NODE_LITERAL:
            self.finder.add(cython.cast(cython.int, self.body[node] >> 32), literal_code(self.body[node]))
        elif kind == NODE_AND and self.on_demand:
            depth = self.ask_operand(node, 0, LINK_AND, depth)
        else:
            for offset in range(self.width(node)):
                depth = self.ask_operand(node, offset, LINK_AND if kind == NODE_AND else LINK_OR, depth)
        # A search that is running did not hear from this node from its beginning on, and must not rely on it.
        if self.searches:
            self.unpushed.append(node)
        else:
            self.pushed[node >> 6] |= cython.cast(cython.ulonglong, 1) << (node & 63)
        return depth

    def ask_operand(self, node, position, tag, depth):
        start: cython.longlong = place_start(self.body[node])
        operand: cython.int = self.parts[start + position] >> 1
        alone: cython.bint = tag == LINK_AND and self.on_demand
        index: cython.int = self.link(operand, node << 2 | tag)
        if alone:
            self.parts[start + self.width(node)] = index
        else:
            self.note_back(start + self.width(node), cython.cast(cython.int, position), index)
        if index:
            return depth
        self.push(depth, operand)
        return depth + 1

    def ignore(self, node, index):
        """Let the target at an index hear of a node no more. No search is running."""
        depth: cython.int = 0
        self.unlink(node, index)
        if self.posts[node] == 0:
            depth = self.stop_asking(node, 0)
        while depth:
            depth -= 1
            depth = self.stop_asking(self.stack[depth], depth)
        return 0

    def stop_asking(self, node, depth):
        """Unlink a node from its operands; those that are linked to nothing any more are put on the stack."""
        kind: cython.int = self.kind[node]
        start: cython.longlong = place_start(self.body[node])
        count: cython.int = self.width(node)
        offset: cython.int
        operand: cython.int
        tag: cython.int
        if kind == NODE_TRUE:
            return depth
        self.pushed[node >> 6] &= ~(cython.cast(cython.ulonglong, 1) << (node & 63))
        if kind == NODE_LITERAL:
            self.finder.remove(cython.cast(cython.int, self.body[node] >> 32))
            return depth
        for offset in range(1 if kind == NODE_AND and self.on_demand else count):
            operand = self.parts[start + offset] >> 1
            if kind == NODE_AND and self.on_demand:
                self.unlink(operand, self.parts[start + count])
            else:
                tag = LINK_AND if kind == NODE_AND else LINK_OR
                self.unlink(operand, self.back_index(operand, node << 2 | tag, start + count, offset))
            if self.posts[operand] == 0:
                self.push(depth, operand)
                depth += 1
        return depth

    def push(self, depth, node):
        if depth >= self.stack.shape[0]:
            self.stack = grown(self.stack, depth + 1)
        self.stack[depth] = node
        return 0

    # Expressions

    def use_root(self, node, slot):
        """Let an expression end at a node; ``slot_back`` has room for it."""
        self.use(node)
        self.slot_back[slot] = self.heed(node, slot << 2 | LINK_SLOT)
        return 0

    def end_root(self, node, slot):
        """Let an expression end at a node no more. No search is running."""
        self.ignore(node, self.slot_back[slot])
        return self.disuse(node)

    def hush_slot(self, node, slot):
        """Write over the link to an expression that no search has seen yet, since its number will be used again."""
        self.touch(node)
        if place_length(self.posts[node]) == 1:
            self.posts[node] = cython.cast(cython.longlong, -1) << 24 | 1
        else:
            self.links[place_start(self.posts[node]) + self.slot_back[slot]] = -1
        return 0

    def release_root(self, node):
        """Let an expression that was hushed end at a node no more. No search is running."""
        index: cython.int = 0
        if place_length(self.posts[node]) > 1:
            while self.links[place_start(self.posts[node]) + index] >= 0:
                index += 1
        self.ignore(node, index)
        return self.disuse(node)

    # Reorganisation and self-adjustment

    def cover(self, kind, count):
        """Put nodes that are there in the place of operands that they are made of, the largest first (Algorithm 2)."""
        chosen: cython.int
        offset: cython.int
        kept: cython.int = 0
        covered: cython.uchar[256]
        if count > _WIDEST or not self.gather(kind, count):
            return count
        memset(covered, 0, count)
        chosen = self.best_candidate(covered, count)
        while chosen >= 0:
            self.other[kept] = 2 * self.candidates[chosen] + 1
            kept += 1
            self.mark_covered(self.candidates[chosen], covered, count)
            chosen = self.best_candidate(covered, count)
        for offset in range(count):
            if not covered[offset]:
                self.other[kept] = self.operands[offset]
                kept += 1
        for offset in range(kept):
            self.operands[offset] = self.other[offset]
        return self.sort_operands(kept)

    def gather(self, kind, count):
        """Collect nodes of a kind that are made of some of ``operands[:count]``, from what these are linked to."""
        first: cython.int = 0
        self.candidate_count = 0
        if count > self.other.shape[0]:
            self.other = grown(self.other, count)
        # Not a range: with a step that is no literal, it would be Python's.
        while first < count:
            self.gather_from(kind, first, min(first + _TOGETHER, count), count)
            first += _TOGETHER
        return self.candidate_count

    def gather_from(self, kind, first, last, count):
        """Do this for a few operands, one step of all ways at a time: what each leads to is on its way meanwhile."""
        tag: cython.int = LINK_AND if kind == NODE_AND else LINK_OR
        offset: cython.int
        place: cython.longlong
        position: cython.longlong
        end: cython.longlong
        value: cython.int
        seen: cython.int[64]
        total: cython.int = 0
        for offset in range(first, last):
            place = self.posts[self.operands[offset] >> 1]
            if place_length(place) > 1:
                prefetch(cython.address(self.links[looked_at_from(place)]))
        for offset in range(first, last):
            place = self.posts[self.operands[offset] >> 1]
            if place_length(place) == 1:
                value = cython.cast(cython.int, place_start(place))
                if value >= 0 and value & 3 == tag:
                    seen[total] = value >> 2
                    total += 1
                continue
            end = place_start(place) + place_length(place)
            for position in range(looked_at_from(place), end):
                value = self.links[position]
                if value >= 0 and value & 3 == tag:
                    seen[total] = value >> 2
                    total += 1
        for offset in range(total):
            prefetch(cython.address(self.body[seen[offset]]))
        for offset in range(total):
            # One of as many operands has others, and neither can be made of the other.
            if place_length(self.body[seen[offset]]) != count:
                prefetch(cython.address(self.parts[place_start(self.body[seen[offset]])]))
        for offset in range(total):
            self.consider(seen[offset], count)
        return 0

    def consider(self, node, count):
        """Take a node as a candidate if it is made of some of ``operands[:count]``."""
        place: cython.longlong = self.body[node]
        position: cython.longlong
        offset: cython.int
        if place_length(place) >= count or self.candidate_count == _CANDIDATES:
            return 0
        for position in range(place_start(place), place_start(place) + place_length(place)):
            if _index_of(cython.address(self.operands[0]), count, self.parts[position]) < 0:
                return 0
        for offset in range(self.candidate_count):
            if self.candidates[offset] == node:
                return 0
        self.candidates[self.candidate_count] = node
        self.candidate_count += 1
        return 0

    def best_candidate(self, covered, count):
        """Return the candidate that covers most operands not covered yet; -1 if none covers any."""
        best: cython.int = -1
        most: cython.int = 0
        number: cython.int
        found: cython.int
        index: cython.int
        place: cython.longlong
        position: cython.longlong
        for number in range(self.candidate_count):
            place = self.body[self.candidates[number]]
            found = 0
            for position in range(place_start(place), place_start(place) + place_length(place)):
                index = _index_of(cython.address(self.operands[0]), count, self.parts[position])
                found += not covered[index]
            if found > most:
                best = number
                most = found
        return best

    def mark_covered(self, node, covered, count):
        place: cython.longlong = self.body[node]
        position: cython.longlong
        for position in range(place_start(place), place_start(place) + place_length(place)):
            covered[_index_of(cython.address(self.operands[0]), count, self.parts[position])] = 1
        return 0

    def adjust(self, node):
        """Let nodes that are made of all operands of a new node, and more, be made of it instead (Algorithm 3)."""
        tag: cython.int = LINK_AND if self.kind[node] == NODE_AND else LINK_OR
        place: cython.longlong = self.body[node]
        position: cython.longlong
        at: cython.longlong
        first: cython.longlong
        last: cython.longlong
        value: cython.int
        offset: cython.int
        self.candidate_count = 0
        for position in range(place_start(place), place_start(place) + min(place_length(place), _WIDEST)):
            at = self.posts[self.parts[position] >> 1]
            if place_length(at) == 1:
                value = cython.cast(cython.int, place_start(at))
                if value >= 0 and value & 3 == tag and self.contains(value >> 2, node):
                    self.note_candidate(value >> 2)
                continue
            last = place_start(at) + place_length(at)
            first = looked_at_from(at)
            for at in range(first, last):
                value = self.links[at]
                if value >= 0 and value & 3 == tag and self.contains(value >> 2, node):
                    self.note_candidate(value >> 2)
        for offset in range(self.candidate_count):
            self.adopt(self.candidates[offset], node)
        return 0

    def note_candidate(self, node):
        offset: cython.int
        for offset in range(self.candidate_count):
            if self.candidates[offset] == node:
                return 0
        if self.candidate_count < _CANDIDATES:
            self.candidates[self.candidate_count] = node
            self.candidate_count += 1
        return 0

    def contains(self, parent, node):
        """Return whether a node has all operands of another, and more."""
        outer: cython.longlong = self.body[parent]
        inner: cython.longlong = self.body[node]
        position: cython.longlong
        at: cython.longlong
        if place_length(outer) <= place_length(inner) or place_length(outer) > _WIDEST or parent == node:
            return False
        for position in range(place_start(inner), place_start(inner) + place_length(inner)):
            at = place_start(outer)
            while at < place_start(outer) + place_length(outer) and self.parts[at] != self.parts[position]:
                at += 1
            if at == place_start(outer) + place_length(outer):
                return False
        return True

    def adopt(self, parent, node):
        """Put a node in the place of its operands among those of another node. No search is running."""
        kind: cython.int = self.kind[parent]
        asking: cython.bint = self.posts[parent] != 0
        outer: cython.longlong = self.body[parent]
        inner: cython.longlong = self.body[node]
        kept: cython.int = 0
        depth: cython.int
        position: cython.longlong
        start: cython.longlong
        operand: cython.int
        if place_length(outer) > self.other.shape[0]:
            self.other = grown(self.other, place_length(outer))
        for position in range(place_start(outer), place_start(outer) + place_length(outer)):
            operand = self.parts[position]
            if not self.is_among(operand, inner):
                self.other[kept] = operand
                kept += 1
        self.other[kept] = 2 * node + 1
        kept += 1
        start = self.new_parts(self.body_size(kind, kept))
        # What only this node asked for stops asking and begins again, which is the same for everybody else.
        if asking:
            depth = self.stop_asking(parent, 0)
            while depth:
                depth -= 1
                depth = self.stop_asking(self.stack[depth], depth)
        for position in range(place_start(inner), place_start(inner) + place_length(inner)):
            self.unuse(self.parts[position] >> 1)
        self.use(node)
        self.give_parts(place_start(outer), self.body_size(kind, cython.cast(cython.int, place_length(outer))))
        for position in range(kept):
            self.parts[start + position] = self.other[position]
        for position in range(self.body_size(kind, kept) - kept):
            self.parts[start + kept + position] = -1
        self.body[parent] = start << 24 | kept
        if kind == NODE_AND:
            self.place_access(parent)
        if asking:
            depth = self.begin_asking(parent, 0)
            while depth:
                depth -= 1
                depth = self.begin_asking(self.stack[depth], depth)
        return 0

    def is_among(self, operand, place):
        position: cython.longlong
        for position in range(place_start(place), place_start(place) + place_length(place)):
            if self.parts[position] == operand:
                return True
        return False

    # Searches

    def new_search(self):
        self.searches += 1
        return 0

    def end_search(self):
        self.searches -= 1
        if self.searches == 0:
            self.quiet()
        return 0

    def quiet(self):
        """Do what had to wait until no search is running."""
        node: cython.int
        self.torn = False
        while self.unpushed:
            node = self.unpushed.pop()
            if self.kind[node] != _FREE and self.posts[node]:
                self.pushed[node >> 6] |= cython.cast(cython.ulonglong, 1) << (node & 63)
        return 0


@cython.cfunc
@cython.exceptval(check=False)
def _rarity(chance: cython.double) -> cython.int:
    if chance >= 1.0:
        return 0
    return cython.cast(cython.int, min(255.0, -8.0 * log2(chance)))


@cython.cfunc
@cython.exceptval(check=False)
def _room(length: cython.longlong) -> cython.longlong:
    """Return the power of two that a list of this length has room for."""
    room: cython.longlong = 1
    while room < length:
        room *= 2
    return room


@cython.cfunc
@cython.exceptval(check=False)
def _logarithm(size: cython.longlong) -> cython.int:
    result: cython.int = 0
    while size > 1:
        size >>= 1
        result += 1
    return result


@cython.cfunc
@cython.exceptval(check=False)
def _index_of(numbers: cython.pointer(cython.int), count: cython.int, wanted: cython.int) -> cython.int:
    """Return where a number stands among sorted ones, or -1."""
    low: cython.int = 0
    high: cython.int = count
    middle: cython.int
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < count and numbers[low] == wanted else -1


@cython.cfunc
@cython.exceptval(-1)
def _sorted(numbers: cython.pointer(cython.int), count: cython.int) -> cython.int:
    """Sort numbers, each once; return how many are left."""
    offset: cython.int
    at: cython.int
    number: cython.int
    kept: cython.int = 0
    if count > 64:
        ordered: cython.int[::1] = np.empty(count, np.int32)
        memcpy(cython.address(ordered[0]), numbers, 4 * count)
        np.asarray(ordered).sort()
        memcpy(numbers, cython.address(ordered[0]), 4 * count)
    else:
        for offset in range(1, count):
            number = numbers[offset]
            at = offset
            while at > 0 and numbers[at - 1] > number:
                numbers[at] = numbers[at - 1]
                at -= 1
            numbers[at] = number
    for offset in range(count):
        if offset == 0 or numbers[offset] != numbers[kept - 1]:
            numbers[kept] = numbers[offset]
            kept += 1
    return kept

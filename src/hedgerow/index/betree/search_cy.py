"""The search of a BE-Tree (Algorithms 1 and 2 of the paper).

A search goes from the root to the leaves: at each node it looks at the records of the leaf, goes by those partitions
whose attributes the event has, and of each partition to the buckets that the event's value lies in. An event says for
each axis where it is::

    event age = 20, tags = ['a', 'c']      (age, present)   (age, value): the key of 20   (age, numbers): from 20 to 20
                                           (tags, present)  (tags, value): both keys   (tags, strings): from 'a' to 'c'

Of a record that the Bloom filter lets pass, the literals are tested until one fails. What a literal came to is
remembered for the rest of the event (``"lazy"``), or for all events that have the same value (``"bitmap"``,
``bitmap_cy``); most are decided by where the event is on their axis, and need no other test.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import fence, prefetch
from cython.cimports.hedgerow.index.betree.axes_cy import (
    AXES,
    FORM_ANY,
    FORM_BITS,
    FORM_CODE,
    FORM_KEY,
    FORM_LINE,
    FORM_NONE,
    FORM_PRESENT,
    FORM_ROUGH,
    LANE_LINE,
    LANE_PRESENT,
    LANE_VALUE,
    test_size,
)
from cython.cimports.hedgerow.index.betree.bitmap_cy import Bitmap, bit_of
from cython.cimports.hedgerow.index.betree.edges_cy import edge_child
from cython.cimports.hedgerow.index.betree.nodes_cy import (
    HEAD_WORDS,
    KNOWN_BITS,
    NODE_WORDS,
    PARTITION_WORDS,
    Node,
    Partition,
    lane_of,
)
from cython.cimports.hedgerow.index.betree.tree_cy import Tree
from cython.cimports.hedgerow.index.chassis.searcher_cy import hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.predicate.keys import family_of, value_key
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import family_bit
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.errors import Unsupported
from hedgerow.values import Kind

_INT = cython.declare(cython.int, int(Kind.INT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_LIST = cython.declare(cython.int, int(Kind.LIST))
_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_EXACT = cython.declare(cython.longlong, 1 << 53)  # whole numbers up to this are floats too
_FORM = cython.declare(cython.int, (1 << FORM_BITS) - 1)
_LEAVES = cython.declare(cython.int, 16)  # that wait for the memory
_MOST_TOLD = cython.declare(cython.int, 8192)
_ROWS_A_TOLD_ONE = cython.declare(cython.longlong, 8)
_LINE = cython.declare(cython.int, 16)  # words of the arena that come from the memory together
_FORM_HEAD = cython.declare(cython.int, 3)  # words before the keys of a test
_FAMILIES = cython.declare(cython.int, 4)
_OFTEN = cython.declare(cython.longlong, 4096)
_KNOWN = cython.declare(cython.int, (1 << KNOWN_BITS) - 1)
_UNTESTED = cython.declare(cython.uchar, 0)
_PASSED = cython.declare(cython.uchar, 1)
_FAILED = cython.declare(cython.uchar, 2)


@cython.final
@cython.cclass
class BETreeSearch(UnitSearcher):
    """One search. What a row writes is cleaned when the next one begins."""

    def __init__(self, engine: UnitEngine, outcomes: Outcomes, tree: Tree, options):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        self.tree, self.axes = tree, tree.axes
        self.lazy = options.evaluation != "direct"
        self.maps = options.evaluation == "bitmap"
        self.bitmap = Bitmap(self.axes, engine.graph) if self.maps else None
        self.literal_limit = self.axes.count
        self.code = self.axes.code
        self.bit_of = self.axes.bit_of
        self.keys = self.axes.keys.view()
        axes: cython.int = self.axes.attribute_count * AXES
        self.place_on = filled(axes, -1, np.int32)
        self.seen_key = filled(self.keys.count, 0, np.int64)
        self.state = filled(self.literal_limit, 0, np.uint8)
        self.tested = roomy(self.literal_limit, np.int32)
        self.listed = np.empty(16, np.int32)
        self.place_axis, self.place_key = np.empty(64, np.int32), np.empty(64, np.int32)
        self.place_low, self.place_high = np.empty(64, np.int64), np.empty(64, np.int64)
        self.place_first, self.place_last = np.empty(64, np.int32), np.empty(64, np.int32)
        self.place_is_rough, self.probed = np.empty(64, np.uint8), np.empty(64, np.int32)
        self.stack = np.empty(0, np.int32)
        self.adjusts = options.adjust
        told = np.empty((3, _MOST_TOLD if self.adjusts else 0), np.int32)
        self.told_node, self.told_looked, self.told_wasted = told
        self.refresh()

    def make_places(self, count):
        """Have room for as many places."""
        axes, keys, lists = (
            grown(self.place_axis, count),
            grown(self.place_key, count),
            grown(self.place_is_rough, count),
        )
        lows, highs, probed = grown(self.place_low, count), grown(self.place_high, count), grown(self.probed, count)
        firsts, lasts = grown(self.place_first, count), grown(self.place_last, count)
        self.place_axis, self.place_key, self.place_is_rough = axes, keys, lists
        self.place_low, self.place_high, self.probed = lows, highs, probed
        self.place_first, self.place_last = firsts, lasts
        return 0

    def refresh(self):
        """Take the tree as it is now."""
        tree: Tree = self.tree
        self.taken_at = tree.changes
        self.node_words, self.partition_words, self.arena = tree.node_words, tree.partition_words, tree.arena
        self.partition_of, self.partition_seed = tree.partition_of.slots, tree.partition_of.seed
        self.bucket_of, self.bucket_seed = tree.bucket_of.slots, tree.bucket_of.seed
        self.is_parted = tree.is_parted
        self.nodes_there, self.partitions_there = tree.node_count, tree.partition_count
        if self.stack.shape[0] < tree.node_count + 1:
            self.stack = roomy(2 * tree.node_count + 1, np.int32)
        return 0

    def run(self, row):
        """Hit the units of the leaves that the event leads to and whose literals hold."""
        # What was taken is of one moment, and so is what it leads to in arrays that were not replaced since.
        if self.tree.changes == self.taken_at:
            self.begin_row(row)
            if self.walk():
                fence()
                if self.tree.changes == self.taken_at:
                    return 0
        with cython.gil:
            self.run_alone(row)
        return 0

    def run_alone(self, row):
        """Do the same while no writer runs: what was read was changed meanwhile."""
        while True:
            if self.tree.changes & 1:
                raise Unsupported("a search cannot begin within a change of the same index")
            self.refresh()
            self.begin_row(row)
            # Signals may be let in, and what they do may change the tree.
            if self.walk() and self.tree.changes == self.taken_at:
                return 0

    # Where the event is

    def begin_row(self, row):
        """Forget the last event, and note where this one is on each axis."""
        position: cython.int
        entry: cython.longlong
        attribute: cython.int
        kind: cython.int
        self.hit_count = 0
        for position in range(self.place_count):
            self.place_on[self.place_axis[position]] = -1
        for position in range(self.tested_count):
            self.state[self.tested[position]] = _UNTESTED
        self.place_count, self.probed_count, self.tested_count, self.listed_count = 0, 0, 0, 0
        self.bloom = 0
        if self.maps:
            self.bitmap.begin()
        self.turn = self.turn + 1
        if self.adjusts and self.turn % _ROWS_A_TOLD_ONE == 1 and self.told_count + _LEAVES <= _MOST_TOLD:
            self.told_rows = self.told_rows + 1
        self.outcomes.begin(row)
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            if attribute < 0 or (attribute + 1) * AXES > self.place_on.shape[0]:
                continue
            kind = self.outcomes.entry_kind[entry]
            self.bloom = self.bloom | self.bit_of[attribute]
            self.add_place(attribute * AXES + LANE_PRESENT, 0, 0, -1)
            if kind == _LIST:
                self.add_list(attribute, self.outcomes.entry_payload[entry])
            elif family_of(family_bit(kind)) >= 0:
                self.add_value(attribute, kind, self.outcomes.entry_payload[entry])
                if self.maps:
                    self.bitmap.take(self.outcomes, attribute, kind, self.outcomes.entry_payload[entry])
        return 0

    def add_place(self, axis, low, high, key):
        """Note that the event is on an axis; return the number of the place."""
        place: cython.int = self.place_count
        if place >= self.place_axis.shape[0]:
            with cython.gil:
                self.make_places(place + 1)
        self.place_on[axis] = place
        self.place_axis[place] = axis
        self.place_low[place] = low
        self.place_high[place] = high
        self.place_key[place] = key
        self.place_is_rough[place] = False
        self.place_count = place + 1
        if axis < self.is_parted.shape[0] and self.is_parted[axis]:
            self.probed[self.probed_count] = place
            self.probed_count = self.probed_count + 1
        return place

    def add_value(self, attribute, kind, payload):
        """Note where a value is: on the line of its family, and by its key if there is one."""
        ordered: cython.longlong = value_key(self.outcomes, kind, payload)
        key: cython.int = self.key_of(attribute, kind, payload)
        place: cython.int = self.add_place(
            attribute * AXES + LANE_LINE + family_of(family_bit(kind)), ordered, ordered, key
        )
        self.place_is_rough[place] = kind == _INT and not -_EXACT <= payload <= _EXACT
        if key >= 0:
            self.add_place(attribute * AXES + LANE_VALUE, 0, 0, key)
        return 0

    def key_of(self, attribute, kind, payload):
        """Return the key of a value, or -1 where no literal asks for it."""
        if kind == _STRING:
            payload = self.outcomes.string_of[payload]
            if payload < 0:
                return -1
        return self.keys.find(attribute, kind, payload)

    def add_list(self, attribute, number):
        """Note where the elements of a list are: from the least to the greatest of each family, and their keys."""
        lows: cython.longlong[4]
        highs: cython.longlong[4]
        family: cython.int
        place: cython.int
        key: cython.int
        ordered: cython.longlong
        element: cython.longlong
        first: cython.int = self.listed_count
        for family in range(_FAMILIES):
            lows[family], highs[family] = _HIGHEST, _LOWEST
        self.outcomes.spend(self.outcomes.list_start[number + 1] - self.outcomes.list_start[number])
        for element in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
            family = family_of(family_bit(self.outcomes.element_kind[element]))
            if family < 0:
                continue
            ordered = value_key(
                self.outcomes, self.outcomes.element_kind[element], self.outcomes.element_payload[element]
            )
            lows[family], highs[family] = min(lows[family], ordered), max(highs[family], ordered)
            key = self.key_of(attribute, self.outcomes.element_kind[element], self.outcomes.element_payload[element])
            if key >= 0 and self.seen_key[key] != self.turn:
                self.seen_key[key] = self.turn
                self.add_listed(key)
        for family in range(_FAMILIES):
            if lows[family] <= highs[family]:
                place = self.add_place(attribute * AXES + LANE_LINE + family, lows[family], highs[family], -1)
                self.place_is_rough[place] = True
        if self.listed_count > first:
            place = self.add_place(attribute * AXES + LANE_VALUE, 0, 0, -1)
            self.place_is_rough[place] = True
            self.place_first[place], self.place_last[place] = first, self.listed_count
        return 0

    def add_listed(self, key):
        if self.listed_count >= self.listed.shape[0]:
            with cython.gil:
                self.listed = grown(self.listed, self.listed_count + 1)
        self.listed[self.listed_count] = key
        self.listed_count = self.listed_count + 1
        return 0

    # The walk. It returns False if what it read cannot be: a writer is at it.

    def walk(self):
        """Go to all leaves that the event leads to."""
        depth: cython.int = 1
        number: cython.int
        node: cython.pointer(Node)
        steps: cython.longlong = 0
        self.stack[0] = 0
        self.leaf_count = 0
        while depth:
            depth -= 1
            number = self.stack[depth]
            if number < 0 or number >= self.nodes_there:
                return False
            node = self.node_at(number)
            steps += 1 + node.records
            if steps > _OFTEN:
                if self.tree.changes != self.taken_at:
                    return False
                self.visits = self.visits + steps
                self.outcomes.spend(steps)
                steps = 0
            if node.used and not self.await_leaf(number, node):
                return False
            if node.left >= 0:
                depth = self.push_halves(node, depth)
            if node.partitions and depth >= 0:
                depth = self.push_partitions(number, node, depth)
            if depth < 0:
                return False
        self.visits = self.visits + steps
        self.outcomes.spend(steps)
        return self.look_at_leaves()

    def node_at(self, number):
        place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, number) * NODE_WORDS
        return cython.cast(cython.pointer(Node), cython.address(self.node_words[place]))

    def partition_at(self, number):
        place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, number) * PARTITION_WORDS
        return cython.cast(cython.pointer(Partition), cython.address(self.partition_words[place]))

    def push(self, node, depth):
        """Let a node be visited; return how many wait, or -1."""
        if depth < 0 or depth >= self.stack.shape[0] or node < 0 or node >= self.nodes_there:
            return -1
        prefetch(self.node_at(node))
        self.stack[depth] = node
        return depth + 1

    def push_halves(self, node, depth):
        """Let those halves of a bucket be visited that the event is in: what is beyond the line is at its end."""
        place: cython.int
        axis: cython.int
        if node.owner < 0 or node.owner >= self.partitions_there or node.left + 1 >= self.nodes_there:
            return -1
        axis = self.partition_at(node.owner).axis
        if axis < 0 or axis >= self.place_on.shape[0] or self.place_on[axis] < 0:
            return -1
        place = self.place_on[axis]
        if self.place_low[place] <= self.node_at(node.left).high:
            depth = self.push(node.left, depth)
        if self.place_high[place] > self.node_at(node.left).high:
            depth = self.push(node.left + 1, depth)
        return depth

    def push_partitions(self, number, node, depth):
        """Let the partitions of a node be visited that the event has the attributes of: by the shorter way."""
        position: cython.int
        place: cython.int
        axis: cython.int
        partition: cython.int
        if node.partitions > self.probed_count:
            for position in range(self.probed_count):
                place = self.probed[position]
                partition = edge_child(
                    cython.address(self.partition_of[0]),
                    cython.cast(cython.ulonglong, self.partition_of.shape[0] // 2 - 1),
                    self.partition_seed,
                    number,
                    self.place_axis[place],
                )
                if partition >= 0:
                    depth = self.push_buckets(partition, place, depth)
            return depth
        partition = node.partition
        while partition >= 0 and depth >= 0:
            if partition >= self.partitions_there:
                return -1
            axis = self.partition_at(partition).axis
            if 0 <= axis < self.place_on.shape[0] and self.place_on[axis] >= 0:
                depth = self.push_buckets(partition, self.place_on[axis], depth)
            partition = self.partition_at(partition).next
        return depth

    def push_buckets(self, number, place, depth):
        """Let the buckets of a partition be visited that the event is in."""
        partition: cython.pointer(Partition)
        node: cython.int
        position: cython.int
        if number >= self.partitions_there:
            return -1
        partition = self.partition_at(number)
        if lane_of(partition.axis) != LANE_VALUE:
            return self.push(partition.top, depth)
        if not self.place_is_rough[place]:
            return self.push_bucket(number, self.place_key[place], depth)
        if self.place_last[place] - self.place_first[place] <= partition.buckets:
            for position in range(self.place_first[place], self.place_last[place]):
                depth = self.push_bucket(number, self.listed[position], depth)
            return depth
        node = partition.top
        while node >= 0 and depth >= 0:
            if node >= self.nodes_there:
                return -1
            if self.has_key(self.node_at(node).low):
                depth = self.push(node, depth)
            node = self.node_at(node).next
        return depth

    def has_key(self, key):
        return 0 <= key < self.seen_key.shape[0] and self.seen_key[key] == self.turn

    def push_bucket(self, partition, key, depth):
        """Let the bucket of a key be visited, if there is one."""
        node: cython.int = edge_child(
            cython.address(self.bucket_of[0]),
            cython.cast(cython.ulonglong, self.bucket_of.shape[0] // 2 - 1),
            self.bucket_seed,
            partition,
            key,
        )
        return depth if node < 0 else self.push(node, depth)

    # Leaves

    def await_leaf(self, number, node):
        """Let a leaf be looked at when its beginning has come from the memory; until then the walk goes on."""
        at: cython.longlong = node.start
        end: cython.longlong = at + node.used
        if at < 0 or end > self.arena.shape[0]:
            return False
        if self.leaf_count == _LEAVES and not self.look_at_leaves():
            return False
        self.leaf_start[self.leaf_count] = at
        self.leaf_end[self.leaf_count] = end
        self.leaf_node[self.leaf_count] = number
        self.leaf_records[self.leaf_count] = node.records
        self.leaf_count = self.leaf_count + 1
        prefetch(cython.address(self.arena[at]))
        if node.used > _LINE:
            prefetch(cython.address(self.arena[at + _LINE]))
        if node.used > 2 * _LINE:
            prefetch(cython.address(self.arena[at + 2 * _LINE]))
        return True

    def look_at_leaves(self):
        """Look at the leaves that wait."""
        position: cython.int
        hits: cython.int
        tells: cython.bint = self.adjusts and self.turn % _ROWS_A_TOLD_ONE == 1
        if tells and self.told_count + _LEAVES > _MOST_TOLD:
            tells = False
        for position in range(self.leaf_count):
            hits = self.hit_count
            if not self.look(self.leaf_start[position], self.leaf_end[position]):
                return False
            if tells:
                self.told_node[self.told_count] = self.leaf_node[position]
                self.told_looked[self.told_count] = self.leaf_records[position]
                self.told_wasted[self.told_count] = max(self.leaf_records[position] - (self.hit_count - hits), 0)
                self.told_count = self.told_count + 1
        self.leaf_count = 0
        return True

    def look(self, at, end):
        """Hit the units of a leaf whose literals hold."""
        following: cython.longlong
        last: cython.longlong
        unit: cython.int
        bits: cython.uint
        checked: cython.longlong = 0
        while at < end:
            if at + HEAD_WORDS > end:
                return False
            unit = self.arena[at]
            bits = cython.cast(cython.uint, self.arena[at + 1])
            last = at + HEAD_WORDS + (self.arena[at + 2] >> KNOWN_BITS)
            following = last + (self.arena[at + 2] & _KNOWN)
            if last < at or following > end:
                return False
            if (bits & self.bloom) == bits and 0 <= unit < self.unit_limit:
                checked += 1
                if self.hold(at + HEAD_WORDS, last):
                    if self.hit_count >= self.unit_limit:
                        return False
                    hit(self, unit)
            at = following
        self.checked = self.checked + checked
        return True

    def hold(self, at, last):
        """Return whether all tests hold that stand in the arena from a place to another."""
        size: cython.int
        test: cython.pointer(cython.const[cython.int])
        while at < last:
            test = cython.address(self.arena[at])
            # What is no test was written over meanwhile, and the row begins again.
            if at + 2 > last or (at + 3 > last and FORM_ANY <= test[0] & _FORM <= FORM_NONE):
                return False
            size = test_size(test)
            at += size
            if size < 2 or at > last or test[1] < 0 or test[1] >= self.literal_limit:
                return False
            if self.lazy:
                if not self.remembered(test):
                    return False
            elif not self.test(test):
                return False
        return True

    def remembered(self, test):
        """Return whether a test holds, which is found out once for an event."""
        literal: cython.int = test[1]
        known: cython.int = -1
        if self.maps:
            known = bit_of(self.bitmap, literal)
            if known >= 0:
                return known
        if self.state[literal] == _UNTESTED:
            self.state[literal] = _PASSED if self.test(test) else _FAILED
            self.tested[self.tested_count] = literal
            self.tested_count = self.tested_count + 1
        return self.state[literal] == _PASSED

    def test(self, test):
        """Return whether a test holds: by where the event is on its axis, if that can tell."""
        form: cython.int = test[0] & _FORM
        axis: cython.int = test[0] >> FORM_BITS
        place: cython.int
        if form != FORM_CODE:
            if axis < 0 or axis >= self.place_on.shape[0]:
                return False
            place = self.place_on[axis]
            if place < 0:
                if form != FORM_NONE:
                    return False
            elif not self.place_is_rough[place]:
                if form >= FORM_LINE:
                    return self.is_between(test, place)
                return self.has_keys(form, test, self.place_key[place])
            elif form == FORM_PRESENT:
                return True
        return self.outcomes.literal(self.code[test[1]])

    def is_between(self, test, place):
        """Return whether a place of one value is between the ends of a test."""
        ends: cython.longlong[2]
        ordered: cython.longlong = self.place_low[place]
        memcpy(ends, test + 2, 16)
        if test[0] & _FORM == FORM_ROUGH and (ordered == ends[0] or ordered == ends[1]):
            return self.outcomes.literal(self.code[test[1]])
        return ends[0] <= ordered <= ends[1]

    def has_keys(self, form, test, key):
        """Return whether a test of keys holds for a place that has a key, or -1."""
        position: cython.int
        if form == FORM_PRESENT:
            return True
        if form == FORM_KEY:
            return test[2] == key
        for position in range(test[2]):
            if test[_FORM_HEAD + position] == key:
                return form == FORM_ANY
        return form == FORM_NONE

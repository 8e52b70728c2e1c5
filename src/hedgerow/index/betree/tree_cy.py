"""The tree as a writer makes it: insertion, space partitioning and space clustering (Algorithms 3 to 6 of the paper).

::

    node       root ─────────────┐                       leaf of a node: records in the arena, one after the other
               │ leaf            │ partitions
               │ 3 records       ├─ (a, value)  ── key of a = 1 ──> node ...
               │                 │                 key of a = 7 ──> node ...
               └─                └─ (b, numbers) ── top [2, 30] ──> node
                                                      ├ left  [2, 16]  ──> node ...
                                                      └ right (16, 30] ──> node ...

    record     unit │ Bloom filter │ literals checked, literals known │ checked ... │ known ...

A *known* literal holds for every event that comes to the record, because the path says so: it is what its bucket asks for.
A record is in the smallest bucket that encloses it; it moves down when a leaf outgrows its capacity, and is never in two
leaves. A line's top bucket spans what the records have that it is made for; ends beyond that count as its own ends, for
records and events alike, so that nothing is lost by it. Buckets are cut in halves, by the mean of the values where they
are numbers and not too far apart, else by their keys, so that no line is more than some seventy buckets deep.

Searches run beside a writer, who holds the GIL. ``changes`` is odd while records move or rooms change hands, and another
number afterwards: a search that finds it changed begins its row again. What is only added (a record behind the others, for
which there is room) changes nothing for a search, which passes over units that it must not see.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import fence
from cython.cimports.hedgerow.index.betree.axes_cy import AXES, LANE_LINE, LANE_PRESENT, LANE_VALUE, SURE_ALWAYS, Axes
from cython.cimports.hedgerow.index.betree.edges_cy import Edges
from cython.cimports.hedgerow.predicate.keys import number_key
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.index.betree.told import ToldBucket, ToldNode, ToldPartition, ToldRecord
from hedgerow.sections import nested, numbers, part, scalars, section

_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_LONGEST = cython.declare(cython.longlong, (1 << 25) - 1)  # literals of a record
_LARGEST_LEAF = cython.declare(cython.longlong, (1 << 31) - 1)  # words
_LEAST_ROOM = cython.declare(cython.int, 16)
_CLASSES = cython.declare(cython.int, 32)
_NUMBERS = cython.declare(cython.int, LANE_LINE + 1)
_SIXTEEN_OCTAVES = cython.declare(cython.ulonglong, 1 << 56)  # of keys of numbers, whose exponents begin at bit 52
_SIGN = cython.declare(cython.ulonglong, 1 << 63)
_KNOWN = cython.declare(cython.int, (1 << KNOWN_BITS) - 1)


@cython.final
@cython.cclass
class Tree:
    """Nodes, partitions and leaves. One writer changes them, with the GIL held, while searches run."""

    def __init__(self, axes: Axes, capacity: cython.int, least: cython.int, ranked: cython.bint):
        self.axes = axes
        self.capacity, self.least, self.ranked = capacity, least, ranked
        self.partition_of = Edges()
        self.bucket_of = Edges()
        self.node_words = np.empty(16 * NODE_WORDS, np.int64)
        self.partition_words = np.empty(16 * PARTITION_WORDS, np.int64)
        self.arena = np.empty(256, np.int32)
        self.free_room = filled(_CLASSES, -1, np.int64)
        self.is_parted = filled(16, 0, np.uint8)
        self._begin()
        self.new_node(_LOWEST, _HIGHEST, -1, -1)

    def _begin(self):
        """Make the scratch arrays."""
        self.literals = np.empty(64, np.int32)
        self.used_at = filled(16, 0, np.int64)
        self.count_of = filled(16, 0, np.int32)
        self.seen_at = filled(16, 0, np.int64)
        self.counted = np.empty(64, np.int32)
        self.waiting = np.empty(64, np.int32)
        self.emptied = np.empty(64, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes this tree of; not those of its axes."""
        return nested(partition_of=self.partition_of.saved(), bucket_of=self.bucket_of.saved()) | {
            "nodes": np.asarray(self.node_words)[: NODE_WORDS * self.node_count],
            "partitions": np.asarray(self.partition_words)[: PARTITION_WORDS * self.partition_count],
            "arena": np.asarray(self.arena)[: self.used],
            "free_room": np.asarray(self.free_room),
            "is_parted": np.asarray(self.is_parted)[: self.parted_axes],
            "counts": numbers(self.node_count, self.partition_count, self.used),
        }

    def restore(self, arrays):
        """Go on in arrays that were saved."""
        self.node_count, self.partition_count, self.used = scalars(arrays, "counts", 3)
        if self.node_count < 1:
            raise CorruptFile("the section 'counts' has no root")
        self.partition_of = Edges.restored(part(arrays, "partition_of"))
        self.bucket_of = Edges.restored(part(arrays, "bucket_of"))
        self.node_words = section(arrays, "nodes", np.int64, NODE_WORDS * self.node_count)
        self.partition_words = section(arrays, "partitions", np.int64, PARTITION_WORDS * self.partition_count)
        self.arena = section(arrays, "arena", np.int32, self.used)
        self.free_room = section(arrays, "free_room", np.int64, _CLASSES)
        self.is_parted = section(arrays, "is_parted", np.uint8)
        self.parted_axes = self.is_parted.shape[0]

    @property
    def bytes_by_part(self):
        """Bytes held, room that nothing was written to left out."""
        nodes = 8 * NODE_WORDS * self.node_count + 8 * PARTITION_WORDS * self.partition_count
        directories = self.partition_of.nbytes + self.bucket_of.nbytes
        return {"nodes": nodes, "directories": directories, "leaves": 4 * self.used, "axes": self.axes.nbytes}

    # What can be seen

    def told_node(self, number: cython.int):
        """Return what is known of a node, and its records."""
        node: cython.pointer(Node) = self.node_at(number)
        halves = (node.left, node.left + 1) if node.left >= 0 else ()
        bucket = ToldBucket(node.owner, node.up, node.low, node.high, halves)
        return ToldNode(number, bucket, node.capacity, self._partitions(number), tuple(self._records(number)))

    def told_partition(self, number: cython.int):
        """Return what is known of a partition."""
        partition: cython.pointer(Partition) = self.partition_at(number)
        axis: cython.int = partition.axis
        owner: cython.int = partition.node
        buckets: list = []
        node: cython.int = partition.top
        while node >= 0:
            buckets.append(node)
            node = self.node_at(node).next
        return ToldPartition(
            number, self.axes.graph.names[attribute_of(axis)], lane_of(axis), axis, owner, tuple(buckets), partition.score
        )

    def _partitions(self, node: cython.int):
        """Return the partitions of a node, in the order in which they came."""
        found: list = []
        partition: cython.int = self.node_at(node).partition
        while partition >= 0:
            found.append(partition)
            partition = self.partition_at(partition).next
        return tuple(reversed(found))

    def _records(self, node: cython.int):
        """Return the records of a leaf."""
        at: cython.longlong = self.node_at(node).start
        end: cython.longlong = at + self.node_at(node).used
        found: list = []
        while at < end:
            checked: cython.longlong = at + HEAD_WORDS + (self.arena[at + 2] >> KNOWN_BITS)
            last: cython.longlong = checked + (self.arena[at + 2] & _KNOWN)
            literals = np.asarray(self.arena)
            bloom = int(literals[at + 1]) & 0xFFFFFFFF
            found.append(
                ToldRecord(
                    self.arena[at],
                    bloom,
                    tuple(literals[at + HEAD_WORDS : checked].tolist()),
                    tuple(literals[checked:last].tolist()),
                )
            )
            at = last
        return found

    # Nodes and partitions. A pointer holds until the next one is added.

    def node_at(self, node):
        if node < 0 or node >= self.node_count:
            raise IndexError(node)
        place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, node) * NODE_WORDS
        return cython.cast(cython.pointer(Node), cython.address(self.node_words[place]))

    def partition_at(self, partition):
        if partition < 0 or partition >= self.partition_count:
            raise IndexError(partition)
        place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, partition) * PARTITION_WORDS
        return cython.cast(cython.pointer(Partition), cython.address(self.partition_words[place]))

    def new_node(self, low, high, owner, up):
        """Return a new node with an empty leaf, the bucket of a partition between two ends."""
        number: cython.int = self.node_count
        needed: cython.Py_ssize_t = (cython.cast(cython.Py_ssize_t, number) + 1) * NODE_WORDS
        node: cython.pointer(Node)
        if needed > self.node_words.shape[0]:
            self.node_words = grown(self.node_words, needed)
        self.node_count = number + 1
        node = self.node_at(number)
        node.start, node.used, node.room, node.records, node.capacity = 0, 0, 0, 0, self.capacity
        node.low, node.high, node.left, node.next = low, high, -1, -1
        node.partition, node.partitions, node.owner, node.up = -1, 0, owner, up
        return number

    def new_partition(self, node, axis, low, high):
        """Return a new partition of a node; that of a line has a top bucket between two ends."""
        number: cython.int = self.partition_count
        needed: cython.Py_ssize_t = (cython.cast(cython.Py_ssize_t, number) + 1) * PARTITION_WORDS
        partition: cython.pointer(Partition)
        top: cython.int = -1
        if needed > self.partition_words.shape[0]:
            self.partition_words = grown(self.partition_words, needed)
        self.know_axis(axis)
        if lane_of(axis) != LANE_VALUE:
            top = self.new_node(low, high, number, -1)
        self.partition_of.add(node, axis, number)
        self.partition_count = number + 1
        partition = self.partition_at(number)
        partition.axis, partition.node, partition.top, partition.buckets = axis, node, top, 0
        partition.records, partition.score = 0, 0.0
        partition.next = self.node_at(node).partition
        fence()
        self.node_at(node).partition = number
        self.node_at(node).partitions += 1
        return number

    def know_axis(self, axis):
        """Note that some partition has an axis."""
        if axis >= self.is_parted.shape[0]:
            self.is_parted = grown(self.is_parted, axis + 1, 0)
        self.is_parted[axis] = True
        self.parted_axes = max(self.parted_axes, axis + 1)
        return 0

    # Insertion

    def add(self, unit, literals, count):
        """Take in a unit with its literals, in the order in which they are to be checked."""
        node: cython.int
        known: cython.int
        own: cython.pointer(cython.int)
        if count > _LONGEST:
            raise LimitError(f"a conjunction of {count:,} literals; this engine takes {_LONGEST:,}")
        self.prepare()
        if count > self.literals.shape[0]:
            self.literals = grown(self.literals, count)
        if count:
            memcpy(cython.address(self.literals[0]), literals, count * cython.sizeof(cython.int))
        own = cython.address(self.literals[0])
        self.stamp += 1
        node = self.descend(0, own, count)
        known = self.known_of(node, own, count, 0, True)
        self.append(node, unit, own, count, known)
        if self.node_at(node).records > self.node_at(node).capacity:
            self.open()
            try:
                self.wait(node)
                self.settle()
            finally:
                self.waiting_count = 0
                self.close()
        return 0

    def open(self):
        """Begin a change that a search must not read half of; one may be part of another."""
        if self.depth == 0:
            self.changes += 1
            fence()
        self.depth += 1
        return 0

    def close(self):
        """End it."""
        self.depth -= 1
        if self.depth == 0:
            fence()
            self.changes += 1
        return 0

    def prepare(self):
        """Have scratch arrays for all attributes and axes that there are."""
        attributes: cython.int = self.axes.attribute_count
        axes: cython.int = attributes * AXES
        if attributes > self.used_at.shape[0]:
            self.used_at = grown(self.used_at, attributes, 0)
        if axes > self.count_of.shape[0]:
            self.count_of = grown(self.count_of, axes, 0)
        if axes > self.seen_at.shape[0]:
            self.seen_at = grown(self.seen_at, axes, 0)
        return 0

    def descend(self, node, literals, count):
        """Return the node where a unit belongs, from a node on: by the best partition, to the smallest bucket."""
        guided: cython.int
        partition: cython.int
        while self.node_at(node).partitions:
            guided = self.guide(node, literals, count)
            if guided < 0:
                return node
            partition = self.partition_of.find(node, self.axes.axis[guided])
            self.used_at[attribute_of(self.axes.axis[guided])] = self.stamp
            self.partition_at(partition).records += 1
            self.partition_at(partition).score += 1.0
            node = self.bucket(partition, guided)
        return node

    def guide(self, node, literals, count):
        """Return the literal by whose partition of this node a unit goes on, or -1.

        Its attribute was not used on the path. By value comes first if they are ranked so, then the highest score, the
        lowest axis, and the narrowest literal.
        """
        position: cython.int
        literal: cython.int
        axis: cython.int
        partition: cython.int
        best: cython.int = -1
        best_axis: cython.int = -1
        by_value: cython.bint
        best_by_value: cython.bint = False
        score: cython.double
        best_score: cython.double = 0.0
        for position in range(count):
            literal = literals[position]
            axis = self.axes.axis[literal]
            if axis < 0 or self.used_at[attribute_of(axis)] == self.stamp:
                continue
            if axis == best_axis:
                if _is_narrower(self.axes, literal, best):
                    best = literal
                continue
            partition = self.partition_of.find(node, axis)
            if partition < 0:
                continue
            score = self.partition_at(partition).score
            by_value = self.ranked and lane_of(axis) == LANE_VALUE
            if best >= 0:
                if by_value != best_by_value:
                    if best_by_value:
                        continue
                elif score < best_score or (score == best_score and axis > best_axis):
                    continue
            best, best_axis, best_score, best_by_value = literal, axis, score, by_value
        return best

    def bucket(self, partition, literal):
        """Return the smallest bucket of a partition that encloses a literal of its axis."""
        key: cython.int
        node: cython.int
        if lane_of(self.axes.axis[literal]) != LANE_VALUE:
            return self.smallest_bucket(self.partition_at(partition).top, literal)
        key = self.axes.key[literal]
        node = self.bucket_of.find(partition, key)
        if node < 0:
            self.open()
            try:
                node = self.new_node(key, key, partition, -1)
                self.bucket_of.add(partition, key, node)
                self.node_at(node).next = self.partition_at(partition).top
                self.partition_at(partition).top = node
                self.partition_at(partition).buckets += 1
            finally:
                self.close()
        return node

    def smallest_bucket(self, node, literal):
        """Return the smallest bucket from this one down that encloses a literal."""
        top: cython.int = node
        while self.node_at(node).left >= 0:
            if self.encloses(self.node_at(node).left, top, literal):
                node = self.node_at(node).left
            elif self.encloses(self.node_at(node).left + 1, top, literal):
                node = self.node_at(node).left + 1
            else:
                break
        return node

    def encloses(self, node, top, literal):
        """Return whether a bucket has all between the ends of a literal, as far as the top bucket reaches."""
        least: cython.longlong = self.node_at(top).low
        most: cython.longlong = self.node_at(top).high
        low: cython.longlong = min(max(self.axes.low[literal], least), most)
        high: cython.longlong = min(max(self.axes.high[literal], least), most)
        return self.node_at(node).low <= low and high <= self.node_at(node).high

    def known_of(self, node, literals, count, known, whole):
        """Put the literals that the path to a node says to be true behind the others; return how many there are.

        The last ``known`` ones are known already. The whole path is looked at, or only its last partition.
        """
        owner: cython.int
        axis: cython.int
        key: cython.int = -1
        literal: cython.int
        position: cython.int
        while node > 0:
            while self.node_at(node).up >= 0:
                node = self.node_at(node).up
            owner = self.node_at(node).owner
            axis = self.partition_at(owner).axis
            position = 0
            while position < count - known and known < _KNOWN:
                literal = literals[position]
                if self.axes.axis[literal] == axis and self.axes.surety[literal] == SURE_ALWAYS:
                    key = self.axes.key[literal]
                    if key < 0 or self.bucket_of.find(owner, key) == node:
                        known += 1
                        # Those behind it move up, so that they keep their order.
                        while position < count - known:
                            literals[position] = literals[position + 1]
                            position += 1
                        literals[count - known] = literal
                        break
                position += 1
            node = self.partition_at(owner).node if whole else 0
        return known

    # Leaves

    def append(self, node, unit, literals, count, known):
        """Put a record at the end of a leaf."""
        size: cython.longlong = HEAD_WORDS + count
        position: cython.int
        bloom: cython.uint = 0
        record: cython.pointer(cython.int)
        here: cython.pointer(Node) = self.node_at(node)
        if here.used + size > here.room:
            self.make_room(node, here.used + size)
            here = self.node_at(node)
        record = cython.address(self.arena[here.start + here.used])
        for position in range(count - known):
            if self.axes.axis[literals[position]] >= 0:
                bloom |= self.axes.bit_of[attribute_of(self.axes.axis[literals[position]])]
        record[0] = unit
        record[1] = cython.cast(cython.int, bloom)
        record[2] = (count - known) << KNOWN_BITS | known
        if count:
            memcpy(record + HEAD_WORDS, literals, count * cython.sizeof(cython.int))
        fence()
        here.used = cython.cast(cython.int, here.used + size)
        here.records += 1
        return 0

    def make_room(self, node, needed):
        """Move a leaf to where it has room for as many words."""
        size: cython.longlong = _LEAST_ROOM
        start: cython.longlong
        here: cython.pointer(Node)
        if needed > _LARGEST_LEAF // 2:
            raise LimitError(f"a leaf of {needed:,} words")
        while size < needed:
            size *= 2
        self.open()
        try:
            start = self.allocate(cython.cast(cython.int, size))
            here = self.node_at(node)
            if here.used:
                memcpy(
                    cython.address(self.arena[start]),
                    cython.address(self.arena[here.start]),
                    here.used * cython.sizeof(cython.int),
                )
            self.release(here.start, here.room)
            here.start = start
            here.room = cython.cast(cython.int, size)
        finally:
            self.close()
        return 0

    def allocate(self, size):
        """Return where there is room for a power of two of words; who had it before may still be read there."""
        number: cython.int = _class_of(size)
        start: cython.longlong = self.free_room[number]
        if start >= 0:
            memcpy(cython.address(self.free_room[number]), cython.address(self.arena[start]), 8)
            return start
        start = self.used
        if start + size > self.arena.shape[0]:
            self.arena = grown(self.arena, start + size)
        self.used = start + size
        return start

    def release(self, start, room):
        """Leave a room to others of its size."""
        if room:
            memcpy(cython.address(self.arena[start]), cython.address(self.free_room[_class_of(room)]), 8)
            self.free_room[_class_of(room)] = start
        return 0

    # Two-phase space cutting

    def wait(self, node):
        """Let a node be looked at whether it has outgrown its capacity."""
        if self.waiting_count >= self.waiting.shape[0]:
            self.waiting = grown(self.waiting, self.waiting_count + 1)
        self.waiting[self.waiting_count] = node
        self.waiting_count += 1
        return 0

    def settle(self):
        """Cut until no leaf that waits is larger than its capacity."""
        node: cython.int
        while self.waiting_count:
            self.waiting_count -= 1
            node = self.waiting[self.waiting_count]
            if self.node_at(node).records > self.node_at(node).capacity:
                if node == 0:
                    self.partition(node)
                else:
                    self.cluster(node)
        return 0

    def cluster(self, node):
        """Cut a bucket in halves; one that is cut already or that cannot be cut is partitioned (Algorithm 6)."""
        here: cython.pointer(Node) = self.node_at(node)
        if here.left < 0 and here.low < here.high:
            self.split(node)
        self.partition(node)
        return 0

    def split(self, node):
        """Make the halves of a bucket, and let the records go down that they enclose."""
        owner: cython.int = self.node_at(node).owner
        axis: cython.int = self.partition_at(owner).axis
        low: cython.longlong = self.node_at(node).low
        high: cython.longlong = self.node_at(node).high
        middle: cython.longlong = _middle(low, high, lane_of(axis) == _NUMBERS)
        left: cython.int = self.new_node(low, middle, owner, node)
        right: cython.int = self.new_node(middle + 1, high, owner, node)
        top: cython.int = self.partition_at(owner).top
        half: cython.int
        at: cython.longlong
        literal: cython.int
        count: cython.int
        known: cython.int
        unit: cython.int
        record: cython.pointer(cython.int)
        self.node_at(node).left = left
        self.emptied_count = 0
        at = 0
        while at < self.node_at(node).used:
            record = cython.address(self.arena[self.node_at(node).start + at])
            unit, known = record[0], record[2] & _KNOWN
            count = (record[2] >> KNOWN_BITS) + known
            literal = self.literal_on(record + HEAD_WORDS, count, axis)
            half = -1
            if self.encloses(left, top, literal):
                half = left
            elif self.encloses(right, top, literal):
                half = right
            self.take(record, count)
            if half >= 0:
                self.append(half, unit, cython.address(self.literals[0]), count, known)
                self.mark(at)
            at += HEAD_WORDS + count
        self.close_up(node)
        self.wait(left)
        self.wait(right)
        return 0

    def partition(self, node):
        """Make partitions of a node until its leaf is no larger than its capacity, or nothing is left (Algorithm 5)."""
        axis: cython.int
        here: cython.pointer(Node)
        while self.node_at(node).records > self.node_at(node).capacity:
            axis = self.choose(node)
            if axis < 0:
                break
            self.part(node, axis)
        here = self.node_at(node)
        if here.records > here.capacity:
            # An extended leaf. It grows by half before it is looked at again, or adding to it would be quadratic.
            here.capacity = here.records + max(here.records // 2, self.capacity)
        else:
            here.capacity = max(1, (here.records + self.capacity - 1) // self.capacity) * self.capacity
        return 0

    def parted(self, node):
        """Mark the attributes that were used on the path to a node; return how many."""
        count: cython.int = 0
        owner: cython.int
        self.stamp += 1
        while node > 0:
            owner = self.node_at(node).owner
            self.used_at[attribute_of(self.partition_at(owner).axis)] = self.stamp
            node = self.partition_at(owner).node
            count += 1
        return count

    def choose(self, node):
        """Return the axis that a node is best partitioned on next, or -1."""
        position: cython.int
        axis: cython.int
        best: cython.int = -1
        by_value: cython.bint
        best_by_value: cython.bint = False
        most: cython.int = 0
        if self.parted(node) >= MOST_PARTED:
            return -1
        self.count_axes(node)
        for position in range(self.counted_count):
            axis = self.counted[position]
            if self.count_of[axis] < self.least or self.partition_of.find(node, axis) >= 0:
                continue
            by_value = self.ranked and lane_of(axis) == LANE_VALUE
            if best >= 0:
                if by_value != best_by_value:
                    if best_by_value:
                        continue
                elif self.count_of[axis] < most or (self.count_of[axis] == most and axis > best):
                    continue
            best, most, best_by_value = axis, self.count_of[axis], by_value
        for position in range(self.counted_count):
            self.count_of[self.counted[position]] = 0
        return best

    def count_axes(self, node):
        """Count on how many records of a leaf each axis could be used, in ``count_of`` for those in ``counted``."""
        at: cython.longlong = self.node_at(node).start
        end: cython.longlong = at + self.node_at(node).used
        position: cython.longlong
        last: cython.longlong
        axis: cython.int
        self.counted_count = 0
        while at < end:
            self.seen += 1
            last = at + HEAD_WORDS + (self.arena[at + 2] >> KNOWN_BITS)
            for position in range(at + HEAD_WORDS, last):
                axis = self.axes.axis[self.arena[position]]
                if axis < 0 or self.seen_at[axis] == self.seen or self.used_at[attribute_of(axis)] == self.stamp:
                    continue
                self.seen_at[axis] = self.seen
                if self.count_of[axis] == 0:
                    if self.counted_count >= self.counted.shape[0]:
                        self.counted = grown(self.counted, self.counted_count + 1)
                    self.counted[self.counted_count] = axis
                    self.counted_count += 1
                self.count_of[axis] += 1
            at = last + (self.arena[at + 2] & _KNOWN)
        return 0

    def part(self, node, axis):
        """Make the partition of a node on an axis, and let all records go there that have it."""
        low: cython.longlong = _LOWEST
        high: cython.longlong = _HIGHEST
        partition: cython.int
        at: cython.longlong = 0
        count: cython.int
        known: cython.int
        unit: cython.int
        literal: cython.int
        bucket: cython.int
        record: cython.pointer(cython.int)
        self.span_of(node, axis, cython.address(low), cython.address(high))
        partition = self.new_partition(node, axis, low, high)
        self.emptied_count = 0
        while at < self.node_at(node).used:
            record = cython.address(self.arena[self.node_at(node).start + at])
            unit, known = record[0], record[2] & _KNOWN
            count = (record[2] >> KNOWN_BITS) + known
            literal = self.literal_on(record + HEAD_WORDS, count - known, axis)
            if literal >= 0:
                self.take(record, count)
                bucket = self.bucket(partition, literal)
                known = self.known_of(bucket, cython.address(self.literals[0]), count, known, False)
                self.append(bucket, unit, cython.address(self.literals[0]), count, known)
                self.partition_at(partition).records += 1
                self.partition_at(partition).score += 1.0
                if self.node_at(bucket).records > self.node_at(bucket).capacity:
                    self.wait(bucket)
                self.mark(at)
            at += HEAD_WORDS + count
        self.close_up(node)
        return 0

    def span_of(self, node, axis, low, high):
        """Set the ends of a line to the least and the greatest finite end that a record of a leaf has on it."""
        at: cython.longlong = self.node_at(node).start
        end: cython.longlong = at + self.node_at(node).used
        position: cython.longlong
        last: cython.longlong
        literal: cython.int
        least: cython.longlong = _HIGHEST
        most: cython.longlong = _LOWEST
        if lane_of(axis) == LANE_PRESENT or lane_of(axis) == LANE_VALUE:
            low[0] = high[0] = 0
            return 0
        while at < end:
            last = at + HEAD_WORDS + (self.arena[at + 2] >> KNOWN_BITS)
            for position in range(at + HEAD_WORDS, last):
                literal = self.arena[position]
                if self.axes.axis[literal] == axis:
                    if self.axes.low[literal] != _LOWEST:
                        least = min(least, self.axes.low[literal])
                        most = max(most, self.axes.low[literal])
                    if self.axes.high[literal] != _HIGHEST:
                        least = min(least, self.axes.high[literal])
                        most = max(most, self.axes.high[literal])
            at = last + (self.arena[at + 2] & _KNOWN)
        if least > most:
            least = most = 0
        low[0], high[0] = least, most
        return 0

    def literal_on(self, literals, count, axis):
        """Return the narrowest literal on an axis, or -1."""
        position: cython.int
        best: cython.int = -1
        for position in range(count):
            if self.axes.axis[literals[position]] == axis:
                if best < 0 or _is_narrower(self.axes, literals[position], best):
                    best = literals[position]
        return best

    def take(self, record, count):
        """Copy the literals of a record, whose leaf may move."""
        if count > self.literals.shape[0]:
            self.literals = grown(self.literals, count)
        if count:
            memcpy(cython.address(self.literals[0]), record + HEAD_WORDS, count * cython.sizeof(cython.int))
        return 0

    def mark(self, at):
        """Note that the record at a place of its leaf has moved."""
        if self.emptied_count >= self.emptied.shape[0]:
            self.emptied = grown(self.emptied, self.emptied_count + 1)
        self.emptied[self.emptied_count] = cython.cast(cython.int, at)
        self.emptied_count += 1
        return 0

    def close_up(self, node):
        """Take the records that have moved out of a leaf: nothing can fail from here on."""
        here: cython.pointer(Node) = self.node_at(node)
        at: cython.int = 0
        to: cython.int = 0
        moved: cython.int = 0
        size: cython.int
        if self.emptied_count == 0:
            return 0
        record: cython.pointer(cython.int) = cython.address(self.arena[here.start])
        while at < here.used:
            size = HEAD_WORDS + (record[at + 2] >> KNOWN_BITS) + (record[at + 2] & _KNOWN)
            if moved < self.emptied_count and self.emptied[moved] == at:
                moved += 1
            else:
                # One word after the other: the record may overlap the place where it goes.
                for _ in range(size):
                    record[to] = record[at]
                    to += 1
                    at += 1
                continue
            at += size
        here.used = to
        here.records -= moved
        if to == 0:
            self.release(here.start, here.room)
            here.start, here.room = 0, 0
        return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _is_narrower(axes: Axes, one: cython.int, other: cython.int) -> cython.bint:
    """Return whether the ends of a literal are closer to each other than those of another."""
    return _distance(axes.low[one], axes.high[one]) < _distance(axes.low[other], axes.high[other])


@cython.cfunc
@cython.exceptval(check=False)
def _class_of(size: cython.int) -> cython.int:
    number: cython.int = 0
    while (1 << number) < size:
        number += 1
    return number


@cython.cfunc
@cython.exceptval(check=False)
def _middle(low: cython.longlong, high: cython.longlong, are_numbers: cython.bint) -> cython.longlong:
    """Return where a bucket is cut: at or after ``low``, and before ``high``, which is greater."""
    width: cython.ulonglong = _distance(low, high)
    mean: cython.longlong
    if are_numbers and width < _SIXTEEN_OCTAVES:
        mean = number_key(_number_of(low) / 2.0 + _number_of(high) / 2.0)
        if low <= mean < high:
            return mean
    return cython.cast(cython.longlong, (_from_lowest(low) + width // 2) ^ _SIGN)


@cython.cfunc
@cython.exceptval(check=False)
def _distance(low: cython.longlong, high: cython.longlong) -> cython.ulonglong:
    return _from_lowest(high) - _from_lowest(low)


@cython.cfunc
@cython.exceptval(check=False)
def _from_lowest(key: cython.longlong) -> cython.ulonglong:
    """Return how far a key is from the lowest there is."""
    return cython.cast(cython.ulonglong, key) ^ _SIGN


@cython.cfunc
@cython.exceptval(check=False)
def _number_of(key: cython.longlong) -> cython.double:
    """Return the number that has a key."""
    number: cython.double
    bits: cython.longlong = key ^ _HIGHEST if key < 0 else key
    memcpy(cython.address(number), cython.address(bits), 8)
    return number

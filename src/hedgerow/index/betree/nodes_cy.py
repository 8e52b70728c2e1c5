"""What a tree is made of: nodes, partitions, and leaves in an arena.

::

    node       root ─────────────┐                       leaf of a node: records in the arena, one after the other
               │ leaf            │ partitions
               │ 3 records       ├─ (a, value)  ── key of a = 1 ──> node ...
               │                 │                 key of a = 7 ──> node ...
               └─                └─ (b, numbers) ── top [2, 30] ──> node
                                                      ├ left  [2, 16]  ──> node ...
                                                      └ right (16, 30] ──> node ...

    record     unit │ Bloom filter │ words of tests, literals known │ tests of literals ... │ known literals ...

A *known* literal holds for every event that comes to the record, because the path says so: it is what its bucket asks
for.

Searches run beside a writer, who holds the GIL. ``changes`` is odd while records move or rooms change hands, and
another number afterwards: a search that finds it changed begins its row again. What is only added (a record behind
the others, for which there is room) changes nothing for a search, which passes over units that it must not see.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import fence
from cython.cimports.hedgerow.index.betree.axes_cy import LANE_VALUE, Axes, test_size
from cython.cimports.hedgerow.index.betree.edges_cy import Edges
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.index.betree.told import ToldBucket, ToldNode, ToldPartition, ToldRecord
from hedgerow.sections import nested, numbers, part, scalars, section

_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_LARGEST_LEAF = cython.declare(cython.longlong, (1 << 31) - 1)  # words
_LEAST_ROOM = cython.declare(cython.int, 16)
_CLASSES = cython.declare(cython.int, 32)
_KNOWN = cython.declare(cython.int, (1 << KNOWN_BITS) - 1)


@cython.cclass
class Nodes:
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
        self.node_of = filled(16, -1, np.int32)
        self.free_node = self.free_pair = self.free_partition = -1
        self.literals, self.emptied = np.empty(64, np.int32), np.empty(64, np.int32)
        self.used_at = filled(16, 0, np.int64)
        self.new_node(_LOWEST, _HIGHEST, -1)

    def saved(self):
        """Return the arrays that ``restored`` makes this tree of; not those of its axes."""
        return nested(partition_of=self.partition_of.saved(), bucket_of=self.bucket_of.saved()) | {
            "nodes": np.asarray(self.node_words)[: NODE_WORDS * self.node_count],
            "partitions": np.asarray(self.partition_words)[: PARTITION_WORDS * self.partition_count],
            "arena": np.asarray(self.arena)[: self.used],
            "free_room": np.asarray(self.free_room),
            "node_of": np.asarray(self.node_of)[: self.unit_count],
            "is_parted": np.asarray(self.is_parted)[: self.parted_axes],
            "counts": numbers(
                self.node_count,
                self.partition_count,
                self.used,
                self.free_node + 1,
                self.free_pair + 1,
                self.free_partition + 1,
                self.free_nodes,
                self.free_partitions,
            ),
        }

    def restore(self, arrays):
        """Go on in arrays that were saved."""
        counts = scalars(arrays, "counts", 8)
        self.node_count, self.partition_count, self.used = counts[:3]
        self.free_node, self.free_pair, self.free_partition = counts[3] - 1, counts[4] - 1, counts[5] - 1
        self.free_nodes, self.free_partitions = counts[6:]
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
        self.node_of = section(arrays, "node_of", np.int32)
        self.unit_count = self.node_of.shape[0]

    @property
    def bytes_by_part(self):
        """Bytes held, room that nothing was written to left out."""
        nodes = 8 * NODE_WORDS * self.node_count + 8 * PARTITION_WORDS * self.partition_count
        directories = self.partition_of.nbytes + self.bucket_of.nbytes
        return {
            "nodes": nodes,
            "directories": directories,
            "leaves": 4 * (self.used + self.unit_count),
            "axes": self.axes.nbytes,
        }

    # What can be seen

    def told_node(self, number: cython.int):
        """Return what is known of a node, and its records."""
        node: cython.pointer(Node) = node_at(self, number)
        halves = (node.left, node.left + 1) if node.left >= 0 else ()
        bucket = ToldBucket(node.owner, node.up, node.low, node.high, halves)
        return ToldNode(number, bucket, node.capacity, self._partitions(number), tuple(self._records(number)))

    def told_partition(self, number: cython.int):
        """Return what is known of a partition."""
        partition: cython.pointer(Partition) = partition_at(self, number)
        axis: cython.int = partition.axis
        owner: cython.int = partition.node
        buckets: list = []
        node: cython.int = partition.top
        while node >= 0:
            buckets.append(node)
            node = node_at(self, node).next
        return ToldPartition(
            number,
            self.axes.graph.names[attribute_of(axis)],
            lane_of(axis),
            axis,
            owner,
            tuple(buckets),
            partition.score,
        )

    def _partitions(self, node: cython.int):
        """Return the partitions of a node, in the order in which they came."""
        found: list = []
        partition: cython.int = node_at(self, node).partition
        while partition >= 0:
            found.append(partition)
            partition = partition_at(self, partition).next
        return tuple(reversed(found))

    def _records(self, node: cython.int):
        """Return the records of a leaf."""
        at: cython.longlong = node_at(self, node).start
        end: cython.longlong = at + node_at(self, node).used
        found: list = []
        while at < end:
            bloom = cython.cast(cython.uint, self.arena[at + 1])
            unit = self.arena[at]
            at += self.read(at)
            literals = np.asarray(self.literals)[: self.read_count].tolist()
            tested = self.read_count - self.read_known
            found.append(ToldRecord(unit, bloom, tuple(literals[:tested]), tuple(literals[tested:])))
        return found

    # Nodes and partitions. A pointer holds until the next one is added.

    def new_node(self, low, high, owner):
        """Return a new node with an empty leaf, the bucket of a partition between two ends."""
        number: cython.int = self.free_node
        if number >= 0:
            self.free_node = node_at(self, number).next
            self.free_nodes -= 1
        else:
            number = self.more_nodes(1)
        return self.begin_node(number, low, high, owner, -1)

    def new_pair(self, node, middle):
        """Return the lower one of the halves of a bucket that is cut; the upper one is the next node."""
        number: cython.int = self.free_pair
        low: cython.longlong = node_at(self, node).low
        high: cython.longlong = node_at(self, node).high
        owner: cython.int = node_at(self, node).owner
        if number >= 0:
            self.free_pair = node_at(self, number).next
            self.free_nodes -= 2
        else:
            number = self.more_nodes(2)
        self.begin_node(number + 1, middle + 1, high, owner, node)
        return self.begin_node(number, low, middle, owner, node)

    def more_nodes(self, count):
        number: cython.int = self.node_count
        needed: cython.Py_ssize_t = (cython.cast(cython.Py_ssize_t, number) + count) * NODE_WORDS
        if needed > self.node_words.shape[0]:
            self.node_words = grown(self.node_words, needed)
        self.node_count = number + count
        return number

    def begin_node(self, number, low, high, owner, up):
        node: cython.pointer(Node) = node_at(self, number)
        node.start, node.used, node.room, node.records, node.capacity = 0, 0, 0, 0, self.capacity
        node.low, node.high, node.left, node.next = low, high, -1, -1
        node.partition, node.partitions, node.owner, node.up = -1, 0, owner, up
        return number

    def new_partition(self, node, axis, low, high):
        """Return a new partition of a node; that of a line has a top bucket between two ends."""
        number: cython.int = self.free_partition
        needed: cython.Py_ssize_t = (cython.cast(cython.Py_ssize_t, self.partition_count) + 1) * PARTITION_WORDS
        partition: cython.pointer(Partition)
        top: cython.int = -1
        if number < 0:
            number = self.partition_count
            if needed > self.partition_words.shape[0]:
                self.partition_words = grown(self.partition_words, needed)
        self.know_axis(axis)
        if lane_of(axis) != LANE_VALUE:
            top = self.new_node(low, high, number)
        self.partition_of.add(node, axis, number)
        if number == self.partition_count:
            self.partition_count = number + 1
        else:
            self.free_partition = partition_at(self, number).next
            self.free_partitions -= 1
        partition = partition_at(self, number)
        partition.axis, partition.node, partition.top, partition.buckets = axis, node, top, 0
        partition.records, partition.score = 0, 0.0
        partition.next = node_at(self, node).partition
        fence()
        node_at(self, node).partition = number
        node_at(self, node).partitions += 1
        return number

    def know_axis(self, axis):
        """Note that some partition has an axis."""
        if axis >= self.is_parted.shape[0]:
            self.is_parted = grown(self.is_parted, axis + 1, 0)
        self.is_parted[axis] = True
        self.parted_axes = max(self.parted_axes, axis + 1)
        return 0

    def forget_node(self, node):
        """Leave a node and its room to others; of two halves, the lower one stands for both."""
        here: cython.pointer(Node) = node_at(self, node)
        is_lower: cython.bint = here.up >= 0 and node_at(self, here.up).left == node
        self.release(here.start, here.room)
        self.free_nodes += 1
        here.used, here.room, here.records, here.owner = 0, 0, 0, NOBODY
        here.left, here.partition, here.partitions = -1, -1, 0
        if is_lower:
            here.next, self.free_pair = self.free_pair, node
        elif here.up < 0:
            here.next, self.free_node = self.free_node, node
        return 0

    def forget_partition(self, partition):
        """Leave a partition to others, and forget which buckets it has."""
        here: cython.pointer(Partition) = partition_at(self, partition)
        node: cython.int = here.top
        self.partition_of.remove(here.node, here.axis)
        while lane_of(here.axis) == LANE_VALUE and node >= 0:
            self.bucket_of.remove(partition, cython.cast(cython.int, node_at(self, node).low))
            node = node_at(self, node).next
        here.node = NOBODY
        here.next, self.free_partition = self.free_partition, partition
        self.free_partitions += 1
        return 0

    def parted(self, node):
        """Mark the attributes that were used on the path to a node; return how many."""
        count: cython.int = 0
        owner: cython.int
        self.stamp += 1
        while node > 0:
            owner = node_at(self, node).owner
            self.used_at[attribute_of(partition_at(self, owner).axis)] = self.stamp
            node = partition_at(self, owner).node
            count += 1
        return count

    # Leaves

    def know_unit(self, unit):
        """Have room to say where a unit is."""
        if unit >= self.node_of.shape[0]:
            self.node_of = grown(self.node_of, unit + 1, -1)
        self.unit_count = max(self.unit_count, unit + 1)
        return 0

    def record_of(self, unit):
        """Return where in its leaf the record of a unit is."""
        node: cython.int = self.node_of[unit]
        start: cython.longlong = node_at(self, node).start
        at: cython.longlong = start
        while self.arena[at] != unit:
            at += HEAD_WORDS + (self.arena[at + 2] >> KNOWN_BITS) + (self.arena[at + 2] & _KNOWN)
        return at - start

    def read(self, at):
        """Read the literals of a record into ``literals``; return how many words it has."""
        words: cython.int = self.arena[at + 2] >> KNOWN_BITS
        known: cython.int = self.arena[at + 2] & _KNOWN
        position: cython.longlong = at + HEAD_WORDS
        last: cython.longlong = position + words
        count: cython.int = 0
        if words // 2 + known > self.literals.shape[0]:
            self.literals = grown(self.literals, words // 2 + known)
        while position < last:
            self.literals[count] = self.arena[position + 1]
            count += 1
            position += test_size(cython.address(self.arena[position]))
        self.read_count, self.read_known = count + known, known
        for position in range(last, last + known):
            self.literals[count] = self.arena[position]
            count += 1
        return HEAD_WORDS + words + known

    def size_of(self, literals, count, known):
        """Return how many words a record of these literals has."""
        size: cython.longlong = HEAD_WORDS + known
        position: cython.int
        for position in range(count - known):
            size += self.axes.test[literals[position] + 1] - self.axes.test[literals[position]]
        return size

    def append(self, node, unit, literals, count, known):
        """Put a record at the end of a leaf."""
        size: cython.longlong = self.size_of(literals, count, known)
        position: cython.int
        literal: cython.int
        words: cython.int
        bloom: cython.uint = 0
        record: cython.pointer(cython.int)
        to: cython.pointer(cython.int)
        here: cython.pointer(Node) = node_at(self, node)
        if here.used + size > here.room:
            self.make_room(node, here.used + size)
            here = node_at(self, node)
        record = cython.address(self.arena[here.start + here.used])
        to = record + HEAD_WORDS
        for position in range(count - known):
            literal = literals[position]
            if self.axes.axis[literal] >= 0:
                bloom |= self.axes.bit_of[attribute_of(self.axes.axis[literal])]
            words = self.axes.test[literal + 1] - self.axes.test[literal]
            memcpy(to, cython.address(self.axes.words[self.axes.test[literal]]), words * cython.sizeof(cython.int))
            to += words
        for position in range(count - known, count):
            to[0] = literals[position]
            to += 1
        record[0] = unit
        record[1] = cython.cast(cython.int, bloom)
        record[2] = cython.cast(cython.int, size - HEAD_WORDS - known) << KNOWN_BITS | known
        fence()
        here.used = cython.cast(cython.int, here.used + size)
        here.records += 1
        self.node_of[unit] = node
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
            here = node_at(self, node)
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

    def reserve_marks(self, node):
        """Have room to mark all records of a leaf: between moving one and marking it nothing may fail."""
        if node_at(self, node).records > self.emptied.shape[0]:
            self.emptied = grown(self.emptied, node_at(self, node).records)
        self.emptied_count = 0
        return 0

    def mark(self, at):
        """Note that the record at a place of its leaf has moved."""
        self.emptied[self.emptied_count] = cython.cast(cython.int, at)
        self.emptied_count += 1
        return 0

    def close_up(self, node):
        """Take the records that have moved out of a leaf: nothing can fail from here on."""
        here: cython.pointer(Node) = node_at(self, node)
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

    # Changes

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


@cython.cfunc
@cython.exceptval(check=False)
def _class_of(size: cython.int) -> cython.int:
    number: cython.int = 0
    while (1 << number) < size:
        number += 1
    return number

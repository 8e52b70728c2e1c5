"""The tree as a writer makes it: insertion, space partitioning and space clustering (Algorithms 3 to 6 of the paper).

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
for. A record is in the smallest bucket that encloses it; it moves down when a leaf outgrows its capacity, and is
never in two leaves. A line's top bucket spans what the records have that it is made for; ends beyond that count as
its own ends, for records and events alike, so that nothing is lost by it. When one record in eight came since with
such ends, the line is made longer and cut anew. Buckets are cut in halves: numbers by their mean 32 times, and then
as all others by their keys of 64 bits, so that no line is more than a hundred buckets deep.

Searches run beside a writer, who holds the GIL. ``changes`` is odd while records move or rooms change hands, and
another number afterwards: a search that finds it changed begins its row again. What is only added (a record behind
the others, for which there is room) changes nothing for a search, which passes over units that it must not see.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import fence
from cython.cimports.hedgerow.index.betree.axes_cy import AXES, LANE_LINE, LANE_PRESENT, LANE_VALUE, Axes, test_size
from cython.cimports.hedgerow.index.betree.edges_cy import Edges
from cython.cimports.hedgerow.predicate.keys import number_key
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.index.betree.told import ToldBucket, ToldNode, ToldPartition, ToldRecord
from hedgerow.sections import nested, numbers, part, scalars, section

_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_LONGEST = cython.declare(cython.longlong, (1 << 25) - 1)  # words of a record
_LARGEST_LEAF = cython.declare(cython.longlong, (1 << 31) - 1)  # words
_LEAST_ROOM = cython.declare(cython.int, 16)
_CLASSES = cython.declare(cython.int, 32)
_NUMBERS = cython.declare(cython.int, LANE_LINE + 1)
_BY_MEAN = cython.declare(cython.int, 32)  # times that a line of numbers is cut by the mean
_ENOUGH_ROWS = cython.declare(cython.double, 16.0)
_FEWEST_STEPS = cython.declare(cython.longlong, 1000)
_MOST_BEYOND = cython.declare(cython.int, 8)  # a line may be too short for one record in so many
_LARGEST = cython.declare(cython.double, 1.7e308)
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
        self.node_of = filled(16, -1, np.int32)
        self.free_node = self.free_pair = self.free_partition = -1
        self._begin()
        self.new_node(_LOWEST, _HIGHEST, -1)

    def _begin(self):
        """Make the scratch arrays."""
        self.literals = np.empty(64, np.int32)
        self.used_at = filled(16, 0, np.int64)
        self.count_of = filled(16, 0, np.int32)
        self.seen_at = filled(16, 0, np.int64)
        self.counted = np.empty(64, np.int32)
        self.waiting = np.empty(64, np.int32)
        self.emptied = np.empty(64, np.int32)
        self.looked, self.wasted = filled(16, 0.0, np.float64), filled(16, 0.0, np.float64)
        self.below, self.parting = np.empty(64, np.int32), np.empty(64, np.int32)

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
            bloom = cython.cast(cython.uint, self.arena[at + 1])
            unit = self.arena[at]
            at += self.read(at)
            literals = np.asarray(self.literals)[: self.read_count].tolist()
            tested = self.read_count - self.read_known
            found.append(ToldRecord(unit, bloom, tuple(literals[:tested]), tuple(literals[tested:])))
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

    def new_node(self, low, high, owner):
        """Return a new node with an empty leaf, the bucket of a partition between two ends."""
        number: cython.int = self.free_node
        if number >= 0:
            self.free_node = self.node_at(number).next
            self.free_nodes -= 1
        else:
            number = self.more_nodes(1)
        return self.begin_node(number, low, high, owner, -1)

    def new_pair(self, node, middle):
        """Return the lower one of the halves of a bucket that is cut; the upper one is the next node."""
        number: cython.int = self.free_pair
        low: cython.longlong = self.node_at(node).low
        high: cython.longlong = self.node_at(node).high
        owner: cython.int = self.node_at(node).owner
        if number >= 0:
            self.free_pair = self.node_at(number).next
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
        node: cython.pointer(Node) = self.node_at(number)
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
            self.free_partition = self.partition_at(number).next
            self.free_partitions -= 1
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
        if self.size_of(literals, count, 0) > _LONGEST:
            raise LimitError(f"a conjunction whose tests have more than {_LONGEST:,} words: it has too many literals")
        self.know_unit(unit)
        if self.node_of[unit] >= 0:
            return 0
        self.prepare()
        if count > self.literals.shape[0]:
            self.literals = grown(self.literals, count)
        if count:
            memcpy(cython.address(self.literals[0]), literals, count * cython.sizeof(cython.int))
        own = cython.address(self.literals[0])
        self.stamp += 1
        self.outgrown = -1
        node = self.descend(0, own, count)
        known = self.known_of(node, own, count, 0, True)
        self.append(node, unit, own, count, known)
        self.steps += 1
        if self.outgrown >= 0 or self.node_at(node).records > self.node_at(node).capacity:
            self.open()
            try:
                if self.outgrown >= 0:
                    self.lengthen(self.outgrown)
                else:
                    self.wait(node)
                self.settle()
            finally:
                self.waiting_count = 0
                self.close()
        return 0

    def know_unit(self, unit):
        """Have room to say where a unit is."""
        if unit >= self.node_of.shape[0]:
            self.node_of = grown(self.node_of, unit + 1, -1)
        self.unit_count = max(self.unit_count, unit + 1)
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
            self.note_beyond(partition, literal)
            return self.smallest_bucket(self.partition_at(partition).top, literal)
        key = self.axes.key[literal]
        node = self.bucket_of.find(partition, key)
        if node < 0:
            self.open()
            try:
                node = self.new_node(key, key, partition)
                self.bucket_of.add(partition, key, node)
                self.node_at(node).next = self.partition_at(partition).top
                self.partition_at(partition).top = node
                self.partition_at(partition).buckets += 1
            finally:
                self.close()
        return node

    def note_beyond(self, partition, literal):
        """Count an end that is beyond a line. If too many are, the line is too short by now."""
        here: cython.pointer(Partition) = self.partition_at(partition)
        top: cython.pointer(Node) = self.node_at(here.top)
        low: cython.longlong = self.axes.low[literal]
        high: cython.longlong = self.axes.high[literal]
        if (low == _LOWEST or top.low <= low <= top.high) and (high == _HIGHEST or top.low <= high <= top.high):
            return 0
        if lane_of(here.axis) == LANE_PRESENT:
            return 0
        here.buckets += 1
        if self.outgrown < 0 and here.buckets > self.capacity and here.buckets > here.records // _MOST_BEYOND:
            self.outgrown = partition
        return 0

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
                if self.axes.axis[literal] == axis and self.axes.is_known(literal):
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
        here: cython.pointer(Node) = self.node_at(node)
        if here.used + size > here.room:
            self.make_room(node, here.used + size)
            here = self.node_at(node)
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
        """Cut a bucket in halves; one that is cut already or where no cut tells records apart is partitioned.

        That is Algorithm 6, where it is a bucket of one value that cannot be cut: here values have no gaps.
        """
        if self.node_at(node).left < 0 and self.differ(node):
            if self.node_at(node).partitions:
                self.gather(node)
            self.split(node)
        self.partition(node)
        return 0

    def differ(self, node):
        """Return whether not all records of a bucket lie between the same ends, as far as the line reaches."""
        at: cython.longlong = self.node_at(node).start
        end: cython.longlong = at + self.node_at(node).used
        top: cython.int = node
        axis: cython.int = self.partition_at(self.node_at(node).owner).axis
        literal: cython.int
        least: cython.longlong
        most: cython.longlong
        low: cython.longlong = 0
        high: cython.longlong = 0
        is_first: cython.bint = True
        if self.node_at(node).low >= self.node_at(node).high:
            return False
        while self.node_at(top).up >= 0:
            top = self.node_at(top).up
        while at < end:
            at += self.read(at)
            literal = self.literal_on(cython.address(self.literals[0]), self.read_count, axis)
            least = min(max(self.axes.low[literal], self.node_at(top).low), self.node_at(top).high)
            most = min(max(self.axes.high[literal], self.node_at(top).low), self.node_at(top).high)
            if not is_first and (least != low or most != high):
                return True
            low, high, is_first = least, most, False
        return False

    def split(self, node):
        """Make the halves of a bucket, and let the records go down that they enclose."""
        owner: cython.int = self.node_at(node).owner
        axis: cython.int = self.partition_at(owner).axis
        low: cython.longlong = self.node_at(node).low
        high: cython.longlong = self.node_at(node).high
        by_number: cython.bint = lane_of(axis) == _NUMBERS and self.halved(node) < _BY_MEAN
        middle: cython.longlong = _middle(low, high, by_number)
        left: cython.int = self.new_pair(node, middle)
        right: cython.int = left + 1
        top: cython.int = self.partition_at(owner).top
        half: cython.int
        at: cython.longlong = 0
        literal: cython.int
        unit: cython.int
        size: cython.int
        self.node_at(node).left = left
        self.reserve_marks(node)
        try:
            while at < self.node_at(node).used:
                unit = self.arena[self.node_at(node).start + at]
                size = self.read(self.node_at(node).start + at)
                literal = self.literal_on(cython.address(self.literals[0]), self.read_count, axis)
                half = -1
                if self.encloses(left, top, literal):
                    half = left
                elif self.encloses(right, top, literal):
                    half = right
                if half >= 0:
                    self.append(half, unit, cython.address(self.literals[0]), self.read_count, self.read_known)
                    self.mark(at)
                at += size
        finally:
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
        position: cython.int
        axis: cython.int
        self.counted_count = 0
        while at < end:
            self.seen += 1
            at += self.read(at)
            for position in range(self.read_count - self.read_known):
                axis = self.axes.axis[self.literals[position]]
                if axis < 0 or self.seen_at[axis] == self.seen or self.used_at[attribute_of(axis)] == self.stamp:
                    continue
                self.seen_at[axis] = self.seen
                if self.count_of[axis] == 0:
                    if self.counted_count >= self.counted.shape[0]:
                        self.counted = grown(self.counted, self.counted_count + 1)
                    self.counted[self.counted_count] = axis
                    self.counted_count += 1
                self.count_of[axis] += 1
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
        size: cython.int
        self.span_of(node, axis, cython.address(low), cython.address(high))
        partition = self.new_partition(node, axis, low, high)
        self.reserve_marks(node)
        try:
            while at < self.node_at(node).used:
                unit = self.arena[self.node_at(node).start + at]
                size = self.read(self.node_at(node).start + at)
                count, known = self.read_count, self.read_known
                literal = self.literal_on(cython.address(self.literals[0]), count - known, axis)
                if literal >= 0:
                    bucket = self.bucket(partition, literal)
                    if self.node_at(bucket).records == self.node_at(bucket).capacity:
                        self.wait(bucket)
                    known = self.known_of(bucket, cython.address(self.literals[0]), count, known, False)
                    self.append(bucket, unit, cython.address(self.literals[0]), count, known)
                    self.mark(at)
                    self.partition_at(partition).records += 1
                    self.partition_at(partition).score += 1.0
                at += size
        finally:
            self.close_up(node)
        return 0

    def span_of(self, node, axis, low, high):
        """Set the ends of a line to the least and the greatest finite end that a record of a leaf has on it."""
        at: cython.longlong = self.node_at(node).start
        end: cython.longlong = at + self.node_at(node).used
        position: cython.int
        literal: cython.int
        least: cython.longlong = _HIGHEST
        most: cython.longlong = _LOWEST
        if lane_of(axis) == LANE_PRESENT or lane_of(axis) == LANE_VALUE:
            low[0] = high[0] = 0
            return 0
        while at < end:
            at += self.read(at)
            for position in range(self.read_count - self.read_known):
                literal = self.literals[position]
                if self.axes.axis[literal] == axis:
                    if self.axes.low[literal] != _LOWEST:
                        least = min(least, self.axes.low[literal])
                        most = max(most, self.axes.low[literal])
                    if self.axes.high[literal] != _HIGHEST:
                        least = min(least, self.axes.high[literal])
                        most = max(most, self.axes.high[literal])
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

    def reserve_marks(self, node):
        """Have room to mark all records of a leaf: between moving one and marking it nothing may fail."""
        if self.node_at(node).records > self.emptied.shape[0]:
            self.emptied = grown(self.emptied, self.node_at(node).records)
        self.emptied_count = 0
        return 0

    def mark(self, at):
        """Note that the record at a place of its leaf has moved."""
        self.emptied[self.emptied_count] = cython.cast(cython.int, at)
        self.emptied_count += 1
        return 0

    def halved(self, node):
        """Return how often the line of a bucket was cut down to it."""
        count: cython.int = 0
        while self.node_at(node).up >= 0:
            node = self.node_at(node).up
            count += 1
        return count

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

    # Self-adjustment, by what searches have told

    def tell(self, node, looked, wasted):
        """Take in what a search has seen of a leaf: how many records it looked at, and how many of them for nothing."""
        if node >= self.node_count:
            return 0
        if node >= self.looked.shape[0]:
            lookeds, wasteds = grown(self.looked, self.node_count, 0.0), grown(self.wasted, self.node_count, 0.0)
            self.looked, self.wasted = lookeds, wasteds
        self.looked[node] += looked
        self.wasted[node] += wasted
        return 0

    def is_due(self):
        """Return whether a tenth of the records has come or gone since the last review, and searches have told much."""
        return self.rows >= _ENOUGH_ROWS and 10 * self.steps > max(self.unit_count, _FEWEST_STEPS)

    def review(self):
        """Rank partitions by their records, less those that are looked at for nothing; recycle leaves that rank low."""
        node: cython.int
        above: cython.int
        owner: cython.int
        looked: cython.double = 0.0
        wasted: cython.double = 0.0
        known: cython.int = min(self.node_count, cython.cast(cython.int, self.looked.shape[0]))
        for owner in range(self.partition_count):
            self.partition_at(owner).score = self.partition_at(owner).records
        for node in range(known):
            looked += self.looked[node]
            wasted += self.wasted[node]
            above = node
            while above > 0 and self.node_at(node).owner != NOBODY:
                owner = self.node_at(above).owner
                self.partition_at(owner).score -= self.loss_of(node)
                above = self.partition_at(owner).node
        for node in range(1, known):
            if self.node_at(node).records and self.rank_of(node, wasted / max(looked, 1.0)) < 0.0:
                self.recycle(node)
        self.looked, self.wasted = filled(16, 0.0, np.float64), filled(16, 0.0, np.float64)
        self.rows, self.steps = 0.0, 0
        self.reviews += 1
        self.settle()
        return 0

    def loss_of(self, node):
        """Return how many records of a leaf an event looks at for nothing, on average."""
        return self.wasted[node] / max(self.rows, 1.0)

    def rank_of(self, node, share):
        """Return gain less loss of a leaf (Section 4.4): what its way knows of the records, and what it spares in vain.

        ``share`` of all records are looked at for nothing. The more they are, the less is it worth that a literal is
        covered by a bucket of the way, which does not say that it holds (the adaptive beta of the paper).
        """
        covered_worth: cython.double = 0.5 - share / 2.0
        gain: cython.double = 0.0
        at: cython.longlong = self.node_at(node).start
        end: cython.longlong = at + self.node_at(node).used
        depth: cython.int = self.parted(node)
        known: cython.int
        while at < end:
            known = self.arena[at + 2] & _KNOWN
            gain += (1.0 - covered_worth) * known + covered_worth * max(depth - known, 0)
            at += HEAD_WORDS + (self.arena[at + 2] >> KNOWN_BITS) + known
        return gain / 2.0 - self.loss_of(node) / 2.0

    def recycle(self, node):
        """Insert the records of a leaf anew, by the partitions as they rank now."""
        at: cython.longlong = 0
        unit: cython.int
        size: cython.int
        target: cython.int
        known: cython.int
        self.reserve_marks(node)
        try:
            while at < self.node_at(node).used:
                unit = self.arena[self.node_at(node).start + at]
                size = self.read(self.node_at(node).start + at)
                self.leave(node)
                self.stamp += 1
                target = self.descend(0, cython.address(self.literals[0]), self.read_count)
                if target != node:
                    if self.node_at(target).records == self.node_at(target).capacity:
                        self.wait(target)
                    known = self.known_of(target, cython.address(self.literals[0]), self.read_count, 0, True)
                    self.append(target, unit, cython.address(self.literals[0]), self.read_count, known)
                    self.mark(at)
                    self.recycled += 1
                at += size
        finally:
            self.close_up(node)
        return 0

    # Taking back what was cut

    def lengthen(self, partition):
        """Let a line reach as far as its records do, and as much again where they went beyond it; cut it anew."""
        low: cython.longlong = 0
        high: cython.longlong = 0
        node: cython.int = self.partition_at(partition).top
        are_numbers: cython.bint = lane_of(self.partition_at(partition).axis) == _NUMBERS
        self.gather(node)
        self.span_of(node, self.partition_at(partition).axis, cython.address(low), cython.address(high))
        if low < self.node_at(node).low:
            self.node_at(node).low = _reached(high, low, are_numbers)
        if high > self.node_at(node).high:
            self.node_at(node).high = _reached(low, high, are_numbers)
        self.partition_at(partition).buckets = 0
        return self.wait(node)

    def adjust(self):
        """Review the tree if that is due."""
        if not self.is_due():
            return
        self.prepare()
        self.open()
        try:
            self.review()
        finally:
            self.waiting_count = 0
            self.close()

    def remove(self, unit):
        """Take a unit out, and undo the cuts that were for more than what is left."""
        node: cython.int = self.node_of[unit] if unit < self.unit_count else -1
        if node < 0:
            return 0
        self.prepare()
        self.reserve_marks(node)
        self.open()
        try:
            self.mark(self.record_of(unit))
            self.close_up(node)
            self.node_of[unit] = -1
            self.steps += 1
            self.leave(node)
            self.shrink(node)
            self.settle()
        finally:
            self.waiting_count = 0
            self.close()
        return 0

    def record_of(self, unit):
        """Return where in its leaf the record of a unit is."""
        node: cython.int = self.node_of[unit]
        start: cython.longlong = self.node_at(node).start
        at: cython.longlong = start
        while self.arena[at] != unit:
            at += HEAD_WORDS + (self.arena[at + 2] >> KNOWN_BITS) + (self.arena[at + 2] & _KNOWN)
        return at - start

    def leave(self, node):
        """Count a record less in all partitions on the way to a node."""
        owner: cython.int
        while node > 0:
            owner = self.node_at(node).owner
            self.partition_at(owner).records -= 1
            self.partition_at(owner).score -= 1.0
            node = self.partition_at(owner).node
        return 0

    def shrink(self, node):
        """Merge halves that have few records, and withdraw partitions that do, from a node up to the root."""
        owner: cython.int
        node_above: cython.int
        while node > 0:
            if self.node_at(node).up >= 0:
                node = self.node_at(node).up
                if self.are_few(node):
                    self.gather(node)
                continue
            owner = self.node_at(node).owner
            node_above = self.partition_at(owner).node
            if self.partition_at(owner).records < self.least:
                self.withdraw(owner)
            node = node_above
        return 0

    def are_few(self, node):
        """Return whether a bucket that was not partitioned has too few records, with its halves, to be cut."""
        here: cython.pointer(Node) = self.node_at(node)
        left: cython.pointer(Node) = self.node_at(here.left)
        right: cython.pointer(Node) = self.node_at(here.left + 1)
        if here.partitions or left.partitions or right.partitions or left.left >= 0 or right.left >= 0:
            return False
        return 2 * (here.records + left.records + right.records) <= self.capacity

    def gather(self, node):
        """Bring all records below a node into its leaf, and let go of what is below it."""
        self.below_count, self.parting_count = 0, 0
        self.list_children(node)
        self.list_rest()
        self.bring(node)
        self.node_at(node).left = self.node_at(node).partition = -1
        self.node_at(node).partitions = 0
        self.node_at(node).capacity = self.capacity
        return 0

    def withdraw(self, partition):
        """Bring all records of a partition into the leaf of the node that it is of, and let go of it."""
        node: cython.int = self.partition_at(partition).node
        following: cython.int = self.partition_at(partition).next
        before: cython.int = self.node_at(node).partition
        self.below_count, self.parting_count = 0, 0
        self.list_partition(partition)
        self.list_rest()
        self.bring(node)
        if before == partition:
            self.node_at(node).partition = following
        else:
            while self.partition_at(before).next != partition:
                before = self.partition_at(before).next
            self.partition_at(before).next = following
        self.node_at(node).partitions -= 1
        return 0

    def bring(self, node):
        """Bring the records of the nodes that are listed into the leaf of another, and let go of what is listed."""
        position: cython.int
        words: cython.longlong = self.node_at(node).used
        for position in range(self.below_count):
            words += self.words_of(self.below[position])
        if words > self.node_at(node).room:
            self.make_room(node, words)
        # From here on nothing can fail.
        self.parted(node)
        for position in range(self.below_count):
            self.absorb(node, self.below[position])
        for position in range(self.parting_count):
            self.forget_partition(self.parting[position])
        # Those below come later in the list: halves are told by the node above them.
        for position in range(self.below_count - 1, -1, -1):
            self.forget_node(self.below[position])
        return 0

    def list_rest(self):
        """List all that is below the nodes that are listed: nodes in ``below``, partitions in ``parting``."""
        position: cython.int = 0
        while position < self.below_count:
            self.list_children(self.below[position])
            position += 1
        return 0

    def list_children(self, node):
        partition: cython.int = self.node_at(node).partition
        if self.node_at(node).left >= 0:
            self.put_below(self.node_at(node).left)
            self.put_below(self.node_at(node).left + 1)
        while partition >= 0:
            self.list_partition(partition)
            partition = self.partition_at(partition).next
        return 0

    def list_partition(self, partition):
        bucket: cython.int = self.partition_at(partition).top
        if self.parting_count >= self.parting.shape[0]:
            self.parting = grown(self.parting, self.parting_count + 1)
        self.parting[self.parting_count] = partition
        self.parting_count += 1
        while bucket >= 0:
            self.put_below(bucket)
            bucket = self.node_at(bucket).next
        return 0

    def put_below(self, node):
        if self.below_count >= self.below.shape[0]:
            self.below = grown(self.below, self.below_count + 1)
        self.below[self.below_count] = node
        self.below_count += 1
        return 0

    def words_of(self, node):
        """Return how many words the records of a leaf have where nothing of them is known."""
        at: cython.longlong = self.node_at(node).start
        end: cython.longlong = at + self.node_at(node).used
        words: cython.longlong = 0
        while at < end:
            at += self.read(at)
            words += self.size_of(cython.address(self.literals[0]), self.read_count, 0)
        return words

    def absorb(self, node, other):
        """Copy the records of a leaf behind those of another; what only the longer way knew is tested again."""
        at: cython.longlong = self.node_at(other).start
        end: cython.longlong = at + self.node_at(other).used
        tested: cython.int
        position: cython.int
        literal: cython.int
        unit: cython.int
        while at < end:
            unit = self.arena[at]
            at += self.read(at)
            tested = self.read_count - self.read_known
            for position in range(tested, self.read_count):
                literal = self.literals[position]
                if self.used_at[attribute_of(self.axes.axis[literal])] != self.stamp:
                    self.literals[position] = self.literals[tested]
                    self.literals[tested] = literal
                    tested += 1
            self.append(node, unit, cython.address(self.literals[0]), self.read_count, self.read_count - tested)
        return 0

    def forget_node(self, node):
        """Leave a node and its room to others; of two halves, the lower one stands for both."""
        here: cython.pointer(Node) = self.node_at(node)
        is_lower: cython.bint = here.up >= 0 and self.node_at(here.up).left == node
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
        here: cython.pointer(Partition) = self.partition_at(partition)
        node: cython.int = here.top
        self.partition_of.remove(here.node, here.axis)
        while lane_of(here.axis) == LANE_VALUE and node >= 0:
            self.bucket_of.remove(partition, cython.cast(cython.int, self.node_at(node).low))
            node = self.node_at(node).next
        here.node = NOBODY
        here.next, self.free_partition = self.free_partition, partition
        self.free_partitions += 1
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
def _middle(low: cython.longlong, high: cython.longlong, by_number: cython.bint) -> cython.longlong:
    """Return where a bucket is cut: at or after ``low``, and before ``high``, which is greater."""
    width: cython.ulonglong = _distance(low, high)
    mean: cython.longlong
    if by_number:
        mean = number_key(_number_of(low) / 2.0 + _number_of(high) / 2.0)
        if low <= mean < high:
            return mean
    return cython.cast(cython.longlong, (_from_lowest(low) + width // 2) ^ _SIGN)


@cython.cfunc
@cython.exceptval(check=False)
def _reached(start: cython.longlong, end: cython.longlong, are_numbers: cython.bint) -> cython.longlong:
    """Return where one comes to who goes from a start to an end and as far again."""
    number: cython.double
    if are_numbers:
        number = 2.0 * _number_of(end) - _number_of(start)
        return number_key(number) if -_LARGEST <= number <= _LARGEST else end
    if end > start:
        return end + cython.cast(cython.longlong, min(_distance(start, end), _distance(end, _HIGHEST)) // 2)
    return end - cython.cast(cython.longlong, min(_distance(end, start), _distance(_LOWEST, end)) // 2)


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

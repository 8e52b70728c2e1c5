"""The tree as a writer makes it: insertion, space partitioning and space clustering (Algorithms 3 to 6 of the paper).

A record is in the smallest bucket that encloses it; it moves down when a leaf outgrows its capacity, and is
never in two leaves. A line's top bucket spans what the records have that it is made for; ends beyond that count as
its own ends, for records and events alike, so that nothing is lost by it. When one record in eight came since with
such ends, the line is made longer and cut anew. Buckets are cut in halves: numbers by their mean 32 times, and then
as all others by their keys of 64 bits, so that no line is more than a hundred buckets deep.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.betree.axes_cy import AXES, LANE_LINE, LANE_PRESENT, LANE_VALUE, Axes
from cython.cimports.hedgerow.index.betree.gathering_cy import Gathering
from cython.cimports.hedgerow.index.betree.lines_cy import is_narrower, middle_of, reached
from cython.cimports.hedgerow.index.betree.nodes_cy import (
    KNOWN_BITS,
    MOST_PARTED,
    Node,
    Partition,
    attribute_of,
    lane_of,
    node_at,
    partition_at,
)
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import LimitError

_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_LONGEST = cython.declare(cython.longlong, (1 << 25) - 1)  # words of a record
_NUMBERS = cython.declare(cython.int, LANE_LINE + 1)
_BY_MEAN = cython.declare(cython.int, 32)  # times that a line of numbers is cut by the mean
_MOST_BEYOND = cython.declare(cython.int, 8)  # a line may be too short for one record in so many
_KNOWN = cython.declare(cython.int, (1 << KNOWN_BITS) - 1)


@cython.final
@cython.cclass
class Tree(Gathering):
    """Nodes, partitions and leaves, with the steps that change them."""

    def __init__(self, axes: Axes, capacity: cython.int, least: cython.int, ranked: cython.bint):
        Gathering.__init__(self, axes, capacity, least, ranked)
        self.count_of = filled(16, 0, np.int32)
        self.seen_at = filled(16, 0, np.int64)
        self.counted, self.waiting = np.empty(64, np.int32), np.empty(64, np.int32)

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
        if self.outgrown >= 0 or node_at(self, node).records > node_at(self, node).capacity:
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
        while node_at(self, node).partitions:
            guided = self.guide(node, literals, count)
            if guided < 0:
                return node
            partition = self.partition_of.find(node, self.axes.axis[guided])
            self.used_at[attribute_of(self.axes.axis[guided])] = self.stamp
            partition_at(self, partition).records += 1
            partition_at(self, partition).score += 1.0
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
                if is_narrower(self.axes, literal, best):
                    best = literal
                continue
            partition = self.partition_of.find(node, axis)
            if partition < 0:
                continue
            score = partition_at(self, partition).score
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
            return self.smallest_bucket(partition_at(self, partition).top, literal)
        key = self.axes.key[literal]
        node = self.bucket_of.find(partition, key)
        if node < 0:
            self.open()
            try:
                node = self.new_node(key, key, partition)
                self.bucket_of.add(partition, key, node)
                node_at(self, node).next = partition_at(self, partition).top
                partition_at(self, partition).top = node
                partition_at(self, partition).buckets += 1
            finally:
                self.close()
        return node

    def note_beyond(self, partition, literal):
        """Count an end that is beyond a line. If too many are, the line is too short by now."""
        here: cython.pointer(Partition) = partition_at(self, partition)
        top: cython.pointer(Node) = node_at(self, here.top)
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
        while node_at(self, node).left >= 0:
            if self.encloses(node_at(self, node).left, top, literal):
                node = node_at(self, node).left
            elif self.encloses(node_at(self, node).left + 1, top, literal):
                node = node_at(self, node).left + 1
            else:
                break
        return node

    def encloses(self, node, top, literal):
        """Return whether a bucket has all between the ends of a literal, as far as the top bucket reaches."""
        least: cython.longlong = node_at(self, top).low
        most: cython.longlong = node_at(self, top).high
        low: cython.longlong = min(max(self.axes.low[literal], least), most)
        high: cython.longlong = min(max(self.axes.high[literal], least), most)
        return node_at(self, node).low <= low and high <= node_at(self, node).high

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
            while node_at(self, node).up >= 0:
                node = node_at(self, node).up
            owner = node_at(self, node).owner
            axis = partition_at(self, owner).axis
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
            node = partition_at(self, owner).node if whole else 0
        return known

    def literal_on(self, literals, count, axis):
        """Return the narrowest literal on an axis, or -1."""
        position: cython.int
        best: cython.int = -1
        for position in range(count):
            if self.axes.axis[literals[position]] == axis:
                if best < 0 or is_narrower(self.axes, literals[position], best):
                    best = literals[position]
        return best

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
            if node_at(self, node).records > node_at(self, node).capacity:
                if node == 0:
                    self.partition(node)
                else:
                    self.cluster(node)
        return 0

    def cluster(self, node):
        """Cut a bucket in halves; one that is cut already or where no cut tells records apart is partitioned.

        That is Algorithm 6, where it is a bucket of one value that cannot be cut: here values have no gaps.
        """
        if node_at(self, node).left < 0 and self.differ(node):
            if node_at(self, node).partitions:
                self.gather(node)
            self.split(node)
        self.partition(node)
        return 0

    def differ(self, node):
        """Return whether not all records of a bucket lie between the same ends, as far as the line reaches."""
        at: cython.longlong = node_at(self, node).start
        end: cython.longlong = at + node_at(self, node).used
        top: cython.int = node
        axis: cython.int = partition_at(self, node_at(self, node).owner).axis
        literal: cython.int
        least: cython.longlong
        most: cython.longlong
        low: cython.longlong = 0
        high: cython.longlong = 0
        is_first: cython.bint = True
        if node_at(self, node).low >= node_at(self, node).high:
            return False
        while node_at(self, top).up >= 0:
            top = node_at(self, top).up
        while at < end:
            at += self.read(at)
            literal = self.literal_on(cython.address(self.literals[0]), self.read_count, axis)
            least = min(max(self.axes.low[literal], node_at(self, top).low), node_at(self, top).high)
            most = min(max(self.axes.high[literal], node_at(self, top).low), node_at(self, top).high)
            if not is_first and (least != low or most != high):
                return True
            low, high, is_first = least, most, False
        return False

    def split(self, node):
        """Make the halves of a bucket, and let the records go down that they enclose."""
        owner: cython.int = node_at(self, node).owner
        axis: cython.int = partition_at(self, owner).axis
        low: cython.longlong = node_at(self, node).low
        high: cython.longlong = node_at(self, node).high
        by_number: cython.bint = lane_of(axis) == _NUMBERS and self.halved(node) < _BY_MEAN
        middle: cython.longlong = middle_of(low, high, by_number)
        left: cython.int = self.new_pair(node, middle)
        right: cython.int = left + 1
        top: cython.int = partition_at(self, owner).top
        half: cython.int
        at: cython.longlong = 0
        literal: cython.int
        unit: cython.int
        size: cython.int
        node_at(self, node).left = left
        self.reserve_marks(node)
        try:
            while at < node_at(self, node).used:
                unit = self.arena[node_at(self, node).start + at]
                size = self.read(node_at(self, node).start + at)
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
        while node_at(self, node).records > node_at(self, node).capacity:
            axis = self.choose(node)
            if axis < 0:
                break
            self.part(node, axis)
        here = node_at(self, node)
        if here.records > here.capacity:
            # An extended leaf. It grows by half before it is looked at again, or adding to it would be quadratic.
            here.capacity = here.records + max(here.records // 2, self.capacity)
        else:
            here.capacity = max(1, (here.records + self.capacity - 1) // self.capacity) * self.capacity
        return 0

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
        at: cython.longlong = node_at(self, node).start
        end: cython.longlong = at + node_at(self, node).used
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
            while at < node_at(self, node).used:
                unit = self.arena[node_at(self, node).start + at]
                size = self.read(node_at(self, node).start + at)
                count, known = self.read_count, self.read_known
                literal = self.literal_on(cython.address(self.literals[0]), count - known, axis)
                if literal >= 0:
                    bucket = self.bucket(partition, literal)
                    if node_at(self, bucket).records == node_at(self, bucket).capacity:
                        self.wait(bucket)
                    known = self.known_of(bucket, cython.address(self.literals[0]), count, known, False)
                    self.append(bucket, unit, cython.address(self.literals[0]), count, known)
                    self.mark(at)
                    partition_at(self, partition).records += 1
                    partition_at(self, partition).score += 1.0
                at += size
        finally:
            self.close_up(node)
        return 0

    def span_of(self, node, axis, low, high):
        """Set the ends of a line to the least and the greatest finite end that a record of a leaf has on it."""
        at: cython.longlong = node_at(self, node).start
        end: cython.longlong = at + node_at(self, node).used
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

    def halved(self, node):
        """Return how often the line of a bucket was cut down to it."""
        count: cython.int = 0
        while node_at(self, node).up >= 0:
            node = node_at(self, node).up
            count += 1
        return count

    def lengthen(self, partition):
        """Let a line reach as far as its records do, and as much again where they went beyond it; cut it anew."""
        low: cython.longlong = 0
        high: cython.longlong = 0
        node: cython.int = partition_at(self, partition).top
        are_numbers: cython.bint = lane_of(partition_at(self, partition).axis) == _NUMBERS
        self.gather(node)
        self.span_of(node, partition_at(self, partition).axis, cython.address(low), cython.address(high))
        if low < node_at(self, node).low:
            node_at(self, node).low = reached(high, low, are_numbers)
        if high > node_at(self, node).high:
            node_at(self, node).high = reached(low, high, are_numbers)
        partition_at(self, partition).buckets = 0
        return self.wait(node)

    # Removal

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

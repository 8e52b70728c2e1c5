"""Taking back what was cut: buckets whose halves have few records are whole again, partitions of few are withdrawn.

Room for all records is made before the first one moves, so that nothing can fail in between.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.betree.axes_cy import Axes
from cython.cimports.hedgerow.index.betree.nodes_cy import (
    Node,
    Nodes,
    attribute_of,
    node_at,
    partition_at,
)

from hedgerow.arrays_cy import grown


@cython.cclass
class Gathering(Nodes):
    """Nodes of which what is below them can be brought back."""

    def __init__(self, axes: Axes, capacity: cython.int, least: cython.int, ranked: cython.bint):
        Nodes.__init__(self, axes, capacity, least, ranked)
        self.below, self.parting = np.empty(64, np.int32), np.empty(64, np.int32)

    def leave(self, node):
        """Count a record less in all partitions on the way to a node."""
        owner: cython.int
        while node > 0:
            owner = node_at(self, node).owner
            partition_at(self, owner).records -= 1
            partition_at(self, owner).score -= 1.0
            node = partition_at(self, owner).node
        return 0

    def shrink(self, node):
        """Merge halves that have few records, and withdraw partitions that do, from a node up to the root."""
        owner: cython.int
        node_above: cython.int
        while node > 0:
            if node_at(self, node).up >= 0:
                node = node_at(self, node).up
                if self.are_few(node):
                    self.gather(node)
                continue
            owner = node_at(self, node).owner
            node_above = partition_at(self, owner).node
            if partition_at(self, owner).records < self.least:
                self.withdraw(owner)
            node = node_above
        return 0

    def are_few(self, node):
        """Return whether a bucket that was not partitioned has too few records, with its halves, to be cut."""
        here: cython.pointer(Node) = node_at(self, node)
        left: cython.pointer(Node) = node_at(self, here.left)
        right: cython.pointer(Node) = node_at(self, here.left + 1)
        if here.partitions or left.partitions or right.partitions or left.left >= 0 or right.left >= 0:
            return False
        return 2 * (here.records + left.records + right.records) <= self.capacity

    def gather(self, node):
        """Bring all records below a node into its leaf, and let go of what is below it."""
        self.below_count, self.parting_count = 0, 0
        self.list_children(node)
        self.list_rest()
        self.bring(node)
        node_at(self, node).left = node_at(self, node).partition = -1
        node_at(self, node).partitions = 0
        node_at(self, node).capacity = self.capacity
        return 0

    def withdraw(self, partition):
        """Bring all records of a partition into the leaf of the node that it is of, and let go of it."""
        node: cython.int = partition_at(self, partition).node
        following: cython.int = partition_at(self, partition).next
        before: cython.int = node_at(self, node).partition
        self.below_count, self.parting_count = 0, 0
        self.list_partition(partition)
        self.list_rest()
        self.bring(node)
        if before == partition:
            node_at(self, node).partition = following
        else:
            while partition_at(self, before).next != partition:
                before = partition_at(self, before).next
            partition_at(self, before).next = following
        node_at(self, node).partitions -= 1
        return 0

    def bring(self, node):
        """Bring the records of the nodes that are listed into the leaf of another, and let go of what is listed."""
        position: cython.int
        words: cython.longlong = node_at(self, node).used
        for position in range(self.below_count):
            words += self.words_of(self.below[position])
        if words > node_at(self, node).room:
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
        partition: cython.int = node_at(self, node).partition
        if node_at(self, node).left >= 0:
            self.put_below(node_at(self, node).left)
            self.put_below(node_at(self, node).left + 1)
        while partition >= 0:
            self.list_partition(partition)
            partition = partition_at(self, partition).next
        return 0

    def list_partition(self, partition):
        bucket: cython.int = partition_at(self, partition).top
        if self.parting_count >= self.parting.shape[0]:
            self.parting = grown(self.parting, self.parting_count + 1)
        self.parting[self.parting_count] = partition
        self.parting_count += 1
        while bucket >= 0:
            self.put_below(bucket)
            bucket = node_at(self, bucket).next
        return 0

    def put_below(self, node):
        if self.below_count >= self.below.shape[0]:
            self.below = grown(self.below, self.below_count + 1)
        self.below[self.below_count] = node
        self.below_count += 1
        return 0

    def words_of(self, node):
        """Return how many words the records of a leaf have where nothing of them is known."""
        at: cython.longlong = node_at(self, node).start
        end: cython.longlong = at + node_at(self, node).used
        words: cython.longlong = 0
        while at < end:
            at += self.read(at)
            words += self.size_of(cython.address(self.literals[0]), self.read_count, 0)
        return words

    def absorb(self, node, other):
        """Copy the records of a leaf behind those of another; what only the longer way knew is tested again."""
        at: cython.longlong = node_at(self, other).start
        end: cython.longlong = at + node_at(self, other).used
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

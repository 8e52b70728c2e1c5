"""How a tree adjusts itself, by what searches have told of its leaves (Section 4 of the paper).

When a tenth of the records has come or gone, partitions are ranked anew, and the records of leaves that are looked at
for nothing too often are inserted once more.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.betree.nodes_cy import (
    HEAD_WORDS,
    KNOWN_BITS,
    NOBODY,
    node_at,
    partition_at,
)
from cython.cimports.hedgerow.index.betree.tree_cy import Tree

from hedgerow.arrays_cy import filled, grown

_ENOUGH_ROWS = cython.declare(cython.double, 16.0)
_FEWEST_STEPS = cython.declare(cython.longlong, 1000)
_KNOWN = cython.declare(cython.int, (1 << KNOWN_BITS) - 1)


@cython.final
@cython.cclass
class Adjuster:
    """Knows, of every node, how many records were looked at, and how many of them for nothing."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.forget()

    def forget(self):
        """Begin to listen anew."""
        self.looked, self.wasted = filled(16, 0.0, np.float64), filled(16, 0.0, np.float64)
        self.rows, self.tree.steps = 0.0, 0
        return 0

    def tell(self, node, looked, wasted):
        """Take in what a search has seen of a leaf: how many records it looked at, and how many of them for nothing."""
        tree: Tree = self.tree
        if node >= tree.node_count:
            return 0
        if node >= self.looked.shape[0]:
            lookeds, wasteds = grown(self.looked, tree.node_count, 0.0), grown(self.wasted, tree.node_count, 0.0)
            self.looked, self.wasted = lookeds, wasteds
        self.looked[node] += looked
        self.wasted[node] += wasted
        return 0

    def adjust(self):
        """Review the tree if that is due."""
        tree: Tree = self.tree
        if not self.is_due():
            return 0
        tree.prepare()
        tree.open()
        try:
            self.review()
        finally:
            tree.waiting_count = 0
            tree.close()
        return 0

    def is_due(self):
        """Return whether a tenth of the records has come or gone since the last review, and searches have told much."""
        tree: Tree = self.tree
        return self.rows >= _ENOUGH_ROWS and 10 * tree.steps > max(tree.unit_count, _FEWEST_STEPS)

    def review(self):
        """Rank partitions by their records, less those that are looked at for nothing; recycle leaves that rank low."""
        tree: Tree = self.tree
        node: cython.int
        above: cython.int
        owner: cython.int
        looked: cython.double = 0.0
        wasted: cython.double = 0.0
        known: cython.int = min(tree.node_count, cython.cast(cython.int, self.looked.shape[0]))
        for owner in range(tree.partition_count):
            partition_at(tree, owner).score = partition_at(tree, owner).records
        for node in range(known):
            looked += self.looked[node]
            wasted += self.wasted[node]
            above = node
            while above > 0 and node_at(tree, node).owner != NOBODY:
                owner = node_at(tree, above).owner
                partition_at(tree, owner).score -= self.loss_of(node)
                above = partition_at(tree, owner).node
        for node in range(1, known):
            if node_at(tree, node).records and self.rank_of(node, wasted / max(looked, 1.0)) < 0.0:
                self.recycle(node)
        self.forget()
        self.reviews += 1
        tree.settle()
        return 0

    def loss_of(self, node):
        """Return how many records of a leaf an event looks at for nothing, on average."""
        return self.wasted[node] / max(self.rows, 1.0)

    def rank_of(self, node, share):
        """Return gain less loss of a leaf (Section 4.4): what its way knows of the records, and what it spares in vain.

        ``share`` of all records are looked at for nothing.
        """
        tree: Tree = self.tree
        worth: cython.double = covered_worth(share)
        gain: cython.double = 0.0
        at: cython.longlong = node_at(tree, node).start
        end: cython.longlong = at + node_at(tree, node).used
        depth: cython.int = tree.parted(node)
        known: cython.int
        while at < end:
            known = tree.arena[at + 2] & _KNOWN
            gain += (1.0 - worth) * known + worth * max(depth - known, 0)
            at += HEAD_WORDS + (tree.arena[at + 2] >> KNOWN_BITS) + known
        return gain / 2.0 - self.loss_of(node) / 2.0

    def recycle(self, node):
        """Insert the records of a leaf anew, by the partitions as they rank now."""
        tree: Tree = self.tree
        at: cython.longlong = 0
        unit: cython.int
        size: cython.int
        target: cython.int
        known: cython.int
        tree.reserve_marks(node)
        try:
            while at < node_at(tree, node).used:
                unit = tree.arena[node_at(tree, node).start + at]
                size = tree.read(node_at(tree, node).start + at)
                tree.leave(node)
                tree.stamp += 1
                target = tree.descend(0, cython.address(tree.literals[0]), tree.read_count)
                if target != node:
                    if node_at(tree, target).records == node_at(tree, target).capacity:
                        tree.wait(target)
                    known = tree.known_of(target, cython.address(tree.literals[0]), tree.read_count, 0, True)
                    tree.append(target, unit, cython.address(tree.literals[0]), tree.read_count, known)
                    tree.mark(at)
                    self.recycled += 1
                at += size
        finally:
            tree.close_up(node)
        return 0


def covered_worth(share):
    """Return what it is worth that a literal is covered by a bucket of its way: the adaptive beta of the paper.

    ``share`` is how much of all records is looked at for nothing. The more, the less: what is covered need not hold.
    """
    return 0.5 - share / 2.0

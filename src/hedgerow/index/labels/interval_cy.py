"""Intervals: each leaf is a piece of a line, and a tree is true if pieces of leaves that hold lead from end to end.

::

    (A AND B) OR C OR (D AND E AND F)            1   2   3   4   5   6
                                            A    ├─┤
    a tree has a line as long as its        B        ├───────────────┤
    leaves; the operands of an OR have      C    ├───────────────────┤
    the piece that the OR has, those of     D    ├───────────┤
    an AND cut theirs up                    E                    ├─┤
                                            F                        ├─┤

A search goes through the pieces that hold by where they begin, and notes where one ends if something ended right before
it: ``A`` ends at 1, ``B`` goes on from there to 6, the end. ``B`` and ``D`` cover the line too, but not one behind the
other: nothing ends at 1. That no other pieces fit together than those of one AND is due to where an AND is cut: an
operand that is not the first begins behind as many numbers as there are leaves before it in the whole tree, which is
true of no operand of another AND.

A label is two numbers of 16 bits in one word; two words where the tree has more leaves than that.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.labels.labelled_cy import LabelEngine, LabelSearcher
from cython.cimports.hedgerow.index.labels.tree_cy import Tree
from cython.cimports.hedgerow.language.graph_cy import NODE_LITERAL, NODE_OR
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown

_NARROW = cython.declare(cython.int, 0xFFFF)  # leaves of a tree whose labels are one word
_FEW = cython.declare(cython.int, 63)  # leaves of a tree whose line is the bits of one number
_ONE = cython.declare(cython.ulonglong, 1)


@cython.final
@cython.cclass
class IntervalEngine(LabelEngine):
    """Labels leaves with where their piece begins and ends."""

    begins: cython.int[::1]  # by node of the tree at hand
    ends: cython.int[::1]
    rank: cython.int[::1]  # by number, how many leaves begin before it

    def __init__(self, missing: str, options=None):
        LabelEngine.__init__(self, missing, options)
        self.begins, self.ends, self.rank = np.empty(16, np.int32), np.empty(16, np.int32), np.empty(16, np.int32)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def word_count(self) -> cython.longlong:
        """Return how many words the labels have, with room for the pieces of all nodes."""
        tree: Tree = self.tree
        if tree.count > self.begins.shape[0]:
            self.begins = grown(self.begins, tree.count)
        if tree.count > self.ends.shape[0]:
            self.ends = grown(self.ends, tree.count)
        if tree.leaf_count + 2 > self.rank.shape[0]:
            self.rank = grown(self.rank, tree.leaf_count + 2)
        return tree.leaf_count if tree.leaf_count <= _NARROW else 2 * tree.leaf_count

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_labels(self, base: cython.int) -> cython.int:
        """Write the labels in the order in which their pieces begin."""
        tree: Tree = self.tree
        place: cython.int
        at: cython.int
        wide: cython.bint = tree.leaf_count > _NARROW
        self.cut(tree)
        self.rank_leaves(tree)
        for place in range(tree.count):
            if tree.kind[place] == NODE_LITERAL:
                at = base + (self.rank[self.begins[place]] << wide)
                self.rank[self.begins[place]] += 1
                self.place[place] = at
                if wide:
                    self.words[at] = self.begins[place]
                    self.words[at + 1] = self.ends[place]
                else:
                    self.words[at] = cython.cast(cython.uint, self.begins[place]) << 16 | self.ends[place]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def cut(self, tree: Tree) -> cython.int:
        """Give each node its piece, parents first."""
        place: cython.int
        parent: cython.int
        self.begins[0] = 1
        self.ends[0] = tree.leaf_count
        for place in range(1, tree.count):
            parent = tree.parent[place]
            self.begins[place] = self.begins[parent]
            self.ends[place] = self.ends[parent]
            if tree.kind[parent] != NODE_OR:
                if tree.ordinal[place] > 1:
                    self.begins[place] = tree.left[place] + 1
                if not tree.last[place]:
                    self.ends[place] = tree.left[place] + tree.leaves[place]
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def rank_leaves(self, tree: Tree) -> cython.int:
        """Count for each number the leaves that begin before it."""
        place: cython.int
        number: cython.int
        for number in range(tree.leaf_count + 2):
            self.rank[number] = 0
        for place in range(tree.count):
            if tree.kind[place] == NODE_LITERAL:
                self.rank[self.begins[place] + 1] += 1
        for number in range(1, tree.leaf_count + 2):
            self.rank[number] += self.rank[number - 1]
        return 0

    @cython.cfunc
    def label(self, unit: cython.int, place: cython.int) -> str:
        """Return where a piece begins and ends."""
        if self.start[unit + 1] - self.start[unit] > _NARROW:
            return f"<{self.words[place]},{self.words[place + 1]}>"
        return f"<{self.words[place] >> 16},{self.words[place] & _NARROW}>"

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)


@cython.final
@cython.cclass
class _Search(LabelSearcher):
    """One search; nothing is reached between two units."""

    reached: cython.uchar[::1]  # by number, whether pieces lead from the beginning to it

    def __init__(self, engine: IntervalEngine, outcomes: Outcomes):
        LabelSearcher.__init__(self, engine, outcomes)
        self.reached = filled(self.most_leaves + 1, False, np.uint8)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_true(self, unit: cython.int, count: cython.int) -> cython.bint:
        """Go through the pieces that hold, by where they begin."""
        length: cython.int = self.start[unit + 1] - self.start[unit]
        position: cython.int
        word: cython.uint
        reached: cython.ulonglong = _ONE
        self.visits = self.visits + count
        if length > _FEW:
            return self.is_long_true(length, count)
        for position in range(count):
            word = self.words[self.marked[position]]
            if (reached >> ((word >> 16) - 1)) & 1:
                reached |= _ONE << (word & 0xFFFF)
        return (reached >> length) & 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_long_true(self, length: cython.int, count: cython.int) -> cython.bint:
        """Do the same with bytes, and clean them."""
        wide: cython.bint = length > _NARROW
        leaves: cython.int = length >> wide
        position: cython.int
        found: cython.bint
        self.reached[0] = True
        for position in range(count):
            if self.reached[self.begin_at(self.marked[position], wide) - 1]:
                self.reached[self.end_at(self.marked[position], wide)] = True
        found = self.reached[leaves]
        for position in range(count):
            self.reached[self.end_at(self.marked[position], wide)] = False
        self.reached[0] = False
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def begin_at(self, place: cython.int, wide: cython.bint) -> cython.uint:
        return self.words[place] if wide else self.words[place] >> 16

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_at(self, place: cython.int, wide: cython.bint) -> cython.uint:
        return self.words[place + 1] if wide else self.words[place] & 0xFFFF

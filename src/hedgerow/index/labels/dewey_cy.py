"""Dewey labels: each leaf has the way down to it, and a search rebuilds of a tree what lies above leaves that hold.

::

    (A AND B) OR C OR (D AND E AND F)       AND 1* ── OR ┬ 1 ── AND ┬ 1   A   1*.1.1
                                                         │          └ 2*  B   1*.1.2*
    branches are numbered from 1; the last               ├ 2              C   1*.2
    operand of an AND has a mark, *                      └ 3 ── AND ┬ 1   D   1*.3.1
                                                                    ├ 2   E   1*.3.2
                                                                    └ 3*  F   1*.3.3*

On the first level is always an AND, of one operand if need be, so AND and OR take turns and are not written down. A
search goes through the labels that hold in order. Where a label leaves the way of the one before, the nodes below are
ended from the deepest on: an OR is true if an operand of it was, an AND if all that it met were, none was passed over
and the last one had the mark. Then the label's own nodes begin. So it costs the branches of all labels that hold; no
call is deeper than another, however deep the tree.

All branches of one tree have the same number of bits, as its widest node needs, and one for the mark. A word has as
many of them as go into 31 bits, the first in the lowest; its highest bit says that the label goes on in the next word::

    1*.3.2   bits of a branch: 3   word    0 ... 100 110 011
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.labels.labelled_cy import LabelEngine, LabelSearcher
from cython.cimports.hedgerow.index.labels.tree_cy import Tree
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import grown, roomy
from hedgerow.sections import section

_MORE = cython.declare(cython.uint, 1 << 31)
_BRANCHES = cython.declare(cython.uint, (1 << 31) - 1)
_BITS = cython.declare(cython.int, 31)
_ONLY = cython.declare(cython.uint, 3)  # the first operand, which is the last one too


@cython.final
@cython.cclass
class DeweyEngine(LabelEngine):
    """Labels leaves with the way down to them."""

    width: cython.uchar[::1]  # by unit, the bits of a branch
    size: cython.int[::1]  # of the tree at hand: by leaf from left to right its words, then where they begin
    way: cython.uint[::1]  # of the leaf at hand
    bits: cython.int

    def __init__(self, missing: str, options=None):
        LabelEngine.__init__(self, missing, options)
        self.has_levels = True
        self.width = np.empty(16, np.uint8)
        self.size, self.way = np.empty(16, np.int32), np.empty(16, np.uint32)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def make_room(self, unit: cython.int, words: cython.longlong) -> cython.int:
        LabelEngine.make_room(self, unit, words)
        if unit >= self.width.shape[0]:
            self.width = grown(self.width, unit + 1, 0)
        self.width[unit] = self.bits
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def word_count(self) -> cython.longlong:
        """Return how many words the labels have, and write down those of each leaf."""
        tree: Tree = self.tree
        place: cython.int
        widest: cython.int = 1
        in_a_word: cython.int
        length: cython.int
        words: cython.longlong = 0
        if tree.leaf_count > self.size.shape[0]:
            self.size = grown(self.size, tree.leaf_count)
        if tree.deepest + 1 > self.way.shape[0]:
            self.way = grown(self.way, tree.deepest + 1)
        for place in range(tree.count):
            widest = max(widest, tree.ordinal[place])
        self.bits = 1
        while widest:
            self.bits = self.bits + 1
            widest >>= 1
        in_a_word = _BITS // self.bits
        for place in range(tree.count):
            if tree.kind[place] == NODE_LITERAL:
                length = tree.depth[place] + (tree.kind[0] != NODE_AND)
                self.size[tree.left[place]] = (length + in_a_word - 1) // in_a_word
                words += self.size[tree.left[place]]
        return words

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_labels(self, base: cython.int) -> cython.int:
        """Write the labels of the leaves from left to right."""
        tree: Tree = self.tree
        leaf: cython.int
        place: cython.int
        words: cython.int
        for leaf in range(tree.leaf_count):
            words = self.size[leaf]
            self.size[leaf] = base
            base += words
        for place in range(tree.count):
            if tree.kind[place] == NODE_LITERAL:
                self.place[place] = self.size[tree.left[place]]
                self.write_label(self.place[place], self.find_way(tree, place))
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def find_way(self, tree: Tree, place: cython.int) -> cython.int:
        """Write the branches down to a leaf; return how many there are."""
        top: cython.bint = tree.kind[0] != NODE_AND
        length: cython.int = tree.depth[place] + top
        level: cython.int = length
        if top:
            self.way[0] = _ONLY
        while tree.parent[place] >= 0:
            level -= 1
            self.way[level] = cython.cast(cython.uint, tree.ordinal[place]) << 1
            if tree.kind[tree.parent[place]] == NODE_AND and tree.last[place]:
                self.way[level] |= 1
            place = tree.parent[place]
        return length

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_label(self, place: cython.int, length: cython.int) -> cython.int:
        """Put the branches of a label into words."""
        level: cython.int
        shift: cython.int = 0
        word: cython.uint = 0
        for level in range(length):
            if shift + self.bits > _BITS:
                self.words[place] = word | _MORE
                place += 1
                word = 0
                shift = 0
            word |= self.way[level] << shift
            shift += self.bits
        self.words[place] = word
        return 0

    @cython.cfunc
    def label(self, unit: cython.int, place: cython.int) -> str:
        """Return a label with dots."""
        word: cython.uint
        branches: list = []
        while True:
            word = self.words[place] & _BRANCHES
            while word:
                branch = word & ((1 << self.width[unit]) - 1)
                branches.append(f"{branch >> 1}{'*' if branch & 1 else ''}")
                word >>= self.width[unit]
            if not self.words[place] & _MORE:
                return ".".join(branches)
            place += 1

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)

    def structure_saved(self):
        """Return the labels, with the bits of their branches."""
        return LabelEngine.structure_saved(self) | {"width": np.asarray(self.width)[: self.started]}

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        LabelEngine.structure_restored(self, arrays)
        self.width = section(arrays, "width", np.uint8, self.started)

    def structure_bytes(self):
        """Return the bytes of literals, of the lists of leaves, and of labels."""
        parts = LabelEngine.structure_bytes(self)
        return parts | {"labels": parts["labels"] + self.started}


@cython.final
@cython.cclass
class _Search(LabelSearcher):
    """One search. Of each level it has the branch that was taken and what is known of the node that it leads from."""

    width: cython.uchar[::1]
    branch: cython.int[::1]  # from a level to the next
    met: cython.int[::1]  # the last operand that was met
    holds: cython.uchar[::1]  # whether operands of an AND hold so far; whether one of an OR did
    next_word: cython.int  # of the label at hand
    word: cython.uint

    def __init__(self, engine: DeweyEngine, outcomes: Outcomes):
        levels: cython.int = engine.deepest + 2
        LabelSearcher.__init__(self, engine, outcomes)
        self.width = engine.width
        self.branch, self.met = roomy(levels, np.int32), roomy(levels, np.int32)
        self.holds = roomy(levels, np.uint8)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_true(self, unit: cython.int, count: cython.int) -> cython.bint:
        """Go through the labels that hold: end what a label leaves, begin what it comes to."""
        bits: cython.int = self.width[unit]
        position: cython.int
        level: cython.int
        depth: cython.int = 0  # of the way that is open; the leaf at its end holds
        branch: cython.int
        self.begin_node(0)
        for position in range(count):
            self.next_word = self.marked[position]
            self.word = 0
            branch = self.next_branch(bits)
            level = 0
            # Two labels part somewhere: none is the beginning of another.
            while level < depth and branch == self.branch[level]:
                branch = self.next_branch(bits)
                level += 1
            self.end_nodes(depth, level)
            if level == 0 and not self.holds[0]:
                return False
            depth = level
            while branch:
                self.take_branch(depth, branch)
                depth += 1
                self.begin_node(depth)
                branch = self.next_branch(bits)
            self.visits = self.visits + depth
            self.outcomes.spend(depth)
        self.end_nodes(depth, 0)
        return self.holds[0] and self.branch[0] & 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def next_branch(self, bits: cython.int) -> cython.int:
        """Return the next branch of the label at hand, 0 at its end."""
        branch: cython.int
        if self.word & _BRANCHES == 0:
            if self.word == 0 and self.next_word < 0:
                return 0
            self.word = self.words[self.next_word]
            self.next_word = self.next_word + 1 if self.word & _MORE else -1
            self.word = self.word & _BRANCHES
        branch = cython.cast(cython.int, self.word & ((cython.cast(cython.uint, 1) << bits) - 1))
        self.word = self.word >> bits
        return branch

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def begin_node(self, level: cython.int) -> cython.int:
        """Begin a node of which nothing is known: AND and OR take turns."""
        self.met[level] = 0
        self.holds[level] = (level & 1) == 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def take_branch(self, level: cython.int, branch: cython.int) -> cython.int:
        """Go down to an operand; an AND that has passed one over does not hold."""
        if (level & 1) == 0 and branch >> 1 != self.met[level] + 1:
            self.holds[level] = False
        self.met[level] = branch >> 1
        self.branch[level] = branch
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def end_nodes(self, depth: cython.int, level: cython.int) -> cython.int:
        """End the nodes below a level, from the leaf on, which holds; tell each node what its operand came to."""
        holds: cython.bint = True
        while depth > level:
            depth -= 1
            if depth & 1:
                self.holds[depth] = self.holds[depth] or holds
                holds = self.holds[depth]
            else:
                self.holds[depth] = self.holds[depth] and holds
                # Where an AND goes on, this is not its last operand, and the next label tells.
                holds = self.holds[depth] and self.branch[depth] & 1
        return 0

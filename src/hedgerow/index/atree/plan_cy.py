"""The tree as a batch wants it: what counts, numbered anew in the order in which it is evaluated.

::

    rank    0 ............ literals ............ │ ...... level 2 ...... │ ... level 3 ... │ ........ tops ........ │
            by attribute: their events lie close   operands have lower ranks, and stand      nothing is made of them:
                                                   side by side in ``child``                 in the order of slots

A *top* is an AND or OR at which one expression ends, and of which nothing is made. Most expressions end at one. It is
evaluated when its slot's turn comes, and what it comes to need not be kept.

A plan belongs to one version of the tree and never changes, so any number of threads may read it. It is made in one
step: nothing here lets go of the GIL, as ``np.zeros`` and most of NumPy would, since a writer that came in between
would leave it with the ranks of one tree and the operands of another.
"""

import gc

import cython
import numpy as np
from cython.cimports.hedgerow.index.atree.plan_cy import (
    FORM_TESTED,
    SORT_NUMBER,
    SORT_TEXT,
    SORT_TIME,
    SORT_TRUTH,
)
from cython.cimports.hedgerow.index.atree.tree_cy import Tree, literal_code, place_length, place_start
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR
from cython.cimports.hedgerow.predicate.ranges_cy import number_key
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled
from hedgerow.language.operators import Accepts, Operator
from hedgerow.values import Kind

_EQ = cython.declare(cython.int, int(Operator.EQ))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_ACCEPTS_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))


@cython.cfunc
@cython.exceptval(check=False)
def _key(kind: cython.int, payload: cython.longlong) -> cython.longlong:
    """Return the key of an operand.

    An integer beyond 2**53 may be rounded: no value that is found by its key lies between it and what it becomes.
    """
    number: cython.double
    if kind == _INT:
        return number_key(cython.cast(cython.double, payload))
    if kind == _FLOAT:
        memcpy(cython.address(number), cython.address(payload), 8)
        return number_key(number)
    return payload


@cython.cfunc
@cython.exceptval(check=False)
def _sort_differs(left: cython.int, right: cython.int) -> cython.bint:
    numbers: cython.bint = (left == _INT or left == _FLOAT) and (right == _INT or right == _FLOAT)
    return left != right and not numbers


_MOST = cython.declare(cython.longlong, 1 << 62)  # occurrences from here on are not counted

# What is wanted of a node: that one expression ends here and no more, or that its value is kept for others.
_ENDS_HERE = cython.declare(cython.uchar, 1)
_KEPT = cython.declare(cython.uchar, 2)


@cython.final
@cython.cclass
class Plan:
    """The nodes of a tree in the order of their levels, and where expressions end."""

    def __init__(self, tree: Tree, root: cython.int[::1]):
        """Take what is in use, all of a moment; ``root`` is where expressions end, -1 where they never match."""
        collecting = gc.isenabled()
        # Python 3.11 may look for garbage whenever an object is made, and then run anybody's code.
        gc.disable()
        try:
            self.take(tree, root)
        finally:
            if collecting:
                gc.enable()

    def take(self, tree, root):
        """Take what is in use of a tree."""
        node_count: cython.int = tree.node_count
        slot_count: cython.int = root.shape[0]
        wanted: cython.uchar[::1] = filled(node_count, 0, np.uint8)
        levels: cython.int[::1] = self.rank_levels(tree, wanted)
        rank: cython.int[::1] = filled(node_count, -1, np.int32)
        slot: cython.int
        for slot in range(slot_count):
            if root[slot] >= 0:
                wanted[root[slot]] = _ENDS_HERE if wanted[root[slot]] == 0 else _KEPT
        self.rank_literals(tree, levels, rank)
        self.rank_nodes(tree, levels, wanted, rank)
        self.rank_tops(levels, wanted, rank, root)
        self.take_children(tree, levels, rank)
        self.slot_count = slot_count
        self.slot_rank = np.empty(slot_count, np.int32)
        for slot in range(slot_count):
            self.slot_rank[slot] = rank[root[slot]] if root[slot] >= 0 else -1
        return 0

    @property
    def nbytes(self):
        """Bytes held."""
        literals = self.code.nbytes + self.attribute.nbytes + self.form.nbytes + self.low.nbytes + self.high.nbytes
        nodes = literals + self.kind.nbytes + self.start.nbytes + self.child.nbytes
        return nodes + self.slot_rank.nbytes

    def level_counts(self):
        """Return for each level from 1 on how many nodes are in use, and how often they occur in all expressions.

        The root of an expression occurs once for it, an operand as often as all that is made of it: ranks from the
        highest down have theirs complete when they hand it on. What always holds is on no level.
        """
        often: cython.longlong[::1] = filled(self.rank_count, 0, np.int64)
        levels: cython.int[::1] = self.levels()
        first: cython.longlong = self.literal_count
        rank: cython.longlong = self.rank_count
        position: cython.longlong
        slot: cython.int
        for slot in range(self.slot_count):
            if self.slot_rank[slot] >= 0:
                often[self.slot_rank[slot]] += 1
        while rank > first:
            rank -= 1
            for position in range(self.start[rank - first], self.start[rank - first + 1]):
                often[self.child[position]] = _saturated(often[self.child[position]], often[rank])
        counts = _counted(often, levels, max(self.highest, 1))
        while counts and counts[len(counts) - 1][0] == 0:
            counts.pop()
        return counts

    def levels(self):
        """Return the level of each rank, 0 for that which always holds."""
        levels: cython.int[::1] = np.ones(self.rank_count, np.int32)
        first: cython.longlong = self.literal_count
        rank: cython.longlong
        position: cython.longlong
        levels[0] = 0
        for rank in range(first, self.rank_count):
            for position in range(self.start[rank - first], self.start[rank - first + 1]):
                levels[rank] = max(levels[rank], levels[self.child[position]] + 1)
        return levels

    def rank_levels(self, tree, wanted):
        """Return the level of every node in use, as it is organised now, 0 for others; note what others are made of."""
        levels: cython.int[::1] = filled(wanted.shape[0], 0, np.int32)
        pending = []
        node: cython.int
        for node in range(wanted.shape[0]):
            if tree.uses[node] and levels[node] == 0:
                self.level_of(tree, levels, wanted, node, pending)
                while pending:
                    if self.level_of(tree, levels, wanted, pending[len(pending) - 1], pending):
                        pending.pop()
        return levels

    def level_of(self, tree, levels, wanted, node, pending):
        """Set a node's level and return 1, or put the operands that must have theirs before on ``pending``."""
        place: cython.longlong = tree.body[node]
        position: cython.longlong
        operand: cython.int
        highest: cython.int = 0
        known: cython.int = 1
        if levels[node]:
            return 1
        if tree.kind[node] != NODE_AND and tree.kind[node] != NODE_OR:
            levels[node] = 1
            return 1
        for position in range(place_start(place), place_start(place) + place_length(place)):
            operand = tree.parts[position] >> 1
            wanted[operand] = _KEPT
            if levels[operand] > highest:
                highest = levels[operand]
            elif levels[operand] == 0:
                if known:
                    pending.append(node)
                known = 0
                pending.append(operand)
        if known:
            levels[node] = highest + 1
            self.highest = max(self.highest, highest + 1)
        return known

    def rank_literals(self, tree, levels, rank):
        """Give literals the first ranks, attribute by attribute, and that which always holds the rank before them."""
        attributes: cython.int[::1] = filled(tree.graph.names.count + 2, 0, np.int32)
        node: cython.int
        attribute: cython.int
        total: cython.int = 1
        for node in range(rank.shape[0]):
            if levels[node] == 1 and tree.kind[node] == NODE_LITERAL:
                attributes[tree.graph.predicate_attribute[literal_code(tree.body[node]) >> 2] + 1] += 1
                total += 1
        for attribute in range(attributes.shape[0] - 1):
            attributes[attribute + 1] += attributes[attribute]
        self.literal_count = total
        self.code = filled(total, 0, np.int32)
        self.attribute = filled(total, 0, np.int32)
        self.form = filled(total, 0, np.uint8)
        self.low = filled(total, 0, np.int64)
        self.high = filled(total, 0, np.int64)
        rank[0] = 0
        for node in range(rank.shape[0]):
            if levels[node] == 1 and tree.kind[node] == NODE_LITERAL:
                attribute = tree.graph.predicate_attribute[literal_code(tree.body[node]) >> 2]
                rank[node] = attributes[attribute] + 1
                self.set_literal(tree, rank[node], literal_code(tree.body[node]))
                attributes[attribute] += 1
        return 0

    def set_literal(self, tree, rank, code):
        """Write down a literal: its code, and its test where that is a plain comparison."""
        predicate: cython.int = code >> 2
        operator: cython.int = tree.graph.predicate_operator[predicate]
        position: cython.longlong = tree.graph.predicate_start[predicate]
        kind: cython.int
        self.code[rank] = code
        self.attribute[rank] = tree.graph.predicate_attribute[predicate]
        self.form[rank] = FORM_TESTED
        if operator > _BETWEEN or code & 3 > _ACCEPTS_FALSE:
            return 0
        kind = tree.table.listed_kind[position]
        if kind == _STRING and operator != _EQ:
            return 0
        self.form[rank] = (
            operator << 4
            | (code & 3) << 3
            | (
                SORT_NUMBER
                if kind == _INT or kind == _FLOAT
                else SORT_TIME
                if kind == _TIMESTAMP
                else SORT_TEXT
                if kind == _STRING
                else SORT_TRUTH
            )
        )
        self.low[rank] = _key(kind, tree.table.listed_payload[position])
        if operator == _BETWEEN:
            self.high[rank] = _key(tree.table.listed_kind[position + 1], tree.table.listed_payload[position + 1])
            if _sort_differs(kind, tree.table.listed_kind[position + 1]):
                self.form[rank] = FORM_TESTED
        return 0

    def rank_nodes(self, tree, levels, wanted, rank):
        """Give inner nodes their ranks, level by level, ANDs before ORs, but for tops."""
        following: cython.longlong[::1] = filled(2 * (self.highest + 2), 0, np.int64)
        group: cython.Py_ssize_t
        node: cython.int
        total: cython.longlong = self.literal_count
        size: cython.longlong
        for node in range(rank.shape[0]):
            if levels[node] > 1 and wanted[node] != _ENDS_HERE:
                following[2 * levels[node] + (tree.kind[node] == NODE_OR)] += 1
        self.level_ends = []
        for group in range(4, following.shape[0] - 2):
            size = following[group]
            following[group] = total
            total += size
            if group & 1:
                self.level_ends.append(total)
        self.kept_count = cython.cast(cython.int, total)
        if total > self.literal_count:
            self.rank_by_access(tree, levels, wanted, rank, following[4:6])
        for node in range(rank.shape[0]):
            if levels[node] > 2 and wanted[node] != _ENDS_HERE:
                group = 2 * levels[node] + (tree.kind[node] == NODE_OR)
                rank[node] = cython.cast(cython.int, following[group])
                following[group] += 1
        return 0

    def rank_by_access(self, tree, levels, wanted, rank, following):
        """Give the nodes of level 2 their ranks, those with the same first operand side by side.

        That is an AND's access child: where it does not hold, neither do they, and what comes next can be foreseen.
        """
        place: cython.longlong[:, ::1] = filled(2 * (self.literal_count + 1), 0, np.int64).reshape(2, -1)
        kind: cython.int
        first: cython.int
        node: cython.int
        for kind in range(2):
            place[kind, 0] = following[kind]
        for node in range(rank.shape[0]):
            if levels[node] == 2 and wanted[node] != _ENDS_HERE:
                place[tree.kind[node] == NODE_OR, rank[tree.parts[place_start(tree.body[node])] >> 1] + 1] += 1
        for kind in range(2):
            for first in range(self.literal_count):
                place[kind, first + 1] += place[kind, first]
        for node in range(rank.shape[0]):
            if levels[node] == 2 and wanted[node] != _ENDS_HERE:
                kind = tree.kind[node] == NODE_OR
                first = rank[tree.parts[place_start(tree.body[node])] >> 1]
                rank[node] = cython.cast(cython.int, place[kind, first])
                place[kind, first] += 1
        return 0

    def rank_tops(self, levels, wanted, rank, root):
        """Give tops the last ranks, in the order of slots."""
        slot: cython.Py_ssize_t
        total: cython.int = self.kept_count
        for slot in range(root.shape[0]):
            if root[slot] >= 0 and levels[root[slot]] > 1 and wanted[root[slot]] == _ENDS_HERE:
                rank[root[slot]] = total
                total += 1
        self.rank_count = total
        return 0

    def take_children(self, tree, levels, rank):
        """Write down kinds and operands in the order of ranks."""
        first: cython.int = self.literal_count
        inner: cython.int = self.rank_count - first
        node: cython.int
        place: cython.longlong
        position: cython.longlong
        at: cython.longlong
        self.kind = filled(max(inner, 1), 0, np.uint8)
        self.start = filled(inner + 1, 0, np.int64)
        for node in range(rank.shape[0]):
            if levels[node] > 1 and rank[node] >= 0:
                self.kind[rank[node] - first] = tree.kind[node]
                self.start[rank[node] - first + 1] = place_length(tree.body[node])
        for at in range(inner):
            self.start[at + 1] += self.start[at]
        self.child = np.empty(max(self.start[inner], 1), np.int32)
        for node in range(rank.shape[0]):
            if levels[node] > 1 and rank[node] >= 0:
                place = tree.body[node]
                at = self.start[rank[node] - first]
                for position in range(place_start(place), place_start(place) + place_length(place)):
                    self.child[at] = rank[tree.parts[position] >> 1]
                    at += 1
        return 0


@cython.cfunc
def _counted(often: cython.longlong[::1], levels: cython.int[::1], highest: cython.int):
    """Return for each level from 1 on how many ranks occur at all, and how often all of them together."""
    nodes: cython.longlong[::1] = filled(highest + 1, 0, np.int64)
    total: cython.longlong[::1] = filled(highest + 1, 0, np.int64)
    rank: cython.longlong
    for rank in range(often.shape[0]):
        nodes[levels[rank]] += often[rank] > 0
        total[levels[rank]] = _saturated(total[levels[rank]], often[rank])
    return list(zip(nodes[1:], total[1:], strict=True))


@cython.cfunc
@cython.exceptval(check=False)
def _saturated(left: cython.longlong, right: cython.longlong) -> cython.longlong:
    """Return a sum, or the most that is counted: parts that share parts occur exponentially often."""
    return left + right if left <= _MOST - right else _MOST

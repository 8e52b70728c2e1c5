"""The scan by relation: of every node, as true and as false, whether conjunctions of it can be what a relation wants.

::

    node      0      1     2 OR [0 1]   3 NOT [2]      both ways of each node, children first
    true      can    -     can          -              some conjunction has only tests that hold
    false     -      can   -            can
    reach     a      b     a b          ...            all that conjunctions with such tests cover, taken together
    sure      a      b     a            ...            what one of them covers

A slot relates if its node can be true, and one conjunction covers all that has to be covered. It does not if all of
them together do not; it does if the one that is looked at does. What lies in between, which takes an OR below an AND,
is worked out exactly (``coverage.py``).
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.engine_cy import BaseEngine
from cython.cimports.hedgerow.index.chassis.relating_cy import COVERS, HOLDS, Judge
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_LITERAL,
    NODE_NOT,
    NODE_OR,
    NODE_PREDICATE,
    NODE_TRUE,
    NODE_XNOR,
    NODE_XOR,
)
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import roomy
from hedgerow.index.chassis.coverage import can_cover
from hedgerow.language.asked_values import opposite
from hedgerow.language.operators import OPERATORS as _ROWS
from hedgerow.language.operators import Accepts

_OFTEN = cython.declare(cython.int, 4096)
_WORD = cython.declare(cython.int, 64)
_ACCEPTS = cython.declare(cython.int[32])
for _row in _ROWS:
    _ACCEPTS[int(_row.operator)] = int(_row.accepts)


@cython.cclass
class ScanRelating(Searcher):
    """One search by relation, for the events that it is given: rows of a batch that has nothing else."""

    missing: str
    events: object
    judge: Judge
    operator_of: cython.uchar[::1]
    kind: cython.uchar[::1]
    code: cython.int[::1]
    start: cython.longlong[::1]
    child: cython.int[::1]
    root: cython.int[::1]
    opposites: cython.int[4]
    can: cython.uchar[::1]  # by node, as true and as false
    reach: cython.ulonglong[::1]
    sure: cython.ulonglong[::1]

    def __init__(self, engine: BaseEngine, outcomes: Outcomes, questions, events):
        Searcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes)
        self.missing = engine.missing
        self.events = events
        self.judge = Judge(self.graph, questions)
        self.operator_of = self.graph.predicate_operator
        self.kind, self.code = self.graph.node_kind, self.graph.node_code
        self.start, self.child = self.graph.node_start, self.graph.child
        self.root = self.slots.root
        for accepts in Accepts:
            self.opposites[int(accepts)] = int(opposite(accepts, self.missing))
        self.can = roomy(2 * self.node_limit, np.uint8)
        self.reach, self.sure = roomy(2 * self.node_limit, np.uint64), roomy(2 * self.node_limit, np.uint64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        with cython.gil:
            self.relate(row)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def relate(self, row: cython.longlong) -> cython.int:
        """Work out both ways of every node, and hit the slots that relate."""
        node: cython.int
        slot: cython.int
        self.judge.begin(self.events[row])
        self.visits += self.node_limit
        for node in range(self.node_limit):
            if not node & (_OFTEN - 1):
                self.outcomes.spend(_OFTEN * 2)
            self.work_out(node)
        for slot in range(self.slot_limit):
            if self.is_related(self.root[slot]):
                hit(self, slot)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_related(self, root: cython.int) -> cython.bint:
        wanted: cython.ulonglong = self.judge.wanted_bits
        if not self.can[2 * root]:
            return False
        if self.judge.wanted == 0:
            return True
        if self.judge.entries <= _WORD:
            if (self.reach[2 * root] & wanted) != wanted:
                return False
            if (self.sure[2 * root] & wanted) == wanted:
                return True
        return can_cover(self.graph, root, self.missing, self.judge.told, self.judge.all_wanted())

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def work_out(self, node: cython.int) -> cython.int:
        kind: cython.int = self.kind[node]
        below: cython.int
        accepts: cython.int
        if kind == NODE_PREDICATE:
            accepts = _ACCEPTS[self.operator_of[self.code[node]]]
            self.set_leaf(2 * node, 4 * self.code[node] + accepts)
            self.set_leaf(2 * node + 1, 4 * self.code[node] + self.opposites[accepts])
        elif kind == NODE_LITERAL:
            self.set_leaf(2 * node, self.code[node])
            self.set_leaf(2 * node + 1, (self.code[node] & ~3) + self.opposites[self.code[node] & 3])
        elif kind == NODE_AND or kind == NODE_OR:
            # An OR is false as an AND is true: by all of its operands.
            self.set_operator(2 * node + (kind == NODE_OR), node, kind == NODE_OR, True)
            self.set_operator(2 * node + (kind == NODE_AND), node, kind == NODE_AND, False)
        elif kind == NODE_NOT:
            below = self.child[self.start[node]]
            self.copy(2 * node, 2 * below + 1)
            self.copy(2 * node + 1, 2 * below)
        elif kind == NODE_XOR or kind == NODE_XNOR:
            self.set_exclusive(node, kind == NODE_XNOR)
        else:
            self.set(2 * node, kind == NODE_TRUE, 0, 0)
            self.set(2 * node + 1, kind != NODE_TRUE, 0, 0)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def set(
        self, way: cython.Py_ssize_t, can: cython.bint, reach: cython.ulonglong, sure: cython.ulonglong
    ) -> cython.int:
        self.can[way] = can
        self.reach[way], self.sure[way] = reach if can else 0, sure if can else 0
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def copy(self, way: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.int:
        return self.set(way, self.can[other], self.reach[other], self.sure[other])

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def set_leaf(self, way: cython.Py_ssize_t, code: cython.int) -> cython.int:
        bits: cython.int = self.judge.bits(code)
        covered: cython.ulonglong = 0
        entry: cython.int
        if bits & COVERS:
            entry = self.judge.entry(code)
            if entry < _WORD:
                covered = cython.cast(cython.ulonglong, 1) << entry
        return self.set(way, bits & HOLDS != 0, covered, covered)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def set_operator(
        self, way: cython.Py_ssize_t, node: cython.int, negated: cython.bint, takes_all: cython.bint
    ) -> cython.int:
        """Set a way of a node that takes that way of all operands, or of one: then the one that covers most counts."""
        can: cython.bint = takes_all
        reach: cython.ulonglong = 0
        sure: cython.ulonglong = 0
        position: cython.longlong
        below: cython.Py_ssize_t
        for position in range(self.start[node], self.start[node + 1]):
            below = 2 * cython.cast(cython.Py_ssize_t, self.child[position]) + negated
            if self.can[below]:
                can = True
                reach |= self.reach[below]
                sure = sure | self.sure[below] if takes_all else _larger(sure, self.sure[below])
            elif takes_all:
                can = False
                break
        return self.set(way, can, reach, sure)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def set_exclusive(self, node: cython.int, is_xnor: cython.bint) -> cython.int:
        """Set both ways of XOR or XNOR, two operands at a time."""
        position: cython.longlong
        way: cython.int
        # Of what came so far, and of the next operand: as true and as false.
        can: cython.bint[2]
        reach: cython.ulonglong[2]
        sure: cython.ulonglong[2]
        can_be: cython.bint[2]
        reached: cython.ulonglong[2]
        surest: cython.ulonglong[2]
        first: cython.int
        second: cython.int
        below: cython.Py_ssize_t
        for position in range(self.start[node], self.start[node + 1]):
            below = 2 * cython.cast(cython.Py_ssize_t, self.child[position])
            for way in range(2):
                can_be[way], reached[way], surest[way] = False, 0, 0
                if position == self.start[node]:
                    can_be[way] = self.can[below + way]
                    reached[way], surest[way] = self.reach[below + way], self.sure[below + way]
                    continue
                for first in range(2):
                    # XOR is true where the two differ, XNOR where they agree.
                    second = first ^ (0 if is_xnor else 1) ^ way
                    if can[first] and self.can[below + second]:
                        can_be[way] = True
                        reached[way] |= reach[first] | self.reach[below + second]
                        surest[way] = _larger(surest[way], sure[first] | self.sure[below + second])
            for way in range(2):
                can[way], reach[way], sure[way] = can_be[way], reached[way], surest[way]
        for way in range(2):
            self.set(2 * cython.cast(cython.Py_ssize_t, node) + way, can[way], reach[way], sure[way])
        return 0


@cython.cfunc
@cython.exceptval(check=False)
def _larger(one: cython.ulonglong, other: cython.ulonglong) -> cython.ulonglong:
    """Return the set that has more."""
    return one if _count(one) >= _count(other) else other


@cython.cfunc
@cython.exceptval(check=False)
def _count(bits: cython.ulonglong) -> cython.int:
    count: cython.int = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count

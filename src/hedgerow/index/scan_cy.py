"""The scan: every expression is evaluated on every event. The baseline of all engines, and the simplest of them.

::

    nodes     0  1  2  3  4  5 ...        one shared graph; children come before their parents
    values    T  F  U  F  T  F ...        so one sweep over the numbers evaluates every node exactly once an event
    roots     slot 0 -> 3, slot 1 -> 5    and a slot matches where its root's value is true

Three-valued throughout: no rewriting is needed, which makes it a second opinion to engines that rewrite. Expressions
with weights also get their simplified form into the graph, since that is what scores are defined on.

A search takes the numbers of nodes and slots that count, and views of all arrays, at its start; the graph only grows,
and an array that must grow is replaced, so a search that runs without the GIL keeps what it began with.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.engine_cy import BaseEngine
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.index.chassis.slots_cy import Slots
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_LITERAL,
    NODE_NOT,
    NODE_OR,
    NODE_PREDICATE,
    NODE_TRUE,
    NODE_XNOR,
    NODE_XOR,
    Graph,
)
from cython.cimports.hedgerow.predicate.outcome_cy import (
    OUTCOME_FALSE,
    OUTCOME_TRUE,
    OUTCOME_UNDEFINED,
    Outcomes,
)

from hedgerow.arrays_cy import roomy
from hedgerow.index.chassis.coverage import unsaid
from hedgerow.index.scan_relating_cy import ScanRelating

_OFTEN = cython.declare(cython.int, 4096)  # nodes after which work is counted


@cython.final
@cython.cclass
class ScanEngine(BaseEngine):
    """Evaluates everything. All that it holds is the graph and the slots."""

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Scanning(self.graph, self.slots, outcomes, self.committed_nodes)

    def related(self, events, questions):
        """Return the slots that relate to each event (``index/relating.py``)."""
        outcomes = Outcomes(self.table, unsaid(len(events)), self.missing, None)
        searcher: Searcher = ScanRelating(self, outcomes, questions, events)
        matches = searcher.match_rows(0, len(events))
        self.last_visits = searcher.visits
        return matches


@cython.final
@cython.cclass
class _Scanning(Searcher):
    """One search, with the values of the nodes for the event at hand."""

    kind: cython.uchar[::1]
    code: cython.int[::1]
    start: cython.longlong[::1]
    child: cython.int[::1]
    root: cython.int[::1]
    value: cython.uchar[::1]

    def __init__(self, graph: Graph, slots: Slots, outcomes: Outcomes, node_limit: cython.int):
        Searcher.__init__(self, graph, slots, outcomes, node_limit)
        self.kind, self.code, self.start, self.child = graph.node_kind, graph.node_code, graph.node_start, graph.child
        self.root = slots.root
        self.value = roomy(node_limit, np.uint8)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        """Work out the value of every node for an event, and hit the slots whose roots are true."""
        node: cython.int
        slot: cython.int
        self.outcomes.begin(row)
        self.visits = self.visits + self.node_limit
        for node in range(self.node_limit):
            if not node & (_OFTEN - 1):
                self.outcomes.spend(_OFTEN)
            self.value[node] = self.node_value(node)
        for slot in range(self.slot_limit):
            if self.value[self.root[slot]] == OUTCOME_TRUE:
                hit(self, slot)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def node_value(self, node: cython.int) -> cython.int:
        kind: cython.int = self.kind[node]
        if kind == NODE_PREDICATE:
            return self.outcomes.outcome(self.code[node])
        if kind == NODE_AND:
            return self.folded(node, OUTCOME_FALSE)
        if kind == NODE_OR:
            return self.folded(node, OUTCOME_TRUE)
        if kind == NODE_LITERAL:
            return self.outcomes.literal(self.code[node])
        if kind == NODE_NOT:
            return _negated(self.value[self.child[self.start[node]]])
        if kind == NODE_XOR or kind == NODE_XNOR:
            return self.parity(node, kind == NODE_XNOR)
        return OUTCOME_TRUE if kind == NODE_TRUE else OUTCOME_FALSE

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def folded(self, node: cython.int, decisive: cython.int) -> cython.int:
        """Return the value of AND or OR: the first decisive operand decides, an undefined one leaves it undefined."""
        result: cython.int = 1 - decisive
        position: cython.longlong
        operand: cython.int
        for position in range(self.start[node], self.start[node + 1]):
            operand = self.value[self.child[position]]
            if operand == decisive:
                return decisive
            if operand == OUTCOME_UNDEFINED:
                result = OUTCOME_UNDEFINED
        return result

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def parity(self, node: cython.int, negating: cython.bint) -> cython.int:
        """Return the value of XOR or XNOR, from left to right: each step of XNOR negates once more."""
        result: cython.int = 0
        position: cython.longlong
        operand: cython.int
        for position in range(self.start[node], self.start[node + 1]):
            operand = self.value[self.child[position]]
            if operand == OUTCOME_UNDEFINED:
                return OUTCOME_UNDEFINED
            result ^= operand
        if negating:
            result ^= cython.cast(cython.int, (self.start[node + 1] - self.start[node] - 1) & 1)
        return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _negated(value: cython.int) -> cython.int:
    return OUTCOME_UNDEFINED if value == OUTCOME_UNDEFINED else 1 - value

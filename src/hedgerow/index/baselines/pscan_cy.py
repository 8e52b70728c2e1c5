"""PSCAN: a scan of those expressions alone that a posting list of the event mentions (the rival of the k-index).

::

    a = 1   -> 0 1            event a = 1, c = 5
    b > 3   -> 1 2               0  a = 1 AND NOT c = 2       met, holds
    c = ... -> 0                 1  a = 1 AND b > 3           met, evaluated, fails
    always  -> 3                 2  b > 3 OR c > 7            not met
                                 3  c WEAK NOT IN (2)         can hold with nothing: always evaluated

A unit is a whole expression, AND and OR over literals. It is in the list of each of its literals: of a negated one,
in that of what must be there for it. It is in the list of what is always met instead, if it could hold though nothing
that has a list does. What is met is evaluated, once, to the end or to what decides it. What a node came to is
remembered for the rest of the event, so that a part that many expressions have, or one expression many times, is
evaluated once.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.baselines.listed_cy import NOTHING, ListedEngine, ListedSearcher, visit
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_FALSE, NODE_LITERAL, NODE_OR, NODE_TRUE, Graph
from cython.cimports.hedgerow.lists_cy import list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.sections import section

_UNKNOWN = cython.declare(cython.int, 0)
_FAILS = cython.declare(cython.int, 1)
_HOLDS = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class PScanEngine(ListedEngine):
    """Evaluates the expressions that an event's lists mention."""

    root: cython.int[::1]  # by unit
    needless: cython.uchar[::1]  # by node, whether it can hold though nothing that has a list does
    judged: cython.int  # nodes of which that is known
    met: cython.int[::1]  # by node, the last unit in which it was met
    waiting: cython.int[::1]

    def __init__(self, missing: str):
        ListedEngine.__init__(self, missing, False)
        self.root = np.empty(16, np.int32)
        self.needless = np.empty(16, np.uint8)
        self.met = filled(16, -1, np.int32)
        self.waiting = np.empty(16, np.int32)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def form(self, graph: Graph, node: cython.int) -> cython.int:  # noqa: ARG002 - as in the base
        """Return the node as it is: an expression is not cut into clauses."""
        return node

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        if unit >= self.root.shape[0]:
            self.root = grown(self.root, unit + 1)
        self.root[unit] = node
        self.judge_nodes()
        if self.needless[node]:
            self.lists.append(NOTHING, unit)
            return 0
        return self.add_literals(unit, node)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def judge_nodes(self) -> cython.int:
        """Find out of each new node whether it can hold with nothing: operands come before their operators."""
        count: cython.int = self.graph.node_count
        node: cython.int
        kind: cython.int
        result: cython.bint
        position: cython.longlong
        if count > self.needless.shape[0]:
            self.needless = grown(self.needless, count)
        if count > self.met.shape[0]:
            self.met = grown(self.met, count, -1)
        for node in range(self.judged, count):
            kind = self.graph.node_kind[node]
            result = kind == NODE_TRUE or kind == NODE_AND
            if kind == NODE_LITERAL:
                result = self.list_number(self.graph.node_code[node]) < 0
            for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
                if self.needless[self.graph.child[position]] != result:
                    result = kind == NODE_OR
                    break
            self.needless[node] = result
        self.judged = count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_literals(self, unit: cython.int, root: cython.int) -> cython.int:
        """Put an expression into the lists of its literals, each of its nodes once."""
        waiting: cython.Py_ssize_t = 1
        node: cython.int
        number: cython.int
        position: cython.longlong
        self.waiting[0] = root
        while waiting:
            waiting -= 1
            node = self.waiting[waiting]
            if self.met[node] == unit:
                continue
            self.met[node] = unit
            if self.graph.node_kind[node] == NODE_LITERAL:
                number = self.list_number(self.graph.node_code[node])
                if number >= 0:
                    self.ask_once(unit, number)  # two literals may want the same to be there
            for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
                if waiting >= self.waiting.shape[0]:
                    self.waiting = grown(self.waiting, waiting + 1)
                self.waiting[waiting] = self.graph.child[position]
                waiting += 1
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)

    def structure_saved(self):
        """Return the lists, and which is whose."""
        return ListedEngine.structure_saved(self) | {
            "tree": np.asarray(self.root)[: self.units.count],
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        ListedEngine.structure_restored(self, arrays)
        self.root = section(arrays, "tree", np.int32, self.units.count)

    def structure_bytes(self):
        """Return the bytes of literals and lists."""
        parts = ListedEngine.structure_bytes(self)
        parts["postings"] += 4 * self.units.count + 5 * self.judged
        return parts


@cython.final
@cython.cclass
class _Search(ListedSearcher):
    """One search; what a row wrote is cleaned when the next one begins."""

    root: cython.int[::1]
    kind: cython.uchar[::1]
    code: cython.int[::1]
    start: cython.longlong[::1]
    child: cython.int[::1]
    is_met: cython.uchar[::1]  # by unit
    met: cython.int[::1]
    met_count: cython.int
    value: cython.uchar[::1]  # by node
    valued: cython.int[::1]
    valued_count: cython.int
    stack: cython.int[::1]
    reached: cython.longlong[::1]  # by depth, the operand that a node has come to

    def __init__(self, engine: PScanEngine, outcomes: Outcomes):
        ListedSearcher.__init__(self, engine, outcomes)
        nodes: cython.int = engine.graph.node_count
        self.root = engine.root
        self.kind, self.code = engine.graph.node_kind, engine.graph.node_code
        self.start, self.child = engine.graph.node_start, engine.graph.child
        self.is_met = filled(self.unit_limit, 0, np.uint8)
        self.met = roomy(self.unit_limit, np.int32)
        self.value = filled(nodes, _UNKNOWN, np.uint8)
        self.valued, self.stack = roomy(nodes, np.int32), roomy(nodes, np.int32)
        self.reached = roomy(nodes, np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        """Evaluate what the lists of the row mention."""
        position: cython.int
        number: cython.int
        for position in range(self.met_count):
            self.is_met[self.met[position]] = False
        for position in range(self.valued_count):
            self.value[self.valued[position]] = _UNKNOWN
        self.met_count = self.valued_count = 0
        self.holding.find(row)
        self.meet_list(NOTHING)
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.asking.shape[0]:
                self.meet_list(self.asking[number])
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def meet_list(self, number: cython.int) -> cython.int:
        """Evaluate the units of a list that were in none before it."""
        place: cython.longlong = visit(self, number)
        position: cython.longlong
        unit: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.lists.arena[position]
            if 0 <= unit < self.unit_limit and not self.is_met[unit]:
                self.is_met[unit] = True
                self.met[self.met_count] = unit
                self.met_count = self.met_count + 1
                if self.is_true(self.root[unit]):
                    hit(self, unit)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_true(self, root: cython.int) -> cython.bint:
        """Evaluate a node: one that meets an operand which is not known waits on the stack until it is."""
        depth: cython.Py_ssize_t = 0
        operand: cython.int
        self.stack[0] = root
        self.reached[0] = self.start[root]
        if self.kind[root] == NODE_LITERAL and self.value[root] == _UNKNOWN:
            self.note(root, self.outcomes.literal(self.code[root]))
        while depth >= 0:
            operand = -1
            if self.value[self.stack[depth]] == _UNKNOWN:
                operand = self.go_on(depth)
                self.visits = self.visits + (operand < 0)
            if operand < 0:
                depth -= 1
            else:
                depth += 1
                self.stack[depth] = operand
                self.reached[depth] = self.start[operand]
        return self.value[root] == _HOLDS

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def go_on(self, depth: cython.Py_ssize_t) -> cython.int:
        """Go through the operands of a node from where it was; return one that must be worked out first, or -1."""
        node: cython.int = self.stack[depth]
        is_or: cython.bint = self.kind[node] == NODE_OR or self.kind[node] == NODE_FALSE
        position: cython.longlong
        operand: cython.int
        self.outcomes.spend(1 + self.start[node + 1] - self.reached[depth])
        for position in range(self.reached[depth], self.start[node + 1]):
            operand = self.child[position]
            if self.value[operand] == _UNKNOWN:
                if self.kind[operand] != NODE_LITERAL:
                    self.reached[depth] = position
                    return operand
                self.note(operand, self.outcomes.literal(self.code[operand]))
            if (self.value[operand] == _HOLDS) == is_or:
                self.note(node, is_or)
                return -1
        self.note(node, not is_or)
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def note(self, node: cython.int, holds: cython.bint) -> cython.int:
        self.value[node] = _HOLDS if holds else _FAILS
        self.valued[self.valued_count] = node
        self.valued_count = self.valued_count + 1
        return 0

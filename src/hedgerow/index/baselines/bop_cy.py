"""BoP: an expression is byte code, run when so many of its literals hold that it could be true (a rival of the A-Tree).

::

    (P1 OR P2 OR P3) AND P4 AND (P5 OR P6)          1 and, 2 or, followed by how many operands there are
                                                    3 not, 4 leaf, followed by a literal
    1 3   2 3 4 1 4 2 4 3   4 4   2 2 4 5 4 6
    and   or                leaf  or                least: 1 of the first OR, P4, 1 of the second, so 3

A unit is a whole expression, AND and OR over literals. An event counts for each unit how many of its literals hold, by
the lists of the literals; the code of those that have the *least* number is run. P1, P2 and P3 are enough for that here
and not for the expression. A literal that stands in several places of a tree counts, and is in its list, once for each:
each could be what its part needs. A negated literal counts when that is there which it needs; if it needs nothing, it
adds nothing to the least number either. What needs nothing at all is in a list of its own, and always run.

The code has one word more than the paper's after the number of operands: how many words there are to the end of the
last one, so that a run goes past what is decided. A constant has no code.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.baselines.listed_cy import NOTHING, CountingSearcher, ListedEngine
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.index.labels.tree_cy import measure
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, Graph
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import grown, roomy
from hedgerow.sections import numbers, scalars, section

_AND = cython.declare(cython.int, 1)
_OR = cython.declare(cython.int, 2)
_NOT = cython.declare(cython.int, 3)  # a literal that is found by what denies it: its code in the graph
_LEAF = cython.declare(cython.int, 4)  # any other: its number

_BRANCH_WORDS = cython.declare(cython.int, 3)
_LEAF_WORDS = cython.declare(cython.int, 2)
_NO_CODE = cython.declare(cython.longlong, -1)
_MOST = cython.declare(cython.longlong, 1 << 30)  # counts stop here: far beyond the limit, and their sums have room


@cython.final
@cython.cclass
class BoPEngine(ListedEngine):
    """Counts literals, and interprets the byte code of what has enough of them."""

    code: cython.int[::1]  # of all units
    used: cython.longlong
    start: cython.longlong[::1]  # by unit, where its code begins
    wanted: cython.int[::1]  # by unit, how often it must be counted
    longest: cython.int  # words of the longest code
    words: cython.int[::1]  # by node, how many its code has
    needed: cython.int[::1]  # by node, the least number of literals
    judged: cython.int  # nodes of which that is known
    waiting: cython.int[::1]

    def __init__(self, missing: str):
        ListedEngine.__init__(self, missing, False)
        self.code, self.start = np.empty(16, np.int32), np.empty(16, np.int64)
        self.wanted, self.waiting = np.empty(16, np.int32), np.empty(16, np.int32)
        self.words, self.needed = np.empty(16, np.int32), np.empty(16, np.int32)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def form(self, graph: Graph, node: cython.int) -> cython.int:
        """Return the node as it is, unless its code would be too long."""
        measure(graph, node, False)
        return node

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        first: cython.longlong = self.used
        if unit >= self.start.shape[0]:
            self.start = grown(self.start, unit + 1)
        if unit >= self.wanted.shape[0]:
            self.wanted = grown(self.wanted, unit + 1)
        self.start[unit] = _NO_CODE
        self.wanted[unit] = 1
        self.judge_nodes()
        if self.graph.node_kind[node] >= NODE_LITERAL:
            self.write(node)
            self.start[unit] = first
        if self.needed[node] == 0:
            self.lists.append(NOTHING, unit)
            return 0
        self.wanted[unit] = self.needed[node]
        return self.add_literals(unit, first)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def judge_nodes(self) -> cython.int:
        """Count for each new node its words, and the literals that it needs: operands come before their operators."""
        count: cython.int = self.graph.node_count
        kind: cython.int
        if count > self.words.shape[0]:
            self.words = grown(self.words, count)
        if count > self.needed.shape[0]:
            self.needed = grown(self.needed, count)
        for node in range(self.judged, count):
            kind = self.graph.node_kind[node]
            self.words[node] = self.needed[node] = 0
            if kind == NODE_LITERAL:
                self.words[node] = _LEAF_WORDS
                self.needed[node] = self.list_number(self.graph.node_code[node]) >= 0
            elif kind == NODE_AND or kind == NODE_OR:
                self.judge_branch(node, kind == NODE_OR)
        self.judged = count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def judge_branch(self, node: cython.int, is_or: cython.bint) -> cython.int:
        """Count for an operator, whose nodes may be shared so often that only a tree of them is too large."""
        position: cython.longlong
        operand: cython.int
        words: cython.longlong = _BRANCH_WORDS
        needed: cython.longlong = _MOST if is_or else 0
        for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
            operand = self.graph.child[position]
            words = min(_MOST, words + self.words[operand])
            needed = min(needed, self.needed[operand]) if is_or else min(_MOST, needed + self.needed[operand])
        self.words[node] = cython.cast(cython.int, words)
        self.needed[node] = cython.cast(cython.int, needed)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write(self, root: cython.int) -> cython.int:
        """Write the code of an expression behind all others."""
        waiting: cython.Py_ssize_t = 1
        node: cython.int
        at: cython.longlong = self.used
        if at + self.words[root] > self.code.shape[0]:
            self.code = grown(self.code, at + self.words[root])
        self.waiting[0] = root
        while waiting:
            waiting -= 1
            node = self.waiting[waiting]
            if self.graph.node_kind[node] == NODE_LITERAL:
                self.write_leaf(at, self.graph.node_code[node])
                at += _LEAF_WORDS
            else:
                waiting = self.write_branch(at, node, waiting)
                at += _BRANCH_WORDS
        self.used = at
        self.longest = max(self.longest, self.words[root])
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_branch(self, at: cython.longlong, node: cython.int, waiting: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Write an operator, and let its operands wait behind so many nodes; return how many wait then."""
        last: cython.longlong = self.graph.node_start[node + 1] - 1
        operands: cython.int = cython.cast(cython.int, last + 1 - self.graph.node_start[node])
        position: cython.int
        self.code[at] = _OR if self.graph.node_kind[node] == NODE_OR else _AND
        self.code[at + 1] = operands
        self.code[at + 2] = self.words[node]
        if waiting + operands > self.waiting.shape[0]:
            self.waiting = grown(self.waiting, waiting + operands)
        for position in range(operands):  # the first one is taken first
            self.waiting[waiting + position] = self.graph.child[last - position]
        return waiting + operands

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def write_leaf(self, at: cython.longlong, code: cython.int) -> cython.int:
        """Write a literal: a negated one that is found by what denies it has no number that says it holds."""
        if self.literals.is_denied(code):
            self.code[at], self.code[at + 1] = _NOT, code
        else:
            self.code[at], self.code[at + 1] = _LEAF, self.literals.number(code)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_literals(self, unit: cython.int, at: cython.longlong) -> cython.int:
        """Put an expression into the lists of its literals, as often as they stand in it."""
        number: cython.int
        while at < self.used:
            if self.code[at] <= _OR:
                at += _BRANCH_WORDS
                continue
            number = self.code[at + 1]
            if self.code[at] == _NOT:
                number = self.literals.there(number)
            if number >= 0:
                self.lists.append(self.list_of(number), unit)
            at += _LEAF_WORDS
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)

    # What can be seen

    def byte_code(self, unit: cython.int):
        """Return the code of a unit with its literals as text, and no words that say how long it is: for tests."""
        at: cython.longlong = self.start[unit]
        stop: cython.longlong = at
        told: list = []
        if at != _NO_CODE:
            stop = at + (_LEAF_WORDS if self.code[at] > _OR else self.code[at + 2])
        while at < stop:
            told += [self.code[at], self.operand_text(at)]
            at += _LEAF_WORDS if self.code[at] > _OR else _BRANCH_WORDS
        return told

    def operand_text(self, at: cython.longlong):
        if self.code[at] == _LEAF:
            return self.literals.text(self.code[at + 1])
        return str(self.graph.predicate(self.code[at + 1] >> 2)) if self.code[at] == _NOT else self.code[at + 1]

    def least(self, unit: cython.int):
        """Return how often a unit must be counted for its code to be run: for tests."""
        return self.wanted[unit]

    # Files

    def structure_saved(self):
        """Return the code and the lists."""
        return ListedEngine.structure_saved(self) | {
            "code": np.asarray(self.code)[: self.used],
            "start": np.asarray(self.start)[: self.units.count],
            "wanted": np.asarray(self.wanted)[: self.units.count],
            "longest": numbers(self.longest),
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        ListedEngine.structure_restored(self, arrays)
        (self.longest,) = scalars(arrays, "longest", 1)
        self.code = section(arrays, "code", np.int32)
        self.used = self.code.shape[0]
        self.start = section(arrays, "start", np.int64, self.units.count)
        self.wanted = section(arrays, "wanted", np.int32, self.units.count)

    def structure_bytes(self):
        """Return the bytes of literals, lists and code."""
        parts = ListedEngine.structure_bytes(self)
        parts["postings"] += 4 * self.units.count
        return parts | {"code": 4 * self.used + 8 * self.units.count + 8 * self.judged}


@cython.final
@cython.cclass
class _Search(CountingSearcher):
    """One search: what is counted often enough is run."""

    code: cython.int[::1]
    start: cython.longlong[::1]
    wanted: cython.int[::1]
    open: cython.longlong[::1]  # by depth, the operator whose operands are run

    def __init__(self, engine: BoPEngine, outcomes: Outcomes):
        CountingSearcher.__init__(self, engine, outcomes)
        self.code, self.start, self.wanted = engine.code, engine.start, engine.wanted
        self.open = roomy(engine.longest // _BRANCH_WORDS, np.int64)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        """Count, and run the code of what is counted often enough."""
        position: cython.int
        unit: cython.int
        before: cython.longlong
        self.count_lists(row)
        for position in range(self.touched_count):
            unit = self.touched[position]
            if self.counted[unit] >= self.wanted[unit]:
                before = self.visits
                if self.is_true(self.start[unit]):
                    hit(self, unit)
                self.outcomes.spend(self.visits - before)
            self.counted[unit] = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_true(self, at: cython.longlong) -> cython.bint:
        """Run code: a leaf's outcome is that of all operators that it decides, or whose last operand it is."""
        depth: cython.Py_ssize_t = 0
        end: cython.longlong
        holds: cython.bint = True
        if at == _NO_CODE:
            return True
        while True:
            self.visits = self.visits + 1
            if self.code[at] <= _OR:
                self.open[depth] = at
                depth += 1
                at += _BRANCH_WORDS
                continue
            holds = self.leaf(at)
            at += _LEAF_WORDS
            while depth:
                end = self.open[depth - 1] + self.code[self.open[depth - 1] + 2]
                if at != end and holds != (self.code[self.open[depth - 1]] == _OR):
                    break
                at = end
                depth -= 1
            if depth == 0:
                return holds

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def leaf(self, at: cython.longlong) -> cython.bint:
        """Return whether the literal of a leaf holds."""
        if self.code[at] == _NOT:
            return self.outcomes.literal(self.code[at + 1])
        return self.holding.holds[self.code[at + 1]]

"""Counting: a counter for each clause, and for each literal the list of the clauses that ask for it (SIFT).

::

    a = 1   -> 0 1            event a = 1, b = 5
    b > 3   -> 1                 clause 0 asks for 1, counted 1: hit
    c = 2   -> 2 ∅ 1             clause 1 asks for 2, counted 2, and c = 2 would deny it: hit
                                 clause 2 asks for 1, counted 0

An event adds one to the counter of each clause in the lists of the literals that hold. A clause is hit if it is counted
as often as it asks, and nothing that holds denies it. Each expression has clauses of its own, as in SIFT. A clause that
asks for nothing is in the list of what always holds, and asks for that. The counters that were touched are set back
after each event.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.baselines.listed_cy import NOTHING, CountingSearcher, ListedEngine, visit
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL
from cython.cimports.hedgerow.lists_cy import list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown
from hedgerow.sections import section

_DENIED = cython.declare(cython.int, -1)


@cython.final
@cython.cclass
class CountingEngine(ListedEngine):
    """Counts, for each clause, the literals that hold."""

    wanted: cython.int[::1]  # by unit, how often it must be counted
    denied: cython.int[::1]  # by literal, the list of the units that it denies

    def __init__(self, missing: str):
        ListedEngine.__init__(self, missing, True)
        self.wanted = np.empty(16, np.int32)
        self.denied = filled(16, -1, np.int32)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        position: cython.longlong
        if unit >= self.wanted.shape[0]:
            self.wanted = grown(self.wanted, unit + 1)
        self.wanted[unit] = 0
        if self.graph.node_kind[node] == NODE_LITERAL:
            self.add_literal(unit, self.graph.node_code[node])
        elif self.graph.node_kind[node] == NODE_AND:
            for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
                self.add_literal(unit, self.graph.node_code[self.graph.child[position]])
        if self.wanted[unit] == 0:
            self.lists.append(NOTHING, unit)
            self.wanted[unit] = 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_literal(self, unit: cython.int, code: cython.int) -> cython.int:
        if not self.literals.is_denied(code):
            self.wanted[unit] += self.ask_once(unit, self.literals.number(code))
            return 0
        number: cython.int = self.literals.there(code)
        if number >= 0:
            self.wanted[unit] += self.ask_once(unit, number)
        number = self.literals.denied(code)
        if number >= 0:
            if number >= self.denied.shape[0]:
                self.denied = grown(self.denied, number + 1, -1)
            if self.denied[number] < 0:
                self.denied[number] = self.lists.new_list()
            self.lists.append(self.denied[number], unit)
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)

    def structure_saved(self):
        """Return the lists, and which is whose."""
        return ListedEngine.structure_saved(self) | {
            "wanted": np.asarray(self.wanted)[: self.units.count],
            "denied": np.asarray(self.denied),
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        ListedEngine.structure_restored(self, arrays)
        self.wanted = section(arrays, "wanted", np.int32, self.units.count)
        self.denied = section(arrays, "denied", np.int32)

    def structure_bytes(self):
        """Return the bytes of literals and lists."""
        parts = ListedEngine.structure_bytes(self)
        parts["postings"] += 4 * self.units.count + self.denied.nbytes
        return parts


@cython.final
@cython.cclass
class _Search(CountingSearcher):
    """One search: what is denied is counted out."""

    wanted: cython.int[::1]
    denied: cython.int[::1]

    def __init__(self, engine: CountingEngine, outcomes: Outcomes):
        CountingSearcher.__init__(self, engine, outcomes)
        self.wanted, self.denied = engine.wanted, engine.denied

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        """Count, take out what is denied, hit what is counted as often as it asks."""
        position: cython.int
        number: cython.int
        unit: cython.int
        self.count_lists(row)
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.denied.shape[0]:
                self.deny_list(self.denied[number])
        for position in range(self.touched_count):
            unit = self.touched[position]
            if self.counted[unit] == self.wanted[unit]:
                hit(self, unit)
            self.counted[unit] = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def deny_list(self, number: cython.int) -> cython.int:
        place: cython.longlong = visit(self, number)
        position: cython.longlong
        unit: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.lists.arena[position]
            if 0 <= unit < self.unit_limit and self.counted[unit]:
                self.counted[unit] = _DENIED
        return 0

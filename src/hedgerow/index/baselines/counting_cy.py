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
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, ListsView, Literals
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.sections import nested, part, section

_ALWAYS = cython.declare(cython.int, 0)  # the list of clauses that ask for nothing
_DENIED = cython.declare(cython.int, -1)


@cython.final
@cython.cclass
class CountingEngine(UnitEngine):
    """Counts, for each clause, the literals that hold."""

    literals: Literals
    lists: Lists
    wanted: cython.int[::1]  # by unit, how often it must be counted
    asking: cython.int[::1]  # by literal, the list of the units that ask for it
    denied: cython.int[::1]  # by literal, the list of the units that it denies

    def __init__(self, missing: str):
        UnitEngine.__init__(self, missing)
        self.shares = False
        self.literals = Literals(self.graph, self.table)
        self.lists = Lists()
        self.lists.new_list()
        self.wanted = np.empty(16, np.int32)
        self.asking = filled(16, -1, np.int32)
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
            self.lists.append(_ALWAYS, unit)
            self.wanted[unit] = 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_literal(self, unit: cython.int, code: cython.int) -> cython.int:
        if not self.literals.is_denied(code):
            return self.ask(unit, self.literals.number(code))
        number: cython.int = self.literals.there(code)
        if number >= 0:
            self.ask(unit, number)
        number = self.literals.denied(code)
        if number >= 0:
            if number >= self.denied.shape[0]:
                self.denied = grown(self.denied, number + 1, -1)
            if self.denied[number] < 0:
                self.denied[number] = self.lists.new_list()
            self.lists.append(self.denied[number], unit)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def ask(self, unit: cython.int, number: cython.int) -> cython.int:
        """Let a literal count for a clause, once: clauses come one after the other, so it would be the last one."""
        if number >= self.asking.shape[0]:
            self.asking = grown(self.asking, number + 1, -1)
        if self.asking[number] < 0:
            self.asking[number] = self.lists.new_list()
        place: cython.longlong = self.lists.place[self.asking[number]]
        if list_length(place) and self.lists.arena[list_start(place) + list_length(place) - 1] == unit:
            return 0
        self.lists.append(self.asking[number], unit)
        self.wanted[unit] += 1
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Counting(self, outcomes)

    def structure_saved(self):
        """Return the lists, and which is whose."""
        return nested(literals=self.literals.saved(), lists=self.lists.saved()) | {
            "wanted": np.asarray(self.wanted)[: self.units.count],
            "asking": np.asarray(self.asking),
            "denied": np.asarray(self.denied),
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.lists = Lists.restored(part(arrays, "lists"))
        self.wanted = section(arrays, "wanted", np.int32, self.units.count)
        self.asking = section(arrays, "asking", np.int32)
        self.denied = section(arrays, "denied", np.int32)

    def structure_bytes(self):
        """Return the bytes of literals and lists."""
        lists = self.lists.nbytes + 4 * self.units.count + self.asking.nbytes + self.denied.nbytes
        return {"literals": self.literals.nbytes, "postings": lists}


@cython.final
@cython.cclass
class _Counting(UnitSearcher):
    """One search; the counters are all 0 between two rows."""

    holding: Holding
    lists: ListsView
    wanted: cython.int[::1]
    asking: cython.int[::1]
    denied: cython.int[::1]
    counted: cython.int[::1]
    touched: cython.int[::1]
    touched_count: cython.int

    def __init__(self, engine: CountingEngine, outcomes: Outcomes):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        self.holding = Holding(engine.literals, outcomes)
        self.lists = ListsView()
        self.lists.begin(engine.lists)
        self.wanted, self.asking, self.denied = engine.wanted, engine.asking, engine.denied
        self.counted = filled(self.unit_limit, 0, np.int32)
        self.touched = roomy(self.unit_limit, np.int32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        """Count, take out what is denied, hit what is counted as often as it asks."""
        position: cython.int
        number: cython.int
        unit: cython.int
        self.touched_count = 0
        self.holding.find(row)
        self.count_list(_ALWAYS)
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.asking.shape[0]:
                self.count_list(self.asking[number])
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
    def count_list(self, number: cython.int) -> cython.int:
        place: cython.longlong = self.lists.locate(number)
        position: cython.longlong
        unit: cython.int
        self.outcomes.spend(list_length(place))
        self.visits = self.visits + list_length(place)
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.lists.arena[position]
            if 0 <= unit < self.unit_limit:
                if self.counted[unit] == 0:
                    self.touched[self.touched_count] = unit
                    self.touched_count = self.touched_count + 1
                self.counted[unit] += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def deny_list(self, number: cython.int) -> cython.int:
        place: cython.longlong = self.lists.locate(number)
        position: cython.longlong
        unit: cython.int
        self.outcomes.spend(list_length(place))
        self.visits = self.visits + list_length(place)
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.lists.arena[position]
            if 0 <= unit < self.unit_limit and self.counted[unit]:
                self.counted[unit] = _DENIED
        return 0

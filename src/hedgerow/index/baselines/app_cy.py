"""APP: counting that only counts the clauses whose access literal holds (Access Predicate Pruning).

::

    a = 1   opens 0     counts -          event a = 1, c = 2
    b > 3   opens 1     counts 0             pass 1   a = 1 opens clause 0
    c = 2   opens -     counts 0 1           pass 2   c = 2 counts clause 0: 2 of 3; clause 1 is not open

Each clause has one *access literal*, without which it cannot hold. An event first opens the clauses whose access
literal holds, and then goes through the lists of all literals that hold as counting does, but for a clause that is
not open an entry costs one look at a bit. A clause that is counted as often as it asks, and that nothing denies, is
hit. One that asks for nothing is in the list of what is always open.

Which of its literals is the access literal is decided when a clause comes: one that is found by value before one that
is found otherwise, and of these the one that the fewest clauses ask for so far. Clauses stay where they are until the
index is compacted, which makes all of them anew.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, ListsView, Literals
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.finder_cy import BY_VALUE
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.sections import nested, part, section

_ALWAYS = cython.declare(cython.int, 0)  # the list of clauses that ask for nothing
_DENIED = cython.declare(cython.int, -1)
_LISTS = cython.declare(cython.int, 3)
_OPENS = cython.declare(cython.int, 0)  # what the lists of a literal do to their clauses
_COUNTS = cython.declare(cython.int, 1)
_DENIES = cython.declare(cython.int, 2)
_ONE = cython.declare(cython.ulonglong, 1)


@cython.final
@cython.cclass
class APPEngine(UnitEngine):
    """Counts the literals that hold, for the clauses whose access literal does."""

    literals: Literals
    lists: Lists
    wanted: cython.int[::1]  # by unit, how often it must be counted
    list_of: cython.int[::1]  # by literal, its three lists
    asked: cython.int[::1]  # of the unit at hand, the literals that it asks for
    asked_count: cython.int
    access: cython.int
    access_cost: cython.longlong

    def __init__(self, missing: str):
        UnitEngine.__init__(self, missing)
        self.shares = False
        self.literals = Literals(self.graph, self.table)
        self.lists = Lists()
        self.lists.new_list()
        self.wanted = np.empty(16, np.int32)
        self.list_of = filled(16 * _LISTS, -1, np.int32)
        self.asked = np.empty(16, np.int32)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        position: cython.longlong
        number: cython.int
        if unit >= self.wanted.shape[0]:
            self.wanted = grown(self.wanted, unit + 1)
        self.wanted[unit] = 1
        self.asked_count, self.access = 0, -1
        if self.graph.node_kind[node] == NODE_LITERAL:
            self.add_literal(unit, self.graph.node_code[node])
        elif self.graph.node_kind[node] == NODE_AND:
            for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
                self.add_literal(unit, self.graph.node_code[self.graph.child[position]])
        if self.access < 0:
            self.lists.append(_ALWAYS, unit)
            return 0
        self.enter(unit, self.access, _OPENS)
        for position in range(self.asked_count):
            number = self.asked[position]
            if number != self.access:
                self.wanted[unit] += self.enter(unit, number, _COUNTS)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_literal(self, unit: cython.int, code: cython.int) -> cython.int:
        if not self.literals.is_denied(code):
            return self.ask(self.literals.number(code), self.literals.finder.way(code) == BY_VALUE)
        number: cython.int = self.literals.there(code)
        if number >= 0:
            self.ask(number, False)
        number = self.literals.denied(code)
        return 0 if number < 0 else self.enter(unit, number, _DENIES)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def ask(self, number: cython.int, by_value: cython.bint) -> cython.int:
        """Note a literal that the unit asks for; the cheapest of them is its access literal."""
        cost: cython.longlong = self.length(number, _OPENS) + self.length(number, _COUNTS)
        if not by_value:
            cost += cython.cast(cython.longlong, 1) << 32
        if self.access < 0 or cost < self.access_cost:
            self.access, self.access_cost = number, cost
        if self.asked_count >= self.asked.shape[0]:
            self.asked = grown(self.asked, self.asked_count + 1)
        self.asked[self.asked_count] = number
        self.asked_count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def length(self, number: cython.int, does: cython.int) -> cython.Py_ssize_t:
        """Return how many units there are in a list of a literal."""
        if _LISTS * number + does >= self.list_of.shape[0] or self.list_of[_LISTS * number + does] < 0:
            return 0
        return list_length(self.lists.place[self.list_of[_LISTS * number + does]])

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def enter(self, unit: cython.int, number: cython.int, does: cython.int) -> cython.int:
        """Put a unit into a list of a literal, unless it is its last one; return how many were put there."""
        if _LISTS * (number + 1) > self.list_of.shape[0]:
            self.list_of = grown(self.list_of, _LISTS * (number + 1), -1)
        if self.list_of[_LISTS * number + does] < 0:
            self.list_of[_LISTS * number + does] = self.lists.new_list()
        target: cython.int = self.list_of[_LISTS * number + does]
        place: cython.longlong = self.lists.place[target]
        if list_length(place) and self.lists.arena[list_start(place) + list_length(place) - 1] == unit:
            return 0
        self.lists.append(target, unit)
        return 1

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)

    def structure_saved(self):
        """Return the lists, and which is whose."""
        return nested(literals=self.literals.saved(), lists=self.lists.saved()) | {
            "wanted": np.asarray(self.wanted)[: self.units.count],
            "list_of": np.asarray(self.list_of),
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.lists = Lists.restored(part(arrays, "lists"))
        self.wanted = section(arrays, "wanted", np.int32, self.units.count)
        self.list_of = section(arrays, "list_of", np.int32)

    def structure_bytes(self):
        """Return the bytes of literals and lists."""
        lists = self.lists.nbytes + 4 * self.units.count + self.list_of.nbytes
        return {"literals": self.literals.nbytes, "postings": lists}


@cython.final
@cython.cclass
class _Search(UnitSearcher):
    """One search; between two rows no unit is open."""

    holding: Holding
    lists: ListsView
    wanted: cython.int[::1]
    list_of: cython.int[::1]
    open: cython.ulonglong[::1]  # bits by unit: few enough to stay near, where the counters would not
    counted: cython.int[::1]  # of the units that are open
    opened: cython.int[::1]
    opened_count: cython.int

    def __init__(self, engine: APPEngine, outcomes: Outcomes):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        self.holding = Holding(engine.literals, outcomes)
        self.lists = ListsView()
        self.lists.begin(engine.lists)
        self.wanted, self.list_of = engine.wanted, engine.list_of
        self.open = filled((self.unit_limit >> 6) + 1, 0, np.uint64)
        self.counted, self.opened = roomy(self.unit_limit, np.int32), roomy(self.unit_limit, np.int32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        """Open, count what is open, take out what is denied, hit what is counted as often as it asks."""
        position: cython.int
        unit: cython.int
        self.opened_count = 0
        self.holding.find(row)
        self.open_list(_ALWAYS)
        for position in range(self.holding.count):
            self.open_list(self.list_at(position, _OPENS))
        if self.opened_count:
            for position in range(self.holding.count):
                self.count_list(self.list_at(position, _COUNTS), 1)
            for position in range(self.holding.count):
                self.count_list(self.list_at(position, _DENIES), 0)
        for position in range(self.opened_count):
            unit = self.opened[position]
            if self.counted[unit] == self.wanted[unit]:
                hit(self, unit)
            self.open[unit >> 6] = 0
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def list_at(self, position: cython.int, does: cython.int) -> cython.int:
        """Return a list of a literal that holds, or -1."""
        place: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.holding.numbers[position]) * _LISTS + does
        return self.list_of[place] if place < self.list_of.shape[0] else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def open_list(self, number: cython.int) -> cython.int:
        """Open the units of a list: each has one access literal, and is met once."""
        place: cython.longlong = 0 if number < 0 else self.lists.locate(number)
        position: cython.longlong
        unit: cython.int
        if place == 0:
            return 0
        self.outcomes.spend(list_length(place))
        self.visits = self.visits + list_length(place)
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.lists.arena[position]
            if 0 <= unit < self.unit_limit:
                self.open[unit >> 6] |= _ONE << (unit & 63)
                self.counted[unit] = 1
                self.opened[self.opened_count] = unit
                self.opened_count = self.opened_count + 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def count_list(self, number: cython.int, by: cython.int) -> cython.int:
        """Count the units of a list that are open; by nothing if it denies them, for good."""
        place: cython.longlong = 0 if number < 0 else self.lists.locate(number)
        position: cython.longlong
        unit: cython.int
        if place == 0:
            return 0
        self.outcomes.spend(list_length(place))
        self.visits = self.visits + list_length(place)
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.lists.arena[position]
            if 0 <= unit < self.unit_limit and self.open[unit >> 6] >> (unit & 63) & 1:
                self.counted[unit] = self.counted[unit] + 1 if by else _DENIED
        return 0

"""A small engine, written by the recipe in CONTRIBUTING: each clause is filed under one of its literals.

When that literal holds, the others of the clause are tested. A clause without literals is always hit.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, ListsView, Literals
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher, hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_TRUE
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown
from hedgerow.sections import nested, part, section


@cython.final
@cython.cclass
class PivotEngine(UnitEngine):
    """Leads from a literal of a clause to the clause."""

    literals: Literals
    lists: Lists
    filed: cython.int[::1]  # by literal, the list of the units that are filed under it
    node_of: cython.int[::1]  # by unit

    def __init__(self, missing: str):
        UnitEngine.__init__(self, missing)
        self.literals = Literals(self.graph, self.table)
        self.lists = Lists()
        self.lists.new_list()  # of what always holds
        self.filed = filled(16, -1, np.int32)
        self.node_of = np.empty(16, np.int32)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        if unit >= self.node_of.shape[0]:
            self.node_of = grown(self.node_of, unit + 1)
        self.node_of[unit] = node
        if self.graph.node_kind[node] == NODE_TRUE:
            self.lists.append(0, unit)
            return 0
        first: cython.int = node
        if self.graph.node_kind[node] == NODE_AND:
            first = self.graph.child[self.graph.node_start[node]]
        number: cython.int = self.literals.number(self.graph.node_code[first])
        if number >= self.filed.shape[0]:
            self.filed = grown(self.filed, number + 1, -1)
        if self.filed[number] < 0:
            self.filed[number] = self.lists.new_list()
        self.lists.append(self.filed[number], unit)
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)

    def structure_saved(self):
        """Return the lists and what is filed where."""
        return nested(literals=self.literals.saved(), lists=self.lists.saved()) | {
            "filed": np.asarray(self.filed),
            "node_of": np.asarray(self.node_of)[: self.units.count],
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.lists = Lists.restored(part(arrays, "lists"))
        self.filed = section(arrays, "filed", np.int32)
        self.node_of = section(arrays, "node_of", np.int32, self.units.count)


@cython.final
@cython.cclass
class _Search(UnitSearcher):
    """One search."""

    holding: Holding
    lists: ListsView
    filed: cython.int[::1]
    node_of: cython.int[::1]
    kind: cython.uchar[::1]
    code: cython.int[::1]
    start: cython.longlong[::1]
    child: cython.int[::1]

    def __init__(self, engine: PivotEngine, outcomes: Outcomes):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        self.holding = Holding(engine.literals, outcomes)
        self.lists = ListsView()
        self.lists.begin(engine.lists)
        self.filed, self.node_of = engine.filed, engine.node_of
        self.kind, self.code = engine.graph.node_kind, engine.graph.node_code
        self.start, self.child = engine.graph.node_start, engine.graph.child

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def run(self, row: cython.longlong) -> cython.int:
        position: cython.int
        number: cython.int
        self.holding.find(row)
        self.look(0)
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.filed.shape[0]:
                self.look(self.filed[number])
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def look(self, number: cython.int) -> cython.int:
        """Hit the units of a list whose other literals hold too."""
        place: cython.longlong = self.lists.locate(number)
        position: cython.longlong
        unit: cython.int
        self.visits = self.visits + list_length(place)
        self.outcomes.spend(4 * list_length(place))
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.lists.arena[position]
            if 0 <= unit < self.unit_limit and self.holds(self.node_of[unit]):
                hit(self, unit)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def holds(self, node: cython.int) -> cython.bint:
        position: cython.longlong
        if self.kind[node] != NODE_AND:
            return True
        for position in range(self.start[node], self.start[node + 1]):
            if not self.outcomes.literal(self.code[self.child[position]]):
                return False
        return True

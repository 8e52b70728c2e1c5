"""The base of engines that have, for each literal, the list of the units that ask for it, and of their searches.

What asks for nothing is in a list of its own, the first one. A search takes that, and the lists of what holds.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, ListsView, Literals
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.sections import nested, part, section


@cython.cclass
class ListedEngine(UnitEngine):
    """The base of engines of such lists. Each expression has units of its own."""

    def __init__(self, missing: str, dnf: cython.bint):
        UnitEngine.__init__(self, missing, dnf)
        self.shares = False
        self.literals = Literals(self.graph, self.table)
        self.lists = Lists()
        self.lists.new_list()
        self.asking = filled(16, -1, np.int32)

    def list_number(self, code):
        """Return the number that must hold for a literal to hold; -2 if it needs none."""
        return self.literals.there(code) if self.literals.is_denied(code) else self.literals.number(code)

    def list_of(self, number):
        """Return the list of what asks for a literal."""
        if number >= self.asking.shape[0]:
            self.asking = grown(self.asking, number + 1, -1)
        if self.asking[number] < 0:
            self.asking[number] = self.lists.new_list()
        return self.asking[number]

    def ask_once(self, unit, number):
        """Put a unit into the list of a literal, once: units come one after the other, so it would be the last one."""
        asking: cython.int = self.list_of(number)
        place: cython.longlong = self.lists.place[asking]
        if list_length(place) and self.lists.arena[list_start(place) + list_length(place) - 1] == unit:
            return False
        self.lists.append(asking, unit)
        return True

    def structure_saved(self):
        """Return the lists, and which is whose."""
        return nested(literals=self.literals.saved(), lists=self.lists.saved()) | {"asking": np.asarray(self.asking)}

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.lists = Lists.restored(part(arrays, "lists"))
        self.asking = section(arrays, "asking", np.int32)

    def structure_bytes(self):
        """Return the bytes of literals and lists."""
        return {"literals": self.literals.nbytes, "postings": self.lists.nbytes + self.asking.nbytes}


@cython.cclass
class ListedSearcher(UnitSearcher):
    """A search of lists."""

    def __init__(self, engine: ListedEngine, outcomes: Outcomes):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        self.holding = Holding(engine.literals, outcomes)
        self.lists = ListsView()
        self.lists.begin(engine.lists)
        self.asking = engine.asking


@cython.cclass
class CountingSearcher(ListedSearcher):
    """A search that counts in how many lists a unit is; the counters are all 0 between two rows."""

    def __init__(self, engine: ListedEngine, outcomes: Outcomes):
        ListedSearcher.__init__(self, engine, outcomes)
        self.counted = filled(self.unit_limit, 0, np.int32)
        self.touched = roomy(self.unit_limit, np.int32)

    def count_lists(self, row):
        """Count what asks for nothing, and what asks for a literal that holds for a row."""
        position: cython.int
        number: cython.int
        self.touched_count = 0
        self.holding.find(row)
        self.count_list(NOTHING)
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.asking.shape[0]:
                self.count_list(self.asking[number])
        return 0

    def count_list(self, number):
        """Count the units of a list."""
        place: cython.longlong = visit(self, number)
        position: cython.longlong
        unit: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.lists.arena[position]
            if 0 <= unit < self.unit_limit:
                if self.counted[unit] == 0:
                    self.touched[self.touched_count] = unit
                    self.touched_count = self.touched_count + 1
                self.counted[unit] += 1
        return 0

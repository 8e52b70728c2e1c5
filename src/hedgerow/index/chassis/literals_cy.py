"""Literals by number, where events lead to them: those that hold, those that deny, and attributes that are there.

An engine of literals asks for the numbers of what its units are made of::

    state = 'CA', age < 30, name LIKE 'A%'      number     it holds
    state NOT IN ('NY', 'NJ')                   denied     that ``state IN ('NY', 'NJ')`` holds denies it
                                                there      and ``state`` must be there, with a string
    state WEAK NOT IN ('NY')                    denied     as above, and nothing else is asked

So no literal with a negated test is tested one by one: events lead by their values to the few that they deny. Presence
is by the families of kinds that the test can decide, since a value of another kind leaves it undefined; a list decides
all. Numbers are given in the order of asking. A ``Holding`` finds the numbers that hold for a row, each once.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.lists_cy import list_length, list_start
from cython.cimports.hedgerow.predicate.finder_cy import BY_TEXT, BY_VALUE, Finder, Found
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable, family_bit

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.language.operators import Accepts, Operator
from hedgerow.sections import nested, part, section
from hedgerow.values import Kind

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_LIST = cython.declare(cython.int, int(Kind.LIST))
_NONE = cython.declare(cython.int, -1)

# How a literal is told, by what it accepts.
_ACCEPTED = ("", "NOT ", "not true: ", "not false: ")

# The families of kinds are bits, see ``family_bit``; this one stands for whatever there is.
_ANYTHING = cython.declare(cython.uchar, 16)


@cython.final
@cython.cclass
class Literals:
    """What an engine asks for. One writer adds, with the GIL held, while searches run; nothing is taken out."""

    def __init__(self, graph: Graph, table: PredicateTable):
        self.graph = graph
        self.table = table
        self.finder = Finder(graph, table)
        self.of_code = filled(64, -1, np.int32)
        self.families = np.empty(16, np.uint8)
        self.next_there = np.empty(16, np.int32)
        self.first_there = filled(16, -1, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes these literals of; not those of the graph and the table."""
        return nested(finder=self.finder.saved()) | {
            "of_code": np.asarray(self.of_code),
            "families": np.asarray(self.families)[: self.count],
            "next_there": np.asarray(self.next_there)[: self.count],
            "first_there": np.asarray(self.first_there),
        }

    @staticmethod
    def restored(graph: Graph, table: PredicateTable, arrays):
        """Return the literals that were saved as these arrays, in these arrays."""
        literals: Literals = Literals.__new__(Literals)
        literals.graph = graph
        literals.table = table
        literals.finder = Finder.restored(graph, table, part(arrays, "finder"))
        literals.of_code = section(arrays, "of_code", np.int32)
        literals.families = section(arrays, "families", np.uint8)
        literals.count = literals.families.shape[0]
        literals.next_there = section(arrays, "next_there", np.int32, literals.count)
        literals.first_there = section(arrays, "first_there", np.int32)
        return literals

    @property
    def nbytes(self):
        """Bytes held, beside the graph's and the table's."""
        return self.finder.nbytes + self.of_code.nbytes + 5 * self.count + self.first_there.nbytes

    def text(self, number: cython.int):
        """Return a literal as people write it, or what must be there."""
        if number < self.finder.code.shape[0] and self.finder.code[number] >= 0:
            return self.told(self.finder.code[number])
        for attribute in range(self.first_there.shape[0]):
            there: cython.int = self.first_there[attribute]
            while there != _NONE and there != number:
                there = self.next_there[there]
            if there == number:
                return f"{self.graph.names[attribute]} is there"
        raise IndexError(number)

    def told(self, code: cython.int):
        """Return the literal ``predicate * 4 + accepts`` as people write it."""
        return f"{_ACCEPTED[code & 3]}{self.graph.predicate(code >> 2)}"

    def number(self, code):
        """Return the number of the literal ``predicate * 4 + accepts``, which holds for an event or not."""
        number: cython.int
        if code >= self.of_code.shape[0]:
            self.of_code = grown(self.of_code, code + 1, -1)
        number = self.of_code[code]
        if number == _NONE:
            number = self.add(0)
            self.finder.add(number, code)
            self.of_code[code] = number
        return number

    def is_denied(self, code):
        """Return whether a literal is found by what denies it."""
        accepts: cython.int = code & 3
        way: cython.int
        if self.graph.predicate_operator[code >> 2] == _IS_NULL:
            return accepts == _FALSE or accepts == _NOT_TRUE
        if accepts != _FALSE and accepts != _NOT_TRUE:
            return False
        way = self.finder.way((code >> 2) * 4 + _TRUE)
        return way == BY_VALUE or way == BY_TEXT

    def denied(self, code):
        """Return the number of what denies a literal when it holds; -2 where nothing does if it is there."""
        if self.graph.predicate_operator[code >> 2] == _IS_NULL:
            return -2
        return self.number((code >> 2) * 4 + _TRUE)

    def there(self, code):
        """Return the number of what must be there for a denied literal to hold; -2 where nothing must be."""
        predicate: cython.int = code >> 2
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        families: cython.uchar = self.table.family[predicate]
        number: cython.int
        last: cython.int = _NONE
        if self.graph.predicate_operator[predicate] == _IS_NULL:
            families = _ANYTHING
        elif code & 3 == _NOT_TRUE:
            return -2
        if attribute >= self.first_there.shape[0]:
            self.first_there = grown(self.first_there, attribute + 1, -1)
        number = self.first_there[attribute]
        while number != _NONE and self.families[number] != families:
            last = number
            number = self.next_there[number]
        if number == _NONE:
            number = self.add(families)
            # At the end, so that a search comes to those that it must see before this one.
            if last == _NONE:
                self.first_there[attribute] = number
            else:
                self.next_there[last] = number
        return number

    def add(self, families):
        """Return a new number."""
        number: cython.int = self.count
        if number >= self.families.shape[0]:
            bits, nexts = grown(self.families, number + 1), grown(self.next_there, number + 1)
            self.families, self.next_there = bits, nexts
        self.families[number] = families
        self.next_there[number] = _NONE
        self.count = number + 1
        return number


@cython.final
@cython.cclass
class Holding:
    """The numbers that hold for one row after the other, as far as they were given when this was made."""

    def __init__(self, literals: Literals, outcomes: Outcomes):
        self.outcomes = outcomes
        self.limit = literals.count
        self.found = Found(literals.finder, outcomes, self.limit)
        self.families = literals.families
        self.next_there = literals.next_there
        self.first_there = literals.first_there
        self.holds = filled(self.limit, 0, np.uint8)
        self.numbers = roomy(self.limit, np.int32)

    def find(self, row):
        """Begin a row, and note what holds for it: in ``numbers[:count]``, and in ``holds`` until the next row."""
        position: cython.int
        entry: cython.longlong
        attribute: cython.int
        for position in range(self.count):
            self.holds[self.numbers[position]] = False
        self.count = 0
        self.found.find(row)
        for position in range(self.found.count):
            self.note(self.found.nodes[position])
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            if 0 <= attribute < self.first_there.shape[0] and self.first_there[attribute] != _NONE:
                self.find_there(attribute, entry)
        self.outcomes.spend(self.count)
        return 0

    def find_there(self, attribute, entry):
        """Note what an attribute that is there satisfies by that."""
        kind: cython.int = self.outcomes.entry_kind[entry]
        bits: cython.int = _ANYTHING | family_bit(kind)
        number: cython.int = self.first_there[attribute]
        while 0 <= number < self.limit:
            if kind == _LIST or self.families[number] & bits:
                self.note(number)
            number = self.next_there[number]
        return 0

    def note(self, number):
        if not self.holds[number]:
            self.holds[number] = True
            self.numbers[self.count] = number
            self.count = self.count + 1
        return 0


@cython.final
@cython.cclass
class ListsView:
    """Lists as one search sees them, while a writer goes on.

    A value that came later may be missing at the end of a list: it was written into an arena that has taken the place
    of this one, and here there is -1, as wherever nothing was written yet.
    """

    def begin(self, lists):
        """Take the lists as they are now: one may have moved into a part of the arena that is new."""
        self.lists = lists
        self.count = lists.count
        self.place = lists.place
        self.arena = lists.arena
        return 0

    def locate(self, number):
        """Return the place of a list within ``arena``; that of a list that came later is empty."""
        place: cython.longlong
        if number < 0 or number >= self.count:
            return 0
        place = self.place[number]
        if list_start(place) + list_length(place) > self.arena.shape[0]:
            # Both of one moment: as soon as the GIL is let go of, the list may move on, beyond this arena too.
            with cython.gil:
                self.begin(self.lists)
                place = self.place[number]
        return place

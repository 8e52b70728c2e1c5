"""Filing: which test of a clause leads to it, and how the others are written into its entries.

::

    country 'AT' 'DE': any      filed under two atoms, if that is what events are likely to have least often
    vip true: any               first column
    os 'ios', not there: none   second column
    age from 65                 third column, by 24 bits of its end; then the literal itself, in the rest

A clause is filed under each atom of the test that is least likely to hold: the values of an *any* or of a longer IN,
the cells of a range. A clause without such a test is filed under the presence of an attribute that it must have,
or, if there is none, in the list of what is looked at for every event. What remains is sorted by chance, so that the
first column rules out most; three tests stand in the entry, all others, and those that columns do not decide, in the
rest.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.hedge.atoms_cy import ALWAYS, LINE_BITS, PRIVATE, Atoms, code_of
from cython.cimports.hedgerow.index.hedge.entries_cy import (
    CODES,
    COLUMNS,
    RANGE_BIT,
    REST_ANY,
    REST_BIT,
    REST_COMPARED,
    REST_KIND_BITS,
    REST_LITERAL,
    REST_NONE,
    REST_SOME,
    SLOT_BITS,
)
from cython.cimports.hedgerow.index.hedge.forms_cy import (
    TEST_ANY,
    TEST_LISTED,
    TEST_LITERAL,
    TEST_NONE,
    TEST_RANGE,
    TEST_SOME,
    TEST_TEXT,
    TEST_UNLISTED,
    Forms,
)
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.keys import family_of
from cython.cimports.hedgerow.predicate.table_cy import listed_count

from hedgerow.arrays_cy import grown
from hedgerow.errors import LimitError

_NONE = cython.declare(cython.int, -1)
_NOWHERE = cython.declare(cython.double, 2.0)  # costs more than anything that leads to a clause
_EACH = cython.declare(cython.double, 0.0001)  # what one more entry costs, in chances
_OFTEN = cython.declare(cython.double, 0.6)
_CELLS = cython.declare(cython.uint, 4)
_FEW = cython.declare(cython.int, 4)
_MOST_ACCESS = 32
_MOST_SLOTS = cython.declare(cython.int, 1 << 28)
_MOST_CODES = cython.declare(cython.int, 1 << 29)
_ONE = cython.declare(cython.ulonglong, 1)


@cython.final
@cython.cclass
class Filing:
    """Files clauses of the forms at hand. Whatever it raises, ``take_back`` undoes what was logged."""

    def __init__(self, atoms: Atoms, forms: Forms):
        self.atoms = atoms
        self.forms = forms
        self.order = np.zeros(64, np.int32)
        self.rest = np.zeros(64, np.uint32)
        self.access = np.zeros(_MOST_ACCESS, np.int32)
        self.filed_list = np.zeros(64, np.int32)
        self.filed_index = np.zeros(64, np.int64)
        self.filed_slot = np.zeros(64, np.int32)

    def file(self, entries, slot, clause, logged):
        """Make the entries of a clause; those that are logged can be taken back."""
        position: cython.int
        count: cython.int
        chosen: cython.int = self.choose(clause)
        if slot + 1 >= _MOST_SLOTS:
            raise LimitError(f"an index of the engine 'hedge' holds {_MOST_SLOTS:,} expressions")
        self.lead_to(chosen)
        count = self.sort_tests(clause, chosen)
        self.entry[0] = cython.cast(cython.ulonglong, slot) + 1
        self.write_columns(count)
        if self.rest_count:
            self.entry[0] |= _ONE << REST_BIT
            self.entry[0] |= cython.cast(cython.ulonglong, entries.add_rest(self.rest, self.rest_count)) << (
                REST_BIT + 1
            )
        for position in range(self.access_count):
            if logged and self.filed_count >= self.filed_slot.shape[0]:
                lists, indices = (
                    grown(self.filed_list, self.filed_count + 1),
                    grown(self.filed_index, self.filed_count + 1),
                )
                slots = grown(self.filed_slot, self.filed_count + 1)
                self.filed_list, self.filed_index, self.filed_slot = lists, indices, slots
            index: cython.longlong = entries.append(self.access[position], cython.address(self.entry[0]))
            if logged:
                self.filed_list[self.filed_count] = self.access[position]
                self.filed_index[self.filed_count] = index
                self.filed_slot[self.filed_count] = slot
                self.filed_count += 1
        return 0

    def take_back(self, entries, count):
        """Hide the entries that were logged of the slots from ``count`` on."""
        while self.filed_count > 0 and self.filed_slot[self.filed_count - 1] >= count:
            self.filed_count -= 1
            entries.hide(self.filed_list[self.filed_count], self.filed_index[self.filed_count])
        return 0

    # What leads to a clause

    def choose(self, clause):
        """Return the test of a clause that is least likely to lead events to it in vain; -1 if none can lead."""
        position: cython.int
        test: cython.int
        cost: cython.double
        best: cython.double = _NOWHERE
        chosen: cython.int = _NONE
        for position in range(self.forms.clause_size[clause]):
            test = self.forms.item[self.forms.clause_start[clause] + position]
            cost = self.cost(test)
            if cost < best:
                best = cost
                chosen = test
        return chosen

    def cost(self, test):
        """Return how likely an event is led to a clause by a test; 2 if it leads nowhere."""
        kind: cython.int = self.forms.kind[test]
        chance: cython.double
        if kind == TEST_ANY:
            return _NOWHERE if self.forms.loose[test] else self.forms.chance[test] + _EACH * self.forms.size[test]
        if kind == TEST_TEXT:
            return self.forms.chance[test] + _EACH
        if kind == TEST_LISTED:
            return self.forms.chance[test] + _EACH * listed_count(self.atoms.table, self.forms.code[test] >> 2)
        if not self.forms.families[test]:
            return _NOWHERE
        chance = self.atoms.presence_chance(
            self.forms.graph.predicate_attribute[self.forms.code[test] >> 2], self.forms.families[test]
        )
        if self.has_cells(test):
            return min(chance, self.cell_cost(test))
        return chance

    def has_cells(self, test):
        """Return whether a test is a range that some value must be in.

        A list may satisfy what accepts FALSE without one element in the range.
        """
        if self.forms.kind[test] != TEST_RANGE or self.forms.code[test] & 3:
            return False
        return self.forms.second[test] < 0 or self.forms.second[test] & 3 == 0

    def cell_cost(self, test):
        """Return how likely a value is in the cells of a range; their level is noted."""
        low: cython.uint = self.forms.low[test]
        high: cython.uint = self.forms.high[test]
        level: cython.int = 0
        while low <= high and (high >> level) - (low >> level) >= _CELLS:
            level += 1
        self.level = level
        if low > high:
            return _EACH  # no value is in both ranges that this one is made of
        low = (low >> level) << level
        high = ((high >> level) << level) | ((cython.cast(cython.uint, 1) << level) - 1)
        return self.atoms.range_chance(self.forms.line[test], low, high, self.forms.chance[test]) + _EACH * _CELLS

    def lead_to(self, test):
        """Note the atoms under which a clause is filed by one of its tests."""
        position: cython.int
        cell: cython.uint
        attribute: cython.int
        predicate: cython.int
        self.access_count = 0
        if test == _NONE:
            self.access[0] = ALWAYS
            self.access_count = 1
            return 0
        predicate = self.forms.code[test] >> 2
        attribute = self.forms.graph.predicate_attribute[predicate]
        if self.forms.kind[test] == TEST_ANY:
            for position in range(self.forms.size[test]):
                self.access[position] = self.forms.atom[test * _FEW + position]
            self.access_count = self.forms.size[test]
        elif self.forms.kind[test] == TEST_LISTED:
            self.lead_by_value(predicate)
        elif self.forms.kind[test] == TEST_TEXT:
            self.access[0] = self.atoms.literal(self.forms.code[test])
            self.access_count = 1
        elif self.has_cells(test) and self.cell_cost(test) < self.atoms.presence_chance(
            attribute, self.forms.families[test]
        ):
            if self.forms.second[test] >= 0:
                self.access[0] = self.atoms.listed(attribute)
                self.access_count = 1
            for cell in range(self.forms.low[test] >> self.level, (self.forms.high[test] >> self.level) + 1):
                self.access[self.access_count] = self.atoms.cell(
                    self.forms.line[test], attribute, family_of(self.forms.families[test]), self.level, cell
                )
                self.access_count += 1
        else:
            self.access[0] = self.atoms.there(attribute, self.forms.families[test])
            self.access_count = 1
        return 0

    def lead_by_value(self, predicate):
        """Note the atoms of all values that a longer IN lists."""
        graph: Graph = self.forms.graph
        position: cython.longlong
        first: cython.longlong = graph.predicate_start[predicate]
        for position in range(first, first + listed_count(self.atoms.table, predicate)):
            self.access[self.access_count] = self.atoms.atom(
                graph.predicate_attribute[predicate],
                self.atoms.table.listed_kind[position],
                self.atoms.table.listed_payload[position],
            )
            self.access_count += 1
        return 0

    # What is tested then

    def sort_tests(self, clause, chosen):
        """Sort the tests that have to be made, the least likely first; return how many there are."""
        position: cython.int
        hole: cython.int
        test: cython.int
        count: cython.int = 0
        if self.forms.clause_size[clause] > self.order.shape[0]:
            self.order = grown(self.order, self.forms.clause_size[clause])
        for position in range(self.forms.clause_size[clause]):
            test = self.forms.item[self.forms.clause_start[clause] + position]
            # Values and strings that lead to a clause have been tested by that.
            if test == chosen and self.is_exact(test):
                continue
            hole = count
            while hole > 0 and self.rank(self.order[hole - 1]) > self.rank(test):
                self.order[hole] = self.order[hole - 1]
                hole -= 1
            self.order[hole] = test
            count += 1
        self.prefer_atoms(count)
        return count

    def prefer_atoms(self, count):
        """Begin with a test of atoms rather than with a range, if one often fails: it takes less time."""
        position: cython.int
        test: cython.int
        if count == 0 or self.forms.kind[self.order[0]] != TEST_RANGE:
            return 0
        for position in range(1, count):
            test = self.order[position]
            if self.forms.chance[test] > _OFTEN:
                return 0
            if self.fits_column(test) and self.forms.kind[test] != TEST_RANGE:
                while position > 0:
                    self.order[position] = self.order[position - 1]
                    position -= 1
                self.order[0] = test
                return 0
        return 0

    def is_exact(self, test):
        """Return whether what leads to a clause by a test says that it holds."""
        kind: cython.int = self.forms.kind[test]
        return kind == TEST_ANY or kind == TEST_LISTED or kind == TEST_TEXT

    def rank(self, test):
        """Return when a test is to be made: the least likely first, but strings, and what else takes long, last."""
        kind: cython.int = self.forms.kind[test]
        slow: cython.bint = kind == TEST_TEXT or kind == TEST_LITERAL or kind == TEST_SOME
        return self.forms.chance[test] + 2.0 * slow

    def write_columns(self, count):
        """Write the first tests into columns, and what is left into the rest."""
        position: cython.int
        test: cython.int
        column: cython.int
        fits: cython.bint
        used: cython.int = 0  # columns, as bits
        self.rest_count = 0
        self.entry[1] = 0
        self.entry[2] = 0
        self.entry[3] = 0
        for position in range(count):
            test = self.order[position]
            column = 0
            while column < COLUMNS and used >> column & 1:
                column += 1
            fits = column < COLUMNS and self.fits_column(test)
            if fits:
                used |= 1 << column
                self.write_test(column, test)
                if self.is_decided(test):
                    continue
            self.write_rest(test, fits)
        return 0

    def fits_column(self, test):
        """Return whether a column can tell of a test, or rule out by it."""
        position: cython.int
        kind: cython.int = self.forms.kind[test]
        if kind == TEST_RANGE:
            return True
        if kind != TEST_ANY and kind != TEST_NONE:
            return False
        if kind == TEST_ANY and not self.forms.loose[test]:
            return True
        # What others share the code of can neither be ruled out by it, nor taken for absent.
        for position in range(self.forms.size[test]):
            if self.forms.atom[test * _FEW + position] >= PRIVATE:
                return False
        return True

    def is_decided(self, test):
        """Return whether a column says all of a test that fits it."""
        position: cython.int
        if self.forms.kind[test] == TEST_RANGE:
            return False
        for position in range(self.forms.size[test]):
            if self.forms.atom[test * _FEW + position] >= PRIVATE:
                return False
        return True

    def write_test(self, column, test):
        """Write a test into a column."""
        position: cython.int
        word: cython.ulonglong = 0
        last: cython.int = self.forms.size[test] - 1
        if self.forms.kind[test] == TEST_RANGE:
            word = cython.cast(cython.ulonglong, self.forms.line[test])
            word |= cython.cast(cython.ulonglong, self.forms.low[test]) << 16
            word |= cython.cast(cython.ulonglong, self.forms.high[test]) << (16 + LINE_BITS)
            self.entry[0] |= _ONE << (RANGE_BIT + column)
        else:
            for position in range(CODES):
                word |= (
                    cython.cast(cython.ulonglong, code_of(self.forms.atom[test * _FEW + min(position, last)]))
                    << 16 * position
                )
            if self.forms.kind[test] == TEST_NONE:
                self.entry[0] |= _ONE << (SLOT_BITS + column)
        self.entry[1 + column] = word
        return 0

    def write_rest(self, test, in_column):
        """Write a test into the rest: its atoms, or the literal that it is."""
        position: cython.int
        kind: cython.int = self.forms.kind[test]
        word: cython.uint = REST_NONE if kind == TEST_NONE else REST_ANY
        if kind == TEST_LITERAL or kind == TEST_TEXT:
            return self.write_literal(self.forms.code[test], REST_LITERAL)
        if kind == TEST_RANGE:
            # What is well within the range of a column need not be compared again.
            word = REST_COMPARED if in_column else REST_LITERAL
            self.write_literal(self.forms.code[test], word)
            return self.write_literal(self.forms.second[test], word) if self.forms.second[test] >= 0 else 0
        if kind == TEST_LISTED or kind == TEST_UNLISTED:
            return self.write_values(test)
        if kind == TEST_SOME:
            return self.write_some(self.forms.code[test])
        self.push_rest(cython.cast(cython.uint, self.forms.size[test]) << REST_KIND_BITS | word)
        for position in range(self.forms.size[test]):
            self.push_rest(cython.cast(cython.uint, self.forms.atom[test * _FEW + position]))
        return 0

    def write_values(self, test):
        """Write the atoms of a longer IN or NOT IN into the rest."""
        code: cython.int = self.forms.code[test]
        predicate: cython.int = code >> 2
        graph: Graph = self.forms.graph
        attribute: cython.int = graph.predicate_attribute[predicate]
        count: cython.uint = listed_count(self.atoms.table, predicate)
        strong: cython.bint = self.forms.kind[test] == TEST_UNLISTED and self.forms.families[test] != 0
        position: cython.longlong
        first: cython.longlong = graph.predicate_start[predicate]
        self.push_rest(
            (count + strong) << REST_KIND_BITS | (REST_ANY if self.forms.kind[test] == TEST_LISTED else REST_NONE)
        )
        for position in range(first, first + count):
            self.push_rest(
                self.atoms.atom(
                    attribute, self.atoms.table.listed_kind[position], self.atoms.table.listed_payload[position]
                )
            )
        return self.push_rest(self.atoms.lacking(attribute, self.forms.families[test])) if strong else 0

    def write_some(self, node):
        """Write an OR of literals into the rest."""
        graph: Graph = self.forms.graph
        position: cython.longlong
        first: cython.longlong = graph.node_start[node]
        last: cython.longlong = graph.node_start[node + 1]
        self.push_rest(cython.cast(cython.uint, last - first) << REST_KIND_BITS | REST_SOME)
        for position in range(first, last):
            self.push_rest(cython.cast(cython.uint, graph.node_code[graph.child[position]]))
        return 0

    def write_literal(self, code, kind):
        """Write a literal that must hold into the rest."""
        if code >= _MOST_CODES:
            raise LimitError("more different tests than an index of the engine 'hedge' holds")
        return self.push_rest(cython.cast(cython.uint, code) << REST_KIND_BITS | kind)

    def push_rest(self, word):
        if self.rest_count == 0:
            self.rest_count = 1  # the first word says how many there are
        if self.rest_count >= self.rest.shape[0]:
            self.rest = grown(self.rest, self.rest_count + 1)
        self.rest[self.rest_count] = word
        self.rest_count += 1
        self.rest[0] = cython.cast(cython.uint, self.rest_count)
        return 0

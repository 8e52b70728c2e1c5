"""What units become: entries of predicate lists, and numbers for the literals that are found by one.

A unit is counted once for each of its clauses. One that is a literal alone has its entries, of which a BETWEEN has two
that both count, and what denies a negated one puts the unit out of reach. Of the literals of a longer clause each
satisfies it, so their entries lead to the counter by ``once``, whichever and how many of them hold.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Literals
from cython.cimports.hedgerow.index.opindex.partitions_cy import (
    ALWAYS,
    AT_LEAST,
    AT_MOST,
    DENIES,
    EQUAL,
    FOUND,
    MOST_NUMBERS,
    PREFIX,
    REGEX,
    SUFFIX,
    line_of,
)
from cython.cimports.hedgerow.index.opindex.pivots_cy import Pivots
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.finder_cy import BY_RANGE, BY_VALUE
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable, listed_count

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import LimitError
from hedgerow.language.operators import Accepts, Operator
from hedgerow.values import Kind

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_STARTS_WITH = cython.declare(cython.int, int(Operator.STARTS_WITH))
_ENDS_WITH = cython.declare(cython.int, int(Operator.ENDS_WITH))
_MATCHES = cython.declare(cython.int, int(Operator.MATCHES))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_LITERAL = cython.declare(cython.int, int(Kind.LIST))  # the kind of keys that are numbers of literals: no value's


@cython.final
@cython.cclass
class Entries:
    """The entries of the unit that is at hand in ``pivots``."""

    def __init__(self, graph: Graph, table: PredicateTable, literals: Literals, pivots: Pivots):
        self.graph, self.table, self.literals, self.pivots = graph, table, literals, pivots
        self.operation_of = filled(16, 0, np.uint8)

    # Before a unit waits

    def prepare_unit(self):
        """Prepare the literals of the unit at hand."""
        clause: cython.int
        position: cython.int
        first: cython.int
        last: cython.int
        for clause in range(self.pivots.clause_count):
            first, last = self.pivots.clause_start[clause], self.pivots.clause_start[clause + 1]
            for position in range(first, last):
                self.prepare(self.pivots.code[position], last - first == 1)
        return 0

    def prepare(self, code, alone):
        """Count the attribute of a literal, and give numbers to what is found by one."""
        number: cython.int
        if self.pivots.log is None:
            self.pivots.frequency[self.graph.predicate_attribute[code >> 2]] += 1.0
        if alone and self.literals.is_denied(code):
            number = self.literals.there(code)
            if number >= 0:
                self.note(number, FOUND)
            number = self.literals.denied(code)
            return 0 if number < 0 else self.note(number, self.operation(code))
        if self.is_keyed(code, alone):
            return 0
        return self.note(self.literals.number(code), self.operation(code))

    def note(self, number, operation):
        """Note which lists ask for a literal."""
        if number >= MOST_NUMBERS:
            raise LimitError(f"more than {MOST_NUMBERS} literals")
        if number >= self.operation_of.shape[0]:
            self.operation_of = grown(self.operation_of, number + 1, 0)
        self.operation_of[number] = operation
        return 0

    def operation(self, code):
        """Return the lists of literals that one belongs to."""
        operator: cython.int = self.graph.predicate_operator[code >> 2]
        if operator == _STARTS_WITH:
            return PREFIX
        if operator == _ENDS_WITH:
            return SUFFIX
        return REGEX if operator == _MATCHES else FOUND

    def is_keyed(self, code, alone):
        """Return whether a literal is found by an event's values, in lists of ``=`` or of ranges.

        A BETWEEN has an entry for each bound, so it is only if both count, which they do where it is a clause alone.
        """
        way: cython.int
        if code & 3 != _TRUE:
            return False
        way = self.literals.finder.way(code)
        if way == BY_RANGE:
            return alone or self.graph.predicate_operator[code >> 2] != _BETWEEN
        return way == BY_VALUE

    # When it is sorted into lists

    def begin(self):
        """Begin a draft."""
        self.asked_by = filled(self.literals.count, 0, np.int32)
        return 0

    def draft(self, draft):
        """Draft the entries of the unit at hand under the pivot that the draft has begun it at."""
        clause: cython.int
        first: cython.int
        last: cython.int
        for clause in range(self.pivots.clause_count):
            first, last = self.pivots.clause_start[clause], self.pivots.clause_start[clause + 1]
            if last - first == 1:
                self.draft_literal(draft, self.pivots.code[first])
            else:
                self.draft_clause(draft, first, last)
        if draft.wanted[draft.unit_count - 1] == 0:
            draft.want()
            draft.add(ALWAYS, 0, 0, draft.counter(), 0)
        return 0

    def draft_clause(self, draft, first, last):
        """Ask for one of several literals: each satisfies the clause, which counts once however many hold.

        A negated one is found like any other, since what denies it denies neither the clause nor the unit.
        """
        position: cython.int
        code: cython.int
        number: cython.int
        counter: cython.int = draft.once(True)
        draft.want()
        for position in range(first, last):
            code = self.pivots.code[position]
            if self.is_keyed(code, False):
                self.draft_keyed(draft, code, counter)
            else:
                number = self.literals.number(code)
                draft.add(self.operation(code), line_of(number, _LITERAL), number, counter, code >> 2)
        return 0

    def draft_literal(self, draft, code):
        """Ask for a literal that is a clause alone."""
        number: cython.int
        if self.literals.is_denied(code):
            number = self.literals.there(code)
            if number >= 0:
                self.draft_number(draft, number, FOUND, code)
            number = self.literals.denied(code)
            if number < 0:
                return 0
            return draft.add(DENIES, line_of(number, _LITERAL), number, draft.counter(), code >> 2)
        if not self.is_keyed(code, True):
            return self.draft_number(draft, self.literals.number(code), self.operation(code), code)
        draft.want()
        return self.draft_keyed(draft, code, draft.counter())

    def draft_number(self, draft, number, operation, code):
        """Ask for a literal, once a unit: literals may have the same one in common, that their attribute is there."""
        if self.asked_by[number] == draft.unit_count:
            return 0
        self.asked_by[number] = draft.unit_count
        draft.want()
        return draft.add(operation, line_of(number, _LITERAL), number, draft.counter(), code >> 2)

    def draft_keyed(self, draft, code, counter):
        """Ask for what an event's values lead to."""
        if self.literals.finder.way(code) == BY_VALUE:
            return self.draft_values(draft, code >> 2, counter)
        return self.draft_range(draft, code >> 2, counter)

    def draft_values(self, draft, predicate, counter):
        """Ask for one of the values of a literal."""
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        position: cython.longlong = self.graph.predicate_start[predicate]
        last: cython.longlong = position + listed_count(self.table, predicate)
        if last - position > 1 and counter >= 0:
            counter = draft.once(False)
        while position < last:
            draft.add(
                EQUAL,
                line_of(attribute, self.table.listed_kind[position]),
                self.table.listed_payload[position],
                counter,
                predicate,
            )
            position += 1
        return 0

    def draft_range(self, draft, predicate, counter):
        """Ask for a value on one side of a bound, or on one of each of two."""
        operator: cython.int = self.graph.predicate_operator[predicate]
        first: cython.longlong = self.graph.predicate_start[predicate]
        kind: cython.int = self.table.listed_kind[first]
        line: cython.int = line_of(self.graph.predicate_attribute[predicate], _INT if kind == _FLOAT else kind)
        key: cython.longlong = self.literals.finder.operand_key(first)
        if operator == _LT or operator == _LE:
            return draft.add(AT_MOST, line, key, counter, predicate)
        draft.add(AT_LEAST, line, key, counter, predicate)
        if operator == _BETWEEN:
            draft.want()
            draft.add(AT_MOST, line, self.literals.finder.operand_key(first + 1), counter, predicate)
        return 0

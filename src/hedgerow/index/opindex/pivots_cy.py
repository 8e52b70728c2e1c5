"""The pivots of units: the attributes by which events are led to them.

A unit is clauses, all of which must hold, each by one of its literals. In a conjunction each clause is one literal, and
in a CNF that is kept whole some have several::

    A = 2 AND B IN {3, 6, 9}                                A, or B: one pivot, whichever events have less often
    (A = 2 OR B >= 3) AND (C = 1 OR D = 1 OR E = 1)         A and B: an event that matches has one of them at least

So a clause leads to a unit if each of its literals needs its attribute, and the pivots are its attributes. Of the
clauses that do, the one with the fewest literals is chosen, which for a conjunction is any, and then the one whose
attributes are rarest. A choice is one number: a pivot, or, where there are several, -1 less the number of the clause,
which tells them.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Literals
from cython.cimports.hedgerow.index.opindex.partitions_cy import CATCH_ALL, MOST_NUMBERS
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, Graph
from cython.cimports.hedgerow.predicate.finder_cy import BY_ABSENCE
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable, listed_count
from cython.cimports.hedgerow.symbols_cy import mixed

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import LimitError
from hedgerow.sections import section

_NONE = cython.declare(cython.int, -1)
_ODD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_MOST_ENTRIES = cython.declare(cython.longlong, 1 << 16)  # of a unit, under all of several pivots


@cython.final
@cython.cclass
class Pivots:
    """The pivots that there are, and the clauses of one unit at a time, for which they are chosen."""

    def __init__(self, graph: Graph, table: PredicateTable, literals: Literals, options):
        self.graph, self.table, self.literals = graph, table, literals
        self.log = options.log
        self.random = options.pivot == "random"
        self.start = options.seed
        self.count = 1
        self.of_attribute = filled(16, -1, np.int32)
        self.attribute = filled(16, -1, np.int32)
        self.frequency = filled(16, 0.0, np.float64)
        self.found_by = filled(16, 0, np.int64)
        self.code = np.empty(16, np.int32)
        self.found = np.empty(16, np.int32)
        self.clause_start = filled(17, 0, np.int32)

    def saved(self):
        """Return the arrays that ``restore`` goes on in."""
        return {
            "pivot_of": np.asarray(self.of_attribute),
            "pivot_attribute": np.asarray(self.attribute)[: self.count],
            "frequency": np.asarray(self.frequency),
        }

    def restore(self, arrays, named: cython.int):
        """Go on in arrays that were saved, where so many attributes have their frequency."""
        self.of_attribute = section(arrays, "pivot_of", np.int32)
        self.attribute = section(arrays, "pivot_attribute", np.int32)
        self.count = self.attribute.shape[0]
        self.frequency = section(arrays, "frequency", np.float64)
        self.found_by = filled(self.frequency.shape[0], 0, np.int64)
        self.named = named

    @property
    def nbytes(self):
        """Bytes held."""
        return self.of_attribute.nbytes + 4 * self.count + self.frequency.nbytes + self.found_by.nbytes

    def name_attributes(self):
        """Make room for the attributes that have come, which have the frequencies of the log."""
        count: cython.int = self.graph.names.count
        if count <= self.named:
            return 0
        if count >= MOST_NUMBERS:
            raise LimitError(f"more than {MOST_NUMBERS} attributes")
        if count > self.frequency.shape[0]:
            self.frequency = grown(self.frequency, count, 0.0)
        if count > self.found_by.shape[0]:
            self.found_by = grown(self.found_by, count, 0)
        if count > self.of_attribute.shape[0]:
            self.of_attribute = grown(self.of_attribute, count, -1)
        if self.log is not None:
            while self.named < count:
                self.frequency[self.named] = self.log.get(self.graph.names[self.named], 0)
                self.named += 1
        self.named = count
        return 0

    # The unit at hand

    def read(self, node):
        """Take the clauses of a unit: a literal, or literals and ORs of them under AND."""
        position: cython.longlong
        self.clause_count = 0
        if self.graph.node_kind[node] != NODE_AND:
            return self.read_clause(node)
        for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
            self.read_clause(self.graph.child[position])
        return 0

    def read_clause(self, node):
        """Take the literals of a clause; TRUE, which asks for nothing, is none."""
        kind: cython.int = self.graph.node_kind[node]
        first: cython.longlong = self.graph.node_start[node]
        place: cython.int = self.clause_start[self.clause_count]
        count: cython.int = 1
        position: cython.int
        if kind == NODE_OR:
            count = cython.cast(cython.int, self.graph.node_start[node + 1] - first)
        elif kind != NODE_LITERAL:
            return 0
        if place + count > self.found.shape[0]:
            self.code = grown(self.code, place + count)
            self.found = grown(self.found, place + count)
        if self.clause_count + 1 >= self.clause_start.shape[0]:
            self.clause_start = grown(self.clause_start, self.clause_count + 2)
        if kind == NODE_LITERAL:
            self.code[place] = self.graph.node_code[node]
        else:
            for position in range(count):
                self.code[place + position] = self.graph.node_code[self.graph.child[first + position]]
        self.clause_count += 1
        self.clause_start[self.clause_count] = place + count
        return 0

    def most_entries(self):
        """Return how many entries the unit at hand has under a pivot, at most."""
        position: cython.int
        count: cython.Py_ssize_t = 0
        for position in range(self.clause_start[self.clause_count]):
            count += 1 + listed_count(self.table, self.code[position] >> 2)
        return count

    # What could lead to it

    def needed(self, code):
        """Return the attribute that must be there for a literal to hold, or -1."""
        if self.literals.finder.way(code) == BY_ABSENCE:
            return _NONE
        return self.graph.predicate_attribute[code >> 2]

    def gather(self, clause):
        """Find the attributes of a clause, each once; return whether each of its literals needs one."""
        position: cython.int
        attribute: cython.int
        self.found_count = 0
        self.gathering += 1
        for position in range(self.clause_start[clause], self.clause_start[clause + 1]):
            attribute = self.needed(self.code[position])
            if attribute == _NONE:
                return False
            if self.found_by[attribute] != self.gathering:
                self.found_by[attribute] = self.gathering
                self.found[self.found_count] = attribute
                self.found_count += 1
        return True

    def burden(self):
        """Return how frequent the attributes are that were gathered."""
        position: cython.int
        frequency: cython.double = 0.0
        for position in range(self.found_count):
            frequency += self.frequency[self.found[position]]
        return frequency

    def burden_of(self, choice):
        """Return how frequent the pivots are that were chosen for the unit at hand."""
        if choice >= 0:
            return self.frequency[self.attribute[choice]]
        self.gather(-1 - choice)
        return self.burden()

    def rarest(self):
        """Gather the clause of fewest literals, then of rarest attributes, then what came first; return it, or -1."""
        clause: cython.int
        size: cython.int
        burden: cython.double
        best: cython.int = _NONE
        fewest: cython.int = 0
        least: cython.double = 0.0
        first: cython.int = 0
        for clause in range(self.clause_count):
            size = self.clause_start[clause + 1] - self.clause_start[clause]
            if (best != _NONE and size > fewest) or not self.gather(clause):
                continue
            burden = self.burden()
            if best == _NONE or size < fewest or burden < least or (burden == least and self.found[0] < first):
                best, fewest, least, first = clause, size, burden, self.found[0]
        if best != _NONE:
            self.gather(best)
        return best

    def drawn(self, unit):
        """Gather any clause that leads to the unit at hand; return it, or -1."""
        clause: cython.int
        count: cython.ulonglong = 0
        draw: cython.ulonglong = mixed(mixed(_ODD, self.start), cython.cast(cython.ulonglong, unit))
        for clause in range(self.clause_count):
            count += self.gather(clause)
        if count == 0:
            return _NONE
        draw %= count
        for clause in range(self.clause_count):
            if self.gather(clause):
                if draw == 0:
                    return clause
                draw -= 1
        return _NONE

    # The choice

    def choose(self, unit):
        """Choose pivots for the unit at hand, and return the choice.

        What would have too many entries under all of its pivots is searched for every event instead.
        """
        position: cython.int
        clause: cython.int = self.drawn(unit) if self.random else self.rarest()
        if clause == _NONE:
            return CATCH_ALL
        if self.found_count > 1 and self.found_count * self.most_entries() > _MOST_ENTRIES:
            return CATCH_ALL
        for position in range(self.found_count):
            self.make(self.found[position])
        return -1 - clause if self.found_count > 1 else self.of_attribute[self.found[0]]

    def make(self, attribute):
        """Make an attribute a pivot, if it is none."""
        if self.of_attribute[attribute] == _NONE:
            if self.count >= self.attribute.shape[0]:
                self.attribute = grown(self.attribute, self.count + 1, -1)
            self.attribute[self.count] = attribute
            self.of_attribute[attribute] = self.count
            self.count += 1
        return 0

    def find(self, choice):
        """Find the pivots that were chosen for the unit at hand."""
        position: cython.int
        if choice >= 0:
            self.found[0] = choice
            self.found_count = 1
            return 0
        self.gather(-1 - choice)
        for position in range(self.found_count):
            self.found[position] = self.of_attribute[self.found[position]]
        return 0

"""Gryphon: a tree that tests one attribute after the other, in a fixed order, for all conjunctions in parallel.

::

    a, b, c in this order             0 ──a = 1──> 1 ──b = 2──> 2  "a = 1 and b = 2"
                                      │            └───c = 3──> 3  "a = 1 and c = 3": b does not matter, no edge *
                                      └───c = 3──> 4               "c = 3": neither a nor b matters

A conjunction is a path of its literals, in the order of their attributes, to the node of which it is a leaf. In the
paper a node tests one attribute, and has an edge * to where those go on that do not care; chains of them are
collapsed. Here all of them are: an edge leads from a node straight to the next attribute that matters, and a search
goes from there with those literals of the event that are on later attributes (``paths_cy``, ordered). It goes all
ways in parallel, by a stack, and not deeper in the stack of calls. That one test covers another, which the paper
makes use of between edges, is not looked at: which tests hold is known beforehand, of ranges by their sorted bounds.

What is on the edges is up to ``GryphonOptions.form``; what is not, or only in part, is tested at the leaf by its
bit::

                        "equality"     "generic"                    "intervals" (ADGR, Table I of the BE-Tree paper)
    a = 1               edge           edge                         edge
    a < 5, s LIKE '%x'  bit            edge                         edge
    a IN (1, 5, 7)      bit            edge                         edge a BETWEEN 1 AND 7, and bit
    a NOT IN (1)        bits           edge "a is there", and bit   edge "a is there", and bit
    a WEAK NOT IN (1)   bit            bit                          bit

The paper says no order. Here it is that in which attributes come into the index, unless options name some that are
first.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.baselines.paths_cy import PathEngine, PathSearcher
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.kindex.keyed_cy import sort_values
from cython.cimports.hedgerow.predicate.finder_cy import BY_VALUE
from cython.cimports.hedgerow.predicate.keys import family_of
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import family_bit, listed_count

from hedgerow.arrays_cy import grown
from hedgerow.index.baselines import gryphon_options
from hedgerow.index.baselines.gryphon_options import GryphonOptions
from hedgerow.language.operators import Accepts, Operator
from hedgerow.sections import numbers, scalars

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IN = cython.declare(cython.int, int(Operator.IN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_LOW = cython.declare(cython.longlong, (1 << 32) - 1)


@cython.final
@cython.cclass
class GryphonEngine(PathEngine):
    """Tests attributes in order."""

    options = cython.declare(object, visibility="readonly")
    by_equality: cython.bint
    by_interval: cython.bint
    path: cython.longlong[::1]  # of the unit at hand: attributes, each with the number of a literal
    path_count: cython.int

    def __init__(self, missing: str, options=None):
        PathEngine.__init__(self, missing)
        self._take_options(GryphonOptions() if options is None else options)
        for name in self.options.order:
            self.graph.names.intern_text(name)
        self.path = np.empty(16, np.int64)

    @cython.cfunc
    def _take_options(self, options):
        self.options = options
        self.by_equality = options.form == "equality"
        self.by_interval = options.form == "intervals"

    def anew(self):
        """Return an empty engine with the same options."""
        return type(self)(self.missing, self.options)

    def attributes(self):
        """Return the names of the attributes that are tested, not all that the options name."""
        tested = np.unique(np.asarray(self.graph.predicate_attribute)[: self.graph.predicate_count])
        return [self.graph.names[number] for number in tested.tolist()]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        position: cython.int
        at: cython.int = 0
        self.read(node)
        self.path_count = 0
        for position in range(self.code_count):
            self.add_literal(self.codes[position])
        sort_values(cython.address(self.path[0]), self.path_count)
        for position in range(self.path_count):
            # Two literals may want the same to be there.
            if position == 0 or self.path[position] != self.path[position - 1]:
                at = self.node_at(
                    at,
                    cython.cast(cython.int, self.path[position] & _LOW),
                    cython.cast(cython.int, self.path[position] >> 32),
                )
        return self.end_at(unit, at)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_literal(self, code: cython.int) -> cython.int:
        """Put a literal on the path, or among the bits, or both."""
        hull: cython.int = -1
        number: cython.int
        if self.by_equality:
            if not self.is_equality(code):
                return self.add_bits(code)
        elif self.literals.is_denied(code):
            number = self.literals.there(code)
            if number >= 0:
                self.add_edge(code, number)
            number = self.literals.denied(code)
            return 0 if number < 0 else self.add_bit(number, False)
        elif code & 3 > _FALSE or self.graph.predicate_operator[code >> 2] == _IS_NULL:
            return self.add_bits(code)
        elif self.by_interval and code & 3 == _TRUE and self.graph.predicate_operator[code >> 2] == _IN:
            hull = self.hull(code)
        if hull >= 0:
            self.add_edge(code, self.literals.number(hull))
            return self.add_bits(code)
        return self.add_edge(code, self.literals.number(code))

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_equality(self, code: cython.int) -> cython.bint:
        is_value: cython.bint = code & 3 == _TRUE and self.literals.finder.way(code) == BY_VALUE
        return is_value and self.graph.predicate_operator[code >> 2] == _EQ

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_edge(self, code: cython.int, number: cython.int) -> cython.int:
        attribute: cython.longlong = self.graph.predicate_attribute[code >> 2]
        if self.path_count >= self.path.shape[0]:
            self.path = grown(self.path, self.path_count + 1)
        self.path[self.path_count] = attribute << 32 | number
        self.path_count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def hull(self, code: cython.int) -> cython.int:
        """Return the literal that an attribute lies between the ends of an IN; -1 if its values have none to tell."""
        first: cython.longlong = self.graph.predicate_start[code >> 2]
        family: cython.int = family_of(self.table.family[code >> 2])
        position: cython.longlong
        key: cython.longlong
        low: cython.longlong = first
        high: cython.longlong = first
        low_key: cython.longlong = self.literals.finder.operand_key(first)
        high_key: cython.longlong = low_key
        # Keys are coarser than values: an end that has its key in common with another value is none.
        is_low: cython.bint = True
        is_high: cython.bint = True
        if family <= 0:
            return -1
        for position in range(first, first + listed_count(self.table, code >> 2)):
            if family_of(family_bit(self.table.listed_kind[position])) != family:
                return -1
            key = self.literals.finder.operand_key(position)
            if key < low_key:
                low, low_key, is_low = position, key, True
            elif key == low_key and position != low:
                is_low = False
            if key > high_key:
                high, high_key, is_high = position, key, True
            elif key == high_key and position != high:
                is_high = False
        return self.between(code, low, high) if is_low and is_high else -1

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def between(self, code: cython.int, low: cython.longlong, high: cython.longlong) -> cython.int:
        """Return the literal that the attribute of another lies between two of its operands."""
        predicate: cython.int
        try:
            self.graph.push_value(self.table.listed_kind[low], self.table.listed_payload[low], 0.0)
            self.graph.push_value(self.table.listed_kind[high], self.table.listed_payload[high], 0.0)
            predicate = self.graph.intern_predicate(_BETWEEN, self.graph.predicate_attribute[code >> 2])
        except BaseException:
            self.graph.drop_values()
            raise
        self.table.prepare_new()
        return predicate * 4 + _TRUE

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return PathSearcher(self, outcomes, True)

    def structure_saved(self):
        """Return the tree and its options: the attributes of the order are the first that there are."""
        form = gryphon_options.FORMS.index(self.options.form)
        return PathEngine.structure_saved(self) | {"options": numbers(form, len(self.options.order))}

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        form, count = scalars(arrays, "options", 2)
        order = tuple([self.graph.names[number] for number in range(count)])
        self._take_options(GryphonOptions(form=gryphon_options.FORMS[form], order=order))
        PathEngine.structure_restored(self, arrays)

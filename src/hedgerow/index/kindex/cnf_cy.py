"""The k-index of CNFs (Section 4 of the paper), and its ranking (Section 5).

A unit is a whole CNF. Its *size* is how many of its disjunctions need something that is there; one with a weak NOT IN
can hold without. An entry is ``unit << 2`` with what it does, and beside it stands the disjunction that it does it to:

===== ========== ===========================================================================
entry name       does
===== ========== ===========================================================================
0     DENIES     a value of NOT IN: one more of the negations of this disjunction fails
1     IS_THERE   what a strong NOT IN wants: one more of the negations may hold
2     HOLDS      a value of IN, or a literal that was found: this disjunction holds
===== ========== ===========================================================================

When ``size`` lists or more stand at a unit, its disjunctions are counted. Each begins at minus its weak negations; what
is there takes one off, what denies adds one. A disjunction holds if something says so, or if it stands below zero: then
one of its negations is not denied. A unit has one entry in a list at most, so of a key that several of its disjunctions
ask for it has as many lists (``turn``)::

    c4 = (A IN {1} OR B IN {1}) AND (A IN {1, 2} OR D IN {1})          (A, 1) turn 0: c4 HOLDS 0
                                                                       (A, 1) turn 1: c4 HOLDS 1

With lists in events a negation may be denied by several elements; then the unit is evaluated instead of counted.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.kindex.keyed_cy import (
    BY_FOUND,
    BY_PIECES,
    KeyedEngine,
    KeyedSearcher,
    Piece,
)
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import listed_count
from cython.cimports.libc.stdlib import qsort

from hedgerow.arrays_cy import grown, roomy
from hedgerow.errors import CorruptFile
from hedgerow.language.operators import Accepts
from hedgerow.sections import section

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))

_DENIES = cython.declare(cython.int, 0)
_IS_THERE = cython.declare(cython.int, 1)
_HOLDS = cython.declare(cython.int, 2)

_Z_KEY = cython.declare(cython.int, 0)
_OF_Z = cython.declare(cython.int, -1)  # in the place of a disjunction
_LOW = cython.declare(cython.longlong, (1 << 32) - 1)

_Item = cython.struct(key=cython.int, disjunction=cython.int, does=cython.int)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _order(
    left: cython.pointer(cython.const[cython.void]), right: cython.pointer(cython.const[cython.void])
) -> cython.int:
    one: cython.pointer(_Item) = cython.cast(cython.pointer(_Item), left)
    two: cython.pointer(_Item) = cython.cast(cython.pointer(_Item), right)
    if one.key != two.key:
        return 1 if one.key > two.key else -1
    if one.disjunction != two.disjunction:
        return 1 if one.disjunction > two.disjunction else -1
    return (one.does > two.does) - (one.does < two.does)


@cython.final
@cython.cclass
class KIndexCNFEngine(KeyedEngine):
    """The k-index for CNF."""

    items: cython.uchar[::1]  # of the unit at hand, as structs
    item_count: cython.int
    needs_nothing: cython.bint
    weak_count: cython.int
    weak_start: cython.longlong[::1]  # by unit, where its disjunctions stand in ``weak``
    weak: cython.int[::1]  # by disjunction, how many weak negations it has
    weak_total: cython.longlong
    node_of: cython.int[::1]  # by unit, the node that it is
    most_disjunctions: cython.int

    def __init__(self, missing: str, options=None):
        KeyedEngine.__init__(self, missing, options, False, 2)
        self.items = np.empty(16 * cython.sizeof(_Item), np.uint8)
        self.weak_start = np.zeros(17, np.int64)
        self.weak = np.empty(16, np.int32)
        self.node_of = np.empty(16, np.int32)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        """Put a CNF into the lists of its keys."""
        position: cython.longlong
        size: cython.int = 0
        disjunctions: cython.int = 0
        self.item_count = 0
        self.reserve(unit)
        self.weak_start[unit] = self.weak_total
        if self.graph.node_kind[node] == NODE_AND:
            for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
                size += self.add_disjunction(disjunctions, self.graph.child[position])
                disjunctions += 1
        elif self.graph.node_kind[node] == NODE_LITERAL or self.graph.node_kind[node] == NODE_OR:
            size = self.add_disjunction(0, node)
            disjunctions = 1
        if size == 0:
            self.add_item(_Z_KEY, _OF_Z, _HOLDS)
        self.greatest_size = max(self.greatest_size, size)
        self.most_disjunctions = max(self.most_disjunctions, disjunctions)
        self.node_of[unit] = node
        self.weak_total += disjunctions
        self.weak_start[unit + 1] = self.weak_total
        return self.file(unit, 2 * size + self.loose)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def reserve(self, unit: cython.int) -> cython.int:
        if unit + 1 >= self.weak_start.shape[0]:
            self.weak_start = grown(self.weak_start, unit + 2)
        if unit >= self.node_of.shape[0]:
            self.node_of = grown(self.node_of, unit + 1)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def file(self, unit: cython.int, rank: cython.int) -> cython.int:
        """Put the items into their lists, those of one key into different ones."""
        items: cython.pointer(_Item) = cython.cast(cython.pointer(_Item), cython.address(self.items[0]))
        place: cython.int
        turn: cython.int = 0
        qsort(items, self.item_count, cython.sizeof(_Item), _order)
        for place in range(self.item_count):
            if place and items[place].key == items[place - 1].key:
                # What holds twice holds; what denies twice denies two.
                if items[place].disjunction == items[place - 1].disjunction and (
                    items[place].does == _HOLDS and items[place - 1].does == _HOLDS
                ):
                    continue
                turn += 1
            else:
                turn = 0
            self.postings.add_pair(
                self.postings.list_of(items[place].key, rank, turn),
                4 * unit + items[place].does,
                items[place].disjunction,
            )
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_item(self, key: cython.int, disjunction: cython.int, does: cython.int) -> cython.int:
        needed: cython.Py_ssize_t = (self.item_count + 1) * cython.sizeof(_Item)
        items: cython.pointer(_Item)
        if needed > self.items.shape[0]:
            self.items = grown(self.items, needed)
        items = cython.cast(cython.pointer(_Item), cython.address(self.items[0]))
        items[self.item_count].key = key
        items[self.item_count].disjunction = disjunction
        items[self.item_count].does = does
        self.item_count += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_disjunction(self, number: cython.int, node: cython.int) -> cython.int:
        """Add the literals of a disjunction; return 1 if it needs something that is there, 0 if not."""
        position: cython.longlong
        place: cython.longlong = self.weak_total + number
        self.weak_count = 0
        if self.graph.node_kind[node] == NODE_LITERAL:
            self.add_literal(number, self.graph.node_code[node])
        else:
            for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
                self.add_literal(number, self.graph.node_code[self.graph.child[position]])
        if place >= self.weak.shape[0]:
            self.weak = grown(self.weak, place + 1)
        self.weak[place] = self.weak_count
        return self.weak_count == 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_literal(self, disjunction: cython.int, code: cython.int) -> cython.int:
        number: cython.int
        accepts: cython.int = code & 3
        way: cython.int = self.keying(code)
        if self.literals.is_denied(code) or (way == BY_PIECES and (accepts == _FALSE or accepts == _NOT_TRUE)):
            number = self.literals.there(code)
            if number >= 0:
                self.add_item(self.literal_key(number), disjunction, _IS_THERE)
            else:
                self.weak_count += 1
            if way != BY_FOUND:
                return self.add_keys(disjunction, code, way, _DENIES)
            number = self.literals.denied(code)
            return 0 if number < 0 else self.add_item(self.literal_key(number), disjunction, _DENIES)
        if way != BY_FOUND and accepts == _TRUE:
            return self.add_keys(disjunction, code, way, _HOLDS)
        return self.add_item(self.literal_key(self.literals.number(code)), disjunction, _HOLDS)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_keys(self, disjunction: cython.int, code: cython.int, way: cython.int, does: cython.int) -> cython.int:
        """Add an item for each value of a literal, or for each piece of its range."""
        first: cython.longlong = self.graph.predicate_start[code >> 2]
        position: cython.longlong
        key: cython.int
        number: cython.int
        pieces: Piece[130]
        if way == BY_PIECES:
            for number in range(self.pieces_of(code, pieces)):
                self.add_item(self.piece_key(code, pieces[number]), disjunction, does)
            return 0
        for position in range(first, first + listed_count(self.table, code >> 2)):
            key = self.value_key(code, position)
            if does == _HOLDS:
                self.raise_bound(key, position)
            self.add_item(key, disjunction, does)
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        return _Search(self, outcomes)

    def structure_saved(self):
        """Return the keys and the lists, and what is known of disjunctions."""
        count: cython.int = self.units.count
        return KeyedEngine.structure_saved(self) | {
            "weak_start": np.asarray(self.weak_start)[: count + 1],
            "weak": np.asarray(self.weak)[: self.weak_total],
            "node_of": np.asarray(self.node_of)[:count],
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        KeyedEngine.structure_restored(self, arrays)
        self.weak_start = section(arrays, "weak_start", np.int64, self.units.count + 1)
        self.weak = section(arrays, "weak", np.int32)
        self.weak_total = self.weak.shape[0]
        self.node_of = section(arrays, "node_of", np.int32, self.units.count)
        if self.weak_start[self.units.count] != self.weak_total:
            raise CorruptFile("the section 'weak_start' does not fit the disjunctions")
        if self.units.count:
            self.most_disjunctions = np.diff(np.asarray(self.weak_start)).max()

    def structure_bytes(self):
        """Return the bytes of literals, keys, lists and disjunctions."""
        held = 12 * self.units.count + 4 * self.weak_total
        return KeyedEngine.structure_bytes(self) | {"disjunctions": held}


@cython.final
@cython.cclass
class _Search(KeyedSearcher):
    """One search for CNFs."""

    weak_start: cython.longlong[::1]
    weak: cython.int[::1]
    node_of: cython.int[::1]
    kind: cython.uchar[::1]
    code: cython.int[::1]
    start: cython.longlong[::1]
    child: cython.int[::1]
    negations: cython.int[::1]
    says_so: cython.uchar[::1]

    def __init__(self, engine: KIndexCNFEngine, outcomes: Outcomes):
        KeyedSearcher.__init__(self, engine, outcomes, 2)
        self.by_size = False
        self.weak_start, self.weak, self.node_of = engine.weak_start, engine.weak, engine.node_of
        self.kind, self.code = engine.graph.node_kind, engine.graph.node_code
        self.start, self.child = engine.graph.node_start, engine.graph.child
        self.negations = roomy(engine.most_disjunctions + 1, np.int32)
        self.says_so = roomy(engine.most_disjunctions + 1, np.uint8)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def judge(
        self,
        base: cython.pointer(cython.const[cython.int]),
        count: cython.int,
        wanted: cython.int,  # noqa: ARG002 - as base
        unit: cython.int,
    ) -> cython.int:
        """Hit a unit if all of its disjunctions hold."""
        if unit >= self.unit_limit:
            return 0
        if self.is_true(unit) if self.doubtful else self.is_counted(base, count, unit):
            self.found_unit(unit)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_counted(
        self, base: cython.pointer(cython.const[cython.int]), count: cython.int, unit: cython.int
    ) -> cython.bint:
        """Count the disjunctions of a unit by what the lists at it do to them."""
        first: cython.longlong = self.weak_start[unit]
        number: cython.int
        position: cython.int
        does: cython.int
        at: cython.Py_ssize_t
        disjunctions: cython.int = cython.cast(cython.int, self.weak_start[unit + 1] - first)
        self.outcomes.spend(disjunctions)
        for number in range(disjunctions):
            self.negations[number] = -self.weak[first + number]
            self.says_so[number] = False
        for position in range(count):
            at = self.at[self.front[position] & _LOW]
            number = base[at + 1]
            does = base[at] & 3
            if number == _OF_Z:
                continue
            if does == _HOLDS:
                self.says_so[number] = True
            elif does == _IS_THERE:
                self.negations[number] -= 1
            else:
                self.negations[number] += 1
        for number in range(disjunctions):
            if not self.says_so[number] and self.negations[number] >= 0:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_true(self, unit: cython.int) -> cython.bint:
        """Evaluate a unit."""
        node: cython.int = self.node_of[unit]
        position: cython.longlong
        if self.kind[node] != NODE_AND:
            return self.is_disjunction_true(node)
        for position in range(self.start[node], self.start[node + 1]):
            if not self.is_disjunction_true(self.child[position]):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def is_disjunction_true(self, node: cython.int) -> cython.bint:
        position: cython.longlong
        if self.kind[node] == NODE_LITERAL:
            return self.outcomes.literal(self.code[node])
        if self.kind[node] != NODE_OR:
            return True  # the constant
        for position in range(self.start[node], self.start[node + 1]):
            self.outcomes.spend(4)
            if self.outcomes.literal(self.code[self.child[position]]):
                return True
        return False

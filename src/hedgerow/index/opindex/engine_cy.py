"""OpIndex: units under their pivots, and what waits to be sorted into predicate lists.

A unit is a conjunction, or a CNF as a whole. It is found by counting in the lists of each of its pivots, or, as long as
it waits in the *tail*, tested literal by literal. The tail is merged into the lists at a commit, in geometric steps:
all of that is linear but for sorting.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Literals
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine
from cython.cimports.hedgerow.index.opindex.entries_cy import Entries
from cython.cimports.hedgerow.index.opindex.partitions_cy import (
    ALWAYS,
    AT_MOST,
    CATCH_ALL,
    EQUAL,
    Draft,
    Partitions,
    merged,
)
from cython.cimports.hedgerow.index.opindex.pivots_cy import Pivots
from cython.cimports.hedgerow.index.opindex.search_cy import OpIndexSearch
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, Graph
from cython.cimports.hedgerow.lists_cy import Lists, list_length
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import copied, filled, grown
from hedgerow.errors import LimitError
from hedgerow.index.opindex.options import OpIndexOptions, options_of, section_of
from hedgerow.index.opindex.picture import drawing
from hedgerow.language.expression import Predicate
from hedgerow.language.operators import Operator
from hedgerow.sections import nested, numbers, part, scalars, section
from hedgerow.values import Kind, timestamp

_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))
_LITERAL = cython.declare(cython.int, int(Kind.LIST))  # the kind of keys that are numbers of literals: no value's

_NONE = cython.declare(cython.int, -1)
_SHARE = cython.declare(cython.longlong, 8)  # of what is in the lists that the tail may be
_ADRIFT = cython.declare(cython.double, 1.25)  # times as frequent as could be, pivots are chosen anew
_MANY = cython.declare(cython.longlong, 1 << 30)  # conjunctions that are not counted further


@cython.final
@cython.cclass
class OpIndexEngine(UnitEngine):
    """Counts, under each attribute of an event that is a pivot, the predicates that hold."""

    options = cython.declare(object, visibility="readonly")
    pivots: Pivots
    literals: Literals
    entries: Entries
    partitions: Partitions
    tail: Lists
    tail_of: cython.int[::1]  # by pivot, the list of the units that wait
    unit_node: cython.int[::1]  # -1 where a unit could not be added
    unit_pivot: cython.int[::1]  # what was chosen: the pivot, or a clause whose attributes all are
    unit_count: cython.int  # those of the base that there was memory for
    merged_units: cython.int
    pivoted_units: cython.int  # how many there were when pivots were chosen last
    pivotings: cython.int

    def __init__(self, missing: str, options=None):
        UnitEngine.__init__(self, missing)
        self.options = OpIndexOptions() if options is None else options
        self.literals = Literals(self.graph, self.table)
        self.pivots = Pivots(self.graph, self.table, self.literals, self.options)
        self.entries = Entries(self.graph, self.table, self.literals, self.pivots)
        self.partitions = Partitions()
        self.tail = Lists()
        self.tail_of = filled(16, -1, np.int32)
        self.unit_node = filled(16, -1, np.int32)
        self.unit_pivot = filled(16, 0, np.int32)

    def anew(self):
        """Return an empty engine with the same options."""
        return type(self)(self.missing, self.options)

    # Units

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def form(self, graph: Graph, node: cython.int) -> cython.int:
        """Return a simplified node as it is, if it is a CNF and smaller than its DNF, or as a DNF."""
        if self.options.cnf and _is_smaller_whole(graph, node):
            return node
        return UnitEngine.form(self, graph, node)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        """Choose the pivots of a conjunction or a CNF, and let it wait there."""
        place: cython.int
        if unit >= self.unit_node.shape[0]:
            # Filled, since for units before this one there may have been no memory.
            nodes, choices = grown(self.unit_node, unit + 1, -1), grown(self.unit_pivot, unit + 1, CATCH_ALL)
            self.unit_node, self.unit_pivot = nodes, choices
        self.unit_count = unit + 1
        self.unit_node[unit] = _NONE
        self.unit_pivot[unit] = CATCH_ALL
        self.pivots.name_attributes()
        self.pivots.read(node)
        self.entries.prepare_unit()
        choice: cython.int = self.pivots.choose(unit)
        self.pivots.find(choice)
        for place in range(self.pivots.found_count):
            self.wait(unit, self.pivots.found[place])
        self.unit_pivot[unit] = choice
        self.unit_node[unit] = node
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def wait(self, unit: cython.int, pivot: cython.int) -> cython.int:
        """Let a unit wait at a pivot; it is passed over there until it has its node."""
        if pivot >= self.tail_of.shape[0]:
            self.tail_of = grown(self.tail_of, pivot + 1, -1)
        if self.tail_of[pivot] < 0:
            self.tail_of[pivot] = self.tail.new_list()
        self.tail.append(self.tail_of[pivot], unit)
        return 0

    # Merging

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_adrift(self) -> cython.bint:
        """Return whether pivots are by far more frequent than they would have to be by what is known now."""
        unit: cython.int
        had: cython.double = 0.0
        best: cython.double = 0.0
        if self.pivots.random or not self.options.repivot or self.options.log is not None:
            return False
        if self.unit_count < 2 * self.pivoted_units:
            return False
        self.pivoted_units = self.unit_count
        for unit in range(self.unit_count):
            if self.unit_node[unit] < 0 or self.unit_pivot[unit] == CATCH_ALL:
                continue
            self.pivots.read(self.unit_node[unit])
            had += self.pivots.burden_of(self.unit_pivot[unit])
            self.pivots.rarest()
            best += self.pivots.burden()
        return had > _ADRIFT * best

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def publish(self) -> cython.int:
        waiting: cython.longlong = self.unit_count - self.merged_units
        if waiting > self.options.tail and waiting * _SHARE > self.merged_units:
            try:
                self.merge()
            except (MemoryError, LimitError):
                pass  # What waits goes on waiting, and is found there: the change itself is made.
        return UnitEngine.publish(self)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def merge(self) -> cython.int:
        """Sort what waits into the lists, or everything where pivots are chosen anew."""
        before: cython.int[::1] = self.unit_pivot
        if not self.is_adrift():
            return self.merge_from(self.merged_units, self.partitions)
        self.unit_pivot = copied(before, before.shape[0])
        try:
            self.pivot_anew()
            self.merge_from(0, Partitions())
        except BaseException:
            self.unit_pivot = before
            raise
        self.pivotings += 1
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def pivot_anew(self) -> cython.int:
        """Choose the pivots of each unit by what is known now."""
        unit: cython.int
        for unit in range(self.unit_count):
            if self.unit_node[unit] >= 0:
                self.pivots.read(self.unit_node[unit])
                self.unit_pivot[unit] = self.pivots.choose(unit)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def merge_from(self, first: cython.int, old: Partitions) -> cython.int:
        """Put lists in the place of those that there are, with what is in old ones and all units from one on."""
        unit: cython.int
        draft: Draft = Draft(old, self.pivots.count)
        self.entries.begin()
        for unit in range(first, self.unit_count):
            if self.unit_node[unit] >= 0:
                self.draft_unit(draft, unit)
        made: Partitions = merged(old, draft, self.pivots.count, self.options.segments, self.options.signatures)
        tail, tail_of = Lists(), filled(self.pivots.count, -1, np.int32)
        self.partitions, self.tail, self.tail_of = made, tail, tail_of
        self.merged_units = self.unit_count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def draft_unit(self, draft: Draft, unit: cython.int) -> cython.int:
        """Draft the entries of a unit under each of its pivots."""
        place: cython.int
        self.pivots.read(self.unit_node[unit])
        self.pivots.find(self.unit_pivot[unit])
        for place in range(self.pivots.found_count):
            draft.begin_unit(self.pivots.found[place], unit)
            self.entries.draft(draft)
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        search: OpIndexSearch = OpIndexSearch(self, outcomes)
        search.take_tail(self.tail, self.tail_of, self.pivots.of_attribute, self.unit_node)
        search.take_lists(self.partitions, self.literals, self.entries.operation_of)
        return search

    # Files

    def structure_saved(self):
        """Return the lists, what waits, and what the choice of pivots goes by."""
        parts = nested(literals=self.literals.saved(), partitions=self.partitions.saved(), tail=self.tail.saved())
        return (
            parts
            | self.pivots.saved()
            | {
                "operation_of": np.asarray(self.entries.operation_of),
                "tail_of": np.asarray(self.tail_of),
                "unit_node": np.asarray(self.unit_node)[: self.unit_count],
                "unit_pivot": np.asarray(self.unit_pivot)[: self.unit_count],
                "pivoting": numbers(self.merged_units, self.pivoted_units, self.pivotings, self.pivots.named),
                "options": section_of(self.options),
            }
        )

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.options = options_of(section(arrays, "options", np.uint8))
        self.merged_units, self.pivoted_units, self.pivotings, named = scalars(arrays, "pivoting", 4)
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.pivots = Pivots(self.graph, self.table, self.literals, self.options)
        self.pivots.restore(arrays, named)
        self.partitions = Partitions.restored(part(arrays, "partitions"))
        self.tail = Lists.restored(part(arrays, "tail"))
        self.entries = Entries(self.graph, self.table, self.literals, self.pivots)
        self.entries.operation_of = section(arrays, "operation_of", np.uint8)
        self.tail_of = section(arrays, "tail_of", np.int32)
        self.unit_node = section(arrays, "unit_node", np.int32)
        self.unit_count = self.unit_node.shape[0]
        self.unit_pivot = section(arrays, "unit_pivot", np.int32, self.unit_count)

    def structure_bytes(self):
        """Return the bytes of literals, predicate lists, and what waits."""
        return {
            "literals": self.literals.nbytes + self.entries.operation_of.nbytes,
            "predicate lists": self.partitions.nbytes,
            "tail": self.tail.nbytes + self.tail_of.nbytes,
            "pivots": self.pivots.nbytes + 8 * self.unit_count,
        }

    # What can be seen

    def figures(self):
        """Return pivots, lists, segments and entries."""
        counters = self._unit_counts()
        entries = self.partitions.entries_by_operation()
        return {
            "units": self.units.count,
            "units that wait in the tail": self.unit_count - self.merged_units,
            "units that need no attribute": int(counters[:1].sum()),
            "units under several pivots": int((np.asarray(self.unit_pivot)[: self.unit_count] < 0).sum()),
            "pivots": int((counters[1:] > 0).sum()),
            "most units of a pivot": int(counters[1:].max(initial=0)),
            "times that pivots were chosen anew": self.pivotings,
            "predicate lists": self.partitions.list_count,
            "segments": self.partitions.segment_count,
        } | {f"entries of {_NAMES[operation]!r}": count for operation, count in entries.items()}

    def _unit_counts(self):
        """Return how many units are under each pivot, in the lists or waiting."""
        pivot: cython.int
        counts = np.zeros(self.pivots.count, np.int64)
        counts[: self.partitions.pivot_count] = np.diff(np.asarray(self.partitions.pivot_counter))
        for pivot in range(min(self.pivots.count, self.tail_of.shape[0])):
            if self.tail_of[pivot] >= 0:
                counts[pivot] += list_length(self.tail.place[self.tail_of[pivot]])
        return counts

    def pivot_name(self, pivot: cython.int):
        """Return the attribute that a pivot is, or None for the pivot of what needs none."""
        return None if pivot == CATCH_ALL else self.graph.names[self.pivots.attribute[pivot]]

    def pivot_names(self):
        """Return the pivots of each unit: for tests."""
        return [tuple(map(self.pivot_name, self._pivots_of(unit))) for unit in range(self.unit_count)]

    def _pivots_of(self, unit: cython.int):
        """Return the pivots that were chosen for a unit; none for one that could not be added."""
        if self.unit_node[unit] < 0:
            return []
        self.pivots.read(self.unit_node[unit])
        self.pivots.find(self.unit_pivot[unit])
        return np.asarray(self.pivots.found)[: self.pivots.found_count].tolist()

    def lists(self):
        """Return pivot, operation and segments of each list, which have the entries as they are told: for pictures."""
        return [
            (
                self.pivot_name(pivot),
                _NAMES[operation],
                [[(self._told(operation, *entry), entry[2]) for entry in one] for one in parts],
            )
            for pivot, operation, parts in self.partitions.lists()
        ]

    def _told(self, operation: cython.int, kind: cython.int, key: cython.longlong, _unit, predicate: cython.int):
        """Return what an entry asks for, as people write it."""
        if operation == ALWAYS:
            return "anything"
        if kind == _LITERAL:
            return self.literals.text(key)
        written = self.graph.predicate(predicate)
        if operation == EQUAL:
            written = Predicate(written.attribute, Operator.EQ, (self._value(kind, key),))
        elif len(written.values) > 1:
            side = operation == AT_MOST
            written = Predicate(written.attribute, Operator.LE if side else Operator.GE, (written.values[side],))
        return str(written)

    def _value(self, kind: cython.int, payload: cython.longlong):
        number: cython.double
        if kind == _STRING:
            return self.graph.strings[payload]
        if kind == _FLOAT:
            memcpy(cython.address(number), cython.address(payload), 8)
            return number
        if kind == _TIMESTAMP:
            return timestamp(payload)
        return payload if kind == _INT else payload != 0

    def wanted(self):
        """Return how often each unit that is in the lists must be counted, by its number."""
        return {unit: count for units in self.partitions.units() for unit, count in units}

    def drawing(self, ids, most: cython.longlong):
        """Return a drawing of the lists, where ``ids`` has the ids of slots; LimitError for more than ``most``."""
        owned = {unit: self.units.owners(unit) for unit in range(self.units.count)}
        if self.partitions.list_count + len(owned) > most:
            raise LimitError(
                f"a picture of {self.partitions.list_count:,} lists and {len(owned):,} units would have more "
                f"than {most:,}; pass most={self.partitions.list_count + len(owned)} to draw it"
            )
        waiting = [
            (unit, self.pivot_name(pivot))
            for unit in range(self.merged_units, self.unit_count)
            for pivot in self._pivots_of(unit)
        ]
        return drawing(self.lists(), waiting, owned, ids)

    def check(self):
        """Raise AssertionError unless the invariants hold: for tests, after each step."""
        unit: cython.int
        self.partitions.check()
        usable = [unit for unit in range(self.unit_count) if self.unit_node[unit] >= 0]
        chosen = {(pivot, unit) for unit in usable for pivot in self._pivots_of(unit)}
        placed = [(pivot, unit) for pivot, units in enumerate(self.partitions.units()) for unit, _ in units]
        waiting = [(pivot, unit) for pivot, unit in self._waiting() if self.unit_node[unit] >= 0]
        _must({unit for _, unit in chosen} == set(usable), "each unit has a pivot, or is in the catch-all")
        _must(len(placed) + len(waiting) == len(chosen), "each unit is once under each of its pivots")
        _must(set(placed) == {(pivot, unit) for pivot, unit in chosen if unit < self.merged_units}, "lists are whole")
        _must(set(waiting) == {(pivot, unit) for pivot, unit in chosen if unit >= self.merged_units}, "so is the tail")

    def _waiting(self):
        """Return what waits, as pivots with units."""
        pivot: cython.int
        found = []
        for pivot in range(self.tail_of.shape[0]):
            if self.tail_of[pivot] >= 0:
                found += [(pivot, unit) for unit in self.tail.values(self.tail_of[pivot])]
        return found


@cython.cfunc
@cython.exceptval(-1, check=False)
def _is_smaller_whole(graph: Graph, node: cython.int) -> cython.bint:
    """Return whether a simplified node is a CNF, and has fewer clauses than its DNF would have conjunctions."""
    first: cython.longlong = graph.node_start[node]
    last: cython.longlong = graph.node_start[node + 1]
    position: cython.longlong
    conjunctions: cython.longlong = 1
    if graph.node_kind[node] != NODE_AND:
        return False
    for position in range(first, last):
        conjunctions = min(conjunctions * _choices(graph, graph.child[position]), _MANY)
    return conjunctions > last - first


@cython.cfunc
@cython.exceptval(-1, check=False)
def _choices(graph: Graph, node: cython.int) -> cython.longlong:
    """Return how many literals a clause of a CNF has, 0 if it is no such clause."""
    first: cython.longlong = graph.node_start[node]
    last: cython.longlong = graph.node_start[node + 1]
    position: cython.longlong
    if graph.node_kind[node] == NODE_LITERAL:
        return 1
    if graph.node_kind[node] != NODE_OR:
        return 0
    for position in range(first, last):
        if graph.node_kind[graph.child[position]] != NODE_LITERAL:
            return 0
    return last - first


_NAMES = ("denies", "=", "<=", ">=", "prefix", "suffix", "regex", "found", "always")


def _must(holds, claim):
    if not holds:
        raise AssertionError(claim)

"""OpIndex: the pivots of conjunctions, and what waits to be sorted into predicate lists.

A conjunction is found by counting in the lists of its pivot, or, as long as it waits in the *tail*, tested literal by
literal. The tail is merged into the lists at a commit, in geometric steps: all of that is linear but for sorting.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Literals
from cython.cimports.hedgerow.index.chassis.searcher_cy import Searcher
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine
from cython.cimports.hedgerow.index.opindex.partitions_cy import (
    ALWAYS,
    AT_LEAST,
    AT_MOST,
    CATCH_ALL,
    DENIES,
    EQUAL,
    FOUND,
    MOST_NUMBERS,
    PREFIX,
    REGEX,
    SUFFIX,
    Draft,
    Partitions,
    line_of,
    merged,
)
from cython.cimports.hedgerow.index.opindex.search_cy import OpIndexSearch
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL
from cython.cimports.hedgerow.lists_cy import Lists
from cython.cimports.hedgerow.predicate.finder_cy import BY_ABSENCE, BY_RANGE, BY_VALUE
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import listed_count
from cython.cimports.hedgerow.symbols_cy import mixed
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import copied, filled, grown
from hedgerow.errors import LimitError
from hedgerow.index.opindex.options import OpIndexOptions, options_of, section_of
from hedgerow.index.opindex.picture import drawing
from hedgerow.language.expression import Predicate
from hedgerow.language.operators import Accepts, Operator
from hedgerow.sections import nested, numbers, part, scalars, section
from hedgerow.values import Kind, timestamp

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_STARTS_WITH = cython.declare(cython.int, int(Operator.STARTS_WITH))
_ENDS_WITH = cython.declare(cython.int, int(Operator.ENDS_WITH))
_MATCHES = cython.declare(cython.int, int(Operator.MATCHES))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))
_LITERAL = cython.declare(cython.int, int(Kind.LIST))  # the kind of keys that are numbers of literals: no value's

_NONE = cython.declare(cython.int, -1)
_SHARE = cython.declare(cython.longlong, 8)  # of what is in the lists that the tail may be
_ADRIFT = cython.declare(cython.double, 1.25)  # times as frequent as could be, pivots are chosen anew


@cython.final
@cython.cclass
class OpIndexEngine(UnitEngine):
    """Counts, under each attribute of an event that is a pivot, the predicates that hold."""

    options = cython.declare(object, visibility="readonly")
    random: cython.bint
    literals: Literals
    operation_of: cython.uchar[::1]  # by literal, the lists that ask for it
    partitions: Partitions
    tail: Lists
    tail_of: cython.int[::1]  # by pivot, the list of the units that wait
    unit_node: cython.int[::1]  # -1 where a unit could not be added
    unit_pivot: cython.int[::1]
    unit_count: cython.int  # those of the base that there was memory for
    merged_units: cython.int
    pivoted_units: cython.int  # how many there were when pivots were chosen last
    pivotings: cython.int
    pivot_count: cython.int
    pivot_of: cython.int[::1]  # by attribute
    pivot_attribute: cython.int[::1]
    frequency: cython.double[::1]  # by attribute
    named: cython.int  # attributes that have their frequency
    asked_by: cython.int[::1]  # by literal, the last unit of a draft that asked for it
    codes: cython.int[::1]  # the literals of the unit at hand
    code_count: cython.int

    def __init__(self, missing: str, options=None):
        UnitEngine.__init__(self, missing)
        self.options = OpIndexOptions() if options is None else options
        self.random = self.options.pivot == "random"
        self.literals = Literals(self.graph, self.table)
        self.operation_of = filled(16, 0, np.uint8)
        self.partitions = Partitions()
        self.tail = Lists()
        self.tail_of = filled(16, -1, np.int32)
        self.unit_node = filled(16, -1, np.int32)
        self.unit_pivot = filled(16, 0, np.int32)
        self.pivot_count = 1
        self.pivot_of = filled(16, -1, np.int32)
        self.pivot_attribute = filled(16, -1, np.int32)
        self.frequency = filled(16, 0.0, np.float64)
        self.codes = np.empty(16, np.int32)

    def anew(self):
        """Return an empty engine with the same options."""
        return type(self)(self.missing, self.options)

    # Units

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def add_unit(self, unit: cython.int, node: cython.int) -> cython.int:
        """Choose the pivot of a conjunction, and let it wait there."""
        position: cython.int
        pivot: cython.int
        if unit >= self.unit_node.shape[0]:
            # Filled, since for units before this one there may have been no memory.
            nodes, pivots = grown(self.unit_node, unit + 1, -1), grown(self.unit_pivot, unit + 1, CATCH_ALL)
            self.unit_node, self.unit_pivot = nodes, pivots
        self.unit_count = unit + 1
        self.unit_node[unit] = _NONE
        self.unit_pivot[unit] = CATCH_ALL
        self.name_attributes()
        self.read(node)
        for position in range(self.code_count):
            self.prepare(self.codes[position])
        pivot = self.chosen(unit)
        if pivot >= self.tail_of.shape[0]:
            self.tail_of = grown(self.tail_of, pivot + 1, -1)
        if self.tail_of[pivot] < 0:
            self.tail_of[pivot] = self.tail.new_list()
        self.tail.append(self.tail_of[pivot], unit)
        self.unit_pivot[unit] = pivot
        self.unit_node[unit] = node
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def read(self, node: cython.int) -> cython.int:
        """Take the literals of a conjunction."""
        position: cython.longlong
        first: cython.longlong = self.graph.node_start[node]
        count: cython.longlong = self.graph.node_start[node + 1] - first
        self.code_count = 0
        if self.graph.node_kind[node] == NODE_LITERAL:
            self.codes[0] = self.graph.node_code[node]
            self.code_count = 1
        elif self.graph.node_kind[node] == NODE_AND:
            if count > self.codes.shape[0]:
                self.codes = grown(self.codes, count)
            for position in range(count):
                self.codes[position] = self.graph.node_code[self.graph.child[first + position]]
            self.code_count = cython.cast(cython.int, count)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def prepare(self, code: cython.int) -> cython.int:
        """Count the attribute of a literal, and give numbers to what is found by one."""
        number: cython.int
        if self.options.log is None:
            self.frequency[self.graph.predicate_attribute[code >> 2]] += 1.0
        if self.literals.is_denied(code):
            number = self.literals.there(code)
            if number >= 0:
                self.note(number, FOUND)
            number = self.literals.denied(code)
            return 0 if number < 0 else self.note(number, self.operation(code))
        if self.is_keyed(code):
            return 0
        return self.note(self.literals.number(code), self.operation(code))

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def note(self, number: cython.int, operation: cython.int) -> cython.int:
        """Note which lists ask for a literal."""
        if number >= MOST_NUMBERS:
            raise LimitError(f"more than {MOST_NUMBERS} literals")
        if number >= self.operation_of.shape[0]:
            self.operation_of = grown(self.operation_of, number + 1, 0)
        self.operation_of[number] = operation
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def operation(self, code: cython.int) -> cython.int:
        """Return the lists of literals that one belongs to."""
        operator: cython.int = self.graph.predicate_operator[code >> 2]
        if operator == _STARTS_WITH:
            return PREFIX
        if operator == _ENDS_WITH:
            return SUFFIX
        return REGEX if operator == _MATCHES else FOUND

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_keyed(self, code: cython.int) -> cython.bint:
        """Return whether a literal is found by an event's values, in lists of ``=`` or of ranges."""
        way: cython.int
        if code & 3 != _TRUE:
            return False
        way = self.literals.finder.way(code)
        return way == BY_VALUE or way == BY_RANGE

    # Pivots

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def name_attributes(self) -> cython.int:
        """Make room for the attributes that have come, which have the frequencies of the log."""
        count: cython.int = self.graph.names.count
        if count <= self.named:
            return 0
        if count >= MOST_NUMBERS:
            raise LimitError(f"more than {MOST_NUMBERS} attributes")
        if count > self.frequency.shape[0]:
            frequencies = grown(self.frequency, count, 0.0)
            self.frequency = frequencies
        if count > self.pivot_of.shape[0]:
            self.pivot_of = grown(self.pivot_of, count, -1)
        if self.options.log is not None:
            while self.named < count:
                self.frequency[self.named] = self.options.log.get(self.graph.names[self.named], 0)
                self.named += 1
        self.named = count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def chosen(self, unit: cython.int) -> cython.int:
        """Return the pivot of the unit at hand."""
        attribute: cython.int = self.drawn(unit) if self.random else self.rarest()
        pivot: cython.int
        if attribute == _NONE:
            return CATCH_ALL
        if self.pivot_of[attribute] == _NONE:
            pivot = self.pivot_count
            if pivot >= self.pivot_attribute.shape[0]:
                self.pivot_attribute = grown(self.pivot_attribute, pivot + 1, -1)
            self.pivot_attribute[pivot] = attribute
            self.pivot_of[attribute] = pivot
            self.pivot_count = pivot + 1
        return self.pivot_of[attribute]

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def needed(self, code: cython.int) -> cython.int:
        """Return the attribute that must be there for a literal to hold, or -1."""
        if self.literals.finder.way(code) == BY_ABSENCE:
            return _NONE
        return self.graph.predicate_attribute[code >> 2]

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def rarest(self) -> cython.int:
        """Return the least frequent attribute that the unit at hand needs; of equal ones that which came first."""
        position: cython.int
        attribute: cython.int
        best: cython.int = _NONE
        for position in range(self.code_count):
            attribute = self.needed(self.codes[position])
            if attribute == _NONE:
                continue
            if (
                best == _NONE
                or self.frequency[attribute] < self.frequency[best]
                or (self.frequency[attribute] == self.frequency[best] and attribute < best)
            ):
                best = attribute
        return best

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def drawn(self, unit: cython.int) -> cython.int:
        """Return any attribute that the unit at hand needs."""
        position: cython.int
        count: cython.int = 0
        start: cython.int = self.options.seed
        draw: cython.ulonglong = mixed(mixed(_ODD, start), cython.cast(cython.ulonglong, unit))
        for position in range(self.code_count):
            if self.needed(self.codes[position]) != _NONE:
                self.codes[count] = self.codes[position]
                count += 1
        if count == 0:
            return _NONE
        return self.needed(self.codes[cython.cast(cython.int, draw % cython.cast(cython.ulonglong, count))])

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def is_adrift(self) -> cython.bint:
        """Return whether pivots are by far more frequent than they would have to be by what is known now."""
        unit: cython.int
        attribute: cython.int
        had: cython.double = 0.0
        best: cython.double = 0.0
        if self.random or not self.options.repivot or self.options.log is not None:
            return False
        if self.unit_count < 2 * self.pivoted_units:
            return False
        self.pivoted_units = self.unit_count
        for unit in range(self.unit_count):
            if self.unit_node[unit] < 0 or self.unit_pivot[unit] == CATCH_ALL:
                continue
            self.read(self.unit_node[unit])
            attribute = self.rarest()
            had += self.frequency[self.pivot_attribute[self.unit_pivot[unit]]]
            best += self.frequency[attribute]
        return had > _ADRIFT * best

    # Merging

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
        """Choose the pivot of each unit by what is known now."""
        unit: cython.int
        for unit in range(self.unit_count):
            if self.unit_node[unit] >= 0:
                self.read(self.unit_node[unit])
                self.unit_pivot[unit] = self.chosen(unit)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def merge_from(self, first: cython.int, old: Partitions) -> cython.int:
        """Put lists in the place of those that there are, with what is in old ones and all units from one on."""
        unit: cython.int
        draft: Draft = Draft(old, self.pivot_count)
        self.asked_by = filled(self.literals.count, -1, np.int32)
        for unit in range(first, self.unit_count):
            if self.unit_node[unit] >= 0:
                self.draft_unit(draft, unit)
        made: Partitions = merged(old, draft, self.pivot_count, self.options.segments, self.options.signatures)
        tail, tail_of = Lists(), filled(self.pivot_count, -1, np.int32)
        self.partitions, self.tail, self.tail_of = made, tail, tail_of
        self.merged_units = self.unit_count
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def draft_unit(self, draft: Draft, unit: cython.int) -> cython.int:
        """Draft the entries of a conjunction."""
        position: cython.int
        draft.begin_unit(self.unit_pivot[unit], unit)
        self.read(self.unit_node[unit])
        for position in range(self.code_count):
            self.draft_literal(draft, unit, self.codes[position])
        if draft.wanted[draft.unit_count - 1] == 0:
            draft.want()
            draft.add(ALWAYS, 0, 0, draft.counter(), 0)
        return 0

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def draft_literal(self, draft: Draft, unit: cython.int, code: cython.int) -> cython.int:
        number: cython.int
        if self.literals.is_denied(code):
            number = self.literals.there(code)
            if number >= 0:
                self.draft_number(draft, unit, number, FOUND, code)
            number = self.literals.denied(code)
            if number < 0:
                return 0
            return draft.add(DENIES, line_of(number, _LITERAL), number, draft.counter(), code >> 2)
        if not self.is_keyed(code):
            return self.draft_number(draft, unit, self.literals.number(code), self.operation(code), code)
        if self.literals.finder.way(code) == BY_VALUE:
            return self.draft_values(draft, code >> 2)
        return self.draft_range(draft, code >> 2)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def draft_number(
        self, draft: Draft, unit: cython.int, number: cython.int, operation: cython.int, code: cython.int
    ) -> cython.int:
        """Ask for a literal, once a unit: literals may have the same one in common, that their attribute is there."""
        if self.asked_by[number] == unit:
            return 0
        self.asked_by[number] = unit
        draft.want()
        return draft.add(operation, line_of(number, _LITERAL), number, draft.counter(), code >> 2)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def draft_values(self, draft: Draft, predicate: cython.int) -> cython.int:
        """Ask for one of the values of a literal."""
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        position: cython.longlong = self.graph.predicate_start[predicate]
        last: cython.longlong = position + listed_count(self.table, predicate)
        counter: cython.int = draft.counter() if last - position == 1 else draft.once()
        draft.want()
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def draft_range(self, draft: Draft, predicate: cython.int) -> cython.int:
        """Ask for a value on one side of a bound, or on one of each of two."""
        operator: cython.int = self.graph.predicate_operator[predicate]
        first: cython.longlong = self.graph.predicate_start[predicate]
        kind: cython.int = self.table.listed_kind[first]
        line: cython.int = line_of(self.graph.predicate_attribute[predicate], _INT if kind == _FLOAT else kind)
        key: cython.longlong = self.literals.finder.operand_key(first)
        draft.want()
        if operator == _LT or operator == _LE:
            return draft.add(AT_MOST, line, key, draft.counter(), predicate)
        draft.add(AT_LEAST, line, key, draft.counter(), predicate)
        if operator == _BETWEEN:
            draft.want()
            draft.add(AT_MOST, line, self.literals.finder.operand_key(first + 1), draft.counter(), predicate)
        return 0

    @cython.cfunc
    def new_searcher(self, outcomes: Outcomes) -> Searcher:
        search: OpIndexSearch = OpIndexSearch(self, outcomes)
        search.take_tail(self.tail, self.tail_of, self.pivot_of, self.unit_node)
        search.take_lists(self.partitions, self.literals, self.operation_of)
        return search

    # Files

    def structure_saved(self):
        """Return the lists, what waits, and what the choice of pivots goes by."""
        parts = nested(literals=self.literals.saved(), partitions=self.partitions.saved(), tail=self.tail.saved())
        return parts | {
            "operation_of": np.asarray(self.operation_of),
            "tail_of": np.asarray(self.tail_of),
            "unit_node": np.asarray(self.unit_node)[: self.unit_count],
            "unit_pivot": np.asarray(self.unit_pivot)[: self.unit_count],
            "pivot_of": np.asarray(self.pivot_of),
            "pivot_attribute": np.asarray(self.pivot_attribute)[: self.pivot_count],
            "frequency": np.asarray(self.frequency),
            "pivoting": numbers(self.merged_units, self.pivoted_units, self.pivotings, self.named),
            "options": section_of(self.options),
        }

    def structure_restored(self, arrays):
        """Go on in arrays that were saved."""
        self.options = options_of(section(arrays, "options", np.uint8))
        self.random = self.options.pivot == "random"
        self.merged_units, self.pivoted_units, self.pivotings, self.named = scalars(arrays, "pivoting", 4)
        self.literals = Literals.restored(self.graph, self.table, part(arrays, "literals"))
        self.partitions = Partitions.restored(part(arrays, "partitions"))
        self.tail = Lists.restored(part(arrays, "tail"))
        self.operation_of = section(arrays, "operation_of", np.uint8)
        self.tail_of = section(arrays, "tail_of", np.int32)
        self.unit_node = section(arrays, "unit_node", np.int32)
        self.unit_count = self.unit_node.shape[0]
        self.unit_pivot = section(arrays, "unit_pivot", np.int32, self.unit_count)
        self.pivot_of = section(arrays, "pivot_of", np.int32)
        self.pivot_attribute = section(arrays, "pivot_attribute", np.int32)
        self.pivot_count = self.pivot_attribute.shape[0]
        self.frequency = section(arrays, "frequency", np.float64)

    def structure_bytes(self):
        """Return the bytes of literals, predicate lists, and what waits."""
        pivots = self.pivot_of.nbytes + 4 * self.pivot_count + self.frequency.nbytes + 8 * self.unit_count
        return {
            "literals": self.literals.nbytes + self.operation_of.nbytes,
            "predicate lists": self.partitions.nbytes,
            "tail": self.tail.nbytes + self.tail_of.nbytes,
            "pivots": pivots,
        }

    # What can be seen

    def figures(self):
        """Return pivots, lists, segments and entries."""
        counters = np.bincount(np.asarray(self.unit_pivot)[: self.unit_count], minlength=1)
        entries = self.partitions.entries_by_operation()
        return {
            "units": self.units.count,
            "units that wait in the tail": self.unit_count - self.merged_units,
            "units that need no attribute": int(counters[:1].sum()),
            "pivots": int((counters[1:] > 0).sum()),
            "most units of a pivot": int(counters[1:].max(initial=0)),
            "times that pivots were chosen anew": self.pivotings,
            "predicate lists": self.partitions.list_count,
            "segments": self.partitions.segment_count,
        } | {f"entries of {_NAMES[operation]!r}": count for operation, count in entries.items()}

    def pivot_name(self, pivot: cython.int):
        """Return the attribute that a pivot is, or None for the pivot of what needs none."""
        return None if pivot == CATCH_ALL else self.graph.names[self.pivot_attribute[pivot]]

    def pivots(self):
        """Return the pivot of each unit: for tests."""
        return [self.pivot_name(self.unit_pivot[unit]) for unit in range(self.unit_count)]

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
                f"a picture of {self.partitions.list_count:,} lists and {len(owned):,} conjunctions would have more "
                f"than {most:,}; pass most={self.partitions.list_count + len(owned)} to draw it"
            )
        waiting = [(unit, self.pivot_name(self.unit_pivot[unit])) for unit in range(self.merged_units, self.unit_count)]
        return drawing(self.lists(), waiting, owned, ids)

    def check(self):
        """Raise AssertionError unless the invariants hold: for tests, after each step."""
        unit: cython.int
        self.partitions.check()
        placed = [unit for units in self.partitions.units() for unit, _ in units]
        waiting = [unit for number in range(len(self.tail)) for unit in self.tail.values(number)]
        usable = [unit for unit in range(self.unit_count) if self.unit_node[unit] >= 0]
        _must(sorted(placed) == [unit for unit in usable if unit < self.merged_units], "lists have what was merged")
        _must(sorted(waiting) == [unit for unit in usable if unit >= self.merged_units], "the tail has all else")
        for pivot, units in enumerate(self.partitions.units()):
            _must(all(self.unit_pivot[unit] == pivot for unit, _ in units), f"pivot {pivot} has its own units")


_NAMES = ("denies", "=", "<=", ">=", "prefix", "suffix", "regex", "found", "always")
_ODD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


def _must(holds, claim):
    if not holds:
        raise AssertionError(claim)

"""The search of OpIndex: it counts, for each pivot that an event has, the entries that hold.

Each list is asked for the probes of the event, or, where it is much shorter than these, tested entry by entry. What
waits in the tail is tested literal by literal. A CNF that is under several pivots of an event may be hit by each: its
slots are marked in bits (``units_cy``), so they are reported once.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import ListsView
from cython.cimports.hedgerow.index.chassis.searcher_cy import hit
from cython.cimports.hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from cython.cimports.hedgerow.index.opindex.partitions_cy import (
    ALWAYS,
    AT_LEAST,
    AT_MOST,
    CATCH_ALL,
    DENIES,
    EQUAL,
    number_of,
)
from cython.cimports.hedgerow.index.opindex.probes_cy import Probes
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, NODE_OR, NODE_TRUE
from cython.cimports.hedgerow.lists_cy import list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, roomy
from hedgerow.language.operators import Accepts, Operator

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_SCANNED = cython.declare(cython.longlong, 4)  # times as many probes as entries, and these are tested instead
_SHORT = cython.declare(cython.longlong, 8)
_UNTOUCHED = cython.declare(cython.int, 8)  # of so many counters one, and they are set back one by one
_DENIED = cython.declare(cython.int, 1 << 30)
_LOWEST = cython.declare(cython.longlong, -(1 << 63))


@cython.final
@cython.cclass
class OpIndexSearch(UnitSearcher):
    """One search. Between two rows all counters are as often as their units must be counted."""

    def __init__(self, engine: UnitEngine, outcomes: Outcomes):
        UnitSearcher.__init__(self, engine.graph, engine.slots, outcomes, engine.committed_nodes, engine.units)
        self.node_kind, self.node_start = engine.graph.node_kind, engine.graph.node_start
        self.node_code, self.child = engine.graph.node_code, engine.graph.child

    def take_tail(self, tail, tail_of, pivot_of, unit_node):
        """Take what waits, and which attributes are pivots, as they are by now."""
        self.tail = ListsView()
        self.tail.begin(tail)
        self.tail_of, self.pivot_of, self.unit_node = tail_of, pivot_of, unit_node
        return 0

    def take_lists(self, partitions, literals, operation_of):
        """Take the lists as they are by now, and the literals that they ask for."""
        self.partitions = partitions
        self.probes = Probes(literals, operation_of, self.outcomes)
        self.signed = partitions.signature.shape[0] > 0
        self.left = roomy(partitions.counter_count, np.int32)
        if partitions.counter_count:
            self.reset(0, partitions.counter_count)
        self.touched = roomy(partitions.counter_count // _UNTOUCHED + 1, np.int32)
        self.once_seen = filled(partitions.once_count, 0, np.int64)
        # There is room for a hit wherever a unit is counted or waits.
        self.hits = roomy(partitions.counter_count + self.tail.lists.used, np.int32)
        return 0

    def run(self, row):
        """Search under what needs no attribute, and under each attribute of the event that is a pivot."""
        entry: cython.longlong
        attribute: cython.int
        self.probes.begin(row)
        self.turn = self.turn + 1
        self.visit(CATCH_ALL)
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            # What is beyond the arrays came after this search began.
            if 0 <= attribute < self.pivot_of.shape[0] and self.pivot_of[attribute] > 0:
                if self.outcomes.entry_of[attribute] == entry:
                    self.visit(self.pivot_of[attribute])
        return 0

    def visit(self, pivot):
        """Search the lists of a pivot, and what waits there."""
        number: cython.int
        size: cython.int
        if pivot < self.partitions.pivot_count:
            self.base = self.partitions.pivot_counter[pivot]
            size = self.partitions.pivot_counter[pivot + 1] - self.base
            self.touched_count = 0
            self.touched_most = size // _UNTOUCHED
            for number in range(self.partitions.pivot_list[pivot], self.partitions.pivot_list[pivot + 1]):
                self.search_list(number)
            self.clear_counters(size)
        if pivot < self.tail_of.shape[0] and self.tail_of[pivot] >= 0:
            self.test_tail(self.tail_of[pivot])
        return 0

    def reset(self, first, count):
        """Set counters back to how often their units must be counted."""
        memcpy(
            cython.address(self.left[first]),
            cython.address(self.partitions.wanted[first]),
            cython.cast(cython.size_t, count) * cython.sizeof(cython.int),
        )
        return 0

    def clear_counters(self, size):
        """Set back the counters of the pivot at hand that were touched."""
        position: cython.int
        if self.touched_count > self.touched_most:
            return self.reset(self.base, size)
        for position in range(self.touched_count):
            self.left[self.touched[position]] = self.partitions.wanted[self.touched[position]]
        return 0

    # The lists

    def search_list(self, number):
        """Count what an event finds in a list, by its probes or, where these are many more, entry by entry."""
        operation: cython.int = self.partitions.list_operation[number]
        first: cython.longlong = self.partitions.segment_start[self.partitions.list_segment[number]]
        last: cython.longlong = self.partitions.segment_start[self.partitions.list_segment[number + 1]]
        probes: cython.longlong = self.probes.number_count
        if operation == EQUAL:
            probes = self.probes.value_count
        elif operation == AT_MOST or operation == AT_LEAST:
            probes = self.probes.range_count
        elif operation == ALWAYS:
            return self.count_all(first, last)
        self.outcomes.spend(min(probes, _SCANNED * (last - first)))
        if probes >= _SCANNED * (last - first):
            if operation == EQUAL or operation == AT_MOST or operation == AT_LEAST:
                return self.scan_keyed(first, last)
            return self.scan_numbers(first, last, operation == DENIES)
        if operation == EQUAL:
            return self.look_up(number, operation, self.probes.values(), self.probes.value_count)
        if operation == AT_MOST or operation == AT_LEAST:
            return self.look_up(number, operation, self.probes.ranges(), self.probes.range_count)
        return self.look_up(number, operation, self.probes.numbers(), self.probes.number_count)

    def look_up(self, number, operation, probes, count):
        """Look for each probe in its segment, if the signature does not rule it out."""
        first: cython.int = self.partitions.list_segment[number]
        shift: cython.int = self.partitions.list_shift[number]
        position: cython.int
        segment: cython.int
        signed: cython.bint = self.signed
        for position in range(count):
            segment = first + (probes[position].line >> shift)
            if signed and not self.partitions.signature[segment] & probes[position].bit:
                continue
            if operation == AT_MOST:
                self.take_at_most(segment, probes + position)
            elif operation == AT_LEAST:
                self.take_at_least(segment, probes + position)
            elif operation <= EQUAL or operation == probes[position].operation:
                self.take_equal(segment, probes + position, operation == DENIES)
        return 0

    def place(self, segment, line, key):
        """Return where the first entry of a segment is that does not come before a line and key."""
        low: cython.longlong = self.partitions.segment_start[segment]
        high: cython.longlong = self.partitions.segment_start[segment + 1]
        middle: cython.longlong
        while high - low > _SHORT:
            middle = low + (high - low) // 2
            if self.partitions.line[middle] < line or (
                self.partitions.line[middle] == line and self.partitions.key[middle] < key
            ):
                low = middle + 1
            else:
                high = middle
        while low < high and (
            self.partitions.line[low] < line or (self.partitions.line[low] == line and self.partitions.key[low] < key)
        ):
            low += 1
        return low

    def take_equal(self, segment, probe, denies):
        """Count the entries that have the key of a probe, or put what they deny out of reach."""
        at: cython.longlong = self.place(segment, probe.line, probe.low)
        first: cython.longlong = at
        stop: cython.longlong = self.partitions.segment_start[segment + 1]
        while at < stop and self.partitions.line[at] == probe.line and self.partitions.key[at] == probe.low:
            if denies:
                self.deny(at)
            else:
                self.count_entry(at, probe.listed)
            at += 1
        return self.looked_at(at - first)

    def take_at_most(self, segment, probe):
        """Count the entries whose bound is not below a value, or not below the least of a list."""
        at: cython.longlong = self.place(segment, probe.line, probe.low)
        first: cython.longlong = at
        stop: cython.longlong = self.partitions.segment_start[segment + 1]
        while at < stop and self.partitions.line[at] == probe.line:
            if self.is_sure(at, probe, probe.low) or self.holds(at, probe.entry):
                self.count_entry(at, False)
            at += 1
        return self.looked_at(at - first)

    def take_at_least(self, segment, probe):
        """Count the entries whose bound is not above a value, or not above the greatest of a list."""
        at: cython.longlong = self.place(segment, probe.line, _LOWEST)
        first: cython.longlong = at
        stop: cython.longlong = self.partitions.segment_start[segment + 1]
        while at < stop and self.partitions.line[at] == probe.line and self.partitions.key[at] <= probe.high:
            if self.is_sure(at, probe, probe.high) or self.holds(at, probe.entry):
                self.count_entry(at, False)
            at += 1
        return self.looked_at(at - first)

    def is_sure(self, at, probe, bound):
        """Return whether an entry that is on the right side holds without a test.

        Keys are coarser than values, so one that is the bound itself is tested. The elements of a list that are on the
        right sides of the bounds of a BETWEEN may be two.
        """
        if self.partitions.key[at] == bound:
            return False
        return not (probe.listed and self.outcomes.operator[self.partitions.predicate[at]] == _BETWEEN)

    def holds(self, at, entry):
        """Return whether the predicate of an entry is true of what an event has."""
        return self.outcomes.literal_at(self.partitions.predicate[at] * 4 + _TRUE, entry)

    def scan_keyed(self, first, last):
        """Test the predicates of a short list."""
        at: cython.longlong
        entry: cython.longlong
        attribute: cython.int
        for at in range(first, last):
            attribute = number_of(self.partitions.line[at])
            if attribute >= self.outcomes.entry_of.shape[0]:
                continue  # it came after this search began
            entry = self.outcomes.entry_of[attribute]
            if entry >= 0 and self.holds(at, entry):
                self.count_entry(at, True)
        return self.looked_at(last - first)

    def scan_numbers(self, first, last, denies):
        """Look for the literals of a short list among those that hold."""
        at: cython.longlong
        number: cython.longlong
        if self.probes.holding is None:
            return 0
        for at in range(first, last):
            number = self.partitions.key[at]
            if number < self.probes.holding.limit and self.probes.holding.holds[number]:
                if denies:
                    self.deny(at)
                else:
                    self.count_entry(at, False)
        return self.looked_at(last - first)

    def count_all(self, first, last):
        """Count what nothing is asked of."""
        at: cython.longlong
        for at in range(first, last):
            self.count_entry(at, False)
        return self.looked_at(last - first)

    def looked_at(self, count):
        self.visits = self.visits + count
        return self.outcomes.spend(count)

    # Counters

    def count_entry(self, at, listed):
        """Count an entry for its unit, which is hit when it has been counted as often as it must be.

        What counts once is not asked whether it did where it cannot count again: one value is in a set only once.
        """
        counter: cython.int = self.partitions.counter[at]
        number: cython.int
        if counter < 0:
            number = -1 - counter
            counter = self.partitions.once_counter[number]
            if listed or counter < 0:
                if self.once_seen[number] == self.turn:
                    return 0
                self.once_seen[number] = self.turn
            if counter < 0:
                counter = -1 - counter
        counter += self.base
        self.left[counter] -= 1
        self.touch(counter)
        if self.left[counter] == 0 and self.partitions.counter_unit[counter] < self.unit_limit:
            hit(self, self.partitions.counter_unit[counter])
        return 0

    def deny(self, at):
        """Put the unit of an entry out of reach."""
        self.left[self.base + self.partitions.counter[at]] = _DENIED
        return self.touch(self.base + self.partitions.counter[at])

    def touch(self, counter):
        if self.touched_count < self.touched_most:
            self.touched[self.touched_count] = counter
            self.touched_count = self.touched_count + 1
        else:
            self.touched_count = self.touched_most + 1
        return 0

    # The tail

    def test_tail(self, number):
        """Test the units that wait at a pivot."""
        place: cython.longlong = self.tail.locate(number)
        position: cython.longlong
        unit: cython.int
        for position in range(list_start(place), list_start(place) + list_length(place)):
            unit = self.tail.arena[position]
            if 0 <= unit < self.unit_limit and self.unit_node[unit] >= 0 and self.is_true(self.unit_node[unit]):
                hit(self, unit)
        return self.looked_at(list_length(place))

    def is_true(self, node):
        """Return whether all clauses of a unit hold."""
        position: cython.longlong
        if self.node_kind[node] != NODE_AND:
            return self.is_clause_true(node)
        for position in range(self.node_start[node], self.node_start[node + 1]):
            if not self.is_clause_true(self.child[position]):
                return False
        return True

    def is_clause_true(self, node):
        """Return whether a literal holds, or one of several."""
        position: cython.longlong
        if self.node_kind[node] == NODE_LITERAL:
            return self.outcomes.literal(self.node_code[node])
        if self.node_kind[node] != NODE_OR:
            return self.node_kind[node] == NODE_TRUE
        self.outcomes.spend(self.node_start[node + 1] - self.node_start[node])
        for position in range(self.node_start[node], self.node_start[node + 1]):
            if self.outcomes.literal(self.node_code[self.child[position]]):
                return True
        return False

"""The lists of a block of events, turned inside out: which events have a value among the elements of an attribute.

A test on a list asks whether *some* element satisfies it. Asked of every list, that looks at the same few values again
and again; so each distinct value is tested once for all events, and ``=``, ``IN`` and ``ANY OF`` look theirs up::

    interests    0: [golf, opera]   1: [golf]   2: []   3: [chess, opera]

    chess  -> 3        interests ANY OF ('chess', 'golf')      look up two values: events 3, 0 and 1
    golf   -> 0 1      interests LIKE 'o%'                     test three values: those of opera
    opera  -> 0 3
"""

import cython
import numpy as np
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import family_bit
from cython.cimports.libc.stdlib import qsort

from hedgerow.language.operators import Operator
from hedgerow.values import Kind

_EQ = cython.declare(cython.int, int(Operator.EQ))
_IN = cython.declare(cython.int, int(Operator.IN))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_LIST = cython.declare(cython.int, int(Kind.LIST))

_Element = cython.struct(payload=cython.longlong, attribute=cython.int, event=cython.ushort, kind=cython.ushort)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _order(
    left: cython.pointer(cython.const[cython.void]), right: cython.pointer(cython.const[cython.void])
) -> cython.int:
    one: cython.pointer(_Element) = cython.cast(cython.pointer(_Element), left)
    two: cython.pointer(_Element) = cython.cast(cython.pointer(_Element), right)
    if one.attribute != two.attribute:
        return 1 if one.attribute > two.attribute else -1
    if one.kind != two.kind:
        return 1 if one.kind > two.kind else -1
    if one.payload != two.payload:
        return 1 if one.payload > two.payload else -1
    return (one.event > two.event) - (one.event < two.event)


@cython.final
@cython.cclass
class Elements:
    """The elements of the lists of a block."""

    def __init__(self, outcomes: Outcomes, event_string: cython.int[::1]):
        self.outcomes = outcomes
        self.event_string = event_string
        self.first_value = np.zeros(outcomes.entry_of.shape[0] + 1, np.int32)
        self._make_room(0)

    def _make_room(self, total: cython.longlong):
        self.gathered = np.empty((total + 1) * cython.sizeof(_Element), np.uint8)
        self.value_kind, self.value_payload = np.empty(total + 1, np.uint8), np.empty(total + 1, np.int64)
        self.value_start, self.event = np.empty(total + 2, np.int32), np.empty(total + 1, np.uint16)

    def begin(self, first_row, event_count):
        """Take the lists of some events."""
        entry: cython.longlong
        number: cython.longlong
        total: cython.longlong = 0
        outcomes: Outcomes = self.outcomes
        for entry in range(outcomes.row_start[first_row], outcomes.row_start[first_row + event_count]):
            if outcomes.entry_kind[entry] == _LIST and outcomes.attribute_of[outcomes.entry_attribute[entry]] >= 0:
                number = outcomes.entry_payload[entry]
                total += outcomes.list_start[number + 1] - outcomes.list_start[number]
        if total >= self.event.shape[0]:
            self._make_room(total)
        with cython.nogil:
            return self.gather(first_row, event_count)

    def gather(self, first_row, event_count):
        """Sort the elements by attribute and value."""
        elements: cython.pointer(_Element) = cython.cast(cython.pointer(_Element), cython.address(self.gathered[0]))
        row: cython.int
        entry: cython.longlong
        attribute: cython.int
        number: cython.longlong
        position: cython.longlong
        total: cython.longlong = 0
        for row in range(event_count):
            for entry in range(self.outcomes.row_start[first_row + row], self.outcomes.row_start[first_row + row + 1]):
                attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
                if self.outcomes.entry_kind[entry] != _LIST or attribute < 0:
                    continue
                number = self.outcomes.entry_payload[entry]
                for position in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
                    # What is null, or no number, satisfies nothing.
                    if family_bit(self.outcomes.element_kind[position]):
                        elements[total].payload = self.outcomes.element_payload[position]
                        elements[total].attribute = attribute
                        elements[total].event = cython.cast(cython.ushort, row)
                        elements[total].kind = self.outcomes.element_kind[position]
                        total += 1
        qsort(elements, total, cython.sizeof(_Element), _order)
        return self.part(cython.cast(cython.int, self.first_value.shape[0] - 1), total)

    def part(self, attribute_count, total):
        """Put the events of each value side by side, each once."""
        elements: cython.pointer(_Element) = cython.cast(cython.pointer(_Element), cython.address(self.gathered[0]))
        position: cython.longlong
        attribute: cython.int = 0
        values: cython.int = 0
        events: cython.int = 0
        for position in range(total):
            while attribute <= elements[position].attribute:
                self.first_value[attribute] = values
                attribute += 1
            if (
                values == self.first_value[attribute - 1]
                or self.value_kind[values - 1] != elements[position].kind
                or self.value_payload[values - 1] != elements[position].payload
            ):
                self.value_kind[values] = cython.cast(cython.uchar, elements[position].kind)
                self.value_payload[values] = elements[position].payload
                self.value_start[values] = events
                values += 1
            elif self.event[events - 1] == elements[position].event:
                continue
            self.event[events] = elements[position].event
            events += 1
        while attribute <= attribute_count:
            self.first_value[attribute] = values
            attribute += 1
        self.value_start[values] = events
        return 0

    def mark(self, predicate, base, attribute, bits):
        """Set the bits of the events that have an element which satisfies a test."""
        value: cython.int
        if base == _EQ or base == _IN:
            return self.mark_listed(predicate, attribute, bits)
        for value in range(self.first_value[attribute], self.first_value[attribute + 1]):
            self.outcomes.spend(1)
            if family_bit(self.value_kind[value]) & self.outcomes.family[predicate] and self.outcomes.satisfies(
                predicate, base, self.value_kind[value], self.value_payload[value]
            ):
                self.mark_value(value, bits)
        return 0

    def mark_listed(self, predicate, attribute, bits):
        """Set the bits of the events that have one of a predicate's values among their elements."""
        position: cython.longlong
        first: cython.longlong = self.outcomes.start[predicate]
        payload: cython.longlong
        value: cython.int
        for position in range(first, first + self.outcomes.count_of(predicate)):
            payload = self.outcomes.listed_payload[position]
            if self.outcomes.listed_kind[position] == _STRING:
                payload = self.event_string[payload]
            value = self.find(attribute, self.outcomes.listed_kind[position], payload)
            if value >= 0:
                self.mark_value(value, bits)
        return 0

    def mark_value(self, value, bits):
        at: cython.int
        for at in range(self.value_start[value], self.value_start[value + 1]):
            bits[self.event[at] >> 6] |= cython.cast(cython.ulonglong, 1) << (self.event[at] & 63)
        return 0

    def find(self, attribute, kind, payload):
        """Return where a value stands among those of an attribute, or -1; equal values have one form."""
        low: cython.int = self.first_value[attribute]
        end: cython.int = self.first_value[attribute + 1]
        high: cython.int = end
        middle: cython.int
        while low < high:
            middle = (low + high) >> 1
            if self.value_kind[middle] < kind or (
                self.value_kind[middle] == kind and self.value_payload[middle] < payload
            ):
                low = middle + 1
            else:
                high = middle
        if low < end and self.value_kind[low] == kind and self.value_payload[low] == payload:
            return low
        return -1

"""What an event looks for: made once a row, since each pivot of the event is asked for all of it.

A value makes a probe of lists of ``=``, and one of ranges if its kind has an order; a literal that holds one of the
lists of literals. A list in an event makes a probe for each of its elements, each once, and for ranges one a family of
kinds, from the least to the greatest element.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, Literals
from cython.cimports.hedgerow.index.opindex.partitions_cy import AT_MOST, EQUAL, FOUND, bit_of, line_of
from cython.cimports.hedgerow.predicate.keys import value_key
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import family_bit
from cython.cimports.libc.stdlib import qsort

from hedgerow.arrays_cy import grown
from hedgerow.values import Kind

_BOOL = cython.declare(cython.int, int(Kind.BOOL))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))
_LIST = cython.declare(cython.int, int(Kind.LIST))
_LITERAL = cython.declare(cython.int, int(Kind.LIST))  # the kind of keys that are numbers of literals: no value's
_FAMILIES = cython.declare(cython.int, 4)
_SIZE = cython.declare(cython.Py_ssize_t, cython.sizeof(Probe))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _order(
    left: cython.pointer(cython.const[cython.void]), right: cython.pointer(cython.const[cython.void])
) -> cython.int:
    one: cython.longlong = cython.cast(cython.pointer(cython.const[cython.longlong]), left)[0]
    two: cython.longlong = cython.cast(cython.pointer(cython.const[cython.longlong]), right)[0]
    return (one > two) - (one < two)


@cython.final
@cython.cclass
class Probes:
    """The probes of one row after the other."""

    def __init__(self, literals: Literals, operation_of: cython.uchar[::1], outcomes: Outcomes):
        self.outcomes = outcomes
        self.operation_of = operation_of
        if literals.count:
            self.holding = Holding(literals, outcomes)
        self.value_room = np.empty(64 * _SIZE, np.uint8)
        self.range_room = np.empty(64 * _SIZE, np.uint8)
        self.number_room = np.empty(64 * _SIZE, np.uint8)
        self.sorted = np.empty(64, np.int64)

    def begin(self, row):
        """Begin a row, and make its probes."""
        entry: cython.longlong
        number: cython.longlong
        attribute: cython.int
        place: cython.int
        values: cython.longlong = 0
        listed: cython.longlong = 0
        ranges: cython.longlong
        numbers: cython.longlong = 0
        self.value_count = self.range_count = self.number_count = 0
        if self.holding is None:
            self.outcomes.begin(row)
        else:
            self.holding.find(row)
            numbers = self.holding.count
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            values += 1
            if self.outcomes.entry_kind[entry] == _LIST:
                number = self.outcomes.entry_payload[entry]
                values += self.outcomes.list_start[number + 1] - self.outcomes.list_start[number]
                listed += 1
        ranges = self.outcomes.row_start[row + 1] - self.outcomes.row_start[row] + _FAMILIES * listed
        if (
            values * _SIZE > self.value_room.shape[0]
            or values > self.sorted.shape[0]
            or ranges * _SIZE > self.range_room.shape[0]
            or numbers * _SIZE > self.number_room.shape[0]
        ):
            with cython.gil:
                self.make_room(values, ranges, numbers)
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            if attribute < 0:
                continue
            if self.outcomes.entry_kind[entry] == _LIST:
                self.add_list(attribute, entry)
            else:
                self.add_scalar(attribute, self.outcomes.entry_kind[entry], self.outcomes.entry_payload[entry], entry)
        if self.holding is not None:
            for place in range(self.holding.count):
                self.add_number(self.holding.numbers[place])
        return 0

    def make_room(self, values, ranges, numbers):
        """Make room for as many probes."""
        if values * _SIZE > self.value_room.shape[0]:
            self.value_room = grown(self.value_room, values * _SIZE)
        if values > self.sorted.shape[0]:
            self.sorted = grown(self.sorted, values)
        if ranges * _SIZE > self.range_room.shape[0]:
            self.range_room = grown(self.range_room, ranges * _SIZE)
        if numbers * _SIZE > self.number_room.shape[0]:
            self.number_room = grown(self.number_room, numbers * _SIZE)
        return 0

    def values(self):
        return cython.cast(cython.pointer(Probe), cython.address(self.value_room[0]))

    def ranges(self):
        return cython.cast(cython.pointer(Probe), cython.address(self.range_room[0]))

    def numbers(self):
        return cython.cast(cython.pointer(Probe), cython.address(self.number_room[0]))

    def add_number(self, number):
        """Look for a literal that holds."""
        probe: cython.pointer(Probe) = self.numbers() + self.number_count
        # What is beyond came after this search began, and nothing that it can see asks for it.
        if number >= self.operation_of.shape[0]:
            return 0
        probe.operation = self.operation_of[number]
        probe.line = line_of(number, _LITERAL)
        probe.bit = bit_of(FOUND, probe.line, number)
        probe.low = probe.high = number
        probe.entry = -1
        probe.listed = False
        self.number_count = self.number_count + 1
        return 0

    def add_scalar(self, attribute, kind, payload, entry):
        """Look for a value."""
        key: cython.longlong
        if not family_bit(kind):
            return 0
        key = value_key(self.outcomes, kind, payload)
        self.add_range(attribute, _INT if kind == _FLOAT else kind, key, key, entry, False)
        if kind == _STRING:
            payload = self.outcomes.string_of[payload]
            if payload < 0:
                return 0
        return self.add_value(attribute, kind, payload, entry, False)

    def add_value(self, attribute, kind, payload, entry, listed):
        probe: cython.pointer(Probe) = self.values() + self.value_count
        probe.operation = EQUAL
        probe.line = line_of(attribute, kind)
        probe.bit = bit_of(EQUAL, probe.line, payload)
        probe.low = probe.high = payload
        probe.entry = entry
        probe.listed = listed
        self.value_count = self.value_count + 1
        return 0

    def add_range(self, attribute, kind, low, high, entry, listed):
        probe: cython.pointer(Probe) = self.ranges() + self.range_count
        probe.operation = AT_MOST
        probe.line = line_of(attribute, kind)
        probe.bit = bit_of(AT_MOST, probe.line, 0)
        probe.low = low
        probe.high = high
        probe.entry = entry
        probe.listed = listed
        self.range_count = self.range_count + 1
        return 0

    def add_list(self, attribute, entry):
        """Look for the elements of a list, kind by kind."""
        kind: cython.int
        for kind in range(_BOOL, _TIMESTAMP + 1):
            self.add_elements(attribute, kind, entry)
            if kind != _FLOAT:
                self.add_hull(attribute, kind, entry)
        return 0

    def add_elements(self, attribute, kind, entry):
        """Look for the elements of a kind, each once."""
        number: cython.longlong = self.outcomes.entry_payload[entry]
        element: cython.longlong
        payload: cython.longlong
        count: cython.longlong = 0
        self.outcomes.spend(self.outcomes.list_start[number + 1] - self.outcomes.list_start[number])
        for element in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
            if self.outcomes.element_kind[element] != kind:
                continue
            payload = self.outcomes.element_payload[element]
            if kind == _STRING:
                payload = self.outcomes.string_of[payload]
                if payload < 0:
                    continue
            self.sorted[count] = payload
            count += 1
        if count == 0:
            return 0
        qsort(cython.address(self.sorted[0]), count, cython.sizeof(cython.longlong), _order)
        for element in range(count):
            if element == 0 or self.sorted[element] != self.sorted[element - 1]:
                self.add_value(attribute, kind, self.sorted[element], entry, True)
        return 0

    def add_hull(self, attribute, kind, entry):
        """Look for the ranges that the elements of a family of kinds may be in."""
        number: cython.longlong = self.outcomes.entry_payload[entry]
        element: cython.longlong
        key: cython.longlong
        low: cython.longlong = 0
        high: cython.longlong = 0
        found: cython.bint = False
        for element in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
            if family_bit(self.outcomes.element_kind[element]) != family_bit(kind):
                continue
            key = value_key(self.outcomes, self.outcomes.element_kind[element], self.outcomes.element_payload[element])
            low = key if not found or key < low else low
            high = key if not found or key > high else high
            found = True
        return self.add_range(attribute, kind, low, high, entry, True) if found else 0

"""What one search knows of the list at hand, so that a list costs its elements plus the literals, not their product.

A test holds on a list if it holds for some element. Of the elements of one family (those that can be compared) the
least and the greatest decide every ``<``, ``<=``, ``>`` and ``>=``; ``BETWEEN``, ``=`` and ``IN`` need them in order.
Each step is taken when something first asks for it::

    elements   7  'b'  2  7  'a'  null       as they came: nothing is done
    measured   numbers 2 .. 7    strings 'a' .. 'b'              one pass
    ordered    | 2 7 7 | 'a' 'b' |           a part for each family: a merge sort

The order is that of the values, not of their keys, so that a bisection answers what keys alone leave open.

Several elements may lead to the same literal, key or string. ``Marks`` tell what the list has led to already; they take
a bit for each number there is, once a search, and are cleaned by the list of what was marked. A search that raised
leaves them as they are, and must not be used again.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.predicate.keys import family_of, value_key
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import family_bit
from cython.cimports.libc.stdlib import free, malloc
from cython.cimports.libc.string import memcmp, memcpy

from hedgerow.arrays_cy import grown
from hedgerow.language.operators import Accepts, Operator
from hedgerow.values import Kind

_EQ = cython.declare(cython.int, int(Operator.EQ))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_GT = cython.declare(cython.int, int(Operator.GT))
_GE = cython.declare(cython.int, int(Operator.GE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IN = cython.declare(cython.int, int(Operator.IN))
_ALL_OF = cython.declare(cython.int, int(Operator.ALL_OF))
_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_ACCEPTS_NOT_FALSE = cython.declare(cython.int, int(Accepts.NOT_FALSE))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))

_FAMILIES = cython.declare(cython.int, 4)
_ONE = cython.declare(cython.ulonglong, 1)

# A list that is no longer than this is tested as it is: putting it in order would take longer.
_SHORT = cython.declare(cython.longlong, 8)
# Members for which the room is kept from one list to the next: 3 MB.
_KEPT = cython.declare(cython.Py_ssize_t, 1 << 16)


@cython.final
@cython.cclass
class Marks:
    """Numbers that have been met, forgotten by what was met and not by what could have been."""

    def __init__(self):
        self.bits = np.zeros(1, np.uint64)
        self.touched = np.empty(16, np.int32)

    def fit(self, size):
        """Make room for numbers below ``size``, while nothing is marked."""
        if size > 64 * self.bits.shape[0]:
            with cython.gil:
                self.bits = np.zeros((size + 63) // 64, np.uint64)
        return 0

    def has(self, number):
        return (self.bits[number >> 6] >> (number & 63)) & 1

    def put(self, number):
        """Mark a number; return whether it was not marked before."""
        bit: cython.ulonglong = _ONE << (number & 63)
        if self.bits[number >> 6] & bit:
            return False
        if self.count >= self.touched.shape[0]:
            with cython.gil:
                self.touched = grown(self.touched, self.count + 1)
        self.bits[number >> 6] |= bit
        self.touched[self.count] = number
        self.count = self.count + 1
        return True

    def clear(self):
        position: cython.Py_ssize_t
        for position in range(self.count):
            self.bits[self.touched[position] >> 6] = 0
        self.count = 0
        return 0


@cython.final
@cython.cclass
class Members:
    """The elements of the list at hand, by family and in order, and what it has led to already."""

    def __init__(self, outcomes: Outcomes):
        self.outcomes = outcomes
        self.numbers = Marks()
        self.keys = Marks()
        self.strings = Marks()

    def __dealloc__(self):
        free(self.members)

    def begin(self, number, number_limit, key_limit):
        """Make a list of the row begun the one that is asked about."""
        self.first = self.outcomes.list_start[number]
        self.last = self.outcomes.list_start[number + 1]
        self.measured = False
        self.ordered = False
        self.numbers.fit(number_limit)
        self.keys.fit(key_limit)
        self.strings.fit(self.outcomes.event_starts.shape[0])
        return 0

    def end(self):
        """Forget what the list has led to, and give back room that few lists need."""
        self.numbers.clear()
        self.keys.clear()
        self.strings.clear()
        if self.room > _KEPT:
            free(self.members)
            self.members = cython.NULL
            self.room = 0
        return 0

    # In order

    def measure(self):
        """Find the least and the greatest element of each family, and where each family's part will be."""
        element: cython.longlong
        family: cython.int
        count: cython.Py_ssize_t[4]
        member: Member
        for family in range(_FAMILIES):
            count[family] = 0
        for element in range(self.first, self.last):
            member.kind = self.outcomes.element_kind[element]
            family = family_of(family_bit(member.kind))
            if family < 0:
                continue
            member.payload = self.outcomes.element_payload[element]
            member.key = value_key(self.outcomes, member.kind, member.payload)
            if count[family] == 0 or self.before(cython.address(member), cython.address(self.least[family])):
                self.least[family] = member
            if count[family] == 0 or self.before(cython.address(self.greatest[family]), cython.address(member)):
                self.greatest[family] = member
            count[family] += 1
        self.start[0] = 0
        for family in range(_FAMILIES):
            self.start[family + 1] = self.start[family] + count[family]
        self.measured = True
        return 0

    def order(self):
        """Put the elements of each family in order, side by side."""
        element: cython.longlong
        family: cython.int
        kind: cython.int
        total: cython.Py_ssize_t = self.start[_FAMILIES]
        end: cython.Py_ssize_t[4]
        self.make_room(2 * total)
        for family in range(_FAMILIES):
            end[family] = self.start[family]
        for element in range(self.first, self.last):
            kind = self.outcomes.element_kind[element]
            family = family_of(family_bit(kind))
            if family >= 0:
                self.members[end[family]].kind = kind
                self.members[end[family]].payload = self.outcomes.element_payload[element]
                self.members[end[family]].key = value_key(self.outcomes, kind, self.outcomes.element_payload[element])
                end[family] += 1
        for family in range(_FAMILIES):
            self.sort(
                self.members + self.start[family], self.members + total, self.start[family + 1] - self.start[family]
            )
        self.orderings = self.orderings + 1
        self.ordered = True
        return 0

    def make_room(self, needed):
        if needed <= self.room:
            return 0
        free(self.members)
        self.room = 0
        self.members = cython.cast(
            cython.pointer(Member), malloc(cython.cast(cython.size_t, needed) * cython.sizeof(Member))
        )
        if self.members == cython.NULL:
            with cython.gil:
                raise MemoryError
        self.room = needed
        return 0

    def sort(self, members, spare, count):
        """Sort by merging runs that double, from one array into the other; the result is where it began."""
        source: cython.pointer(Member) = members
        target: cython.pointer(Member) = spare
        width: cython.Py_ssize_t = 1
        first: cython.Py_ssize_t
        while width < count:
            first = 0
            while first < count:
                self.merge(source, first, min(first + width, count), min(first + 2 * width, count), target)
                first += 2 * width
            source, target = target, source
            width *= 2
        return 0 if source == members else self.copy(source, count, members)

    def merge(self, source, first, middle, last, target):
        """Merge two runs that lie side by side into the same place of another array; ones in order are copied.

        By positions, not by pointers: the checked build takes the difference of two pointers for one of bytes.
        """
        other: cython.Py_ssize_t = middle
        self.outcomes.spend(last - first)
        if middle < last and self.before(source + middle, source + (middle - 1)):
            while first < middle and other < last:
                if self.before(source + other, source + first):
                    target[first + other - middle] = source[other]
                    other += 1
                else:
                    target[first + other - middle] = source[first]
                    first += 1
        self.copy(source + first, middle - first, target + (first + other - middle))
        return self.copy(source + other, last - other, target + other)

    def copy(self, source, count, target):
        memcpy(target, source, cython.cast(cython.size_t, count) * cython.sizeof(Member))
        return 0

    def before(self, one, other):
        """Return whether an element is less than another of its family."""
        if one.key != other.key:
            return one.key < other.key
        if one.kind == _STRING:
            return one.payload != other.payload and self.text_before(one.payload, other.payload)
        if one.kind == _INT and other.kind == _FLOAT:
            # A whole number has the form of an integer where it fits, so this float is the first that does not.
            return True
        return one.kind != _FLOAT and other.kind == one.kind and one.payload < other.payload

    def text_before(self, one, other):
        heap: cython.pointer(cython.const[cython.uchar]) = cython.address(self.outcomes.event_heap[0])
        start: cython.longlong = self.outcomes.event_starts[one]
        begin: cython.longlong = self.outcomes.event_starts[other]
        length: cython.longlong = self.outcomes.event_starts[one + 1] - start
        size: cython.longlong = self.outcomes.event_starts[other + 1] - begin
        order: cython.int = memcmp(heap + start, heap + begin, cython.cast(cython.size_t, min(length, size)))
        return order < 0 or (order == 0 and length < size)

    def any_between(self, family, low, high):
        """Return whether the key of some element of a family lies between two keys, or is one of them."""
        start: cython.Py_ssize_t
        end: cython.Py_ssize_t
        middle: cython.Py_ssize_t
        if not self.measured:
            self.measure()
        start = self.start[family]
        end = self.start[family + 1]
        if start == end or low > self.greatest[family].key or high < self.least[family].key:
            return False
        if low <= self.least[family].key or high >= self.greatest[family].key:
            return True
        if not self.ordered:
            self.order()
        while start < end:
            middle = (start + end) >> 1
            if self.members[middle].key < low:
                start = middle + 1
            else:
                end = middle
        return self.members[start].key <= high

    # Tests

    def literal(self, code):
        """Return whether a literal holds for the list. On a list nothing is undefined."""
        predicate: cython.int = code >> 2
        accepts: cython.int = code & 3
        operator: cython.int = self.outcomes.operator[predicate]
        if self.last - self.first <= _SHORT or operator > _ALL_OF:
            return self.outcomes.literal(code)
        return self.some(predicate, operator) == (accepts == _ACCEPTS_TRUE or accepts == _ACCEPTS_NOT_FALSE)

    def some(self, predicate, operator):
        """Return whether some element satisfies a test of values, or, for ALL OF, whether every value is there."""
        family: cython.int
        operand: cython.longlong = self.outcomes.start[predicate]
        if not self.measured:
            self.measure()
        if operator == _EQ:
            return self.has_operand(operand)
        if operator >= _IN:
            return self.some_listed(predicate, operator)
        family = family_of(self.outcomes.family[predicate])
        return family >= 0 and self.some_ordered(operator, family, operand)

    def some_ordered(self, operator, family, operand):
        """Return whether an order test holds: the least or the greatest decides, or the first from the low end on."""
        member: cython.pointer(Member)
        position: cython.Py_ssize_t
        if self.start[family] == self.start[family + 1]:
            return False
        if operator == _LT or operator == _LE:
            member = cython.address(self.least[family])
            return self.outcomes.compared(member.kind, member.payload, operand) < (operator == _LE)
        if operator == _GT or operator == _GE:
            member = cython.address(self.greatest[family])
            return self.outcomes.compared(member.kind, member.payload, operand) >= (operator == _GT)
        position = self.first_from(family, operand)
        if position == self.start[family + 1]:
            return False
        return self.outcomes.compared(self.members[position].kind, self.members[position].payload, operand + 1) <= 0

    def some_listed(self, predicate, operator):
        """Return whether some listed value is an element, or, for ALL OF, every one, by the shorter of both lists."""
        first: cython.longlong = self.outcomes.start[predicate]
        count: cython.longlong = self.outcomes.count_of(predicate)
        position: cython.longlong
        if count > self.last - self.first:
            return self.outcomes.literal(predicate * 4 + _ACCEPTS_TRUE)
        for position in range(first, first + count):
            if self.has_operand(position) == (operator == _IN):
                return operator == _IN
        return operator != _IN

    def has_operand(self, operand):
        """Return whether some element equals an operand."""
        family: cython.int = family_of(family_bit(self.outcomes.listed_kind[operand]))
        position: cython.Py_ssize_t = self.first_from(family, operand)
        if position == self.start[family + 1]:
            return False
        return self.outcomes.compared(self.members[position].kind, self.members[position].payload, operand) == 0

    def first_from(self, family, operand):
        """Return where the first element of a family stands that is not less than an operand of it."""
        low: cython.Py_ssize_t = self.start[family]
        high: cython.Py_ssize_t = self.start[family + 1]
        middle: cython.Py_ssize_t
        if not self.ordered:
            self.order()
        while low < high:
            middle = (low + high) >> 1
            if self.outcomes.compared(self.members[middle].kind, self.members[middle].payload, operand) < 0:
                low = middle + 1
            else:
                high = middle
        return low

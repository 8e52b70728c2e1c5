"""The two levels of OpIndex: what is under a pivot, and there a list of predicates for each operation.

::

    pivot      list              segment  signature     entries: line, key ─> counter, predicate
    A       ┬─ =         ─┬─ 0   .1..1..1     A 2 ─> 0    A 2 ─> 2                    counter of A   0   1   2
            │             └─ 1   1...1...     B 3 ─> 0    B 6 ─> 0    B 9 ─> 0        wanted         2   2   1
            ├─ at most   ─── 0   .1......     A 8 ─> 1                                unit           S1  S2  S4
            └─ at least  ─── 0   ......1.     C 2 ─> 1
    C       ─── ...

A list is sorted by line and key. A *line* is an attribute, its bits reversed, with a kind of keys behind it: the first
bits of a line are then the last ones of the attribute, so that a segment, the attributes that are alike modulo the
number of segments, is one piece of the list however many there are; a list that grows is cut anew, and not sorted.
What is found by a literal's number has that in the place of an attribute. Counters are numbered from 0 in each pivot,
so those of a pivot lie together, and what is under a pivot can be copied as it is.

``Partitions`` are never changed: a ``Draft`` has what is new, and both are merged into partitions that take the place
of the old ones in one step. A literal with several values has an entry for each, all of which lead to it by ``once``
(a negative counter), so that a list in an event that has several of them counts it once. So have the literals of a
clause of a CNF, which are the paper's bits: there ``once_counter`` is negative, since they may hold together in any
event.
"""

import cython
import numpy as np
from cython.cimports.libc.stdlib import qsort
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.sections import section

_NONE = cython.declare(cython.int, -1)
_SIZE = cython.declare(cython.Py_ssize_t, cython.sizeof(Entry))
_FEW = cython.declare(cython.longlong, 4)  # entries that a segment has at least, before a list is cut further

# What every other bit, pair, four and eight of a word are.
_BITS = cython.declare(cython.uint, 0x55555555)
_PAIRS = cython.declare(cython.uint, 0x33333333)
_FOURS = cython.declare(cython.uint, 0x0F0F0F0F)
_EIGHTS = cython.declare(cython.uint, 0x00FF00FF)
_HALF = cython.declare(cython.uint, 0xFFFF)
_MOST_SEGMENTS = cython.declare(cython.longlong, (1 << 31) - 1)
_SPARE = cython.declare(cython.int, 4)  # bits of a word that numbers do not have


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _reversed(number: cython.uint) -> cython.uint:
    """Return a number of 28 bits with the first bit last."""
    number = ((number & _BITS) << 1) | ((number >> 1) & _BITS)
    number = ((number & _PAIRS) << 2) | ((number >> 2) & _PAIRS)
    number = ((number & _FOURS) << 4) | ((number >> 4) & _FOURS)
    number = ((number & _EIGHTS) << 8) | ((number >> 8) & _EIGHTS)
    return (((number & _HALF) << 16) | (number >> 16)) >> _SPARE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def line_of(number: cython.int, kind: cython.int) -> cython.int:
    """Return the line of an attribute with a kind of keys."""
    return cython.cast(cython.int, (_reversed(cython.cast(cython.uint, number)) << KIND_BITS)) | kind


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def number_of(line: cython.int) -> cython.int:
    """Return the attribute of a line."""
    return cython.cast(cython.int, _reversed(cython.cast(cython.uint, line >> KIND_BITS)))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _order(
    left: cython.pointer(cython.const[cython.void]), right: cython.pointer(cython.const[cython.void])
) -> cython.int:
    one: cython.pointer(cython.const[Entry]) = cython.cast(cython.pointer(cython.const[Entry]), left)
    two: cython.pointer(cython.const[Entry]) = cython.cast(cython.pointer(cython.const[Entry]), right)
    if one.pivot != two.pivot:
        return (one.pivot > two.pivot) - (one.pivot < two.pivot)
    if one.operation != two.operation:
        return (one.operation > two.operation) - (one.operation < two.operation)
    if one.line != two.line:
        return (one.line > two.line) - (one.line < two.line)
    if one.key != two.key:
        return (one.key > two.key) - (one.key < two.key)
    return (one.counter > two.counter) - (one.counter < two.counter)


@cython.final
@cython.cclass
class Draft:
    """Units that are to go into partitions, with their entries, in the order in which they come."""

    def __init__(self, partitions: Partitions, pivots: cython.int):
        pivot: cython.int
        self.room = roomy(1024 * _SIZE, np.uint8)
        self.taken = filled(pivots, 0, np.int32)
        for pivot in range(partitions.pivot_count):
            self.taken[pivot] = partitions.pivot_counter[pivot + 1] - partitions.pivot_counter[pivot]
        self.unit = np.empty(16, np.int32)
        self.unit_pivot = np.empty(16, np.int32)
        self.unit_counter = np.empty(16, np.int32)
        self.wanted = np.empty(16, np.int32)
        self.once_counter = np.empty(16, np.int32)
        self.first_once = partitions.once_count

    def begin_unit(self, pivot, unit):
        """Give a unit a counter of its pivot; what follows is the unit's."""
        number: cython.int = self.unit_count
        if number >= self.unit.shape[0]:
            self.unit = grown(self.unit, number + 1)
            self.unit_pivot = grown(self.unit_pivot, number + 1)
            self.unit_counter = grown(self.unit_counter, number + 1)
            self.wanted = grown(self.wanted, number + 1)
        self.unit[number] = unit
        self.unit_pivot[number] = pivot
        self.unit_counter[number] = self.taken[pivot]
        self.wanted[number] = 0
        self.taken[pivot] += 1
        self.unit_count = number + 1
        return 0

    def counter(self):
        """Return the counter of the unit at hand."""
        return self.unit_counter[self.unit_count - 1]

    def want(self):
        """Let the unit at hand be counted once more before it matches; return how often that is."""
        self.wanted[self.unit_count - 1] += 1
        return self.wanted[self.unit_count - 1]

    def once(self, of_clause):
        """Return what leads to the counter of the unit at hand, and counts once an event: a set, or a clause."""
        number: cython.int = self.once_count
        if number >= self.once_counter.shape[0]:
            self.once_counter = grown(self.once_counter, number + 1)
        self.once_counter[number] = -1 - self.counter() if of_clause else self.counter()
        self.once_count = number + 1
        return -1 - (self.first_once + number)

    def add(self, operation, line, key, counter, predicate):
        """Add an entry of the unit at hand."""
        entry: cython.pointer(Entry)
        if (self.count + 1) * _SIZE > self.room.shape[0]:
            self.room = grown(self.room, (self.count + 1) * _SIZE)
        entry = cython.address(self.entries()[self.count])
        entry.pivot = self.unit_pivot[self.unit_count - 1]
        entry.operation = operation
        entry.line = line
        entry.key = key
        entry.counter = counter
        entry.predicate = predicate
        self.count += 1
        return 0

    def entries(self):
        return cython.cast(cython.pointer(Entry), cython.address(self.room[0]))

    def sort(self):
        """Put the entries into the order of lists."""
        qsort(self.entries(), self.count, _SIZE, _order)
        return 0


@cython.final
@cython.cclass
class Partitions:
    """Predicate lists, sorted. Nothing of them ever changes."""

    def __init__(self):
        self.pivot_list = filled(1, 0, np.int32)
        self.pivot_counter = filled(1, 0, np.int32)
        self.list_operation = np.empty(0, np.uint8)
        self.list_shift = np.empty(0, np.uint8)
        self.list_segment = filled(1, 0, np.int32)
        self.segment_start = filled(1, 0, np.int64)
        self.signature = np.empty(0, np.uint64)
        self.line = np.empty(0, np.int32)
        self.key = np.empty(0, np.int64)
        self.counter = np.empty(0, np.int32)
        self.predicate = np.empty(0, np.int32)
        self.counter_unit = np.empty(0, np.int32)
        self.wanted = np.empty(0, np.int32)
        self.once_counter = np.empty(0, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes these partitions of."""
        segments: cython.int = self.list_segment[self.list_count]
        return {
            "pivot_list": np.asarray(self.pivot_list),
            "pivot_counter": np.asarray(self.pivot_counter),
            "list_operation": np.asarray(self.list_operation)[: self.list_count],
            "list_shift": np.asarray(self.list_shift)[: self.list_count],
            "list_segment": np.asarray(self.list_segment)[: self.list_count + 1],
            "segment_start": np.asarray(self.segment_start)[: segments + 1],
            "signature": np.asarray(self.signature),
            "line": np.asarray(self.line),
            "key": np.asarray(self.key),
            "counter": np.asarray(self.counter),
            "predicate": np.asarray(self.predicate),
            "counter_unit": np.asarray(self.counter_unit),
            "wanted": np.asarray(self.wanted),
            "once_counter": np.asarray(self.once_counter)[: self.once_count],
        }

    @staticmethod
    def restored(arrays):
        """Return the partitions that were saved as these arrays, in these arrays."""
        made: Partitions = Partitions()
        made.line = section(arrays, "line", np.int32)
        made.entry_count = made.line.shape[0]
        made.key = section(arrays, "key", np.int64, made.entry_count)
        made.counter = section(arrays, "counter", np.int32, made.entry_count)
        made.predicate = section(arrays, "predicate", np.int32, made.entry_count)
        made.counter_unit = section(arrays, "counter_unit", np.int32)
        made.counter_count = made.counter_unit.shape[0]
        made.wanted = section(arrays, "wanted", np.int32, made.counter_count)
        made.once_counter = section(arrays, "once_counter", np.int32)
        made.once_count = made.once_counter.shape[0]
        made.pivot_counter = section(arrays, "pivot_counter", np.int32)
        made.pivot_count = made.pivot_counter.shape[0] - 1
        made.pivot_list = section(arrays, "pivot_list", np.int32, made.pivot_count + 1)
        made.list_operation = section(arrays, "list_operation", np.uint8)
        made.list_count = made.list_operation.shape[0]
        made.list_shift = section(arrays, "list_shift", np.uint8, made.list_count)
        made.list_segment = section(arrays, "list_segment", np.int32, made.list_count + 1)
        made._restore_segments(arrays)
        return made

    def _restore_segments(self, arrays):
        segments: cython.int = self.list_segment[self.list_count]
        if segments < 0 or self.pivot_count < 0 or self.pivot_list[self.pivot_count] != self.list_count:
            raise CorruptFile("the section 'pivot_list' does not fit the lists")
        self.segment_start = section(arrays, "segment_start", np.int64, segments + 1)
        self.signature = section(arrays, "signature", np.uint64)
        if self.segment_start[segments] != self.entry_count or self.signature.shape[0] not in (0, segments):
            raise CorruptFile("the section 'segment_start' does not fit the entries")

    @property
    def nbytes(self):
        """Bytes held."""
        segments: cython.longlong = 8 * (self.list_segment[self.list_count] + 1) + self.signature.nbytes
        lists: cython.longlong = 8 * (self.pivot_count + 1) + 6 * self.list_count + segments
        return lists + 20 * self.entry_count + 8 * self.counter_count + 4 * self.once_count

    def lists(self):
        """Return pivot, operation, segments and entries of each list, for pictures and tests.

        An entry is the kind of its key, its key, its unit and its predicate.
        """
        found = []
        pivot: cython.int
        number: cython.int
        for pivot in range(self.pivot_count):
            for number in range(self.pivot_list[pivot], self.pivot_list[pivot + 1]):
                first, last = self.list_segment[number], self.list_segment[number + 1]
                parts = [self._told(pivot, part) for part in range(first, last)]
                found.append((pivot, self.list_operation[number], parts))
        return found

    def _told(self, pivot: cython.int, segment: cython.int):
        entries = []
        entry: cython.longlong
        counter: cython.int
        for entry in range(self.segment_start[segment], self.segment_start[segment + 1]):
            counter = self.counter[entry]
            if counter < 0:
                counter = self.once_counter[-1 - counter]
                counter = -1 - counter if counter < 0 else counter
            counter += self.pivot_counter[pivot]
            kind = self.line[entry] & ((1 << KIND_BITS) - 1)
            entries.append((kind, self.key[entry], self.counter_unit[counter], self.predicate[entry]))
        return entries

    def entries_by_operation(self):
        """Return how many entries the lists of each operation have."""
        number: cython.int
        entries: cython.longlong
        found: dict = {}
        for number in range(self.list_count):
            entries = self.segment_start[self.list_segment[number + 1]] - self.segment_start[self.list_segment[number]]
            operation = self.list_operation[number]
            found[operation] = found.get(operation, 0) + entries
        return dict(sorted(found.items()))

    @property
    def segment_count(self):
        """How many segments all lists have."""
        return self.list_segment[self.list_count]

    def units(self):
        """Return, for each pivot, its units and how often each must be counted."""
        pivot: cython.int
        counter: cython.int
        return [
            [
                (self.counter_unit[counter], self.wanted[counter])
                for counter in range(self.pivot_counter[pivot], self.pivot_counter[pivot + 1])
            ]
            for pivot in range(self.pivot_count)
        ]

    def check(self):
        """Raise AssertionError unless the invariants hold: for tests."""
        at = 0
        number: cython.int
        for number in range(self.list_count):
            count, shift = self.list_segment[number + 1] - self.list_segment[number], self.list_shift[number]
            _must(count == 1 << (LINE_BITS - shift), f"list {number} has {count} segments for a shift of {shift}")
            for part in range(count):
                place = self.list_segment[number] + part
                _must(self.segment_start[place] == at, f"segment {place} begins where the last one ends")
                at = self._check_segment(self.list_operation[number], place, shift, part)
        _must(at == self.entry_count, f"segments have {at} entries of {self.entry_count}")

    def _check_segment(self, operation: cython.int, place: cython.int, shift: cython.int, part: cython.int):
        last = None
        entry: cython.longlong
        for entry in range(self.segment_start[place], self.segment_start[place + 1]):
            word = self.line[entry], self.key[entry]
            _must(last is None or last <= word, f"segment {place} ascends")
            _must(self.line[entry] >> shift == part, f"entry {entry} is in its segment")
            if self.signature.shape[0]:
                bit = bit_of(operation, self.line[entry], self.key[entry])
                _must(bit & self.signature[place], f"the signature of segment {place} knows entry {entry}")
            last = word
        return self.segment_start[place + 1]

    # Merging

    def place_counters(self, old, draft, pivots):
        """Let each pivot have its old counters, and the new ones behind them."""
        pivot: cython.int
        number: cython.int
        place: cython.int
        self.pivot_count, self.counter_count = pivots, old.counter_count + draft.unit_count
        self.once_count = old.once_count + draft.once_count
        self.pivot_counter = filled(pivots + 1, 0, np.int32)
        self.counter_unit, self.wanted = roomy(self.counter_count, np.int32), roomy(self.counter_count, np.int32)
        self.once_counter = roomy(self.once_count, np.int32)
        _copy(self.once_counter, 0, old.once_counter, 0, old.once_count)
        _copy(self.once_counter, old.once_count, draft.once_counter, 0, draft.once_count)
        for pivot in range(pivots):
            self.pivot_counter[pivot + 1] = self.pivot_counter[pivot] + draft.taken[pivot]
        for pivot in range(old.pivot_count):
            number = old.pivot_counter[pivot]
            place = old.pivot_counter[pivot + 1] - number
            _copy(self.counter_unit, self.pivot_counter[pivot], old.counter_unit, number, place)
            _copy(self.wanted, self.pivot_counter[pivot], old.wanted, number, place)
        for number in range(draft.unit_count):
            place = self.pivot_counter[draft.unit_pivot[number]] + draft.unit_counter[number]
            self.counter_unit[place] = draft.unit[number]
            self.wanted[place] = draft.wanted[number]
        return 0

    def place_entries(self, old, draft):
        """Merge the lists of both, pivot by pivot and operation by operation."""
        entries: cython.pointer(Entry) = draft.entries()
        pivot: cython.int
        operation: cython.int
        number: cython.int
        beyond: cython.int
        count: cython.int = 0
        at: cython.longlong = 0
        drafted: cython.longlong = 0
        stop: cython.longlong
        most: cython.longlong = old.list_count + _lists_of(entries, draft.count)
        self.entry_count = old.entry_count + draft.count
        self.line, self.key = roomy(self.entry_count, np.int32), roomy(self.entry_count, np.int64)
        self.counter, self.predicate = roomy(self.entry_count, np.int32), roomy(self.entry_count, np.int32)
        self.pivot_list = filled(self.pivot_count + 1, 0, np.int32)
        self.list_operation, self.list_start = roomy(most, np.uint8), roomy(most + 1, np.int64)
        for pivot in range(self.pivot_count):
            self.pivot_list[pivot] = count
            number = old.pivot_list[min(pivot, old.pivot_count)]
            beyond = old.pivot_list[min(pivot + 1, old.pivot_count)]
            while True:
                operation = _next(entries, draft.count, drafted, pivot, old, number, beyond)
                if operation == _NONE:
                    break
                stop = drafted
                while stop < draft.count and entries[stop].pivot == pivot and entries[stop].operation == operation:
                    stop += 1
                self.list_operation[count] = operation
                self.list_start[count] = at
                count += 1
                if number < beyond and old.list_operation[number] == operation:
                    at = self.merge_list(
                        old,
                        old.segment_start[old.list_segment[number]],
                        old.segment_start[old.list_segment[number + 1]],
                        entries + drafted,
                        stop - drafted,
                        at,
                    )
                    number += 1
                else:
                    at = self.merge_list(old, 0, 0, entries + drafted, stop - drafted, at)
                drafted = stop
        self.pivot_list[self.pivot_count] = count
        self.list_start[count] = at
        self.list_count = count
        return 0

    def merge_list(self, old, first, last, drafted, count, at):
        """Write the entries of an old list and the new ones in their order; return where they end."""
        new: cython.longlong = 0
        if count == 0:
            _copy(self.line, at, old.line, first, last - first)
            _copy(self.counter, at, old.counter, first, last - first)
            _copy(self.predicate, at, old.predicate, first, last - first)
            if last > first:
                memcpy(cython.address(self.key[at]), cython.address(old.key[first]), (last - first) * 8)
            return at + (last - first)
        while first < last or new < count:
            if new == count or (
                first < last
                and (
                    old.line[first] < drafted[new].line
                    or (old.line[first] == drafted[new].line and old.key[first] <= drafted[new].key)
                )
            ):
                self.copy_entry(old, first, at)
                first += 1
            else:
                self.line[at] = drafted[new].line
                self.key[at] = drafted[new].key
                self.counter[at] = drafted[new].counter
                self.predicate[at] = drafted[new].predicate
                new += 1
            at += 1
        return at

    def copy_entry(self, old, position, at):
        self.line[at] = old.line[position]
        self.key[at] = old.key[position]
        self.counter[at] = old.counter[position]
        self.predicate[at] = old.predicate[position]
        return 0

    def cut(self, segments, signatures):
        """Cut each list into segments, as many as leave a few entries for each."""
        number: cython.int
        count: cython.int
        shift: cython.int
        total: cython.longlong = 0
        self.list_shift = roomy(self.list_count, np.uint8)
        self.list_segment = roomy(self.list_count + 1, np.int32)
        for number in range(self.list_count):
            count = 1
            shift = LINE_BITS
            while 2 * count <= segments and count * _FEW <= self.list_start[number + 1] - self.list_start[number]:
                count *= 2
                shift -= 1
            self.list_segment[number] = cython.cast(cython.int, total)
            self.list_shift[number] = shift
            total += count
            if total > _MOST_SEGMENTS:
                raise LimitError(f"predicate lists of more than {_MOST_SEGMENTS} segments")
        self.list_segment[self.list_count] = cython.cast(cython.int, total)
        self.segment_start = roomy(total + 1, np.int64)
        self.signature = filled(total if signatures else 0, 0, np.uint64)
        for number in range(self.list_count):
            self.cut_list(number, signatures)
        self.segment_start[total] = self.entry_count
        self.list_start = None
        return 0

    def cut_list(self, number, signatures):
        """Write where the segments of a list begin, and their signatures."""
        at: cython.longlong = self.list_start[number]
        stop: cython.longlong = self.list_start[number + 1]
        first: cython.int = self.list_segment[number]
        part: cython.int
        operation: cython.int = self.list_operation[number]
        shift: cython.int = self.list_shift[number]
        for part in range(self.list_segment[number + 1] - first):
            self.segment_start[first + part] = at
            while at < stop and self.line[at] >> shift == part:
                if signatures:
                    self.signature[first + part] |= bit_of(operation, self.line[at], self.key[at])
                at += 1
        return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _lists_of(entries: cython.pointer(Entry), count: cython.longlong) -> cython.longlong:
    """Return how many lists sorted entries are of."""
    place: cython.longlong
    lists: cython.longlong = 0
    for place in range(count):
        if (
            place == 0
            or entries[place].pivot != entries[place - 1].pivot
            or entries[place].operation != entries[place - 1].operation
        ):
            lists += 1
    return lists


@cython.cfunc
@cython.exceptval(-2, check=False)
def _next(
    entries: cython.pointer(Entry),
    count: cython.longlong,
    drafted: cython.longlong,
    pivot: cython.int,
    old: Partitions,
    number: cython.int,
    beyond: cython.int,
) -> cython.int:
    """Return the next operation of a pivot, of what is drafted and of an old list; -1 if there is none."""
    operation: cython.int = _NONE
    if drafted < count and entries[drafted].pivot == pivot:
        operation = entries[drafted].operation
    if number < beyond and (operation == _NONE or old.list_operation[number] < operation):
        operation = old.list_operation[number]
    return operation


@cython.cfunc
@cython.exceptval(-1, check=False)
def _copy(
    target: cython.int[::1],
    at: cython.longlong,
    source: cython.int[::1],
    first: cython.longlong,
    count: cython.longlong,
) -> cython.int:
    if count > 0:
        memcpy(cython.address(target[at]), cython.address(source[first]), count * cython.sizeof(cython.int))
    return 0


@cython.cfunc
def merged(
    old: Partitions, draft: Draft, pivots: cython.int, segments: cython.int, signatures: cython.bint
) -> Partitions:
    """Return new partitions with what is in old ones and in a draft."""
    made: Partitions = Partitions()
    draft.sort()
    made.place_counters(old, draft, pivots)
    made.place_entries(old, draft)
    made.cut(segments, signatures)
    return made


def _must(holds, claim):
    if not holds:
        raise AssertionError(claim)

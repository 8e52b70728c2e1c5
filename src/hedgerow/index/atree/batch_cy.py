"""Many events at once, node by node: which events satisfy a node is worked out once for a block of events.

::

    literal    a slice of its attribute's events, sorted by value: nothing is copied      a < 5    [ 7 2 9 │ 4 4 1 ]
    AND        the shortest operand, what is in all others of it
    OR         all that is in any operand
    expression where its root holds, the event gets a match

What is known of a node is a bit, whether it holds for some event, and if so, a *handle*: where its events stand, how
many there are, and in which of two forms: *sparse*, 16-bit numbers of events in any order, where few are, or *dense*, a
bit an event, where many are. Up to four events stand beside the handle itself. Their *sign* has the bit ``event % 64``
for each event: sets whose signs have no bit in common have no event in common.

Nodes are looked at in stretches: first at the bits of their operands, without a branch, so that many visits are under
way at the same time; then those that may hold are worked out, while what the next ones need is on its way.

Levels are done one after the other, and within a level threads take stretches of nodes from each other's reach; each
thread writes into an arena of its own. Tops are worked out slot by slot when matches are counted, a part of the slots
after the other (``part_cy``), and again when they are written, where a set is dense and there was no room to keep it. A
block has at most 4,096 events, fewer where the arenas would grow too large.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import bit_count, lowest_bit, prefetch, taken_from
from cython.cimports.hedgerow.index.atree.elements_cy import Elements
from cython.cimports.hedgerow.index.atree.part_cy import Part
from cython.cimports.hedgerow.index.atree.plan_cy import (
    FORM_TESTED,
    SORT_NUMBER,
    SORT_OTHER,
    SORT_TEXT,
    SORT_TIME,
    SORT_TRUTH,
    SORTS,
    Plan,
)
from cython.cimports.hedgerow.index.atree.sets import (
    INLINE,
    NOT_KEPT,
    bits_at,
    handle_to,
    is_dense,
    list_at,
    set_size,
)
from cython.cimports.hedgerow.index.atree.tally_cy import Tally
from cython.cimports.hedgerow.language.graph_cy import NODE_AND
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.ranges_cy import number_key
from cython.cimports.libc.stdlib import free, malloc, qsort
from cython.cimports.libc.string import memcpy, memset

from hedgerow.arrays_cy import pooled
from hedgerow.language.operators import Accepts, Operator
from hedgerow.values import Kind

MOST_EVENTS = 4096
"""Events in a block; their numbers take 16 bits."""

MOST_BYTES = 1 << 29
"""Bytes of all arenas together."""

MOST_KEPT = 6 << 26
"""Of these, bytes up to which dense sets of tops are kept until matches are written."""

_STOPPED = cython.declare(cython.int, 2)  # what ``full`` is when it is not for want of room that work ends
_STRETCH = cython.declare(cython.longlong, 2048)  # nodes that a thread takes at once
_CHUNK = cython.declare(cython.Py_ssize_t, 1 << 22)  # bytes of an arena's chunk
_CHUNKS = cython.declare(cython.int, 1024)
_LINE = cython.declare(cython.int, 8)  # names that the processor's cache takes at once

_WORDS = cython.declare(cython.int, MOST_EVENTS // 64)
_ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
_FEW = cython.declare(cython.int, 256)  # entries that are sorted here
_PRESENT = cython.declare(cython.int, 16)  # attributes that fewer events have get no bits of their own
_AHEAD = cython.declare(cython.int, 8)  # how many tops ahead sets are fetched
_PARTS = cython.declare(cython.int, 8)  # of the slots, for each of several threads: who is quicker takes more

_WIDEST = cython.declare(cython.int, 1024)  # operands of an OR that are put together at once
_EXACT = cython.declare(cython.longlong, 1 << 53)

_EQ = cython.declare(cython.int, int(Operator.EQ))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_GT = cython.declare(cython.int, int(Operator.GT))
_GE = cython.declare(cython.int, int(Operator.GE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_ALL_OF = cython.declare(cython.int, int(Operator.ALL_OF))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_IS_EMPTY = cython.declare(cython.int, int(Operator.IS_EMPTY))
_ACCEPTS_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_ACCEPTS_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))
_BOOL = cython.declare(cython.int, int(Kind.BOOL))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))
_LIST = cython.declare(cython.int, int(Kind.LIST))

_Entry = cython.struct(key=cython.longlong, entry=cython.int, event=cython.ushort, sort=cython.ushort)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _order(
    left: cython.pointer(cython.const[cython.void]), right: cython.pointer(cython.const[cython.void])
) -> cython.int:
    one: cython.pointer(_Entry) = cython.cast(cython.pointer(_Entry), left)
    two: cython.pointer(_Entry) = cython.cast(cython.pointer(_Entry), right)
    if one.sort != two.sort:
        return 1 if one.sort > two.sort else -1
    return (one.key > two.key) - (one.key < two.key)


@cython.final
@cython.cclass
class _Worker:
    """What one thread writes into: an arena of chunks, a bit an event, and what it counts matches with."""

    number: cython.int
    owned: list
    chunks: cython.pointer(cython.p_char)
    chunk_count: cython.int
    chunk: cython.int
    used: cython.Py_ssize_t
    bits: cython.ulonglong[::1]
    list: cython.ushort[::1]
    common: cython.ushort[::1]
    waiting: cython.int[::1]
    first_part: cython.longlong[::1]
    parts: cython.int[::1]
    handles: cython.ulonglong[::1]
    met: cython.longlong
    tally: Tally

    def __cinit__(self, number):
        self.chunks = cython.cast(cython.pointer(cython.p_char), malloc(_CHUNKS * cython.sizeof(cython.p_char)))
        if self.chunks == cython.NULL:
            raise MemoryError
        self.chunk = -1
        self.used = _CHUNK

    def __init__(self, number: cython.int):
        self.number = number
        self.owned = []
        self.bits = np.zeros(_WORDS, np.uint64)
        self.list = np.empty(MOST_EVENTS, np.uint16)
        self.common = np.empty(MOST_EVENTS, np.uint16)
        self.waiting = np.empty(_STRETCH + 1, np.int32)
        self.first_part = np.empty(_STRETCH + 1, np.int64)
        self.parts = np.empty(4 * _STRETCH, np.int32)
        self.handles = np.zeros(_WIDEST + 1, np.uint64)
        self.tally = Tally(_WORDS)

    def __dealloc__(self):
        free(self.chunks)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def clear(self) -> cython.int:
        """Let the next block use the chunks again."""
        self.chunk = 0 if self.chunk_count else -1
        self.used = 0 if self.chunk_count else _CHUNK
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def room(self, size: cython.Py_ssize_t) -> cython.p_char:
        """Return room for some bytes, a multiple of 8; NULL where the arena is full."""
        result: cython.p_char
        if self.used + size > _CHUNK:
            if self.chunk + 1 >= self.chunk_count:
                if self.chunk_count == _CHUNKS:
                    return cython.NULL
                with cython.gil:
                    result = self.new_chunk()
                if result == cython.NULL:
                    return cython.NULL
                self.chunks[self.chunk_count] = result
                self.chunk_count = self.chunk_count + 1
            self.chunk = self.chunk + 1
            self.used = 0
        result = self.chunks[self.chunk] + self.used
        self.used = self.used + size
        return result

    @cython.cfunc
    @cython.exceptval(check=False)
    def new_chunk(self) -> cython.p_char:
        chunk: cython.uchar[::1]
        try:
            chunk = pooled(_CHUNK, np.uint8)
            self.owned.append(chunk)
        except MemoryError:
            return cython.NULL
        return cython.cast(cython.p_char, cython.address(chunk[0]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def give_back(self, room: cython.p_char, size: cython.Py_ssize_t) -> cython.void:
        """Use some room again, if it is the last that was given."""
        if self.chunk >= 0 and self.used >= size and room == self.chunks[self.chunk] + self.used - size:
            self.used = self.used - size

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def reserve_parts(self, count: cython.longlong) -> cython.int:
        if count > self.parts.shape[0]:
            with cython.gil:
                self.parts = np.empty(2 * count, np.int32)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bytes_used(self) -> cython.longlong:
        return 0 if self.chunk < 0 else self.chunk * cython.cast(cython.longlong, _CHUNK) + self.used


@cython.final
@cython.cclass
class Block:
    """Some events of a batch, and which nodes of a plan they satisfy."""

    plan: Plan
    outcomes: Outcomes
    workers: list
    event_string: cython.int[::1]
    attribute_count: cython.int

    first_row: cython.longlong
    first_entry: cython.longlong
    event_count: cython.int
    words: cython.int
    sparse: cython.int

    group: cython.int[::1]
    sorts: cython.int[::1]
    entries: cython.uchar[::1]
    keys: cython.longlong[::1]
    events: cython.ushort[::1]
    entry: cython.int[::1]
    run: cython.int[::1]
    elements: Elements

    present: cython.ulonglong[::1]
    present_row: cython.int[::1]

    some: cython.ulonglong[::1]
    known: cython.ulonglong[::1]
    next_node: cython.longlong
    first_node: cython.longlong
    last_node: cython.longlong
    full: cython.int
    arena_bytes: cython.longlong[::1]
    most_bytes: cython.longlong
    most_kept: cython.longlong
    parts: list
    next_part: cython.Py_ssize_t

    def __init__(self, plan: Plan, outcomes: Outcomes, threads: cython.int, writing: cython.bint):
        self.plan = plan
        self.outcomes = outcomes
        self.workers = [_Worker(number) for number in range(threads)]
        self.arena_bytes = np.zeros(threads, np.int64)
        self.attribute_count = outcomes.entry_of.shape[0]
        self.event_string = _inverse(outcomes.string_of, outcomes.operand_starts.shape[0])
        self.group = np.zeros(self.attribute_count + 1, np.int32)
        self.sorts = np.zeros((SORTS + 1) * max(self.attribute_count, 1), np.int32)
        self.some = pooled((plan.kept_count + 63) // 64, np.uint64)
        self.known = pooled(2 * plan.kept_count, np.uint64)
        self.entries = np.empty(16, np.uint8)
        self.keys = np.empty(0, np.int64)
        self.reserve(1)
        self.elements = Elements(outcomes, self.event_string)
        self.most_bytes = MOST_BYTES
        self.most_kept = MOST_KEPT if writing and not plan.crowded else 0
        self.parts = _parts(plan.slot_count, 1 if threads == 1 else _PARTS * threads)

    # A block

    def begin(self, first: cython.longlong, count: cython.int):
        """Begin with ``count`` events from row ``first`` on: sort what they have by attribute and value."""
        worker: _Worker
        self.first_row = first
        self.event_count = count
        self.words = (count + 63) // 64
        # A dense set takes 4 events a word in the sparse form; it is also quicker to combine from about half that on.
        self.sparse = 2 * self.words
        self.full = 0
        self.next_part = 0
        self.first_entry = self.outcomes.row_start[first]
        total: cython.longlong = self.outcomes.row_start[first + count] - self.first_entry
        if total > self.keys.shape[0]:
            self.reserve(total)
        self.elements.begin(first, count)
        for worker in self.workers:
            worker.clear()
            self.bytes_used(worker)
        with cython.nogil:
            self.gather()
            memset(cython.address(self.some[0]), 0, 8 * self.some.shape[0])
            self.next_node = 0
            self.first_node = 0
            self.last_node = self.plan.literal_count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bytes_used(self, worker: _Worker) -> cython.longlong:
        """Return what all arenas hold: that of this worker as it is now, those of others as they last said."""
        total: cython.longlong = 0
        number: cython.Py_ssize_t
        self.arena_bytes[worker.number] = worker.bytes_used()
        for number in range(self.arena_bytes.shape[0]):
            total += self.arena_bytes[number]
        return total

    @cython.cfunc
    @cython.exceptval(-1)
    def reserve(self, total: cython.longlong) -> cython.int:
        """Make room for this many entries; events are read in words of four, so there is room for some more."""
        self.entries = pooled(total * cython.sizeof(_Entry), np.uint8)
        self.keys = pooled(total, np.int64)
        self.events = pooled(total + 4, np.uint16)
        self.entry = pooled(total, np.int32)
        self.run = pooled(total, np.int32)
        self.present_row = pooled(total, np.int32)
        self.present = pooled((total // _PRESENT + 1) * _WORDS, np.uint64)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def gather(self) -> cython.int:
        """Sort the block's entries by attribute and value."""
        entries: cython.pointer(_Entry) = cython.cast(cython.pointer(_Entry), cython.address(self.entries[0]))
        row: cython.longlong
        position: cython.longlong
        attribute: cython.int
        at: cython.int
        memset(cython.address(self.group[0]), 0, 4 * (self.attribute_count + 1))
        for position in range(
            self.outcomes.row_start[self.first_row], self.outcomes.row_start[self.first_row + self.event_count]
        ):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[position]]
            if attribute >= 0:
                self.group[attribute + 1] += 1
        for attribute in range(self.attribute_count):
            self.group[attribute + 1] += self.group[attribute]
        for row in range(self.event_count):
            for position in range(
                self.outcomes.row_start[self.first_row + row], self.outcomes.row_start[self.first_row + row + 1]
            ):
                attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[position]]
                if attribute >= 0:
                    at = self.group[attribute]
                    self.group[attribute] = at + 1
                    self.set_entry(cython.address(entries[at]), position, cython.cast(cython.int, row))
        # Each start has moved to the group's end, which is where the next one starts.
        for attribute in range(self.attribute_count, 0, -1):
            self.group[attribute] = self.group[attribute - 1]
        self.group[0] = 0
        at = 0
        for attribute in range(self.attribute_count):
            self.sort_group(entries, attribute)
            at += self.note_presence(attribute, at)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def note_presence(self, attribute: cython.int, row: cython.int) -> cython.int:
        """Write down which events have an attribute, as a row of bits, if they are some; return how many rows."""
        first: cython.int = self.group[attribute]
        last: cython.int = self.group[attribute + 1]
        bits: cython.pointer(cython.ulonglong)
        at: cython.int
        if last - first < _PRESENT:
            for at in range(first, last):
                self.present_row[at] = -1
            return 0
        bits = cython.address(self.present[row * self.words])
        memset(bits, 0, 8 * self.words)
        for at in range(first, last):
            self.present_row[at] = row
            bits[self.events[at] >> 6] |= cython.cast(cython.ulonglong, 1) << (self.events[at] & 63)
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def set_entry(self, target: cython.pointer(_Entry), position: cython.longlong, row: cython.int) -> cython.int:
        kind: cython.int = self.outcomes.entry_kind[position]
        payload: cython.longlong = self.outcomes.entry_payload[position]
        number: cython.double
        target.entry = cython.cast(cython.int, position - self.first_entry)
        target.event = cython.cast(cython.ushort, row)
        target.key = payload
        if kind == _INT and -_EXACT < payload < _EXACT:
            target.sort = SORT_NUMBER
            target.key = number_key(cython.cast(cython.double, payload))
        elif kind == _FLOAT:
            memcpy(cython.address(number), cython.address(payload), 8)
            target.sort = SORT_NUMBER
            target.key = number_key(number)
        elif kind == _STRING:
            target.sort = SORT_TEXT
        elif kind == _TIMESTAMP:
            target.sort = SORT_TIME
        elif kind == _BOOL:
            target.sort = SORT_TRUTH
        else:
            target.sort = SORT_OTHER
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_few(self, entries: cython.pointer(_Entry), first: cython.int, last: cython.int) -> cython.void:
        """Sort some entries in place, first those that are far apart."""
        gap: cython.int = 132
        at: cython.int
        back: cython.int
        moving: _Entry
        while gap > 1:
            gap = 57 if gap > 57 else 23 if gap > 23 else 10 if gap > 10 else 4 if gap > 4 else 1
            for at in range(first + gap, last):
                moving = entries[at]
                back = at
                while back - gap >= first and (
                    entries[back - gap].sort > moving.sort
                    or (entries[back - gap].sort == moving.sort and entries[back - gap].key > moving.key)
                ):
                    entries[back] = entries[back - gap]
                    back -= gap
                entries[back] = moving

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def sort_group(self, entries: cython.pointer(_Entry), attribute: cython.int) -> cython.int:
        first: cython.int = self.group[attribute]
        last: cython.int = self.group[attribute + 1]
        at: cython.int
        sort: cython.int
        same: cython.bint
        if last - first > _FEW:
            qsort(cython.address(entries[first]), last - first, cython.sizeof(_Entry), _order)
        else:
            self.sort_few(entries, first, last)
        sort = 0
        self.sorts[(SORTS + 1) * attribute] = first
        for at in range(first, last):
            self.keys[at] = entries[at].key
            self.events[at] = entries[at].event
            self.entry[at] = entries[at].entry
            while sort < entries[at].sort:
                sort += 1
                self.sorts[(SORTS + 1) * attribute + sort] = at
        while sort < SORTS:
            sort += 1
            self.sorts[(SORTS + 1) * attribute + sort] = last
        # Where the events end that have the same value; of what has no key, each is taken for itself.
        for at in range(last - 1, first - 1, -1):
            same = (
                at + 1 < last
                and entries[at].sort < SORT_OTHER
                and _order(cython.address(entries[at]), cython.address(entries[at + 1])) == 0
            )
            self.run[at] = self.run[at + 1] if same else at + 1
        return 0

    def next_level(self, end: cython.longlong):
        """Go on to the nodes below rank ``end``."""
        self.first_node = self.last_node
        self.last_node = end
        # Stretches begin at multiples of their length, so that no two threads write into one word of ``some``.
        self.next_node = self.first_node // _STRETCH * _STRETCH

    @property
    def visits(self):
        """How many events satisfied a node, all nodes that were kept and all blocks so far together."""
        worker: _Worker
        return sum([worker.met for worker in self.workers])

    def stops_keeping(self):
        """Keep no dense sets of tops from now on, nor for later batches; return whether some may have been kept."""
        kept: cython.bint = self.most_kept > 0
        self.most_kept = 0
        self.plan.crowded = True
        return kept

    @property
    def is_full(self):
        """Whether the arenas were too small for this block: its results are not complete."""
        return self.full != 0

    def stop(self):
        """Let all who work on this block come to an end soon; its results are not complete."""
        self.full = _STOPPED

    def work(self, number: cython.int):
        """Evaluate nodes of the level until none is left; several threads may do this at the same time."""
        worker: _Worker = self.workers[number]
        first: cython.longlong
        last: cython.longlong
        with cython.nogil:
            while not self.full:
                first = taken_from(cython.address(self.next_node), _STRETCH)
                if first >= self.last_node:
                    break
                last = min(first + _STRETCH, self.last_node)
                self.outcomes.spend(4 * _STRETCH)
                first = max(first, self.first_node)
                if first < self.plan.literal_count:
                    self.work_on_literals(worker, first, last)
                else:
                    self.work_on_nodes(worker, first, last)
                if self.bytes_used(worker) > self.most_bytes:
                    self.full = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def work_on_literals(self, worker: _Worker, first: cython.longlong, last: cython.longlong) -> cython.int:
        node: cython.longlong
        handle: cython.ulonglong
        for node in range(first, last):
            handle = self.literal(worker, cython.cast(cython.int, node))
            if handle:
                self.know(worker, node, handle)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def know(self, worker: _Worker, node: cython.longlong, handle: cython.ulonglong) -> cython.void:
        """Write down the events of a node; a few are kept beside the handle itself, the first one in free places."""
        count: cython.int = set_size(handle)
        events: cython.pointer(cython.ushort)
        at: cython.int
        worker.met = worker.met + count
        if not is_dense(handle) and count <= INLINE:
            events = cython.cast(cython.pointer(cython.ushort), cython.address(self.known[2 * node + 1]))
            memcpy(events, list_at(handle), 8)
            for at in range(count, INLINE):
                events[at] = events[0]
            worker.give_back(cython.cast(cython.p_char, list_at(handle)), 8)
            handle = handle_to(cython.cast(cython.p_char, events), count, 0)
        self.known[2 * node] = handle
        self.some[node >> 6] |= cython.cast(cython.ulonglong, 1) << (node & 63)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def work_on_nodes(self, worker: _Worker, first: cython.longlong, last: cython.longlong) -> cython.int:
        """Evaluate some nodes of a level."""
        at: cython.int
        handle: cython.ulonglong
        count: cython.int = self.likely(worker, first, last)
        for at in range(count):
            self.fetch_ahead(worker, at, count)
            handle = self.evaluated(worker, at)
            if handle:
                self.know(worker, worker.waiting[at], handle)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def likely(self, worker: _Worker, first: cython.longlong, last: cython.longlong) -> cython.int:
        """Let those ANDs and ORs wait of which all operands hold for some event, or any; return how many.

        Each waits with its *parts*, the operands that hold. Operands decide no branch: a wrong guess would end all
        visits that are under way.
        """
        kinds: cython.pointer(cython.uchar) = cython.address(self.plan.kind[0]) - self.plan.literal_count
        starts: cython.pointer(cython.longlong) = cython.address(self.plan.start[0]) - self.plan.literal_count
        children: cython.pointer(cython.int) = cython.address(self.plan.child[0])
        words: cython.pointer(cython.ulonglong) = cython.address(self.some[0])
        waiting: cython.pointer(cython.int) = cython.address(worker.waiting[0])
        first_part: cython.pointer(cython.longlong) = cython.address(worker.first_part[0])
        parts: cython.pointer(cython.int)
        node: cython.longlong
        position: cython.longlong
        part: cython.longlong
        kept: cython.longlong = 0
        every: cython.uint
        count: cython.int = 0
        if first >= last:
            return 0
        worker.reserve_parts(starts[last] - starts[first])
        parts = cython.address(worker.parts[0])
        for node in range(first, last):
            waiting[count] = cython.cast(cython.int, node)
            first_part[count] = kept
            part = kept
            if kinds[node] == NODE_AND:
                # The access child comes first, and seldom holds.
                every = _bit(words, children[starts[node]])
                for position in range(starts[node] + 1, starts[node + 1] if every else 0):
                    every &= _bit(words, children[position])
                if every:
                    for position in range(starts[node], starts[node + 1]):
                        parts[part] = children[position]
                        part += 1
            else:
                for position in range(starts[node], starts[node + 1]):
                    parts[part] = children[position]
                    part += _bit(words, children[position])
            count += part > kept
            kept = part
        first_part[count] = kept
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def fetch_ahead(self, worker: _Worker, at: cython.int, count: cython.int) -> cython.void:
        """Have brought near what is known of the parts of nodes that wait behind this one, and a little later, sets."""
        parts: cython.pointer(cython.int) = cython.address(worker.parts[0])
        part: cython.longlong
        if at + 2 * _AHEAD < count:
            for part in range(worker.first_part[at + 2 * _AHEAD], worker.first_part[at + 2 * _AHEAD + 1]):
                prefetch(cython.address(self.known[2 * cython.cast(cython.longlong, parts[part])]))
        # Slices of literals lie close together: those need not be fetched.
        if at + _AHEAD < count and parts[worker.first_part[at + _AHEAD]] >= self.plan.literal_count:
            for part in range(worker.first_part[at + _AHEAD], worker.first_part[at + _AHEAD + 1]):
                prefetch(list_at(self.handle_of(parts[part])))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def evaluated(self, worker: _Worker, at: cython.int) -> cython.ulonglong:
        """Return the events for which a node that waits holds."""
        part: cython.longlong = worker.first_part[at]
        count: cython.int = cython.cast(cython.int, worker.first_part[at + 1] - part)
        if self.plan.kind[worker.waiting[at] - self.plan.literal_count] == NODE_AND:
            return self.all_of(worker, cython.address(worker.parts[part]), count)
        return self.any_of(worker, cython.address(worker.parts[part]), count)

    # Sets of events

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kept_list(self, worker: _Worker, events: cython.pointer(cython.ushort), count: cython.int) -> cython.ulonglong:
        """Keep a list of events, in the form that suits its length."""
        target: cython.p_char
        at: cython.int
        words: cython.pointer(cython.ulonglong)
        if count == 0:
            return 0
        if count <= self.sparse:
            target = worker.room((2 * count + 7) & ~7)
            if target == cython.NULL:
                self.full = 1
                return 0
            memcpy(target, events, 2 * count)
            return handle_to(target, count, 0)
        target = worker.room(8 * self.words)
        if target == cython.NULL:
            self.full = 1
            return 0
        memset(target, 0, 8 * self.words)
        words = cython.cast(cython.pointer(cython.ulonglong), target)
        for at in range(count):
            words[events[at] >> 6] |= cython.cast(cython.ulonglong, 1) << (events[at] & 63)
        return handle_to(target, count, 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kept_bits(self, worker: _Worker, bits: cython.pointer(cython.ulonglong)) -> cython.ulonglong:
        """Keep the events whose bits are set, in the form that suits their number."""
        count: cython.int = 0
        word: cython.int
        at: cython.int = 0
        rest: cython.ulonglong
        target: cython.p_char
        listed: cython.pointer(cython.ushort)
        for word in range(self.words):
            count += bit_count(bits[word])
        if count == 0:
            return 0
        if count > self.sparse:
            target = worker.room(8 * self.words)
            if target == cython.NULL:
                self.full = 1
                return 0
            memcpy(target, bits, 8 * self.words)
            return handle_to(target, count, 1)
        target = worker.room((2 * count + 7) & ~7)
        if target == cython.NULL:
            self.full = 1
            return 0
        listed = cython.cast(cython.pointer(cython.ushort), target)
        for word in range(self.words):
            rest = bits[word]
            while rest:
                listed[at] = cython.cast(cython.ushort, word << 6 | lowest_bit(rest))
                rest &= rest - 1
                at += 1
        return handle_to(target, count, 0)

    # Literals

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(0xFFFFFFFFFFFFFFFF)
    def literal(self, worker: _Worker, rank: cython.int) -> cython.ulonglong:
        """Return the events that satisfy a literal; those of rank 0, which always holds, are all."""
        attribute: cython.int = self.plan.attribute[rank]
        sorts: cython.pointer(cython.int)
        if rank == 0:
            return self.everything(worker)
        if attribute >= self.attribute_count:
            return self.tested(worker, self.plan.code[rank], attribute)
        sorts = cython.address(self.sorts[(SORTS + 1) * attribute])
        if self.plan.form[rank] != FORM_TESTED:
            if sorts[0] == sorts[SORTS]:
                return 0
            if sorts[SORT_OTHER] == sorts[SORT_OTHER + 1]:
                return self.slice(worker, rank, sorts)
        return self.tested(worker, self.plan.code[rank], attribute)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def slice(self, worker: _Worker, rank: cython.int, sorts: cython.pointer(cython.int)) -> cython.ulonglong:
        """Return the events of an attribute whose values satisfy a comparison: they stand side by side."""
        form: cython.int = self.plan.form[rank]
        operator: cython.int = form >> 4
        key: cython.longlong = self.plan.low[rank]
        first: cython.int = sorts[form & 7]
        last: cython.int = sorts[(form & 7) + 1]
        low: cython.int = first
        high: cython.int = last
        if form & 7 == SORT_TEXT:
            key = self.event_string[key]
        if operator == _EQ:
            low = self.bound(low, high, key, False)
            high = self.end_of_equal(low, high, key)
        elif operator == _LT:
            high = self.bound(low, high, key, False)
        elif operator == _LE:
            high = self.bound(low, high, key, True)
        elif operator == _GT:
            low = self.bound(low, high, key, True)
        elif operator == _GE:
            low = self.bound(low, high, key, False)
        else:
            low = self.bound(low, high, key, False)
            high = max(low, self.bound(low, high, self.plan.high[rank], True))
        if form & 8:
            return self.around(worker, first, low, high, last)
        return self.sliced(low, high)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sliced(self, low: cython.int, high: cython.int) -> cython.ulonglong:
        if low >= high:
            return 0
        return handle_to(cython.cast(cython.p_char, cython.address(self.events[low])), high - low, 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def around(
        self, worker: _Worker, first: cython.int, low: cython.int, high: cython.int, last: cython.int
    ) -> cython.ulonglong:
        """Return the events before and after a slice."""
        if low == first:
            return self.sliced(high, last)
        if high == last:
            return self.sliced(first, low)
        memcpy(cython.address(worker.list[0]), cython.address(self.events[first]), 2 * (low - first))
        memcpy(cython.address(worker.list[low - first]), cython.address(self.events[high]), 2 * (last - high))
        return self.kept_list(worker, cython.address(worker.list[0]), low - first + last - high)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def bound(self, low: cython.int, high: cython.int, key: cython.longlong, after: cython.bint) -> cython.int:
        """Return the first place between two whose key is not less than a key, or is greater; without a branch."""
        keys: cython.pointer(cython.longlong) = cython.address(self.keys[0])
        count: cython.int = high - low
        half: cython.int
        below: cython.int
        while count > 0:
            half = count >> 1
            below = -((keys[low + half] < key) | (after & (keys[low + half] == key)))
            low += below & (half + 1)
            count = half - (below & (1 - (count & 1)))
        return low

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_of_equal(self, low: cython.int, high: cython.int, key: cython.longlong) -> cython.int:
        """Return the first place from one on whose key is another: near by, mostly."""
        near: cython.int = min(low + 8, high)
        while low < near and self.keys[low] == key:
            low += 1
        return self.bound(low, high, key, True) if low == near else low

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def everything(self, worker: _Worker) -> cython.ulonglong:
        word: cython.int
        result: cython.ulonglong
        bits: cython.pointer(cython.ulonglong) = cython.address(worker.bits[0])
        for word in range(self.words):
            bits[word] = ~cython.cast(cython.ulonglong, 0)
        if self.event_count & 63:
            bits[self.words - 1] = (cython.cast(cython.ulonglong, 1) << (self.event_count & 63)) - 1
        result = self.kept_bits(worker, bits)
        memset(bits, 0, 8 * self.words)
        return result

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(0xFFFFFFFFFFFFFFFF)
    def tested(self, worker: _Worker, code: cython.int, attribute: cython.int) -> cython.ulonglong:
        """Return the events that satisfy a literal by testing: each distinct value once, and absence once."""
        count: cython.int = 0
        bits: cython.pointer(cython.ulonglong)
        result: cython.ulonglong
        at: cython.int
        word: cython.int
        absent: cython.int = self.outcomes.literal_at(code, -1)
        if attribute < self.attribute_count:
            count = self.differing(worker, code, attribute, absent)
        if not absent:
            return self.kept_list(worker, cython.address(worker.list[0]), count)
        # It holds for all but those.
        bits = cython.address(worker.bits[0])
        for at in range(count):
            bits[worker.list[at] >> 6] |= cython.cast(cython.ulonglong, 1) << (worker.list[at] & 63)
        for word in range(self.words):
            bits[word] = ~bits[word]
        if self.event_count & 63:
            bits[self.words - 1] &= (cython.cast(cython.ulonglong, 1) << (self.event_count & 63)) - 1
        result = self.kept_bits(worker, bits)
        memset(bits, 0, 8 * self.words)
        return result

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def differing(self, worker: _Worker, code: cython.int, attribute: cython.int, absent: cython.int) -> cython.int:
        """Put the events for which a literal is not what it is for absence into the worker's list."""
        sorts: cython.pointer(cython.int) = cython.address(self.sorts[(SORTS + 1) * attribute])
        at: cython.int = sorts[0]
        count: cython.int = 0
        while at < sorts[SORT_OTHER]:
            self.outcomes.spend(1)
            if self.outcomes.literal_at(code, self.first_entry + self.entry[at]) != absent:
                memcpy(cython.address(worker.list[count]), cython.address(self.events[at]), 2 * (self.run[at] - at))
                count += self.run[at] - at
            at = self.run[at]
        if at < sorts[SORTS]:
            count = self.differing_lists(worker, code, attribute, absent, count)
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def differing_lists(
        self, worker: _Worker, code: cython.int, attribute: cython.int, absent: cython.int, count: cython.int
    ) -> cython.int:
        """Add those whose value is a list, or else has no order."""
        sorts: cython.pointer(cython.int) = cython.address(self.sorts[(SORTS + 1) * attribute])
        bits: cython.pointer(cython.ulonglong) = cython.address(worker.bits[0])
        base: cython.int = self.outcomes.operator[code >> 2]
        by_element: cython.bint = base != _ALL_OF and base != _IS_EMPTY and base != _IS_NULL
        at: cython.int
        event: cython.int
        value: cython.int
        if by_element:
            self.elements.mark(code >> 2, base, attribute, bits)
        for at in range(sorts[SORT_OTHER], sorts[SORTS]):
            event = self.events[at]
            if by_element and self.outcomes.entry_kind[self.first_entry + self.entry[at]] == _LIST:
                # On a list nothing is undefined: some element satisfies the test, or none does.
                value = bits[event >> 6] >> (event & 63) & 1
                if code & 3 == _ACCEPTS_FALSE or code & 3 == _ACCEPTS_NOT_TRUE:
                    value = 1 - value
            else:
                value = self.outcomes.literal_at(code, self.first_entry + self.entry[at])
            if value != absent:
                worker.list[count] = cython.cast(cython.ushort, event)
                count += 1
        if by_element:
            memset(bits, 0, 8 * self.words)
        return count

    # Inner nodes

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def handle_of(self, rank: cython.int) -> cython.ulonglong:
        """Return the events of a rank that holds for some."""
        return self.known[2 * cython.cast(cython.longlong, rank)]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sign_of(self, rank: cython.int) -> cython.ulonglong:
        """Return the sign of a rank that holds for some event."""
        return _sign(self.handle_of(rank), self.known[2 * cython.cast(cython.longlong, rank) + 1])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def all_of(self, worker: _Worker, children: cython.pointer(cython.int), count: cython.int) -> cython.ulonglong:
        """Return the events that are in all operands: those of the shortest, less what others do not have.

        Most that go do so because they have not even the attribute of another operand, which is one look at a bit.
        """
        shortest: cython.int = 0
        least: cython.int = 1 << 30
        at: cython.int
        left: cython.int
        handle: cython.ulonglong
        sign: cython.ulonglong = _ALL
        for at in range(count):
            sign &= self.sign_of(children[at])
        if sign == 0:
            return 0
        for at in range(count):
            handle = self.handle_of(children[at])
            if set_size(handle) < least:
                least = set_size(handle)
                shortest = at
        handle = self.handle_of(children[shortest])
        if is_dense(handle):
            return self.all_dense(worker, children, count)
        memcpy(cython.address(worker.list[0]), list_at(handle), 2 * least)
        left = least
        for at in range(count):
            if at != shortest and left:
                left = self.filtered_roughly(worker, left, self.handle_of(children[at]))
        for at in range(count):
            if at != shortest and left:
                left = self.filtered(worker, left, self.handle_of(children[at]))
        return self.kept_list(worker, cython.address(worker.list[0]), left)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def filtered_roughly(self, worker: _Worker, count: cython.int, handle: cython.ulonglong) -> cython.int:
        """Leave those in the worker's list that have the attribute of a literal's slice; return how many are left."""
        first: cython.pointer(cython.ushort) = cython.address(self.events[0])
        events: cython.pointer(cython.ushort) = list_at(handle)
        row: cython.int
        if is_dense(handle) or events < first or events >= first + self.group[self.attribute_count]:
            return count
        row = self.present_row[(cython.cast(cython.size_t, events) - cython.cast(cython.size_t, first)) >> 1]
        if row < 0:
            return count
        return _tested(cython.address(worker.list[0]), count, cython.address(self.present[row * self.words]))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def filtered(self, worker: _Worker, count: cython.int, handle: cython.ulonglong) -> cython.int:
        """Leave those in the worker's list that are in a set; return how many are left."""
        listed: cython.pointer(cython.ushort) = cython.address(worker.list[0])
        common: cython.pointer(cython.ushort) = cython.address(worker.common[0])
        bits: cython.pointer(cython.ulonglong)
        events: cython.pointer(cython.ushort)
        at: cython.int
        kept: cython.int = 0
        event: cython.ushort
        if is_dense(handle):
            return _tested(listed, count, bits_at(handle))
        bits = cython.address(worker.bits[0])
        events = list_at(handle)
        for at in range(count):
            bits[listed[at] >> 6] |= cython.cast(cython.ulonglong, 1) << (listed[at] & 63)
        for at in range(set_size(handle)):
            event = events[at]
            if bits[event >> 6] >> (event & 63) & 1:
                common[kept] = event
                kept += 1
        for at in range(count):
            bits[listed[at] >> 6] = 0
        memcpy(listed, common, 2 * kept)
        return kept

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def all_dense(self, worker: _Worker, children: cython.pointer(cython.int), count: cython.int) -> cython.ulonglong:
        """Return the events that are in all operands, of which even the shortest is dense: but slices may be longer."""
        bits: cython.pointer(cython.ulonglong) = cython.address(worker.bits[0])
        first: cython.int = 0
        at: cython.int
        left: cython.int
        result: cython.ulonglong
        while first < count and not is_dense(self.handle_of(children[first])):
            first += 1
        memcpy(bits, bits_at(self.handle_of(children[first])), 8 * self.words)
        for at in range(count):
            if at != first and is_dense(self.handle_of(children[at])):
                _keep_common(bits, bits_at(self.handle_of(children[at])), self.words)
        result = self.kept_bits(worker, bits)
        memset(bits, 0, 8 * self.words)
        if result == 0:
            return 0
        for at in range(count):
            if not is_dense(self.handle_of(children[at])):
                left = self.opened(worker, result)
                left = self.filtered(worker, left, self.handle_of(children[at]))
                if left == 0:
                    return 0
                result = self.kept_list(worker, cython.address(worker.list[0]), left)
        return result

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def opened(self, worker: _Worker, handle: cython.ulonglong) -> cython.int:
        """Write a set into the worker's list; return how many events it has."""
        listed: cython.pointer(cython.ushort) = cython.address(worker.list[0])
        bits: cython.pointer(cython.ulonglong)
        rest: cython.ulonglong
        word: cython.int
        at: cython.int = 0
        if not is_dense(handle):
            memcpy(listed, list_at(handle), 2 * set_size(handle))
            return set_size(handle)
        bits = bits_at(handle)
        for word in range(self.words):
            rest = bits[word]
            while rest:
                listed[at] = cython.cast(cython.ushort, word << 6 | lowest_bit(rest))
                rest &= rest - 1
                at += 1
        return at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def any_of(self, worker: _Worker, children: cython.pointer(cython.int), count: cython.int) -> cython.ulonglong:
        """Return the events that are in any of the operands that hold."""
        known: cython.pointer(cython.ulonglong) = cython.address(self.known[0])
        handles: cython.pointer(cython.ulonglong) = cython.address(worker.handles[0])
        total: cython.int = 0
        dense: cython.int = 0
        at: cython.int
        rank: cython.longlong
        overlap: cython.ulonglong = 0
        sign: cython.ulonglong = 0
        other: cython.ulonglong
        if count > _WIDEST:
            return self.any_of_many(worker, children, count)
        for at in range(count):
            rank = children[at]
            handles[at] = known[2 * rank]
            other = _sign(handles[at], known[2 * rank + 1])
            overlap |= sign & other
            sign |= other
            total += set_size(handles[at])
            dense |= is_dense(handles[at])
        if count == 1:
            return handles[0]
        if dense == 0 and total <= self.sparse:
            if overlap == 0:
                return self.joined(worker, handles, count, total)
            return self.union_of_lists(worker, handles, count)
        return self.union_of_bits(worker, handles, count, total, dense)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def joined(
        self, worker: _Worker, handles: cython.pointer(cython.ulonglong), count: cython.int, total: cython.int
    ) -> cython.ulonglong:
        """Return the union of lists that have no event in common, copied in words of four events."""
        size: cython.Py_ssize_t = (2 * total + 7) & ~7
        target: cython.p_char = worker.room(size + 8)
        position: cython.p_char = target
        source: cython.p_char
        at: cython.int
        length: cython.int
        copied: cython.int
        if target == cython.NULL:
            self.full = 1
            return 0
        worker.used = worker.used - 8
        for at in range(count):
            source = cython.cast(cython.p_char, list_at(handles[at]))
            length = 2 * set_size(handles[at])
            copied = 0
            while copied < length:
                memcpy(position + copied, source + copied, 8)
                copied += 8
            position += length
        return handle_to(target, total, 0)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def any_of_many(self, worker: _Worker, children: cython.pointer(cython.int), count: cython.int) -> cython.ulonglong:
        """Return the events that are in any of more operands than are put together at once."""
        handles: cython.pointer(cython.ulonglong) = cython.address(worker.handles[0])
        found: cython.int = 0
        at: cython.int
        for at in range(count):
            handles[found] = self.handle_of(children[at])
            found += 1
            if found == _WIDEST or at == count - 1:
                handles[0] = self.union_of_bits(worker, handles, found, self.event_count, 1)
                found = 1
        return handles[0]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def union_of_lists(
        self, worker: _Worker, handles: cython.pointer(cython.ulonglong), count: cython.int
    ) -> cython.ulonglong:
        bits: cython.pointer(cython.ulonglong) = cython.address(worker.bits[0])
        listed: cython.pointer(cython.ushort) = cython.address(worker.list[0])
        events: cython.pointer(cython.ushort)
        handle: cython.ulonglong
        at: cython.int
        position: cython.int
        kept: cython.int = 0
        event: cython.ushort
        mask: cython.ulonglong
        for at in range(count):
            handle = handles[at]
            events = list_at(handle)
            for position in range(set_size(handle)):
                event = events[position]
                mask = cython.cast(cython.ulonglong, 1) << (event & 63)
                listed[kept] = event
                kept += (bits[event >> 6] & mask) == 0
                bits[event >> 6] |= mask
        for position in range(kept):
            bits[listed[position] >> 6] = 0
        return self.kept_list(worker, listed, kept)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def union_of_bits(
        self,
        worker: _Worker,
        handles: cython.pointer(cython.ulonglong),
        count: cython.int,
        total: cython.int,
        dense: cython.int,
    ) -> cython.ulonglong:
        """Return the union as bits, made where it is kept; its size is only estimated, as no more than the sum."""
        target: cython.p_char = worker.room(8 * self.words)
        bits: cython.pointer(cython.ulonglong) = cython.cast(cython.pointer(cython.ulonglong), target)
        events: cython.pointer(cython.ushort)
        handle: cython.ulonglong
        at: cython.int
        position: cython.int
        fresh: cython.bint = True
        if target == cython.NULL:
            self.full = 1
            return 0
        for at in range(count if dense else 0):
            handle = handles[at]
            if is_dense(handle):
                if fresh:
                    memcpy(bits, bits_at(handle), 8 * self.words)
                    fresh = False
                else:
                    _add_all(bits, bits_at(handle), self.words)
        if fresh:
            memset(bits, 0, 8 * self.words)
        for at in range(count):
            handle = handles[at]
            if not is_dense(handle):
                events = list_at(handle)
                for position in range(set_size(handle)):
                    bits[events[position] >> 6] |= cython.cast(cython.ulonglong, 1) << (events[position] & 63)
        return handle_to(target, min(total, self.event_count), 1)

    # Matches

    def count_matches(self, number: cython.int):
        """Count, for each event, the matches of one part of the slots after the other; evaluate tops for it."""
        worker: _Worker = self.workers[number]
        part: Part
        while self.next_part < len(self.parts) and not self.full:
            part = self.parts[self.next_part]
            self.next_part += 1
            part.noted = 0
            worker.tally.begin(part.counts, self.words)
            with cython.nogil:
                self.count_part(worker, part)
                worker.tally.end()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def count_part(self, worker: _Worker, part: Part) -> cython.int:
        first: cython.longlong = part.first
        while first < part.last and not self.full:
            self.outcomes.spend(4 * _STRETCH)
            self.count_slots(worker, part, first, min(first + _STRETCH, part.last))
            first += _STRETCH
            if self.bytes_used(worker) > self.most_bytes:
                self.full = 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def count_slots(self, worker: _Worker, part: Part, first: cython.longlong, last: cython.longlong) -> cython.int:
        """Find the events of some slots, and count their matches."""
        ranks: cython.pointer(cython.int) = cython.address(self.plan.slot_rank[0])
        kept: cython.int = self.plan.kept_count
        slot: cython.longlong
        first_top: cython.longlong = -1
        last_top: cython.longlong = -2
        at: cython.int
        count: cython.int
        for slot in range(first, last):
            if ranks[slot] >= kept:
                first_top = ranks[slot] if first_top < 0 else first_top
                last_top = ranks[slot]
        count = self.likely(worker, first_top, last_top + 1)
        if last_top - first_top == last - first - 1:
            # All are tops, and so their ranks go up by one with slots.
            for at in range(count):
                self.fetch_ahead(worker, at, count)
                self.count_top(worker, part, first + worker.waiting[at] - first_top, at)
            return 0
        worker.waiting[count] = -2  # a rank that no slot has
        at = 0
        for slot in range(first, last):
            if ranks[slot] == worker.waiting[at]:
                self.fetch_ahead(worker, at, count)
                self.count_top(worker, part, slot, at)
                at += 1
            elif 0 <= ranks[slot] < kept and _bit(cython.address(self.some[0]), ranks[slot]):
                worker.tally.add(self.handle_of(ranks[slot]))
                part.note(slot, self.handle_of(ranks[slot]))
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def count_top(self, worker: _Worker, part: Part, slot: cython.longlong, at: cython.int) -> cython.void:
        """Count the matches of a top that waits, and note its events: if dense, where there is room for them."""
        chunk: cython.int = worker.chunk
        used: cython.Py_ssize_t = worker.used
        kept: cython.bint
        handle: cython.ulonglong = self.evaluated(worker, at)
        if handle == 0:
            return
        worker.tally.add(handle)
        if is_dense(handle):
            kept = (worker.chunk == chunk and worker.used == used) or self.keeps(worker)
            part.note(slot, handle if kept else NOT_KEPT)
        else:
            kept = set_size(handle) > INLINE  # fewer are noted themselves
            part.note(slot, handle)
        if not kept:
            worker.chunk = chunk
            worker.used = used

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keeps(self, worker: _Worker) -> cython.bint:
        """Return whether a dense set of a top is kept until matches are written: to work it out again takes longer."""
        return self.bytes_used(worker) < self.most_kept

    def counts(self):
        """Return how many matches each event of the block has, over all parts."""
        total = np.zeros(self.event_count, np.int64)
        part: Part
        for part in self.parts:
            total += np.asarray(part.counts)[: self.event_count]
        return total

    def place_matches(self, starts):
        """Let each part know where its matches of each event go: events start where ``starts`` says."""
        places = starts.copy()
        part: Part
        for part in self.parts:
            part.place(places)
        self.next_part = 0

    def write_matches(self, number: cython.int, names: cython.longlong[::1], target: cython.longlong[::1]):
        """Write the names of the slots of one part after the other, where they match, to their places."""
        worker: _Worker = self.workers[number]
        part: Part
        while target.shape[0] and self.next_part < len(self.parts) and not self.full:
            part = self.parts[self.next_part]
            self.next_part += 1
            with cython.nogil:
                self.write_part(worker, part, names, cython.address(target[0]))
        if self.full and self.full != _STOPPED:
            raise MemoryError("no room to work matches out again")

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def write_part(
        self, worker: _Worker, part: Part, names: cython.longlong[::1], target: cython.pointer(cython.longlong)
    ) -> cython.int:
        """Write the names of the slots of a part; a set that was not kept is worked out again."""
        at: cython.longlong
        slot: cython.int
        handle: cython.ulonglong
        chunk: cython.int = worker.chunk
        used: cython.Py_ssize_t = worker.used
        cursors: cython.pointer(cython.longlong) = cython.address(part.cursors[0])
        for at in range(part.noted):
            slot = part.slot[at]
            handle = part.handle[at]
            self.outcomes.spend(1 + set_size(handle))
            if at + _AHEAD < part.noted:
                prefetch(list_at(part.handle[at + _AHEAD]))
            if not is_dense(handle) and set_size(handle) <= INLINE:
                _write_few(cursors, part.events[at], set_size(handle), names[slot], target)
            elif handle != NOT_KEPT:
                self.write_name(cursors, handle, names[slot], target)
            else:
                self.likely(worker, self.plan.slot_rank[slot], self.plan.slot_rank[slot] + 1)
                self.write_name(cursors, self.evaluated(worker, 0), names[slot], target)
                worker.chunk = chunk
                worker.used = used
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write_name(
        self,
        cursors: cython.pointer(cython.longlong),
        handle: cython.ulonglong,
        name: cython.longlong,
        target: cython.pointer(cython.longlong),
    ) -> cython.void:
        """Write a name where it belongs for each event of a set, and have brought near what comes behind that place.

        There are as many such places as events, and most of them were last written to long ago.
        """
        events: cython.pointer(cython.ushort)
        bits: cython.pointer(cython.ulonglong)
        rest: cython.ulonglong
        at: cython.int
        event: cython.int
        if not is_dense(handle):
            events = list_at(handle)
            for at in range(set_size(handle)):
                event = events[at]
                target[cursors[event]] = name
                prefetch(target + cursors[event] + _LINE)
                cursors[event] += 1
            return
        bits = bits_at(handle)
        for at in range(self.words):
            rest = bits[at]
            while rest:
                event = at << 6 | lowest_bit(rest)
                rest &= rest - 1
                target[cursors[event]] = name
                prefetch(target + cursors[event] + _LINE)
                cursors[event] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write_few(
    cursors: cython.pointer(cython.longlong),
    events: cython.ulonglong,
    count: cython.int,
    name: cython.longlong,
    target: cython.pointer(cython.longlong),
) -> cython.void:
    """Write a name where it belongs for each of a few events."""
    event: cython.int
    for _ in range(count):
        event = events & 0xFFFF
        events >>= 16
        target[cursors[event]] = name
        cursors[event] += 1


@cython.cfunc
def _parts(slots: cython.longlong, most: cython.longlong):
    """Return some parts of all slots, of about the same length."""
    count: cython.longlong = max(1, min(most, slots // _STRETCH))
    return [Part(slots * number // count, slots * (number + 1) // count, MOST_EVENTS) for number in range(count)]


@cython.cfunc
def _inverse(string_of: cython.int[::1], count: cython.Py_ssize_t):
    """Return, for each operand string, the number of the same string among the events', or -1."""
    numbers: cython.int[::1] = np.full(max(count, 1), -1, np.int32)
    string: cython.int
    for string in range(string_of.shape[0]):
        if string_of[string] >= 0:
            numbers[string_of[string]] = string
    return numbers


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sign(handle: cython.ulonglong, events: cython.ulonglong) -> cython.ulonglong:
    """Return the sign of a set, of which the events are given where they are few."""
    one: cython.ulonglong = 1
    if is_dense(handle) or set_size(handle) > INLINE:
        return _ALL
    return one << (events & 63) | one << (events >> 16 & 63) | one << (events >> 32 & 63) | one << (events >> 48 & 63)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bit(words: cython.pointer(cython.ulonglong), number: cython.longlong) -> cython.uint:
    return cython.cast(cython.uint, words[number >> 6] >> (number & 63) & 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tested(
    listed: cython.pointer(cython.ushort), count: cython.int, bits: cython.pointer(cython.ulonglong)
) -> cython.int:
    """Leave those in a list whose bits are set; return how many are left."""
    at: cython.int
    kept: cython.int = 0
    event: cython.ushort
    for at in range(count):
        event = listed[at]
        listed[kept] = event
        kept += cython.cast(cython.int, bits[event >> 6] >> (event & 63) & 1)
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_all(
    bits: cython.pointer(cython.ulonglong), more: cython.pointer(cython.ulonglong), words: cython.int
) -> cython.void:
    word: cython.int
    for word in range(words):
        bits[word] |= more[word]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_common(
    bits: cython.pointer(cython.ulonglong), more: cython.pointer(cython.ulonglong), words: cython.int
) -> cython.void:
    word: cython.int
    for word in range(words):
        bits[word] &= more[word]

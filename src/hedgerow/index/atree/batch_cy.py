"""Many events at once, node by node: which events satisfy a node is worked out once for a block of events.

::

    literal    a slice of its attribute's events, sorted by value: nothing is copied      a < 5    [ 7 2 9 │ 4 4 1 ]
    AND        the shortest operand, what is in all others of it
    OR         all that is in any operand
    expression where its root holds, the event gets a match

What is known of a node is one number: where its events stand, how many there are, and in which of two forms: *sparse*,
16-bit numbers of events in any order, where few are, or *dense*, a bit an event, where many are. Nothing at all is 0,
and most nodes are that: an AND with such an operand costs one look.

Levels are done one after the other, and within a level threads take stretches of nodes from each other's reach; each
thread writes into an arena of its own. A block has at most 4,096 events, fewer where the arenas would grow too large.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import bit_count, lowest_bit, taken_from
from cython.cimports.hedgerow.index.atree.elements_cy import Elements
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
from cython.cimports.hedgerow.language.graph_cy import NODE_AND
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.ranges_cy import number_key
from cython.cimports.libc.stdlib import free, malloc, qsort
from cython.cimports.libc.string import memcpy, memset

from hedgerow.language.operators import Accepts, Operator
from hedgerow.values import Kind

MOST_EVENTS = 4096
"""Events in a block; their numbers take 16 bits."""

_STRETCH = cython.declare(cython.longlong, 2048)  # nodes that a thread takes at once
_CHUNK = cython.declare(cython.Py_ssize_t, 1 << 22)  # bytes of an arena's chunk
_MOST_BYTES = cython.declare(cython.longlong, 1 << 28)  # of all arenas together

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


@cython.cclass
class _Worker:
    """What one thread writes into: an arena of chunks, and a bit an event."""

    chunks: cython.pointer(cython.p_char)
    chunk_count: cython.int
    chunk: cython.int
    used: cython.Py_ssize_t
    bits: cython.ulonglong[::1]
    list: cython.ushort[::1]
    counts: cython.longlong[::1]
    handles: cython.ulonglong[::1]

    def __cinit__(self):
        self.chunks = cython.cast(cython.pointer(cython.p_char), malloc(1024 * cython.sizeof(cython.p_char)))
        if self.chunks == cython.NULL:
            raise MemoryError
        self.chunk = -1
        self.used = _CHUNK

    def __init__(self):
        self.bits = np.zeros(MOST_EVENTS // 64, np.uint64)
        self.list = np.empty(MOST_EVENTS, np.uint16)
        self.counts = np.zeros(MOST_EVENTS, np.int64)
        self.handles = np.zeros(_WIDEST, np.uint64)

    def __dealloc__(self):
        number: cython.int
        for number in range(self.chunk_count):
            free(self.chunks[number])
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
                if self.chunk_count == 1024:
                    return cython.NULL
                result = cython.cast(cython.p_char, malloc(_CHUNK))
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
    @cython.nogil
    @cython.exceptval(check=False)
    def bytes_used(self) -> cython.longlong:
        return 0 if self.chunk < 0 else self.chunk * cython.cast(cython.longlong, _CHUNK) + self.used


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

    holding: cython.ulonglong[::1]
    some: cython.ulonglong[::1]
    next_node: cython.longlong
    first_node: cython.longlong
    last_node: cython.longlong
    full: cython.int
    cursors: cython.longlong[:, ::1]

    def __init__(self, plan: Plan, outcomes: Outcomes, threads: cython.int):
        self.plan = plan
        self.outcomes = outcomes
        self.workers = [_Worker() for _ in range(threads)]
        self.attribute_count = outcomes.entry_of.shape[0]
        self.event_string = _inverse(outcomes.string_of, outcomes.operand_starts.shape[0])
        self.group = np.zeros(self.attribute_count + 1, np.int32)
        self.sorts = np.zeros((SORTS + 1) * max(self.attribute_count, 1), np.int32)
        self.holding = np.zeros(plan.rank_count, np.uint64)
        self.some = np.zeros((plan.rank_count + 63) // 64, np.uint64)
        self.entries = np.empty(16, np.uint8)
        self.keys = np.empty(1, np.int64)
        self.events = np.empty(1, np.uint16)
        self.entry = np.empty(1, np.int32)
        self.run = np.empty(1, np.int32)
        self.elements = Elements(outcomes, self.event_string)
        self.cursors = np.zeros((threads, MOST_EVENTS), np.int64)

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
        self.first_entry = self.outcomes.row_start[first]
        total: cython.longlong = self.outcomes.row_start[first + count] - self.first_entry
        if total > self.keys.shape[0]:
            self.entries = np.empty(total * cython.sizeof(_Entry), np.uint8)
            self.keys = np.empty(total, np.int64)
            self.events = np.empty(total, np.uint16)
            self.entry = np.empty(total, np.int32)
            self.run = np.empty(total, np.int32)
        self.elements.begin(first, count)
        for worker in self.workers:
            worker.clear()
        with cython.nogil:
            self.gather()
            memset(cython.address(self.some[0]), 0, 8 * self.some.shape[0])
            self.next_node = 0
            self.first_node = 0
            self.last_node = self.plan.literal_count

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
        for attribute in range(self.attribute_count):
            self.sort_group(entries, attribute)
        return 0

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
    @cython.exceptval(-1)
    def sort_group(self, entries: cython.pointer(_Entry), attribute: cython.int) -> cython.int:
        first: cython.int = self.group[attribute]
        last: cython.int = self.group[attribute + 1]
        at: cython.int
        back: cython.int
        sort: cython.int
        same: cython.bint
        moving: _Entry
        if last - first > 24:
            qsort(cython.address(entries[first]), last - first, cython.sizeof(_Entry), _order)
        else:
            for at in range(first + 1, last):
                moving = entries[at]
                back = at
                while back > first and _order(cython.address(entries[back - 1]), cython.address(moving)) > 0:
                    entries[back] = entries[back - 1]
                    back -= 1
                entries[back] = moving
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
    def is_full(self):
        """Whether the arenas were too small for this block: its results are not complete."""
        return self.full != 0

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
                first = max(first, self.first_node)
                if first < self.plan.literal_count:
                    self.work_on_literals(worker, first, last)
                else:
                    self.work_on_nodes(worker, first, last)
                if worker.bytes_used() * self.cursors.shape[0] > _MOST_BYTES:
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
                self.holding[node] = handle
                self.some[node >> 6] |= cython.cast(cython.ulonglong, 1) << (node & 63)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def work_on_nodes(self, worker: _Worker, first: cython.longlong, last: cython.longlong) -> cython.int:
        """Evaluate some nodes of a level."""
        kinds: cython.pointer(cython.uchar) = cython.address(self.plan.kind[0])
        starts: cython.pointer(cython.longlong) = cython.address(self.plan.start[0])
        children: cython.pointer(cython.int) = cython.address(self.plan.child[0])
        some: cython.pointer(cython.ulonglong) = cython.address(self.some[0])
        holding: cython.pointer(cython.ulonglong) = cython.address(self.holding[0])
        node: cython.longlong
        number: cython.longlong
        position: cython.longlong
        count: cython.int
        handle: cython.ulonglong
        for node in range(first, last):
            number = node - self.plan.literal_count
            position = starts[number]
            count = cython.cast(cython.int, starts[number + 1] - position)
            if kinds[number] == NODE_AND:
                handle = self.all_of(worker, cython.address(children[position]), count)
            else:
                handle = self.any_of(worker, cython.address(children[position]), count)
            if handle:
                holding[node] = handle
                some[node >> 6] |= cython.cast(cython.ulonglong, 1) << (node & 63)
        return 0

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
            return _handle(target, count, 0)
        target = worker.room(8 * self.words)
        if target == cython.NULL:
            self.full = 1
            return 0
        memset(target, 0, 8 * self.words)
        words = cython.cast(cython.pointer(cython.ulonglong), target)
        for at in range(count):
            words[events[at] >> 6] |= cython.cast(cython.ulonglong, 1) << (events[at] & 63)
        return _handle(target, count, 1)

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
            return _handle(target, count, 1)
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
        return _handle(target, count, 0)

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
            high = self.bound(low, high, key, True)
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
        return _handle(cython.cast(cython.p_char, cython.address(self.events[low])), high - low, 0)

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
        """Return the first place between two whose key is not less than a key, or is greater."""
        middle: cython.int
        keys: cython.pointer(cython.longlong) = cython.address(self.keys[0])
        while low < high:
            middle = (low + high) >> 1
            if keys[middle] < key or (after and keys[middle] == key):
                low = middle + 1
            else:
                high = middle
        return low

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
    def all_of(self, worker: _Worker, children: cython.pointer(cython.int), count: cython.int) -> cython.ulonglong:
        """Return the events that are in all operands: those of the shortest, less what others do not have."""
        holding: cython.pointer(cython.ulonglong) = cython.address(self.holding[0])
        shortest: cython.int = 0
        least: cython.int = 1 << 30
        at: cython.int
        left: cython.int
        handle: cython.ulonglong
        some: cython.pointer(cython.ulonglong) = cython.address(self.some[0])
        for at in range(count):
            if not some[children[at] >> 6] >> (children[at] & 63) & 1:
                return 0
        for at in range(count):
            handle = holding[children[at]]
            if _count(handle) < least:
                least = _count(handle)
                shortest = at
        handle = holding[children[shortest]]
        if _is_dense(handle):
            return self.all_dense(worker, children, count)
        memcpy(cython.address(worker.list[0]), _list(handle), 2 * least)
        left = least
        for at in range(count):
            if at != shortest:
                left = self.filtered(worker, left, holding[children[at]])
                if left == 0:
                    return 0
        return self.kept_list(worker, cython.address(worker.list[0]), left)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def filtered(self, worker: _Worker, count: cython.int, handle: cython.ulonglong) -> cython.int:
        """Leave those in the worker's list that are in a set; return how many are left."""
        listed: cython.pointer(cython.ushort) = cython.address(worker.list[0])
        bits: cython.pointer(cython.ulonglong)
        events: cython.pointer(cython.ushort)
        at: cython.int
        kept: cython.int = 0
        event: cython.ushort
        if _is_dense(handle):
            bits = _bits(handle)
            for at in range(count):
                event = listed[at]
                listed[kept] = event
                kept += bits[event >> 6] >> (event & 63) & 1
            return kept
        bits = cython.address(worker.bits[0])
        events = _list(handle)
        for at in range(count):
            bits[listed[at] >> 6] |= cython.cast(cython.ulonglong, 1) << (listed[at] & 63)
        left: cython.int = count
        for at in range(_count(handle)):
            event = events[at]
            if bits[event >> 6] >> (event & 63) & 1:
                # Each bit is taken once: lists have no event twice.
                listed[kept] = event
                kept += 1
                bits[event >> 6] ^= cython.cast(cython.ulonglong, 1) << (event & 63)
        if kept < left:
            memset(bits, 0, 8 * self.words)
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
        while first < count and not _is_dense(self.holding[children[first]]):
            first += 1
        memcpy(bits, _bits(self.holding[children[first]]), 8 * self.words)
        for at in range(count):
            if at != first and _is_dense(self.holding[children[at]]):
                _keep_common(bits, _bits(self.holding[children[at]]), self.words)
        result = self.kept_bits(worker, bits)
        memset(bits, 0, 8 * self.words)
        if result == 0:
            return 0
        for at in range(count):
            if not _is_dense(self.holding[children[at]]):
                left = self.opened(worker, result)
                left = self.filtered(worker, left, self.holding[children[at]])
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
        if not _is_dense(handle):
            memcpy(listed, _list(handle), 2 * _count(handle))
            return _count(handle)
        bits = _bits(handle)
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
        """Return the events that are in any operand."""
        holding: cython.pointer(cython.ulonglong) = cython.address(self.holding[0])
        total: cython.int = 0
        found: cython.int = 0
        dense: cython.int = 0
        at: cython.int
        handle: cython.ulonglong
        some: cython.pointer(cython.ulonglong) = cython.address(self.some[0])
        handles: cython.pointer(cython.ulonglong) = cython.address(worker.handles[0])
        for at in range(min(count, _WIDEST)):
            if some[children[at] >> 6] >> (children[at] & 63) & 1:
                handle = holding[children[at]]
                handles[found] = handle
                found += 1
                total += _count(handle)
                dense += _is_dense(handle)
        if count > _WIDEST:
            return self.any_of_many(worker, children, count, found)
        if found <= 1:
            return handles[0] if found else 0
        if dense == 0 and total <= self.sparse:
            return self.union_of_lists(worker, handles, found)
        return self.union_of_bits(worker, handles, found, total, dense)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def any_of_many(
        self, worker: _Worker, children: cython.pointer(cython.int), count: cython.int, found: cython.int
    ) -> cython.ulonglong:
        """Return the events that are in any of more operands than are looked at at once, some of which are already."""
        handles: cython.pointer(cython.ulonglong) = cython.address(worker.handles[0])
        at: cython.int = _WIDEST
        handle: cython.ulonglong
        while True:
            if found > 1:
                handles[0] = self.union_of_bits(worker, handles, found, self.event_count, 1)
                found = 1
            if at == count:
                return handles[0] if found else 0
            while at < count and found < _WIDEST:
                handle = self.holding[children[at]] if self.holds(children[at]) else 0
                if handle:
                    handles[found] = handle
                    found += 1
                at += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def holds(self, rank: cython.int) -> cython.bint:
        """Return whether a node holds for some event."""
        return self.some[rank >> 6] >> (rank & 63) & 1

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
            events = _list(handle)
            for position in range(_count(handle)):
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
            if _is_dense(handle):
                if fresh:
                    memcpy(bits, _bits(handle), 8 * self.words)
                    fresh = False
                else:
                    _add_all(bits, _bits(handle), self.words)
        if fresh:
            memset(bits, 0, 8 * self.words)
        for at in range(count):
            handle = handles[at]
            if not _is_dense(handle):
                events = _list(handle)
                for position in range(_count(handle)):
                    bits[events[position] >> 6] |= cython.cast(cython.ulonglong, 1) << (events[position] & 63)
        return _handle(target, min(total, self.event_count), 1)

    # Matches

    def count_matches(self, number: cython.int, parts: cython.int):
        """Count, for each event, the matches among one of ``parts`` equal shares of the slots."""
        worker: _Worker = self.workers[number]
        first: cython.longlong = cython.cast(cython.longlong, self.plan.slot_count) * number // parts
        last: cython.longlong = cython.cast(cython.longlong, self.plan.slot_count) * (number + 1) // parts
        slot: cython.longlong
        counts: cython.pointer(cython.longlong) = cython.address(worker.counts[0])
        with cython.nogil:
            memset(counts, 0, 8 * self.event_count)
            for slot in range(first, last):
                if self.plan.slot_rank[slot] >= 0 and self.holds(self.plan.slot_rank[slot]):
                    self.add_counts(counts, self.holding[self.plan.slot_rank[slot]])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_counts(self, counts: cython.pointer(cython.longlong), handle: cython.ulonglong) -> cython.void:
        events: cython.pointer(cython.ushort)
        bits: cython.pointer(cython.ulonglong)
        rest: cython.ulonglong
        at: cython.int
        if not _is_dense(handle):
            events = _list(handle)
            for at in range(_count(handle)):
                counts[events[at]] += 1
            return
        bits = _bits(handle)
        for at in range(self.words):
            rest = bits[at]
            while rest:
                counts[at << 6 | lowest_bit(rest)] += 1
                rest &= rest - 1

    def counts(self):
        """Return how many matches each event of the block has, over all shares."""
        total = np.zeros(self.event_count, np.int64)
        worker: _Worker
        for worker in self.workers:
            total += np.asarray(worker.counts)[: self.event_count]
        return total

    def place_matches(self, starts: cython.longlong[::1]):
        """Let each share know where its matches of each event go: events start where ``starts`` says."""
        number: cython.Py_ssize_t = 0
        event: cython.int
        place: cython.longlong
        worker: _Worker
        for event in range(self.event_count):
            place = starts[event]
            number = 0
            for worker in self.workers:
                self.cursors[number, event] = place
                place += worker.counts[event]
                number += 1

    def write_matches(
        self, number: cython.int, parts: cython.int, names: cython.longlong[::1], target: cython.longlong[::1]
    ):
        """Write the names of the slots of a share, where they match, to their places."""
        first: cython.longlong = cython.cast(cython.longlong, self.plan.slot_count) * number // parts
        last: cython.longlong = cython.cast(cython.longlong, self.plan.slot_count) * (number + 1) // parts
        slot: cython.longlong
        handle: cython.ulonglong
        cursors: cython.pointer(cython.longlong) = cython.address(self.cursors[number, 0])
        if target.shape[0] == 0:
            return
        with cython.nogil:
            for slot in range(first, last):
                if self.plan.slot_rank[slot] >= 0 and self.holds(self.plan.slot_rank[slot]):
                    handle = self.holding[self.plan.slot_rank[slot]]
                    self.write_name(cursors, handle, names[slot], cython.address(target[0]))

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
        events: cython.pointer(cython.ushort)
        bits: cython.pointer(cython.ulonglong)
        rest: cython.ulonglong
        at: cython.int
        event: cython.int
        if not _is_dense(handle):
            events = _list(handle)
            for at in range(_count(handle)):
                event = events[at]
                target[cursors[event]] = name
                cursors[event] += 1
            return
        bits = _bits(handle)
        for at in range(self.words):
            rest = bits[at]
            while rest:
                event = at << 6 | lowest_bit(rest)
                rest &= rest - 1
                target[cursors[event]] = name
                cursors[event] += 1


@cython.cfunc
def _inverse(string_of: cython.int[::1], count: cython.Py_ssize_t):
    """Return, for each operand string, the number of the same string among the events', or -1."""
    numbers: cython.int[::1] = np.full(max(count, 1), -1, np.int32)
    string: cython.int
    for string in range(string_of.shape[0]):
        if string_of[string] >= 0:
            numbers[string_of[string]] = string
    return numbers


# A handle: the address of a set, its number of events in 15 bits, and whether it is dense.


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _handle(address: cython.p_char, count: cython.int, dense: cython.int) -> cython.ulonglong:
    return (
        cython.cast(cython.ulonglong, cython.cast(cython.size_t, address)) << 16
        | cython.cast(cython.ulonglong, count) << 1
        | cython.cast(cython.ulonglong, dense)
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(handle: cython.ulonglong) -> cython.int:
    return cython.cast(cython.int, handle >> 1 & 0x7FFF)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_dense(handle: cython.ulonglong) -> cython.int:
    return cython.cast(cython.int, handle & 1)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list(handle: cython.ulonglong) -> cython.pointer(cython.ushort):
    return cython.cast(cython.pointer(cython.ushort), cython.cast(cython.size_t, handle >> 16))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bits(handle: cython.ulonglong) -> cython.pointer(cython.ulonglong):
    return cython.cast(cython.pointer(cython.ulonglong), cython.cast(cython.size_t, handle >> 16))


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

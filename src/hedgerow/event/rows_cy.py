"""Rows under construction: the arrays of a batch with spare room, and how they become a batch of exact size.

A batch is cut from four blocks, one for each type of number. An array of its own costs half a microsecond, and a batch
of one event has fifteen; a cut costs a few nanoseconds. Small batches are cut one after the other from the same blocks,
which live until the last batch in them is gone, so they are kept small; a large batch has blocks of its own.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.symbols_cy import SymbolTable
from cython.cimports.libc.string import memcpy, memset

from hedgerow.arrays_cy import grown

# Elements of a block that many batches share, and what one batch may take of it.
_BLOCK = cython.declare(cython.Py_ssize_t, 2048)
_SMALL = cython.declare(cython.Py_ssize_t, 512)


@cython.cclass
class _Blocks:
    """A block of each type, and where its unused part starts."""

    uchars: cython.uchar[::1]
    ints: cython.int[::1]
    longs: cython.longlong[::1]
    words: cython.ulonglong[::1]
    uchar_used: cython.Py_ssize_t
    int_used: cython.Py_ssize_t
    long_used: cython.Py_ssize_t
    word_used: cython.Py_ssize_t
    shared: cython.bint

    def __init__(self, uchars, ints, longs, words):
        self.uchars = np.empty(uchars, np.uint8)
        self.ints = np.empty(ints, np.int32)
        self.longs = np.empty(longs, np.int64)
        self.words = np.empty(words, np.uint64)

    @cython.cfunc
    @cython.exceptval(check=False)
    def fits(
        self, uchars: cython.Py_ssize_t, ints: cython.Py_ssize_t, longs: cython.Py_ssize_t, words: cython.Py_ssize_t
    ) -> cython.bint:
        """Return whether that much is left of each block."""
        return (
            self.uchar_used + uchars <= self.uchars.shape[0]
            and self.int_used + ints <= self.ints.shape[0]
            and self.long_used + longs <= self.longs.shape[0]
            and self.word_used + words <= self.words.shape[0]
        )

    @cython.cfunc
    def table(self, source: SymbolTable) -> SymbolTable:
        """Cut a copy of a table, in arrays that are just large enough."""
        made: SymbolTable = SymbolTable.__new__(SymbolTable)
        count: cython.Py_ssize_t = source.count
        length: cython.Py_ssize_t = source.starts[count]
        slots: cython.Py_ssize_t = _slots_for(count)
        made.count = source.count
        made.seed = source.seed
        made.heap = self.uchars[self.uchar_used : self.uchar_used + length]
        made.starts = self.longs[self.long_used : self.long_used + count + 1]
        made.hashes = self.words[self.word_used : self.word_used + count]
        made.slots = self.ints[self.int_used : self.int_used + slots]
        self.uchar_used += length
        self.long_used += count + 1
        self.word_used += count
        self.int_used += slots
        memcpy(cython.address(made.starts[0]), cython.address(source.starts[0]), (count + 1) * 8)
        if length > 0:
            memcpy(cython.address(made.heap[0]), cython.address(source.heap[0]), length)
        if count > 0:
            memcpy(cython.address(made.hashes[0]), cython.address(source.hashes[0]), count * 8)
        _fill_slots(made)
        return made

    @cython.cfunc
    @cython.exceptval(-1)
    def rows(self, source: Rows, made: EventBatch) -> cython.int:
        """Cut copies of the arrays of rows and entries."""
        count: cython.Py_ssize_t = source.row_count + 1
        made.row_start = self.longs[self.long_used : self.long_used + count]
        self.long_used += count
        memcpy(cython.address(made.row_start[0]), cython.address(source.row_start[0]), count * 8)
        count = source.entry_count
        made.entry_attribute = self.ints[self.int_used : self.int_used + count]
        made.entry_kind = self.uchars[self.uchar_used : self.uchar_used + count]
        made.entry_payload = self.longs[self.long_used : self.long_used + count]
        self.int_used += count
        self.uchar_used += count
        self.long_used += count
        if count > 0:
            memcpy(cython.address(made.entry_attribute[0]), cython.address(source.entry_attribute[0]), count * 4)
            memcpy(cython.address(made.entry_kind[0]), cython.address(source.entry_kind[0]), count)
            memcpy(cython.address(made.entry_payload[0]), cython.address(source.entry_payload[0]), count * 8)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def lists(self, source: Rows, made: EventBatch) -> cython.int:
        """Cut copies of the arrays of lists and elements."""
        count: cython.Py_ssize_t = source.list_count + 1
        made.list_start = self.longs[self.long_used : self.long_used + count]
        self.long_used += count
        memcpy(cython.address(made.list_start[0]), cython.address(source.list_start[0]), count * 8)
        count = source.element_count
        made.element_kind = self.uchars[self.uchar_used : self.uchar_used + count]
        made.element_payload = self.longs[self.long_used : self.long_used + count]
        self.uchar_used += count
        self.long_used += count
        if count > 0:
            memcpy(cython.address(made.element_kind[0]), cython.address(source.element_kind[0]), count)
            memcpy(cython.address(made.element_payload[0]), cython.address(source.element_payload[0]), count * 8)
        return 0


_shared = cython.declare(_Blocks, None)


@cython.cfunc
def _taken(
    uchars: cython.Py_ssize_t, ints: cython.Py_ssize_t, longs: cython.Py_ssize_t, words: cython.Py_ssize_t
) -> _Blocks:
    """Return blocks with that much left, and take them away: making an object can run any code, which may cut too."""
    global _shared
    if max(uchars, ints, longs, words) > _SMALL:
        return _Blocks(uchars, ints, longs, words)
    blocks = _shared
    _shared = None
    if blocks is None or not blocks.fits(uchars, ints, longs, words):
        blocks = _Blocks(_BLOCK, _BLOCK, _BLOCK, _BLOCK)
        blocks.shared = True
    return blocks


@cython.cfunc
@cython.exceptval(check=False)
def _slots_for(count: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the size of a hash table that ``count`` symbols fill to one half at most."""
    size: cython.Py_ssize_t = 2
    while size < 2 * count:
        size *= 2
    return size


@cython.cfunc
@cython.exceptval(-1)
def _fill_slots(table: SymbolTable) -> cython.int:
    """Fill the slots of a table anew, by the rule of ``SymbolTable.slot_of``: a change there must be made here too."""
    mask: cython.ulonglong = cython.cast(cython.ulonglong, table.slots.shape[0] - 1)
    slot: cython.ulonglong
    number: cython.int
    memset(cython.address(table.slots[0]), 0xFF, table.slots.shape[0] * cython.sizeof(cython.int))
    for number in range(table.count):
        slot = table.hashes[number] & mask
        while table.slots[slot] >= 0:
            slot = (slot + 1) & mask
        table.slots[slot] = number
    return 0


@cython.cclass
class Rows:
    """The arrays of ``EventBatch`` with spare room. Only compiled encoders can fill them."""

    def __init__(self):
        self.names = SymbolTable()
        self.strings = SymbolTable()
        self.row_start = np.zeros(16, np.int64)
        self.entry_attribute = np.empty(64, np.int32)
        self.entry_kind = np.empty(64, np.uint8)
        self.entry_payload = np.empty(64, np.int64)
        self.list_start = np.zeros(16, np.int64)
        self.element_kind = np.empty(64, np.uint8)
        self.element_payload = np.empty(64, np.int64)

    def grow_entries(self):
        """Make room for at least one more entry."""
        self.entry_attribute = grown(self.entry_attribute, self.entry_count + 1)
        self.entry_kind = grown(self.entry_kind, self.entry_count + 1)
        self.entry_payload = grown(self.entry_payload, self.entry_count + 1)
        return 0

    def grow_elements(self):
        """Make room for at least one more element of a list."""
        self.element_kind = grown(self.element_kind, self.element_count + 1)
        self.element_payload = grown(self.element_payload, self.element_count + 1)
        return 0

    def close_row(self):
        """End a row with the entry that was added last."""
        self.row_count += 1
        if self.row_count == self.row_start.shape[0]:
            self.row_start = grown(self.row_start, self.row_count + 1)
        self.row_start[self.row_count] = self.entry_count
        return 0

    def close_list(self):
        """End a list with the element that was added last."""
        self.list_count += 1
        if self.list_count == self.list_start.shape[0]:
            self.list_start = grown(self.list_start, self.list_count + 1)
        self.list_start[self.list_count] = self.element_count
        return 0

    def batch(self):
        """Return the rows as a batch."""
        global _shared
        symbols: cython.Py_ssize_t = self.names.count + self.strings.count
        values: cython.Py_ssize_t = self.entry_count + self.element_count
        text: cython.Py_ssize_t = self.names.starts[self.names.count] + self.strings.starts[self.strings.count]
        slots: cython.Py_ssize_t = _slots_for(self.names.count) + _slots_for(self.strings.count)
        starts: cython.Py_ssize_t = symbols + self.row_count + self.list_count + 4
        blocks: _Blocks = _taken(text + values, slots + self.entry_count, starts + values, symbols)
        made: EventBatch = EventBatch.__new__(EventBatch)
        made.names = blocks.table(self.names)
        made.strings = blocks.table(self.strings)
        blocks.rows(self, made)
        blocks.lists(self, made)
        if blocks.shared:
            _shared = blocks
        return made

    def clear(self):
        """Forget the rows, but keep the room."""
        self.row_count = self.entry_count = self.list_count = self.element_count = 0
        self.names.count = self.strings.count = 0
        _fill_slots(self.names)
        _fill_slots(self.strings)
        return 0

    def room(self):
        """Return about how many numbers and bytes the arrays hold, used or not."""
        rows: cython.Py_ssize_t = self.row_start.shape[0] + self.list_start.shape[0]
        values: cython.Py_ssize_t = self.entry_payload.shape[0] + self.element_payload.shape[0]
        slots: cython.Py_ssize_t = self.names.slots.shape[0] + self.strings.slots.shape[0]
        return rows + values + slots + self.names.heap.shape[0] + self.strings.heap.shape[0]

"""Strings to dense numbers: each distinct UTF-8 string gets the next integer, and keeps it.

::

    "age" ─ hash ─> slots [ 2 | - | 0 | 1 | - ... ]      open addressing, linear probing, at most half full
                            │
    hashes [ h0 h1 h2 ]     └─> number 2 ─> heap[starts[2] : starts[3]] == "age"

Three arrays and a hash table, whatever the number of strings: no Python object is kept for a symbol. Symbols are only
ever added, and an array that grows stays where it was for who has it, so a reader that took a view of ``heap`` and
``starts`` may go on reading them without the GIL.

The hash is seeded anew in every process, so that nobody can prepare strings that collide. A table knows the seed that
its hashes started from: one that is restored from a file goes on with that of the process which made it, and needs no
hashing again.
"""

import os

import cython
import numpy as np
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from cython.cimports.libc.string import memcmp, memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.sections import numbers, scalars, section, table_section

_SEED = cython.declare(cython.ulonglong, int.from_bytes(os.urandom(8), "little"))


def seed():
    """Return this process's seed, which the hashes of every new table start from."""
    return _SEED


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hash_bytes(
    seed: cython.ulonglong, data: cython.pointer(cython.const[cython.uchar]), length: cython.Py_ssize_t
) -> cython.ulonglong:
    state: cython.ulonglong = mixed(seed, cython.cast(cython.ulonglong, length))
    word: cython.ulonglong
    position: cython.Py_ssize_t = 0
    while length - position >= 8:
        memcpy(cython.address(word), data + position, 8)
        state = mixed(state, word)
        position += 8
    word = 0
    while position < length:
        word = (word << 8) | data[position]
        position += 1
    return mixed(mixed(state, word), 0)


@cython.final
@cython.cclass
class SymbolTable:
    """Distinct strings, numbered from 0 in the order in which they came.

    >>> table = SymbolTable()
    >>> table.intern("age"), table.intern("state"), table.intern("age")
    (0, 1, 0)
    >>> table[1], table.find("nowhere"), len(table)
    ('state', -1, 2)
    """

    def __init__(self):
        self.heap = np.empty(256, np.uint8)
        self.starts = np.zeros(17, np.int64)
        self.hashes = np.empty(16, np.uint64)
        self.slots = filled(32, -1, np.int32)
        self.seed = _SEED
        self.count = 0

    def saved(self):
        """Return the arrays that ``restored`` makes this table of, as ``hedgerow.sections`` has it."""
        count: cython.int = self.count
        return {
            "heap": np.asarray(self.heap)[: self.starts[count]],
            "starts": np.asarray(self.starts)[: count + 1],
            "hashes": np.asarray(self.hashes)[:count],
            "slots": np.asarray(self.slots),
            "seed": numbers(self.seed),
        }

    @staticmethod
    def restored(arrays):
        """Return the table that was saved as these arrays, in these arrays.

        >>> table = SymbolTable()
        >>> number = table.intern("age")
        >>> again = SymbolTable.restored(table.saved())
        >>> again[number], again.find("age"), again.intern("state")
        ('age', 0, 1)
        """
        table: SymbolTable = SymbolTable.__new__(SymbolTable)
        table.hashes = section(arrays, "hashes", np.uint64)
        table.count = table.hashes.shape[0]
        table.starts = section(arrays, "starts", np.int64, table.count + 1)
        table.heap = section(arrays, "heap", np.uint8, table.starts[table.count])
        table.slots = table_section(arrays, "slots", table.count)
        (table.seed,) = scalars(arrays, "seed", 1)
        return table

    def alike(self):
        """Return an empty table with as much room as this one has."""
        table: SymbolTable = SymbolTable()
        table.heap = roomy(self.heap.shape[0], np.uint8)
        table.starts = filled(self.starts.shape[0], 0, np.int64)
        table.hashes = roomy(self.hashes.shape[0], np.uint64)
        table.slots = filled(self.slots.shape[0], -1, np.int32)
        return table

    def seen(self):
        """Return the symbols of now, in the same arrays: to be looked up, also while others add to this table.

        >>> table = SymbolTable()
        >>> number, then, later = table.intern("age"), table.seen(), table.intern("state")
        >>> then.find("age"), then.find("state")
        (0, -1)
        """
        table: SymbolTable = SymbolTable.__new__(SymbolTable)
        table.heap, table.starts, table.hashes, table.slots = self.heap, self.starts, self.hashes, self.slots
        table.seed = self.seed
        table.count = self.count
        return table

    def clear(self):
        """Forget every symbol but keep the room; costs what the table holds. Not for a table that others read."""
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        slot: cython.Py_ssize_t
        number: cython.int
        for number in range(self.count):
            slot = cython.cast(cython.Py_ssize_t, self.hashes[number] & cython.cast(cython.ulonglong, mask))
            while self.slots[slot] != number:
                slot = (slot + 1) & mask
            self.slots[slot] = -1
        self.count = 0

    def __len__(self):
        return self.count

    def __getitem__(self, number: cython.int):
        if number < 0 or number >= self.count:
            raise IndexError(number)
        start: cython.longlong = self.starts[number]
        length: cython.longlong = self.starts[number + 1] - start
        if length == 0:
            return ""
        return PyUnicode_DecodeUTF8(cython.cast(cython.p_char, cython.address(self.heap[start])), length, cython.NULL)

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out."""
        return self.starts[self.count] + (8 + 8) * self.count + self.slots.nbytes

    def intern(self, text: str):
        """Return the number of ``text``, a new one if it is new; UnicodeEncodeError where it has no UTF-8 form."""
        return self.intern_text(text)

    def find(self, text: str):
        """Return the number of ``text``, or -1."""
        return self.find_text(text)

    def intern_text(self, text):
        length: cython.Py_ssize_t = 0
        data: cython.p_const_char = PyUnicode_AsUTF8AndSize(text, cython.address(length))
        return self.intern_bytes(cython.cast(cython.pointer(cython.const[cython.uchar]), data), length)

    def find_text(self, text):
        length: cython.Py_ssize_t = 0
        data: cython.p_const_char = PyUnicode_AsUTF8AndSize(text, cython.address(length))
        return self.find_bytes(cython.cast(cython.pointer(cython.const[cython.uchar]), data), length)

    def intern_bytes(self, data, length):
        state: cython.ulonglong = _hash_bytes(self.seed, data, length)
        slot: cython.Py_ssize_t = self.slot_of(data, length, state)
        number: cython.int = self.slots[slot]
        if number >= 0:
            return number
        if not self.has_room(length) and self.grow(length):
            slot = self.slot_of(data, length, state)
        number = self.count
        start: cython.longlong = self.starts[number]
        if length > 0:
            memcpy(cython.address(self.heap[start]), data, length)
        self.starts[number + 1] = start + length
        self.hashes[number] = state
        self.slots[slot] = number
        self.count = number + 1
        return number

    def find_bytes(self, data, length):
        number: cython.int = self.slots[self.slot_of(data, length, _hash_bytes(self.seed, data, length))]
        return number if number < self.count else -1  # which may have come into the free slot that was found

    def slot_of(self, data, length, state):
        """Return the slot that holds this string's number, or the free one where it belongs."""
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
        number: cython.int
        start: cython.longlong
        while True:
            number = self.slots[slot]
            if number < 0:
                return slot
            # A number beyond the count came since the table was seen so (see ``seen``).
            if number < self.count and self.hashes[number] == state:
                start = self.starts[number]
                if self.starts[number + 1] - start == length and (
                    length == 0 or memcmp(cython.address(self.heap[start]), data, length) == 0
                ):
                    return slot
            slot = (slot + 1) & mask

    def has_room(self, length):
        """Return whether there is room for one more string of ``length`` bytes."""
        return (
            self.starts[self.count] + length <= self.heap.shape[0]
            and self.count + 2 <= self.starts.shape[0]
            and self.count + 1 <= self.hashes.shape[0]
            and 2 * (self.count + 1) <= self.slots.shape[0]
        )

    def grow(self, length):
        """Make room for one more string of ``length`` bytes; true if the slots moved."""
        needed: cython.longlong = self.starts[self.count] + length
        if needed > self.heap.shape[0]:
            self.heap = grown(self.heap, needed)
        if self.count + 2 > self.starts.shape[0]:
            self.starts = grown(self.starts, self.count + 2)
        if self.count + 1 > self.hashes.shape[0]:
            self.hashes = grown(self.hashes, self.count + 1)
        if 2 * (self.count + 1) <= self.slots.shape[0]:
            return 0
        self.rehash(2 * self.slots.shape[0])
        return 1

    def rehash(self, size):
        slots: cython.int[::1] = filled(size, -1, np.int32)
        hashes: cython.ulonglong[::1] = self.hashes
        slot: cython.Py_ssize_t
        number: cython.int
        for number in range(self.count):
            slot = cython.cast(cython.Py_ssize_t, hashes[number] & cython.cast(cython.ulonglong, size - 1))
            while slots[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            slots[slot] = number
        self.slots = slots
        return 0

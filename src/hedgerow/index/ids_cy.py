"""The caller's ids and the slots they stand for, in arrays.

::

    id ─ hash ─> table [ 3 | - | 0 | gone ... ] ─> slot ─> ints[slot], or heap[starts[slot]:starts[slot + 1]]

Ids are all 64-bit integers or all strings; the first one decides. A slot keeps its id after it was removed, because a
reader that began earlier may still want to name it; ``live`` says which slots count. A table that is restored from a
file goes on with the seed that its hashes were made with.
"""

import cython
import numpy as np
import pyarrow as pa
from cython.cimports.cpython.list import PyList_New, PyList_SET_ITEM
from cython.cimports.cpython.long import PyLong_FromLongLong
from cython.cimports.cpython.ref import Py_INCREF
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from cython.cimports.hedgerow.bits import prefetch
from cython.cimports.hedgerow.symbols_cy import mixed, seed
from cython.cimports.libc.string import memcmp, memcpy

from hedgerow.arrays_cy import arrow_int64, filled, grown, pooled, roomy
from hedgerow.errors import CorruptFile, DuplicateId, InvalidId, LimitError, UnknownId
from hedgerow.language.operand import shown
from hedgerow.sections import numbers, scalars, section, table_section

_FREE = cython.declare(cython.int, -1)
_GONE = cython.declare(cython.int, -2)

_MOST = cython.declare(cython.int, 1 << 28)
_SOON = cython.declare(cython.int, 16)  # slots ahead: where they go is fetched meanwhile

_NONE = cython.declare(cython.int, 0)
_INTS = cython.declare(cython.int, 1)
_STRINGS = cython.declare(cython.int, 2)


@cython.final
@cython.cclass
class IdTable:
    """Ids and their slots.

    >>> ids = IdTable()
    >>> ids.add("a"), ids.add("b"), ids.find("b"), ids.find("c")
    (0, 1, 1, -1)
    >>> ids.remove(0)
    >>> list(ids), len(ids)
    (['b'], 1)
    """

    kind: cython.int
    ints: cython.longlong[::1]
    heap: cython.uchar[::1]
    starts: cython.longlong[::1]
    live: cython.uchar[::1]
    table: cython.int[::1]
    slot_count: cython.int
    counted: cython.int
    live_count: cython.int
    used: cython.Py_ssize_t
    seed: cython.ulonglong
    # What ``_hash`` found out about the id that is being looked up.
    number: cython.longlong
    text: cython.pointer(cython.const[cython.uchar])
    length: cython.Py_ssize_t

    def __init__(self):
        self.kind = _NONE
        self.seed = seed()
        self.ints = np.empty(16, np.int64)
        self.heap = np.empty(64, np.uint8)
        self.starts = np.zeros(17, np.int64)
        self.live = np.zeros(16, np.uint8)
        self.table = filled(32, _FREE, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes this table of, as ``hedgerow.sections`` has it."""
        count: cython.int = self.slot_count
        strings: cython.bint = self.kind == _STRINGS
        return {
            "ints": np.asarray(self.ints)[: count if self.kind == _INTS else 0],
            "heap": np.asarray(self.heap)[: self.starts[count] if strings else 0],
            "starts": np.asarray(self.starts)[: count + 1 if strings else 1],
            "live": np.asarray(self.live)[:count],
            "table": np.asarray(self.table),
            "numbers": numbers(self.seed, self.kind, self.live_count, self.used),
        }

    @staticmethod
    def restored(arrays):
        """Return the table that was saved as these arrays, in these arrays.

        >>> ids = IdTable()
        >>> slot = ids.add("a")
        >>> again = IdTable.restored(ids.saved())
        >>> again.find("a"), again.add("b"), list(again)
        (0, 1, ['a', 'b'])
        """
        ids: IdTable = IdTable.__new__(IdTable)
        ids.seed, ids.kind, ids.live_count, ids.used = scalars(arrays, "numbers", 4)
        ids.live = section(arrays, "live", np.uint8)
        ids.slot_count = ids.live.shape[0]
        if ids.kind > _STRINGS or ids.live_count > ids.slot_count:
            raise CorruptFile("the section 'numbers' does not fit the ids")
        ids.ints = section(arrays, "ints", np.int64, ids.slot_count if ids.kind == _INTS else 0)
        ids.starts = section(arrays, "starts", np.int64, ids.slot_count + 1 if ids.kind == _STRINGS else 1)
        ids.heap = section(arrays, "heap", np.uint8, ids.starts[ids.starts.shape[0] - 1])
        ids.table = table_section(arrays, "table", ids.used)
        return ids

    def __len__(self):
        return self.live_count

    def __iter__(self):
        return iter(self.listed(self.live_slots()))

    @property
    def slots(self):
        """How many slots have been given out, removed ones included."""
        return self.slot_count

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out."""
        ids: cython.longlong = 8 * self.slot_count
        if self.kind == _STRINGS:
            ids += self.starts[self.slot_count]
        return ids + self.slot_count + self.table.nbytes

    def live_slots(self):
        """Return the slots that count, in ascending order, as they are at one moment.

        NumPy would let go of the GIL on the way, and a writer might come in between.
        """
        room: cython.int[::1] = roomy(self.slot_count + 1, np.int32)
        while room.shape[0] < self.slot_count:  # to make an array may run any code, which may add ids
            room = roomy(self.slot_count + 1, np.int32)
        # Nothing from here on runs Python code.
        slot: cython.int
        count: cython.Py_ssize_t = 0
        for slot in range(self.slot_count):
            if self.live[slot]:
                room[count] = slot
                count += 1
        return np.asarray(room)[:count]

    def find(self, id):
        """Return the slot of an id, or -1; InvalidId for what can be no id here."""
        state: cython.ulonglong = self._hash(id)
        position: cython.Py_ssize_t = self._position(state)
        return self.table[position] if self.table[position] >= 0 else -1

    def known(self, id):
        """Return the slot of an id, or raise UnknownId."""
        slot: cython.int = -1
        try:
            slot = self.find(id)
        except InvalidId:
            pass
        if slot < 0:
            raise UnknownId(f"no expression has the id {shown(id)}")
        return slot

    def check_new(self, id):
        """Raise unless ``add`` would take this id."""
        if self.find(id) >= 0:
            raise DuplicateId(f"the id {shown(id)} is taken")

    def foresee(self, ids: list, first: cython.Py_ssize_t, last: cython.Py_ssize_t):
        """Have fetched where some new ids will be looked up; only integers, since others take long to hash."""
        position: cython.Py_ssize_t
        mask: cython.ulonglong = cython.cast(cython.ulonglong, self.table.shape[0] - 1)
        if self.kind != _INTS:
            return
        for position in range(first, min(last, len(ids))):
            if type(ids[position]) is not int:
                return
            try:
                prefetch(cython.address(self.table[self._hash(ids[position]) & mask]))
            except InvalidId:
                return  # whoever takes it in says so

    def add(self, id):
        """Give an id the next slot and return it; DuplicateId if it has one."""
        self._hash(id)
        self._reserve(-1 if self.text == cython.NULL else self.length)
        # Nothing from here on runs Python code, so no other thread can look up an id in between.
        state: cython.ulonglong = self._hash(id)
        position: cython.Py_ssize_t = self._position(state)
        if self.table[position] >= 0:
            raise DuplicateId(f"the id {shown(id)} is taken")
        slot: cython.int = self.slot_count
        self._store(slot)
        self.used += self.table[position] == _FREE
        self.table[position] = slot
        self.live[slot] = 1
        self.slot_count = slot + 1
        self.live_count += 1
        return slot

    def remove(self, slot: cython.int):
        """Forget the id of a slot."""
        self.table[self._position_of(slot)] = _GONE
        self.live[slot] = 0
        self.live_count -= 1

    def move(self, slot: cython.int):
        """Give the id of a slot the next slot instead, in one step, and return it."""
        if slot < 0 or slot >= self.slot_count or not self.live[slot]:
            raise IndexError(slot)
        self._reserve(-1 if self.kind == _INTS else self.starts[slot + 1] - self.starts[slot])
        # Nothing from here on runs Python code: nobody finds the id without a slot.
        position: cython.Py_ssize_t = self._position_of(slot)
        new: cython.int = self.slot_count
        self._store(new)
        self.table[position] = new
        self.live[slot] = 0
        self.live[new] = 1
        self.slot_count = new + 1
        return new

    def emptied(self):
        """Return a new table without ids, for ids of the same kind."""
        table: IdTable = IdTable()
        table.kind = self.kind
        return table

    def __getitem__(self, slot: cython.int):
        if slot < 0 or slot >= self.slot_count:
            raise IndexError(slot)
        if self.kind == _INTS:
            return self.ints[slot]
        start: cython.longlong = self.starts[slot]
        length: cython.longlong = self.starts[slot + 1] - start
        return PyUnicode_DecodeUTF8(_address(self.heap, start), length, cython.NULL)

    def listed(self, slots: cython.int[::1]):
        """Return the ids of slots as a list."""
        position: cython.Py_ssize_t
        count: cython.Py_ssize_t = slots.shape[0]
        if self.kind == _INTS:
            found: list = PyList_New(count)
            counting: cython.bint = self.counts_up
            first: cython.longlong = self.ints[0] if counting else 0
            for position in range(count):
                if counting:
                    id = PyLong_FromLongLong(first + slots[position])
                else:
                    if position + 16 < count:
                        prefetch(cython.address(self.ints[slots[position + 16]]))
                    id = PyLong_FromLongLong(self.ints[slots[position]])
                Py_INCREF(id)  # the list takes it over
                PyList_SET_ITEM(found, position, id)
            return found
        return [self[slots[position]] for position in range(slots.shape[0])]

    @property
    def has_strings(self):
        """Whether the ids are strings."""
        return self.kind == _STRINGS

    @property
    def counts_up(self):
        """Whether the ids are integers that count up with their slots, so that nobody needs to look them up.

        What has been found to do so is not looked at again.
        """
        counted: cython.int = self.counted
        if self.kind != _INTS or self.slot_count == 0:
            return False
        while counted < self.slot_count and (
            counted == 0
            # Of these two, the larger one can be counted down.
            or (self.ints[counted] > self.ints[counted - 1] and self.ints[counted] - 1 == self.ints[counted - 1])
        ):
            counted += 1
        self.counted = counted
        return counted == self.slot_count

    def numbers(self):
        """Return the ids of all slots, which are integers."""
        return np.asarray(self.ints)[: self.slot_count]

    def arrow(self, slots):
        """Return the ids of slots as an Arrow array of their own type."""
        wanted = np.asarray(slots)
        if self.counts_up:
            numbers = wanted.astype(np.int64, copy=False)
            first: cython.longlong = self.ints[0]
            return arrow_int64(np.add(numbers, first, out=pooled(numbers.size, np.int64)) if first else numbers)
        if self.kind == _INTS:
            return arrow_int64(np.asarray(self.ints)[wanted])
        if self.kind == _NONE:
            return arrow_int64(np.empty(0, np.int64))
        starts = pa.py_buffer(np.asarray(self.starts)[: self.slot_count + 1])
        texts = pa.LargeStringArray.from_buffers(self.slot_count, starts, pa.py_buffer(np.asarray(self.heap)))
        taken = texts.take(arrow_int64(wanted.astype(np.int64, copy=False)))
        return taken.cast(pa.string()) if taken.nbytes < 1 << 31 else taken

    # Look-up

    @cython.cfunc
    @cython.exceptval(check=True)
    def _hash(self, id) -> cython.ulonglong:
        """Check an id, note its content for comparison, and return its hash."""
        data: cython.p_const_char
        if type(id) is int and self.kind != _STRINGS:  # most are, and are asked for nothing
            try:
                self.number = id
            except OverflowError:
                raise InvalidId(f"an id is a 64-bit integer or a string; {shown(id)} is neither") from None
            self.text = cython.NULL
            return self._content_hash()
        if isinstance(id, str):
            if self.kind == _INTS:
                raise InvalidId(f"the ids of this index are integers; {shown(id)} is a string")
            try:
                data = PyUnicode_AsUTF8AndSize(id, cython.address(self.length))
            except UnicodeEncodeError:
                raise InvalidId(f"the id {shown(id)} has no UTF-8 form") from None
            self.text = cython.cast(cython.pointer(cython.const[cython.uchar]), data)
            return self._content_hash()
        if isinstance(id, bool) or not hasattr(id, "__index__"):
            raise InvalidId(f"an id is a 64-bit integer or a string, not {type(id).__name__}")
        if self.kind == _STRINGS:
            raise InvalidId(f"the ids of this index are strings; {shown(id)} is not")
        try:
            self.number = id.__index__()
        except (OverflowError, TypeError):
            raise InvalidId(f"an id is a 64-bit integer or a string; {shown(id)} is neither") from None
        self.text = cython.NULL
        return self._content_hash()

    @cython.cfunc
    @cython.exceptval(check=False)
    def _content_hash(self) -> cython.ulonglong:
        word: cython.ulonglong
        position: cython.Py_ssize_t
        if self.text == cython.NULL:
            return mixed(mixed(self.seed, cython.cast(cython.ulonglong, self.number)), 0)
        word = mixed(self.seed, cython.cast(cython.ulonglong, self.length))
        for position in range(self.length):
            word = mixed(word, self.text[position])
        return word

    @cython.cfunc
    @cython.exceptval(-1)
    def _position(self, state: cython.ulonglong) -> cython.Py_ssize_t:
        """Return where the id last hashed stands in the table, or the first place where it could go."""
        mask: cython.Py_ssize_t = self.table.shape[0] - 1
        position: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
        vacant: cython.Py_ssize_t = -1
        while self.table[position] != _FREE:
            if self.table[position] == _GONE:
                if vacant < 0:
                    vacant = position
            elif self._is(self.table[position]):
                return position
            position = (position + 1) & mask
        return vacant if vacant >= 0 else position

    @cython.cfunc
    @cython.exceptval(-1)
    def _position_of(self, slot: cython.int) -> cython.Py_ssize_t:
        """Return where the id of a slot stands in the table, or where it goes while the table is made anew."""
        if self.kind == _INTS:
            self.text = cython.NULL
            self.number = self.ints[slot]
        else:
            # Into the heap itself: a Python string made for this would be gone before the comparison.
            self.text = cython.cast(cython.pointer(cython.const[cython.uchar]), _address(self.heap, self.starts[slot]))
            self.length = self.starts[slot + 1] - self.starts[slot]
        return self._position(self._content_hash())

    @cython.cfunc
    @cython.exceptval(-1)
    def _is(self, slot: cython.int) -> cython.bint:
        if self.text == cython.NULL:
            return self.ints[slot] == self.number
        start: cython.longlong = self.starts[slot]
        if self.starts[slot + 1] - start != self.length:
            return False
        return self.length == 0 or memcmp(_address(self.heap, start), self.text, self.length) == 0

    # Growth

    @cython.cfunc
    @cython.exceptval(-1)
    def _reserve(self, length: cython.Py_ssize_t) -> cython.int:
        """Make room for one more slot with an id of ``length`` bytes, or with an integer if that is -1."""
        slot: cython.int = self.slot_count
        needed: cython.longlong
        if slot >= _MOST:
            raise LimitError(f"more than {_MOST} ids since the index was last compacted")
        if slot >= self.live.shape[0]:
            self.live = grown(self.live, slot + 1)
        if length < 0:
            if slot >= self.ints.shape[0]:
                self.ints = grown(self.ints, slot + 1)
        else:
            needed = self.starts[slot] + length
            if slot + 2 > self.starts.shape[0]:
                self.starts = grown(self.starts, slot + 2)
            if needed > self.heap.shape[0]:
                self.heap = grown(self.heap, needed)
        if 2 * (self.used + 1) > self.table.shape[0]:
            self._rehash()
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _store(self, slot: cython.int) -> cython.int:
        """Write down the id last hashed as the one of a new slot."""
        start: cython.longlong
        if self.text == cython.NULL:
            self.kind = _INTS
            self.ints[slot] = self.number
            return 0
        self.kind = _STRINGS
        start = self.starts[slot]
        if self.length:
            memcpy(_address(self.heap, start), self.text, self.length)
        self.starts[slot + 1] = start + self.length
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def _rehash(self) -> cython.int:
        """Make the table as large as the live ids need, without those that are gone."""
        size: cython.Py_ssize_t = 32
        wanted: cython.Py_ssize_t = self.live_count + 1
        if self.used > self.live_count:
            # Where ids come and go, some room: else the table could be made anew for each of them.
            wanted += self.live_count // 8
        while size < 2 * wanted:
            size *= 2
        self.table = filled(size, _FREE, np.int32)
        slot: cython.int
        for slot in range(self.slot_count):
            if self.kind == _INTS and slot + _SOON < self.slot_count:
                self.number, self.text = self.ints[slot + _SOON], cython.NULL
                prefetch(cython.address(self.table[self._content_hash() & cython.cast(cython.ulonglong, size - 1)]))
            if self.live[slot]:
                self.table[self._position_of(slot)] = slot
        self.used = self.live_count
        return 0


@cython.cfunc
@cython.boundscheck(False)
@cython.exceptval(check=False)
def _address(heap: cython.uchar[::1], start: cython.longlong) -> cython.p_char:
    """Return the address of a byte; for an empty text that may be past the end, and nobody reads it."""
    return cython.cast(cython.p_char, cython.address(heap[0])) + start

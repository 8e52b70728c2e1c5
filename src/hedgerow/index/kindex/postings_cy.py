"""Posting lists by key and size: a sorted main part that is only read, and a tail that new entries go to.

::

    key 7 ─ first_list ─> list 3 (size 2) ─ next_list ─> list 9 (size 4) ─> -        a list for each size that there is

    begin      0     4     4  ...        main: the entries of list n from begin[n] up to begin[n + 1]
    entries    5 9 12 30 │ ...           ascending, since units are numbered as they come
    tail       list 3 -> 41 44           what came since, which is greater than all in the main part

So a search reads two pieces of each list, one after the other. When the tail is an eighth of the main part, both are
written into a new one, which takes the place of the old one in a single step: searches that began before read on in
what they have. All of it is append-only below the numbers that a search takes when it begins.

An entry is one number, or (``width`` 2) a number with a companion beside it. Lists of one key and size are told apart
by a *turn*: a unit that has several entries under a key and a size has them in as many lists.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.symbols_cy import mixed, seed
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.errors import CorruptFile
from hedgerow.sections import nested, numbers, part, scalars, section, table_section

_NONE = cython.declare(cython.int, -1)
_SHARE = cython.declare(cython.longlong, 8)  # of the main part that the tail may be


@cython.final
@cython.cclass
class Postings:
    """All posting lists. One writer adds, with the GIL held, while searches run."""

    def __init__(self, width: cython.int = 1, least: cython.longlong = 0):
        self.width = width
        self.least = least
        self.seed = seed()
        self.first_list = filled(16, -1, np.int32)
        self.next_list = np.empty(16, np.int32)
        self.list_key = np.empty(16, np.int32)
        self.list_size = np.empty(16, np.int32)
        self.list_turn = np.empty(16, np.int32)
        self.slots = filled(32, -1, np.int32)
        self.begin = np.zeros(1, np.int64)
        self.entries = np.empty(0, np.int32)
        self.tail = Lists()
        self.tail_of = filled(16, -1, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes these postings of."""
        count: cython.int = self.list_count
        return nested(tail=self.tail.saved()) | {
            "first_list": np.asarray(self.first_list),
            "next_list": np.asarray(self.next_list)[:count],
            "list_key": np.asarray(self.list_key)[:count],
            "list_size": np.asarray(self.list_size)[:count],
            "list_turn": np.asarray(self.list_turn)[:count],
            "slots": np.asarray(self.slots),
            "begin": np.asarray(self.begin),
            "entries": np.asarray(self.entries),
            "tail_of": np.asarray(self.tail_of)[:count],
            "numbers": numbers(self.width, self.seed, self.tail_count, self.least),
        }

    @staticmethod
    def restored(arrays):
        """Return the postings that were saved as these arrays, in these arrays."""
        width, start, tail_count, least = scalars(arrays, "numbers", 4)
        postings: Postings = Postings(width, least)
        postings.seed = start
        postings.tail_count = tail_count
        postings.first_list = section(arrays, "first_list", np.int32)
        postings.next_list = section(arrays, "next_list", np.int32)
        postings.list_count = postings.next_list.shape[0]
        postings.list_key = section(arrays, "list_key", np.int32, postings.list_count)
        postings.list_size = section(arrays, "list_size", np.int32, postings.list_count)
        postings.list_turn = section(arrays, "list_turn", np.int32, postings.list_count)
        postings.slots = table_section(arrays, "slots", postings.list_count)
        postings.begin = section(arrays, "begin", np.int64)
        postings.main_lists = postings.begin.shape[0] - 1
        postings.entries = section(arrays, "entries", np.int32)
        postings.tail = Lists.restored(part(arrays, "tail"))
        postings.tail_of = section(arrays, "tail_of", np.int32, postings.list_count)
        if not 0 <= postings.main_lists <= postings.list_count:
            raise CorruptFile("the section 'begin' does not fit the lists")
        if postings.begin[postings.main_lists] != postings.entries.shape[0]:
            raise CorruptFile("the section 'entries' does not fit the lists")
        return postings

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out of all but the hash table and the tail."""
        lists = 20 * self.list_count + self.first_list.nbytes + self.slots.nbytes
        return lists + self.begin.nbytes + self.entries.nbytes + self.tail.nbytes

    @property
    def entry_count(self):
        """How many entries there are, in both parts."""
        return self.entries.shape[0] // self.width + self.tail_count

    def lists(self):
        """Return key, size, turn and entries of each list: for pictures and tests."""
        return [
            (self.list_key[number], self.list_size[number], self.list_turn[number], self.values(number))
            for number in range(self.list_count)
        ]

    def chain(self, key: cython.int):
        """Return the lists that a key leads to."""
        found = []
        number: cython.int = self.first_list[key]
        while number >= 0:
            found.append(number)
            number = self.next_list[number]
        return found

    def values(self, number: cython.int):
        """Return what a list holds, its main part and its tail."""
        found = []
        if number < self.main_lists:
            found = np.asarray(self.entries)[self.begin[number] : self.begin[number + 1]].tolist()
        if self.tail_of[number] >= 0:
            found += self.tail.values(self.tail_of[number])
        return found

    def list_of(self, key, size, turn):
        """Return the list of a key, a size and a turn, a new one if there is none."""
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        slot: cython.Py_ssize_t = _home(self.seed, key, size, turn, mask)
        number: cython.int = self.slots[slot]
        while number >= 0:
            if self.list_key[number] == key and self.list_size[number] == size and self.list_turn[number] == turn:
                return number
            slot = (slot + 1) & mask
            number = self.slots[slot]
        return self.new_list(key, size, turn)

    def new_list(self, key, size, turn):
        number: cython.int = self.list_count
        mask: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        if key >= self.first_list.shape[0]:
            self.first_list = grown(self.first_list, key + 1, -1)
        if 2 * (number + 1) > self.slots.shape[0]:
            self.rehash(2 * self.slots.shape[0])
        if number >= self.next_list.shape[0]:
            nexts, keys = grown(self.next_list, number + 1), grown(self.list_key, number + 1)
            sizes, turns = grown(self.list_size, number + 1), grown(self.list_turn, number + 1)
            self.next_list, self.list_key, self.list_size, self.list_turn = nexts, keys, sizes, turns
        if number >= self.tail_of.shape[0]:
            self.tail_of = grown(self.tail_of, number + 1, -1)
        self.list_key[number] = key
        self.list_size[number] = size
        self.list_turn[number] = turn
        self.tail_of[number] = _NONE
        mask = self.slots.shape[0] - 1
        slot = _home(self.seed, key, size, turn, mask)
        while self.slots[slot] >= 0:
            slot = (slot + 1) & mask
        self.slots[slot] = number
        # A search that began before passes over the new one, which is in front, and goes on with those that it knows.
        self.next_list[number] = self.first_list[key]
        self.first_list[key] = number
        self.list_count = number + 1
        return number

    def rehash(self, size):
        slots: cython.int[::1] = filled(size, -1, np.int32)
        slot: cython.Py_ssize_t
        number: cython.int
        for number in range(self.list_count):
            slot = _home(self.seed, self.list_key[number], self.list_size[number], self.list_turn[number], size - 1)
            while slots[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            slots[slot] = number
        self.slots = slots
        return 0

    def add(self, number, entry):
        """Put an entry, greater than all before, at the end of a list."""
        if self.tail_of[number] < 0:
            self.tail_of[number] = self.tail.new_list()
        self.tail.append(self.tail_of[number], entry)
        self.tail_count += 1
        return 0

    def add_pair(self, number, entry, companion):
        """Put an entry and its companion at the end of a list."""
        if self.tail_of[number] < 0:
            self.tail_of[number] = self.tail.new_list()
        self.tail.append(self.tail_of[number], entry)
        try:
            self.tail.append(self.tail_of[number], companion)
        except BaseException:
            self.tail.place[self.tail_of[number]] -= 1  # an entry alone would shift all pairs to come
            raise
        self.tail_count += 1
        return 0

    def is_worth_merging(self):
        return self.tail_count > self.least and self.tail_count * self.width * _SHARE > self.entries.shape[0]

    def merge(self):
        """Write both parts into a new main part, and begin a new tail."""
        number: cython.int
        size: cython.longlong
        total: cython.longlong = 0
        begin: cython.longlong[::1] = roomy(self.list_count + 1, np.int64)
        for number in range(self.list_count):
            begin[number] = total
            if number < self.main_lists:
                total += self.begin[number + 1] - self.begin[number]
            if self.tail_of[number] >= 0:
                total += list_length(self.tail.place[self.tail_of[number]])
        begin[self.list_count] = total
        entries: cython.int[::1] = roomy(total, np.int32)
        for number in range(self.list_count):
            size = begin[number]
            if number < self.main_lists:
                size += _copied(self.entries, self.begin[number], self.begin[number + 1], entries, size)
            if self.tail_of[number] >= 0:
                total = self.tail.place[self.tail_of[number]]
                _copied(self.tail.arena, list_start(total), list_start(total) + list_length(total), entries, size)
        tail, tail_of = Lists(), filled(self.tail_of.shape[0], -1, np.int32)
        self.begin, self.entries, self.main_lists = begin, entries, self.list_count
        self.tail, self.tail_of, self.tail_count = tail, tail_of, 0
        return 0


@cython.cfunc
@cython.exceptval(-1, check=False)
def _copied(
    source: cython.int[::1], first: cython.longlong, last: cython.longlong, target: cython.int[::1], at: cython.longlong
) -> cython.Py_ssize_t:
    """Copy a piece of one array into another; return how long it is."""
    if last > first:
        memcpy(cython.address(target[at]), cython.address(source[first]), (last - first) * cython.sizeof(cython.int))
    return last - first


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _home(
    start: cython.ulonglong, key: cython.int, size: cython.int, turn: cython.int, mask: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    state: cython.ulonglong = mixed(start, cython.cast(cython.ulonglong, key))
    state = mixed(mixed(state, cython.cast(cython.ulonglong, size)), cython.cast(cython.ulonglong, turn))
    return cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))

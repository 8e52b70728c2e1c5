"""Entries: clauses where an event comes upon them, 32 bytes each, in lists by atom.

::

    place   [ start, length | start, length | ... ]      one 64-bit number a list: 36 bits and 28 bits
    words   [ entry | entry | room | entry ... ]         a list, the room that it may grow into, the next list ...

    entry   slot, which columns are negated, where the rest is         8 bytes
            three columns: a test of four codes, or a range           24 bytes
    rest    the other tests of a clause, one after the other           in an array of its own

Rooms double. One that a list has outgrown is used again as soon as no search is running that may still read in it, but
only until the array is replaced: a reader of the one before would find zeros there. Where much of what is held is room,
all lists are packed, as long as no search is running.

A reader takes views of all arrays, and goes on in them while a writer adds: a list that outgrows its room moves to the
end, and its place, being one number, names either the old copy or the new one, both complete. A place beyond the end of
a reader's view tells that the array was replaced by a longer one. An entry that was written into an array which has
taken the place of a reader's is zeros to it, and so no slot's; one whose slot it must not see is passed over. So
entries may come into lists before they are committed.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.predicate.ranges_cy import release
from cython.cimports.libc.string import memcpy, memset

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.sections import numbers, scalars, section

_LONGEST = cython.declare(cython.longlong, (1 << 28) - 1)
_ENTRY_BYTES = cython.declare(cython.longlong, 32)
_MOST_BLOCKS = cython.declare(cython.longlong, 1 << 29)
_SIZES = cython.declare(cython.int, 29)  # of rooms
_FEW = cython.declare(cython.longlong, 1024)  # entries, which may have as much room as they like
_SLOT = (1 << 28) - 1
_PLACE = (1 << 29) - 1


@cython.final
@cython.cclass
class Entries:
    """Lists of entries, numbered by the atoms that lead to them."""

    def __init__(self):
        self.place = np.zeros(16, np.int64)
        self.room = np.zeros(16, np.int32)
        self.ranged = np.zeros(16, np.uint8)
        self.words = np.zeros(64, np.uint64)
        self.rest = np.zeros(64, np.uint32)
        self.free = np.full(_SIZES, -1, np.int64)
        self.left = np.zeros(16, np.int64)

    def saved(self):
        """Return the arrays that ``restored`` makes these entries of."""
        return {
            "place": np.asarray(self.place)[: self.count],
            "room": np.asarray(self.room)[: self.count],
            "ranged": np.asarray(self.ranged)[: self.count],
            "words": np.asarray(self.words)[: entry_word(self.used)],
            "rest": np.asarray(self.rest)[: self.rest_used],
            "free": np.asarray(self.free),
            "left": np.asarray(self.left)[: self.left_count],
            "counts": numbers(self.entry_count, self.packed),
        }

    @staticmethod
    def restored(arrays):
        """Return the entries that were saved as these arrays, in these arrays."""
        entries: Entries = Entries()
        entries.place = section(arrays, "place", np.int64)
        entries.count = entries.place.shape[0]
        entries.room = section(arrays, "room", np.int32, entries.count)
        entries.ranged = section(arrays, "ranged", np.uint8, entries.count)
        entries.words = section(arrays, "words", np.uint64)
        entries.used = entries.words.shape[0] >> 2
        if entry_word(entries.used) != entries.words.shape[0]:
            raise CorruptFile("the section 'words' ends within an entry")
        entries.rest = section(arrays, "rest", np.uint32)
        entries.rest_used = entries.rest.shape[0]
        entries.free = section(arrays, "free", np.int64, _SIZES)
        entries.left = section(arrays, "left", np.int64)
        entries.left_count = entries.left.shape[0]
        entries.entry_count, entries.packed = scalars(arrays, "counts", 2)
        return entries

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out."""
        return 13 * self.count + _ENTRY_BYTES * self.used + 4 * self.rest_used

    @property
    def live(self):
        """How many entries there are, hidden ones included, without the room of lists."""
        return self.entry_count

    def told(self, number: cython.int):
        """Return the entries of a list as people read them.

        Each is its slot (-1 if it is hidden), its columns as pairs of what they are and their word, and the rest.
        """
        if number < 0 or number >= self.count:
            raise IndexError(number)
        first: cython.Py_ssize_t = entry_word(entries_start(self.place[number]))
        last: cython.Py_ssize_t = first + entry_word(entries_length(self.place[number]))
        return [self._told(list(map(int, self.words[at : at + 4]))) for at in range(first, last, 4)]

    def _told(self, words: list):
        word = words[0]
        kinds = ["none" if word >> (SLOT_BITS + column) & 1 else "any" for column in range(COLUMNS)]
        for column in range(COLUMNS):
            if word >> (RANGE_BIT + column) & 1:
                kinds[column] = "range"
        rest: list = []
        if word >> REST_BIT & 1:
            at = (word >> (REST_BIT + 1) & _PLACE) * 2
            rest = np.asarray(self.rest)[at + 1 : at + self.rest[at]].tolist()
        return (word & _SLOT) - 1, list(zip(kinds, words[1:], strict=True)), rest

    def reserve_list(self, number):
        """Make room for the place of a list; those before it that nobody asked for are empty."""
        if number >= self.place.shape[0]:
            places, rooms = grown(self.place, number + 1, 0), grown(self.room, number + 1, 0)
            self.ranged = grown(self.ranged, places.size, 0)
            self.place, self.room = places, rooms
        if number >= self.count:
            self.count = number + 1
        return 0

    def append(self, number, entry):
        """Put an entry at the end of a list; return its index there."""
        start: cython.longlong
        length: cython.longlong
        wanted: cython.longlong
        self.reserve_list(number)
        start = entries_start(self.place[number])
        length = entries_length(self.place[number])
        if length == self.room[number]:
            if length == _LONGEST:
                raise LimitError(f"a list of more than {_LONGEST} entries")
            start = self.moved(number)
        memcpy(cython.address(self.words[entry_word(start + length)]), entry, _ENTRY_BYTES)
        if entry[0] >> RANGE_BIT & 1:
            self.ranged[number] = True
        release()
        self.place[number] = start << 28 | (length + 1)
        self.entry_count += 1
        return length

    def moved(self, number):
        """Move a list to where it has twice the room; return its new start."""
        start: cython.longlong = entries_start(self.place[number])
        length: cython.longlong = entries_length(self.place[number])
        size: cython.int = 0
        while (cython.cast(cython.longlong, 1) << size) <= length:
            size += 1
        if length and self.left_count >= self.left.shape[0]:
            self.left = grown(self.left, self.left_count + 1)
        target: cython.longlong = self.room_of(size)
        if length:
            memcpy(
                cython.address(self.words[entry_word(target)]),
                cython.address(self.words[entry_word(start)]),
                length * _ENTRY_BYTES,
            )
            # Of a room that is no power of two, the part that is one.
            self.left[self.left_count] = start << 5 | (size - 1)
            self.left_count += 1
        self.room[number] = 1 << size
        return target

    def room_of(self, size):
        """Return where there is room for a list: where another one was, or at the end."""
        rooms: cython.longlong = self.words.shape[0] >> 2
        wanted: cython.longlong = cython.cast(cython.longlong, 1) << size
        target: cython.longlong = self.free[size]
        if target >= 0:
            self.free[size] = cython.cast(cython.longlong, self.words[entry_word(target) + 3]) - 1
            self.words[entry_word(target) + 3] = 0
            return target
        target = self.used
        if target + wanted > rooms:
            # A list lies in the old part of the array or in the new one: across its end it would look complete to a
            # reader that has only the old part.
            target = rooms
            self.words = grown(self.words, entry_word(rooms + wanted), 0)
            self.forget_rooms()
        self.used = target + wanted
        return target

    def forget_rooms(self):
        """Use no free room any more: a reader that has the array before this one would find nothing there."""
        size: cython.int
        for size in range(_SIZES):
            self.free[size] = -1
        return 0

    def free_rooms(self):
        """Let rooms that lists have left be used again; while no search is running."""
        position: cython.longlong
        room: cython.longlong
        size: cython.int
        for position in range(self.left_count):
            room = self.left[position] >> 5
            size = cython.cast(cython.int, self.left[position] & 31)
            memset(cython.address(self.words[entry_word(room)]), 0, _ENTRY_BYTES << size)
            # A word tells which room of this size is free too; the first one stays zero, and so no slot's.
            self.words[entry_word(room) + 3] = cython.cast(cython.ulonglong, self.free[size] + 1)
            self.free[size] = room
        self.left_count = 0
        return 0

    def pack(self):
        """Let lists lie one after the other, with a little room each; while no search is running."""
        number: cython.int
        length: cython.longlong
        used: cython.longlong = 0
        for number in range(self.count):
            length = entries_length(self.place[number])
            used += length + (length >> 3)
        places: cython.longlong[::1] = filled(self.place.shape[0], 0, np.int64)
        rooms: cython.int[::1] = filled(self.place.shape[0], 0, np.int32)
        words: cython.ulonglong[::1] = filled(entry_word(max(used, 16)), 0, np.uint64)
        used = 0
        for number in range(self.count):
            length = entries_length(self.place[number])
            if length:
                memcpy(
                    cython.address(words[entry_word(used)]),
                    cython.address(self.words[entry_word(entries_start(self.place[number]))]),
                    length * _ENTRY_BYTES,
                )
            places[number] = used << 28 | length
            rooms[number] = cython.cast(cython.int, length + (length >> 3))
            used += length + (length >> 3)
        self.place, self.room, self.words = places, rooms, words
        self.used = used
        self.packed = self.entry_count
        self.left_count = 0
        return self.forget_rooms()

    def pack_if_worth_it(self):
        """Pack where much of what is held is room, and much has come since the last time."""
        if self.entry_count > _FEW and 8 * self.entry_count > 9 * self.packed and 3 * self.used > 4 * self.entry_count:
            self.pack()
        return 0

    def hide(self, number, index):
        """Let an entry lead to nothing; no search that runs may see its slot."""
        at: cython.longlong = entry_word(entries_start(self.place[number]) + index)
        self.words[at] = 0
        return 0

    def add_rest(self, given, count):
        """Keep the other tests of a clause; return where they are, in blocks."""
        start: cython.longlong = self.rest_used
        words: cython.longlong = (cython.cast(cython.longlong, count) + 1) & ~1
        if start + words > 2 * _MOST_BLOCKS:
            raise LimitError("more tests of clauses than an index of the engine 'hedge' holds")
        if start + words > self.rest.shape[0]:
            self.rest = grown(self.rest, start + words, 0)
        memcpy(cython.address(self.rest[start]), cython.address(given[0]), count * 4)
        self.rest_used = start + words
        return start >> 1

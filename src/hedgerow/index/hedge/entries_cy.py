"""Entries: clauses where an event comes upon them, 32 bytes each, in lists by atom.

::

    place   [ start, length | start, length | ... ]      one 64-bit number a list: 36 bits and 28 bits
    words   [ entry | entry | room | entry ... ]         a list, the room that it may grow into, the next list ...

    entry   slot, which columns are negated, where the rest is         8 bytes
            three columns: a test of four codes, or a range           24 bytes
    rest    the other tests of a clause, one after the other           in an array of its own

A reader takes views of all arrays, and goes on in them while a writer adds: a list that outgrows its room moves to the
end, and its place, being one number, names either the old copy or the new one, both complete. A place beyond the end of
a reader's view tells that the array was replaced by a longer one. An entry that was written into an array which has
taken the place of a reader's is zeros to it, and so no slot's; one whose slot it must not see is passed over, so entries
may come into lists before they are committed.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.predicate.ranges_cy import release
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import grown
from hedgerow.errors import CorruptFile, LimitError
from hedgerow.sections import section

_LONGEST = cython.declare(cython.longlong, (1 << 28) - 1)
_ENTRY_BYTES = cython.declare(cython.longlong, 32)
_BLOCK = cython.declare(cython.longlong, 4)  # words of a rest that are addressed together
_MOST_BLOCKS = cython.declare(cython.longlong, 1 << 29)
_SMALL = cython.declare(cython.longlong, 16)
_NEVER = cython.declare(cython.ulonglong, 1 << 28)  # the first column, which is true of every event, negated


@cython.final
@cython.cclass
class Entries:
    """Lists of entries, numbered by the atoms that lead to them."""

    def __init__(self):
        self.place = np.zeros(16, np.int64)
        self.room = np.zeros(16, np.int32)
        self.words = np.zeros(64, np.uint64)
        self.rest = np.zeros(64, np.uint32)

    def saved(self):
        """Return the arrays that ``restored`` makes these entries of."""
        return {
            "place": np.asarray(self.place)[: self.count],
            "room": np.asarray(self.room)[: self.count],
            "words": np.asarray(self.words)[: entry_word(self.used)],
            "rest": np.asarray(self.rest)[: self.rest_used],
        }

    @staticmethod
    def restored(arrays):
        """Return the entries that were saved as these arrays, in these arrays."""
        entries: Entries = Entries()
        entries.place = section(arrays, "place", np.int64)
        entries.count = entries.place.shape[0]
        entries.room = section(arrays, "room", np.int32, entries.count)
        entries.words = section(arrays, "words", np.uint64)
        entries.used = entries.words.shape[0] >> 2
        if entry_word(entries.used) != entries.words.shape[0]:
            raise CorruptFile("the section 'words' ends within an entry")
        entries.rest = section(arrays, "rest", np.uint32)
        entries.rest_used = entries.rest.shape[0]
        return entries

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out."""
        return 12 * self.count + _ENTRY_BYTES * self.used + 4 * self.rest_used

    @property
    def live(self):
        """How many entries there are, without the room of lists."""
        return int((np.asarray(self.place)[: self.count] & _LONGEST).sum())

    def reserve_list(self, number):
        """Make room for the place of a list; those before it that nobody asked for are empty."""
        if number >= self.place.shape[0]:
            places, rooms = grown(self.place, number + 1, 0), grown(self.room, number + 1, 0)
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
            # Most lists never have a second entry, and long ones are not to leave as much room as they take.
            wanted = length + 1 if length < 2 else 2 * length if length < _SMALL else length + (length >> 1)
            start = self.moved(number, min(wanted, _LONGEST))
        memcpy(cython.address(self.words[entry_word(start + length)]), entry, _ENTRY_BYTES)
        release()
        self.place[number] = start << 28 | (length + 1)
        return length

    def moved(self, number, wanted):
        """Move a list to where it has more room; return its new start."""
        start: cython.longlong = entries_start(self.place[number])
        length: cython.longlong = entries_length(self.place[number])
        rooms: cython.longlong = self.words.shape[0] >> 2
        target: cython.longlong = self.used
        if target + wanted > rooms:
            # A list lies in the old part of the array or in the new one: across its end it would look complete to a
            # reader that has only the old part.
            target = rooms
            self.words = grown(self.words, entry_word(rooms + wanted), 0)
        if length:
            memcpy(
                cython.address(self.words[entry_word(target)]),
                cython.address(self.words[entry_word(start)]),
                length * _ENTRY_BYTES,
            )
        self.used = target + wanted
        self.room[number] = cython.cast(cython.int, wanted)
        return target

    def hide(self, number, index):
        """Let an entry lead to nothing; no search that runs may see its slot."""
        at: cython.longlong = entry_word(entries_start(self.place[number]) + index)
        self.words[at + 1] = 0
        self.words[at] |= _NEVER
        return 0

    def add_rest(self, given, count):
        """Keep the other tests of a clause; return where they are, in blocks."""
        start: cython.longlong = self.rest_used
        blocks: cython.longlong = (cython.cast(cython.longlong, count) + _BLOCK - 1) // _BLOCK
        if start // _BLOCK + blocks > _MOST_BLOCKS:
            raise LimitError("more tests of clauses than an index of the engine 'hedge' holds")
        if start + blocks * _BLOCK > self.rest.shape[0]:
            self.rest = grown(self.rest, start + blocks * _BLOCK, 0)
        memcpy(cython.address(self.rest[start]), cython.address(given[0]), count * 4)
        self.rest_used = start + blocks * _BLOCK
        return start // _BLOCK

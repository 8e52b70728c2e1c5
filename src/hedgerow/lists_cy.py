"""Many growing lists of numbers in one array, for one writer and any number of readers at once.

::

    place  [ start, length | start, length | ... ]      one 64-bit number a list: 40 bits and 24 bits
    arena  [ 5 8 -1 -1 | 7 | 3 3 9 12 ... ]             a list, the room it may grow into (-1), the next list ...

A reader takes views of ``place`` and ``arena`` and may then read without the GIL while a writer goes on: a list that
outgrows its room moves to the end of the arena, and its place, being one number, names either the old copy or the new
one, both complete. Erasing writes -1 over a value, so that no other value ever changes its index. A place beyond the
end of a reader's view of the arena tells it that the arena was replaced by a longer one.

Nothing is given back: an owner that erases much makes new lists and forgets these. Dropping, which may only be done
while nobody reads, keeps a list dense instead: its last value moves to the place of the one that goes.
"""

import cython
import numpy as np

from hedgerow.arrays_cy import grown
from hedgerow.errors import LimitError
from hedgerow.sections import section

_LONGEST = cython.declare(cython.longlong, (1 << 24) - 1)


@cython.final
@cython.cclass
class Lists:
    """Lists of numbers that are not negative, numbered from 0.

    >>> lists = Lists()
    >>> first = lists.new()
    >>> [lists.add(first, value) for value in (7, 8, 9)]
    [0, 1, 2]
    >>> lists.remove(first, 1)
    >>> lists.values(first)
    [7, -1, 9]
    """

    def __init__(self):
        self.place = np.zeros(16, np.int64)
        self.room = np.zeros(16, np.int32)
        self.arena = np.full(64, -1, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes these lists of, as ``hedgerow.sections`` has it."""
        return {
            "place": np.asarray(self.place)[: self.count],
            "room": np.asarray(self.room)[: self.count],
            "arena": np.asarray(self.arena)[: self.used],
        }

    @staticmethod
    def restored(arrays):
        """Return the lists that were saved as these arrays, in these arrays.

        >>> lists = Lists()
        >>> lists.add(lists.new(), 7)
        0
        >>> again = Lists.restored(lists.saved())
        >>> again.add(0, 8), again.values(0)
        (1, [7, 8])
        """
        lists: Lists = Lists.__new__(Lists)
        lists.place = section(arrays, "place", np.int64)
        lists.count = lists.place.shape[0]
        lists.room = section(arrays, "room", np.int32, lists.count)
        lists.arena = section(arrays, "arena", np.int32)
        lists.used = lists.arena.shape[0]
        return lists

    def __len__(self):
        return self.count

    @property
    def nbytes(self):
        """Bytes held, without places that no list has yet."""
        return (8 + 4) * self.count + self.arena.nbytes

    def new(self):
        """Return the number of a new empty list."""
        return self.new_list()

    def add(self, number: cython.int, value: cython.int):
        """Put a value at the end of a list; return its index there."""
        self._check(number)
        if value < 0:
            raise ValueError(f"{value} is negative")
        return self.append(number, value)

    def remove(self, number: cython.int, index: cython.int):
        """Write -1 over the value at an index."""
        self._check(number)
        if index < 0 or index >= (self.place[number] & _LONGEST):
            raise IndexError(index)
        self.erase(number, index)

    def values(self, number: cython.int):
        """Return a list's values, -1 for those removed."""
        self._check(number)
        start: cython.longlong = self.place[number] >> 24
        return np.asarray(self.arena)[start : start + (self.place[number] & _LONGEST)].tolist()

    def _check(self, number: cython.int):
        if number < 0 or number >= self.count:
            raise IndexError(number)

    def new_list(self):
        number: cython.int = self.count
        if number >= self.place.shape[0]:
            places = grown(self.place, number + 1)
            self.room = grown(self.room, number + 1)
            self.place = places
        self.place[number] = 0
        self.room[number] = 0
        self.count = number + 1
        return number

    def append(self, number, value):
        start: cython.longlong = self.place[number] >> 24
        length: cython.longlong = self.place[number] & _LONGEST
        wanted: cython.longlong
        if length == self.room[number]:
            if length == _LONGEST:
                raise LimitError(f"a list of more than {_LONGEST} numbers")
            # The first value gets room for itself alone, because most lists never have another.
            wanted = 1 if length == 0 else min(2 * length, _LONGEST)
            # A list must lie in the old part of the arena or in the new: one that lay across the end would look
            # complete to a reader that has only the old part.
            if self.used + wanted > self.arena.shape[0]:
                self.used = self.arena.shape[0]
                self._extend(self.used + wanted)
            self.arena[self.used : self.used + length] = self.arena[start : start + length]
            start = self.used
            self.used += wanted
            self.room[number] = wanted
        self.arena[start + length] = value
        self.place[number] = start << 24 | (length + 1)
        return length

    def _extend(self, needed: cython.longlong):
        """Make the arena longer; what is not used holds -1, so that a reader can never take it for a value."""
        if needed > self.arena.shape[0]:
            self.arena = grown(self.arena, needed, -1)

    def erase(self, number, index):
        self.arena[(self.place[number] >> 24) + index] = -1
        return 0

    def drop(self, number, index):
        """Take the value at an index out, while nobody reads; return the value that has come in its place, or -1."""
        start: cython.longlong = self.place[number] >> 24
        last: cython.longlong = (self.place[number] & _LONGEST) - 1
        moved: cython.int = self.arena[start + last]
        self.arena[start + index] = moved
        self.arena[start + last] = -1
        self.place[number] = start << 24 | last
        return moved if index != last else -1

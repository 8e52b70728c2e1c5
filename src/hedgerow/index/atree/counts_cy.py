"""Counts of those few numbers that are counted at all: a hash table in two arrays.

::

    key     7 | - | 40 | 3 | -        a key stands at its home or in the next slots behind it, before any free one
    count 301 |   | 255 | 270 |
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import folded_product

from hedgerow.arrays_cy import filled, roomy
from hedgerow.errors import CorruptFile

_FREE = cython.declare(cython.int, -1)
_LEAST = cython.declare(cython.Py_ssize_t, 16)


@cython.final
@cython.cclass
class Counts:
    """Counts by numbers that are not negative.

    >>> counts = Counts()
    >>> counts.add(7, 300), counts.add(7, 1), counts.add(3, 5)
    (300, 301, 5)
    >>> counts.remove(7)
    >>> counts.get(3), len(counts)
    (5, 1)
    """

    def __init__(self):
        self.make(_LEAST)

    @staticmethod
    def of(keys: cython.const[cython.int][::1], counts: cython.const[cython.int][::1]):
        """Return the counts of the keys in one array by those in the other, as ``keys`` and ``counts`` give them."""
        table: Counts = Counts()
        position: cython.Py_ssize_t
        for position in range(keys.shape[0]):
            if keys[position] < 0:
                raise CorruptFile(f"{keys[position]} is no number of a node")
            table.add(keys[position], counts[position])
        return table

    def __len__(self):
        return self.used

    @property
    def nbytes(self):
        """Bytes held."""
        return self.key.nbytes + self.count.nbytes

    def keys(self):
        """Return the numbers that have a count."""
        keys = np.asarray(self.key)
        return keys[keys >= 0]

    def counts(self):
        """Return their counts."""
        return np.asarray(self.count)[np.asarray(self.key) >= 0]

    def get(self, key: cython.int):
        """Return the count of a number; KeyError if it has none."""
        slot: cython.Py_ssize_t = self.slot_of(key)
        if self.key[slot] != key:
            raise KeyError(key)
        return self.count[slot]

    def add(self, key, amount):
        """Count some more of a number, from 0 on, and return how many there are."""
        slot: cython.Py_ssize_t = self.slot_of(key)
        if self.key[slot] != key:
            if 2 * (self.used + 1) > self.key.shape[0]:
                self.grow()
                slot = self.slot_of(key)
            self.key[slot] = key
            self.count[slot] = 0
            self.used += 1
        self.count[slot] += amount
        return self.count[slot]

    def remove(self, key: cython.int):
        """Forget a number: those behind it move up, so that no gap cuts them off from their homes."""
        mask: cython.Py_ssize_t = self.key.shape[0] - 1
        gap: cython.Py_ssize_t = self.slot_of(key)
        slot: cython.Py_ssize_t = gap
        if self.key[gap] != key:
            raise KeyError(key)
        while True:
            slot = (slot + 1) & mask
            if self.key[slot] == _FREE:
                break
            # It may move into the gap if its home does not lie behind that.
            if ((slot - self.home_of(self.key[slot])) & mask) >= ((slot - gap) & mask):
                self.key[gap], self.count[gap] = self.key[slot], self.count[slot]
                gap = slot
        self.key[gap] = _FREE
        self.used -= 1

    # Slots

    def home_of(self, key):
        state: cython.ulonglong = folded_product(cython.cast(cython.ulonglong, key))
        return cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, self.key.shape[0] - 1))

    def slot_of(self, key):
        """Return where a number stands, or the free slot where it would go."""
        mask: cython.Py_ssize_t = self.key.shape[0] - 1
        slot: cython.Py_ssize_t = self.home_of(key)
        while self.key[slot] != key and self.key[slot] != _FREE:
            slot = (slot + 1) & mask
        return slot

    def make(self, size):
        """Have new arrays without anything in them; where memory is short, the old ones stay."""
        counts = roomy(size, np.int32)
        self.key = filled(size, _FREE, np.int32)
        self.count = counts
        self.used = 0
        return 0

    def grow(self):
        """Make it twice as large."""
        keys: cython.int[::1] = self.key
        counts: cython.int[::1] = self.count
        position: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        self.make(2 * keys.shape[0])
        for position in range(keys.shape[0]):
            if keys[position] >= 0:
                slot = self.slot_of(keys[position])
                self.key[slot], self.count[slot] = keys[position], counts[position]
                self.used += 1
        return 0

"""How many of some sets each event is in.

Dense sets are counted in *planes*, the bits of all events' counts side by side: 64 events are added at once. Two sets
are added at a time, so that a carry goes up half as often.

::

    plane 0   1 0 1 1 ...      event 0 is in 1 set, event 1 in 2, event 2 in 3, event 3 in 1
    plane 1   0 1 1 0 ...
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import lowest_bit
from cython.cimports.hedgerow.index.atree.sets import bits_at, is_dense, list_at, set_size
from cython.cimports.libc.string import memcpy, memset

_PLANES = cython.declare(cython.int, 32)  # bits of a count


@cython.final
@cython.cclass
class Tally:
    """Counts of events; one thread counts with it at a time."""

    def __init__(self, words: cython.int):
        """Have room for ``words`` times 64 events."""
        self.width = words
        self.planes = np.empty(_PLANES * words, np.uint64)
        self.carry = np.empty(words, np.uint64)
        self.held = np.empty(words, np.uint64)

    def begin(self, counts, words):
        """Begin to count the events of as many words, and clear their counts."""
        self.counts = counts
        self.words = words
        memset(cython.address(self.counts[0]), 0, 8 * self.counts.shape[0])
        memset(cython.address(self.planes[0]), 0, 8 * self.planes.shape[0])
        self.holds_one = False
        return 0

    def add(self, handle):
        """Count the events of a set."""
        counts: cython.pointer(cython.longlong) = cython.address(self.counts[0])
        events: cython.pointer(cython.ushort)
        at: cython.int
        if is_dense(handle):
            self.add_bits(bits_at(handle))
            return
        events = list_at(handle)
        for at in range(set_size(handle)):
            counts[events[at]] += 1

    def add_bits(self, bits):
        """Count the events of a dense set: hold it back, or add it together with the one that was."""
        held: cython.pointer(cython.ulonglong) = cython.address(self.held[0])
        plane: cython.pointer(cython.ulonglong) = cython.address(self.planes[0])
        carry: cython.pointer(cython.ulonglong) = cython.address(self.carry[0])
        word: cython.int
        if not self.holds_one:
            memcpy(held, bits, 8 * self.words)
            self.holds_one = True
            return
        for word in range(self.words):
            carry[word] = held[word] & bits[word] | plane[word] & (held[word] ^ bits[word])
            plane[word] ^= held[word] ^ bits[word]
        self.holds_one = False
        self.ripple(carry, 1)

    def ripple(self, carry, first):
        """Add bits to the counters from a plane on, until nothing is carried further."""
        plane: cython.pointer(cython.ulonglong)
        rest: cython.ulonglong = 1
        both: cython.ulonglong
        word: cython.int
        number: cython.int = first
        while rest and number < _PLANES:
            plane = cython.address(self.planes[number * self.width])
            rest = 0
            for word in range(self.words):
                both = plane[word] & carry[word]
                plane[word] ^= carry[word]
                carry[word] = both
                rest |= both
            number += 1

    def end(self):
        """Add what the planes have counted to the counts."""
        number: cython.int
        word: cython.int
        rest: cython.ulonglong
        if self.holds_one:
            self.ripple(cython.address(self.held[0]), 0)
        for number in range(_PLANES):
            for word in range(self.words):
                rest = self.planes[number * self.width + word]
                while rest:
                    self.counts[word << 6 | lowest_bit(rest)] += cython.cast(cython.longlong, 1) << number
                    rest &= rest - 1
        return 0

"""The matches of a part of the slots: counted for each event, and noted, to be written when it is known where."""

import cython
import numpy as np
from cython.cimports.hedgerow.index.atree.sets import INLINE, is_dense, list_at, set_size
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import pooled


@cython.final
@cython.cclass
class Part:
    """Slots from ``first`` up to, and without, ``last``: one thread counts their matches, maybe another writes them."""

    def __init__(self, first: cython.longlong, last: cython.longlong, events: cython.int):
        self.first = first
        self.last = last
        self.counts = np.zeros(events, np.int64)
        self.cursors = np.empty(events, np.int64)
        self.slot = pooled(last - first, np.int32)
        self.handle = pooled(last - first, np.uint64)
        self.events = pooled(last - first, np.uint64)

    def note(self, slot, handle):
        """Note the set of a slot; a few events are noted themselves."""
        self.slot[self.noted] = cython.cast(cython.int, slot)
        self.handle[self.noted] = handle
        if not is_dense(handle) and set_size(handle) <= INLINE:
            memcpy(cython.address(self.events[self.noted]), list_at(handle), 8)
        self.noted = self.noted + 1

    def place(self, starts):
        """Let the matches of each event begin where ``starts`` says, and move that to where they end."""
        event: cython.Py_ssize_t
        for event in range(starts.shape[0]):
            self.cursors[event] = starts[event]
            starts[event] += self.counts[event]
        return 0

"""How threads share the events of a batch, and how what they find gets into one array.

::

    events   0 ... 63 | 64 ... 127 | 128 ... 191 | ... | smaller shares at the end: nobody is left with much
    thread      0           1            1
    found    [ names of the matches of share 0 | of share 1 | of share 2 | room ... ]

Who has time takes the next share and lists the slots that match its events. Where their names go is known once all
shares before it are counted. So a thread that has done a share writes down what it has listed and whose place is known,
mostly the share itself and at times the one before: what it has just listed is still in the processor's cache, and
nothing has to be moved afterwards. If more matches than there was room for, the rest waits until all are counted.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import prefetch
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import grown, pooled

SHARE = 64  # events that are worth a thread, and that one takes at once

_SHARE = cython.declare(cython.longlong, SHARE)
_LEAST = cython.declare(cython.longlong, 16)
_UNKNOWN = cython.declare(cython.longlong, -1)
_ROOM = cython.declare(cython.double, 1.3)  # of what is expected
_WORTH_THREADS = cython.declare(cython.longlong, 1 << 18)  # matches that take longer to write than threads to wake
_FAR = cython.declare(cython.int, 16)  # how far ahead names are fetched


@cython.final
@cython.cclass
class Listed:
    """The slots that one thread has listed, share after share, and that have not been written down yet."""

    def __init__(self, room: cython.longlong):
        self.slots = np.empty(room, np.int32)
        self.waiting = []

    def add(self, slots, count):
        """Add the first ``count`` of some slots, those that match one event."""
        if self.count + count > self.slots.shape[0]:
            with cython.gil:
                self.slots = grown(self.slots, self.count + count)
        if count:
            memcpy(cython.address(self.slots[self.count]), cython.address(slots[0]), 4 * count)
        self.count = self.count + count
        return 0

    def move_up(self):
        """Use the room of what is written down again, once it is worth moving what is not."""
        start: cython.longlong = self.waiting[0][1] if self.waiting else self.count
        left: cython.longlong = self.count - start
        if left > start:
            return 0
        if left:
            memcpy(cython.address(self.slots[0]), cython.address(self.slots[start]), 4 * left)
        self.waiting = [(share, first - start) for share, first in self.waiting]
        self.count = self.counted = left
        return 0


@cython.final
@cython.cclass
class Shares:
    """The shares of a batch: how many slots match each event and, if threads list them, their names."""

    def __init__(
        self,
        events: cython.longlong,
        threads: cython.int,
        names: cython.longlong[::1] = None,
        expected: cython.double = 0,
    ):
        """Begin, with the names of all slots if they are to be listed, and how many are expected for an event."""
        self.counts = np.zeros(events, np.int64)
        self.first = _bounds(events, threads)
        self.begin = np.full(self.first.shape[0], _UNKNOWN, np.int64)
        self.begin[0] = 0
        self.total = np.full(self.first.shape[0], _UNKNOWN, np.int64)
        self.names = names
        self.listed = []
        if names is not None:
            self.found = pooled(int(_ROOM * expected * events) + 1024, np.int64)
            self.listed = [Listed(int(2 * _ROOM * expected * _SHARE) + 1024) for _ in range(threads)]

    def stop(self):
        """Leave no share to be taken."""
        self.next_share = self.first.shape[0] - 1

    def take(self):
        """Return the next share, or -1 when none is left."""
        if self.next_share == self.first.shape[0] - 1:
            return -1
        self.next_share += 1
        return self.next_share - 1

    def finish(self, share, listed):
        """Note that a share is done, and write down what this thread has listed and whose place is known."""
        start: cython.longlong = listed.counted
        self.total[share] = listed.count - start
        listed.counted = listed.count
        listed.waiting.append((share, start))
        while self.known < self.first.shape[0] - 1 and self.total[self.known] != _UNKNOWN:
            self.begin[self.known + 1] = self.begin[self.known] + self.total[self.known]
            self.known += 1
        return self.write(listed)

    def write(self, listed):
        """Write down what a thread has listed and whose place is known, as far as there is room."""
        share: cython.Py_ssize_t
        start: cython.longlong
        done: cython.Py_ssize_t = 0
        for share, start in listed.waiting:
            if share >= self.known or self.begin[share + 1] > self.found.shape[0]:
                break
            if self.total[share]:
                with cython.nogil:
                    self.write_names(cython.address(listed.slots[start]), share)
            done += 1
        del listed.waiting[:done]
        return listed.move_up()

    def write_names(self, slots, share):
        """Write the names of the slots of a share to their place."""
        count: cython.longlong = self.total[share]
        target: cython.pointer(cython.longlong) = cython.address(self.found[self.begin[share]])
        position: cython.longlong
        if self.names.shape[0] == 0:
            for position in range(count):
                target[position] = slots[position]
            return 0
        for position in range(count):
            if position + _FAR < count:
                prefetch(cython.address(self.names[slots[position + _FAR]]))
            target[position] = self.names[slots[position]]
        return 0

    def matches(self, crew):
        """Return the names of all matches, event by event; all shares are done."""
        total: cython.longlong = self.begin[self.first.shape[0] - 1]
        waiting: cython.longlong = 0
        listed: Listed
        if total > self.found.shape[0]:
            self.enlarge(total)
        for listed in self.listed:
            waiting += listed.count
        if waiting >= _WORTH_THREADS:
            crew.run(lambda number: self.write(self.listed[number]))
        else:
            for listed in self.listed:
                self.write(listed)
        found = np.asarray(self.found)[:total]
        # Room that is far too large is not to stay with the matches.
        return found if 2 * total >= self.found.shape[0] else found.copy()

    def enlarge(self, size):
        """Make room for all matches; what was written is that of the first shares, as many as fitted."""
        found: cython.longlong[::1] = pooled(size, np.int64)
        share: cython.Py_ssize_t = 0
        with cython.nogil:
            while self.begin[share + 1] <= self.found.shape[0]:
                share += 1
            memcpy(cython.address(found[0]), cython.address(self.found[0]), 8 * self.begin[share])
        self.found = found
        return 0


@cython.cfunc
def _bounds(events: cython.longlong, threads: cython.int):
    """Return where shares begin, and the last one ends."""
    bounds = [0]
    at: cython.longlong = 0
    while at < events:
        at = min(events, at + max(_LEAST, min(_SHARE, (events - at) // (2 * threads))))
        bounds.append(at)
    return np.array(bounds, np.int64)

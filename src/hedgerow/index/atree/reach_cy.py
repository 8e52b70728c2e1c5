"""Where truth gets to from a literal when it goes straight through ORs: lists that searches read forward.

::

    literal 1 ──> OR 3 ──> OR 4 ──> slot 7
              │        └─> slot 9
              └─> AND 5

    the list   [ 2 slots, 1 noted, 0 ORs, 3 elements for ANDs, literal 1 │ 7 9 │ OR 3 │ │ AND 5, 1 guard: attribute 8 ]

An OR does nothing but hand truth on, so who hears of its operand may as well be told at once. What was a visit to two
or three nodes for each match is then an element of a list, and an AND is not visited at all if the event has none of
its *guards*, some attributes of which it needs one. Lists are made of the tree's links (``follow_cy``) for those
literals that hold again and again, and forgotten when one of those links changes: they are a memory of what was found,
and the tree is right without them.

``place`` has, for each literal, where its list begins in ``arena``; 0 where there is none, and 1 where a search would
have liked to have one. ``passed`` has the ORs that some list goes through. An OR at which ANDs look, and which often
holds, is *noted* on the way; one that is not is ``silent``: that nobody told of it does not say that it does not hold.

Readers and the writer: a list is whole before its place is written, and ORs are ``silent`` before. When ``place`` and
the bits must grow all are replaced, so a reader has some that belong together; a list that is not in a reader's
``arena`` begins beyond its end. Where lists are *full* no more are made, until most of their room is that of forgotten
ones; then all are thrown away, while no search is running.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.atree.reach_cy import HEADER

from hedgerow.arrays_cy import copied, filled, grown

_FIRST = cython.declare(cython.int, 2)  # where the first list begins: what is below says that there is none
_LEAST = cython.declare(cython.longlong, 1 << 16)  # elements that there may be in any case
_MOST = cython.declare(cython.longlong, (1 << 31) - 1)


@cython.final
@cython.cclass
class Reach:
    """The lists of literals."""

    def __init__(self):
        self.place = np.zeros(0, np.int32)
        self.passed = np.zeros(0, np.uint64)
        self.silent = np.zeros(0, np.uint64)
        self.arena = np.zeros(16, np.int32)
        self.used = _FIRST
        self.patience = True
        self.stack = np.empty(16, np.int32)

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out."""
        return self.place.nbytes + 2 * self.passed.nbytes + 4 * self.used

    def arrays(self):
        """Return the places and the bits, which readers take together."""
        return np.asarray(self.place), np.asarray(self.passed), np.asarray(self.silent)

    @property
    def count(self):
        """How many literals have lists."""
        return int(np.count_nonzero(np.asarray(self.place) >= _FIRST))

    def is_empty(self):
        """Return whether no literal has a list."""
        return self.used == _FIRST

    def fit(self, literals, nodes):
        """Make room for this many literals and nodes."""
        words: cython.int = (nodes + 63) >> 6
        if literals <= self.place.shape[0] and words <= self.passed.shape[0]:
            return 0
        # With some to spare, or an index that grows by one at a time would take a copy each time.
        literals = max(literals + literals // 4 + 16, self.place.shape[0])
        words = max(words + words // 4 + 1, self.passed.shape[0])
        # Copies, and all of them: a reader with these places and other bits would take silence for an answer.
        place = copied(self.place, literals, 0)
        passed, silent = copied(self.passed, words, 0), copied(self.silent, words, 0)
        self.place, self.passed, self.silent = place, passed, silent
        self.version += 1
        return 0

    def room(self, size, most):
        """Return where a list of some size begins; -1 if all of them would take more than ``most`` elements."""
        start: cython.longlong = self.used
        if start + size > self.arena.shape[0]:
            start = self.arena.shape[0]
        if start + size > min(max(most, _LEAST), _MOST):
            self.full = True
            return -1
        if start + size > self.arena.shape[0]:
            self.arena = grown(self.arena, start + size)
            self.version += 1
        self.used = cython.cast(cython.int, start + size)
        return cython.cast(cython.int, start)

    def clear(self):
        """Throw all lists away. No search is running."""
        self.lost = 0
        self.full = False
        self.place = filled(self.place.shape[0], 0, np.int32)
        self.passed = filled(self.passed.shape[0], 0, np.uint64)
        self.silent = filled(self.passed.shape[0], 0, np.uint64)
        self.used = _FIRST
        self.version += 1
        return 0

    def is_mostly_lost(self):
        """Return whether most of the room is that of lists that were forgotten."""
        return 2 * self.lost >= self.used

    def forget(self, number):
        """Forget the list of a literal, if it has one; its room is lost."""
        start: cython.int
        if number >= self.place.shape[0]:
            return 0
        start = self.place[number]
        self.place[number] = 0
        if start >= _FIRST:
            self.lost += (
                HEADER + self.arena[start] + self.arena[start + 1] + self.arena[start + 2] + self.arena[start + 3]
            )
            if self.full and self.is_mostly_lost():
                self.full = False
        return 0

    def push(self, depth, node):
        if depth >= self.stack.shape[0]:
            self.stack = grown(self.stack, depth + 1)
        self.stack[depth] = node
        return 0

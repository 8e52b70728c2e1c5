"""The slots of an engine: in which order expressions came, which of them are gone, and what each adds to its score.

::

    slot      0  1  2  3 │ 4  5      root     the node of the engine's graph that the expression is
    died      -  3  -  - │ -  -      scored   the node that is scored, where a value in it has a weight
              committed ─┘           weight   its own weight, a bid say

A slot is the number of an insert, counted up from 0. A commit shows the slots before ``committed`` to the searches that
begin from then on, and is a new version; ``died`` holds the version from which a slot is gone, so a search that began
before still has it. What few engines need (``scored``, ``weight``, ``died``) has no array until the first one comes.
"""

import cython
import numpy as np

from hedgerow.arrays_cy import filled, grown
from hedgerow.sections import optional_section, section

_NEVER = cython.declare(cython.longlong, (1 << 63) - 1)


@cython.final
@cython.cclass
class Slots:
    """What is known of each slot. One writer changes it, with the GIL held; searches take views when they begin."""

    def __init__(self):
        self.root = np.empty(16, np.int32)
        self.scored = np.empty(0, np.int32)
        self.weight = np.empty(0, np.float64)
        self.died = np.empty(0, np.int64)

    def saved(self):
        """Return the arrays that ``restored`` makes these slots of; what is not committed is not among them."""
        count: cython.int = self.committed
        return {
            "root": np.asarray(self.root)[:count],
            "scored": np.asarray(self.scored)[:count],
            "weight": np.asarray(self.weight)[:count],
            "died": np.asarray(self.died)[:count],
        }

    @staticmethod
    def restored(arrays, version: cython.longlong):
        """Return the slots that were saved as these arrays, in these arrays."""
        slots: Slots = Slots()
        slots.root = section(arrays, "root", np.int32)
        slots.count = slots.root.shape[0]
        slots.committed = slots.count
        slots.scored = optional_section(arrays, "scored", np.int32, slots.count)
        slots.weight = optional_section(arrays, "weight", np.float64, slots.count)
        slots.died = optional_section(arrays, "died", np.int64, slots.count)
        slots.has_scored = slots.scored.shape[0] > 0
        slots.has_weights = slots.weight.shape[0] > 0
        slots.has_died = slots.died.shape[0] > 0
        slots.version = version
        if slots.has_weights:
            slots.greatest = max(0.0, np.asarray(slots.weight).max())
        return slots

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out."""
        return self.count * (4 + 4 * self.has_scored + 8 * self.has_weights + 8 * self.has_died)

    def reserve(self, scored, weighted):
        """Make room for one more slot, so that ``add`` cannot fail."""
        needed: cython.int = self.count + 1
        if needed > self.root.shape[0]:
            self.root = grown(self.root, needed)
        if scored and not self.has_scored:
            self.scored = filled(self.root.shape[0], -1, np.int32)
            self.has_scored = True
        if self.has_scored and needed > self.scored.shape[0]:
            self.scored = grown(self.scored, needed)
        if weighted and not self.has_weights:
            self.weight = filled(self.root.shape[0], 0.0, np.float64)
            self.has_weights = True
        if self.has_weights and needed > self.weight.shape[0]:
            self.weight = grown(self.weight, needed)
        if self.has_died and needed > self.died.shape[0]:
            self.died = grown(self.died, needed)
        return 0

    def add(self, root, scored, weight):
        """Take the next slot, for which there is room."""
        slot: cython.int = self.count
        self.root[slot] = root
        if self.has_scored:
            self.scored[slot] = scored
        if self.has_weights:
            self.weight[slot] = weight
        if self.has_died:
            self.died[slot] = _NEVER
        if weight > self.greatest:
            self.greatest = weight
        self.count = slot + 1
        return 0

    def check(self, slot):
        """Raise unless there is such a slot."""
        if slot < 0 or slot >= self.count:
            raise IndexError(slot)
        return 0

    def is_live(self, slot):
        """Return whether a slot was not deleted."""
        return not self.has_died or self.died[slot] == _NEVER

    def scored_at(self, slot):
        """Return the node that is scored, or -1."""
        return self.scored[slot] if self.has_scored else -1

    def weight_at(self, slot):
        return self.weight[slot] if self.has_weights else 0.0

    def forget(self, count: cython.int):
        """Take back the slots from ``count`` on, which are not committed."""
        if count < self.committed or count > self.count:
            raise ValueError(f"slots from {count} on cannot be taken back")
        self.count = count

    def delete(self, slot: cython.int):
        """Hide a slot from the searches that begin after the next commit."""
        if slot < 0 or slot >= self.count or (self.has_died and self.died[slot] != _NEVER):
            raise ValueError(f"slot {slot} holds nothing")
        if not self.has_died:
            self.died = filled(self.root.shape[0], _NEVER, np.int64)
            self.has_died = True
        self.died[slot] = self.version + 1

    def commit(self):
        """Show what was added and deleted to the searches that begin from now on."""
        self.committed = self.count
        self.version += 1

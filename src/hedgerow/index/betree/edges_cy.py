"""Edges: which child a parent has under a label, for nodes of all kinds in one hash table.

A c-node has p-nodes by what they partition on, a p-node has c-nodes by the values of its hash directory: both are
edges, in tables of their own.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.symbols_cy import mixed, seed

from hedgerow.arrays_cy import filled
from hedgerow.errors import CorruptFile
from hedgerow.sections import numbers, scalars, section


@cython.final
@cython.cclass
class Edges:
    """Children by parent and label, neither of which is negative."""

    def __init__(self):
        self.seed = seed()
        self.slots = filled(32, 0, np.uint64)

    def saved(self):
        """Return the arrays that ``restored`` makes these edges of."""
        return {"slots": np.asarray(self.slots), "seed": numbers(self.seed, self.count)}

    @staticmethod
    def restored(arrays):
        """Return the edges that were saved as these arrays, in these arrays."""
        edges: Edges = Edges()
        edges.seed, edges.count = scalars(arrays, "seed", 2)
        edges.slots = section(arrays, "slots", np.uint64)
        size = edges.slots.shape[0]
        if size & (size - 1) or size < max(4 * edges.count, 2):
            raise CorruptFile(f"the section 'slots' has {size} words for {edges.count} edges")
        return edges

    @property
    def nbytes(self):
        """Bytes held."""
        return self.slots.nbytes

    def find(self, parent, label):
        """Return the child, or -1."""
        return edge_child(
            cython.address(self.slots[0]),
            cython.cast(cython.ulonglong, self.slots.shape[0] // 2 - 1),
            self.seed,
            parent,
            label,
        )

    def add(self, parent, label, child):
        """Give a parent a child under a label under which it has none."""
        mask: cython.ulonglong
        slot: cython.ulonglong
        if 4 * (cython.cast(cython.Py_ssize_t, self.count) + 1) > self.slots.shape[0]:
            self.rehash(2 * self.slots.shape[0])
        mask = self.slots.shape[0] // 2 - 1
        slot = mixed(self.seed, edge_name(parent, label)) & mask
        while self.slots[2 * slot + 1]:
            slot = (slot + 1) & mask
        self.slots[2 * slot] = edge_name(parent, label)
        self.slots[2 * slot + 1] = child + 1
        self.count = self.count + 1
        return 0

    def remove(self, parent, label):
        """Take the child of a parent under a label away, if there is one; those that follow it may move up."""
        mask: cython.ulonglong = self.slots.shape[0] // 2 - 1
        name: cython.ulonglong = edge_name(parent, label)
        gap: cython.ulonglong = mixed(self.seed, name) & mask
        slot: cython.ulonglong
        home: cython.ulonglong
        while self.slots[2 * gap + 1] and self.slots[2 * gap] != name:
            gap = (gap + 1) & mask
        if not self.slots[2 * gap + 1]:
            return 0
        slot = (gap + 1) & mask
        while self.slots[2 * slot + 1]:
            home = mixed(self.seed, self.slots[2 * slot]) & mask
            # What is found from its home on without coming by the gap stays.
            if ((slot | (mask + 1)) - home) & mask >= ((slot | (mask + 1)) - gap) & mask:
                self.slots[2 * gap] = self.slots[2 * slot]
                self.slots[2 * gap + 1] = self.slots[2 * slot + 1]
                gap = slot
            slot = (slot + 1) & mask
        self.slots[2 * gap + 1] = 0
        self.count = self.count - 1
        return 0

    def rehash(self, size):
        slots: cython.ulonglong[::1] = filled(size, 0, np.uint64)
        mask: cython.ulonglong = size // 2 - 1
        slot: cython.ulonglong
        old: cython.Py_ssize_t
        for old in range(0, self.slots.shape[0], 2):
            if self.slots[old + 1]:
                slot = mixed(self.seed, self.slots[old]) & mask
                while slots[2 * slot + 1]:
                    slot = (slot + 1) & mask
                slots[2 * slot] = self.slots[old]
                slots[2 * slot + 1] = self.slots[old + 1]
        self.slots = slots
        return 0

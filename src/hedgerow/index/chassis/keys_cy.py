"""Keys: attributes with one of their values, each a number, found by hash.

What a value is depends on its kind: a string is its number among the engine's strings, a number or timestamp its 64
bits. Kinds beyond those of values stand for what engines make of them, such as the pieces of ranges.

One writer adds, with the GIL held. A search takes a ``view``: the keys that there are then, in arrays that stay as they
are below its count.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.symbols_cy import mixed, seed

from hedgerow.arrays_cy import filled, grown
from hedgerow.sections import numbers, scalars, section, table_section


@cython.final
@cython.cclass
class Keys:
    """Keys by attribute, kind and payload."""

    def __init__(self):
        self.seed = seed()
        self.attribute = np.empty(16, np.int32)
        self.kind = np.empty(16, np.uint8)
        self.payload = np.empty(16, np.int64)
        self.slots = filled(32, -1, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes these keys of."""
        return {
            "attribute": np.asarray(self.attribute)[: self.count],
            "kind": np.asarray(self.kind)[: self.count],
            "payload": np.asarray(self.payload)[: self.count],
            "slots": np.asarray(self.slots),
            "seed": numbers(self.seed),
        }

    @staticmethod
    def restored(arrays):
        """Return the keys that were saved as these arrays, in these arrays."""
        keys: Keys = Keys()
        (keys.seed,) = scalars(arrays, "seed", 1)
        keys.attribute = section(arrays, "attribute", np.int32)
        keys.count = keys.attribute.shape[0]
        keys.kind = section(arrays, "kind", np.uint8, keys.count)
        keys.payload = section(arrays, "payload", np.int64, keys.count)
        keys.slots = table_section(arrays, "slots", keys.count)
        return keys

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out of all but the hash table."""
        return 13 * self.count + self.slots.nbytes

    def view(self):
        """Return these keys as they are now."""
        keys: Keys = Keys.__new__(Keys)
        keys.seed, keys.count = self.seed, self.count
        keys.attribute, keys.kind, keys.payload, keys.slots = self.attribute, self.kind, self.payload, self.slots
        return keys

    def told(self, key: cython.int):
        """Return attribute, kind and payload of a key."""
        if key < 0 or key >= self.count:
            raise IndexError(key)
        return self.attribute[key], self.kind[key], self.payload[key]

    def number(self, attribute, kind, payload):
        """Return the number of a key, a new one if there is none."""
        key: cython.int = self.find(attribute, kind, payload)
        mask: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        if key >= 0:
            return key
        key = self.count
        if 2 * (key + 1) > self.slots.shape[0]:
            self.rehash(2 * self.slots.shape[0])
        if key >= self.attribute.shape[0]:
            attributes, kinds = grown(self.attribute, key + 1), grown(self.kind, key + 1)
            payloads = grown(self.payload, key + 1)
            self.attribute, self.kind, self.payload = attributes, kinds, payloads
        self.attribute[key] = attribute
        self.kind[key] = kind
        self.payload[key] = payload
        mask = self.slots.shape[0] - 1
        slot = _home(self.seed, attribute, kind, payload, mask)
        while self.slots[slot] >= 0:
            slot = (slot + 1) & mask
        self.slots[slot] = key
        self.count = key + 1
        return key

    def find(self, attribute, kind, payload):
        """Return the number of a key, or -1."""
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        slot: cython.Py_ssize_t = _home(self.seed, attribute, kind, payload, mask)
        key: cython.int = self.slots[slot]
        while key >= 0:
            # Beyond the count of a view is a key that came later.
            if (
                key < self.count
                and self.payload[key] == payload
                and self.attribute[key] == attribute
                and self.kind[key] == kind
            ):
                return key
            slot = (slot + 1) & mask
            key = self.slots[slot]
        return -1

    def take_back(self, count):
        """Take the keys from ``count`` on out again, the last first: so the slots are as they were before them.

        Not for keys that there are views of: a search might pass by a slot that is free for a moment.
        """
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        slot: cython.Py_ssize_t
        key: cython.int
        while self.count > count:
            key = self.count - 1
            slot = _home(self.seed, self.attribute[key], self.kind[key], self.payload[key], mask)
            while self.slots[slot] != key:
                slot = (slot + 1) & mask
            self.slots[slot] = -1
            self.count = key
        return 0

    def rehash(self, size):
        slots: cython.int[::1] = filled(size, -1, np.int32)
        slot: cython.Py_ssize_t
        key: cython.int
        for key in range(self.count):
            slot = _home(self.seed, self.attribute[key], self.kind[key], self.payload[key], size - 1)
            while slots[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            slots[slot] = key
        self.slots = slots
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _home(
    start: cython.ulonglong,
    attribute: cython.int,
    kind: cython.int,
    payload: cython.longlong,
    mask: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    state: cython.ulonglong = mixed(start, cython.cast(cython.ulonglong, attribute))
    state = mixed(mixed(state, cython.cast(cython.ulonglong, payload)), cython.cast(cython.ulonglong, kind))
    return cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))

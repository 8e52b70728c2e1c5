# Children by parent and label, in one hash table that searches read while a writer adds.

cimport cython

from hedgerow.symbols_cy cimport mixed

@cython.final
cdef class Edges:
    cdef readonly int count
    cdef unsigned long long seed
    cdef unsigned long long[::1] slots  # by slot: parent and label as one number, and the child plus one

    cdef int find(self, int parent, int label) noexcept nogil
    cdef int add(self, int parent, int label, int child) except -1
    cdef int remove(self, int parent, int label) except -1
    cdef int rehash(self, Py_ssize_t size) except -1


cdef inline unsigned long long edge_name(int parent, int label) noexcept nogil:
    return <unsigned long long> parent << 32 | <unsigned long long> label


cdef inline int edge_child(
    const unsigned long long* slots, unsigned long long mask, unsigned long long seed, int parent, int label
) noexcept nogil:
    # The child, or -1. ``mask`` is the number of slots less one.
    cdef unsigned long long name = edge_name(parent, label)
    cdef unsigned long long slot = mixed(seed, name) & mask
    while slots[2 * slot + 1]:
        if slots[2 * slot] == name:
            return <int> slots[2 * slot + 1] - 1
        slot = (slot + 1) & mask
    return -1

# Where truth gets to from a literal, for the tree that must forget it and the searches that go there.

cimport cython

# Elements of a list before those that it leads to.
cdef enum:
    HEADER = 5

@cython.final
cdef class Reach:
    cdef int[::1] place
    cdef int[::1] arena
    cdef int used
    cdef long long lost
    cdef readonly bint full
    cdef unsigned long long[::1] passed
    cdef unsigned long long[::1] silent
    cdef readonly long long version
    cdef public bint patience
    cdef int[::1] stack

    cdef bint is_empty(self) noexcept
    cpdef int fit(self, int literals, int nodes) except -1
    cdef int room(self, long long size, long long most) except -2
    cdef int clear(self) except -1
    cdef int forget(self, int number) except -1
    cdef bint is_mostly_lost(self) noexcept
    cdef int push(self, int depth, int node) except -1

cdef inline bint has_bit(unsigned long long[::1] bits, int node) noexcept nogil:
    return node >> 6 < bits.shape[0] and bits[node >> 6] >> (node & 63) & 1

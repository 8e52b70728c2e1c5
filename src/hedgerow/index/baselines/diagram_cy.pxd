# A shared decision diagram. What follows its nodes for an event reads the arrays of ``nodes``.

cimport cython

from hedgerow.index.chassis.keys_cy cimport Keys

cdef enum Terminal:
    TERMINAL_FALSE = 0
    TERMINAL_TRUE = 1

@cython.final
cdef class Diagram:
    cdef Keys nodes
    cdef Keys pairs
    cdef int[::1] joint
    cdef int[::1] waiting
    cdef Py_ssize_t depth
    cdef long long steps

    cdef int begin(self) except -1
    cdef int take_back(self, int count) except -1
    cdef int swept(self, int count, int root) except -1
    cdef int spend(self) except -1
    cdef int node(self, int variable, int low, int high) except -1
    cdef int chain(self, int kind, const long long* variables, Py_ssize_t count) except -1
    cdef int joined_all(self, int kind, int[::1] parts, Py_ssize_t count) except -1
    cdef int joined(self, int kind, int first, int second) except -1
    cdef int joined_below(self, int pair, int kind) except -2
    cdef int known(self, int kind, int first, int second) except -2
    cdef int side(self, int node, int variable, bint high) noexcept


cdef inline int low_of(long long payload) noexcept nogil:
    return <int> (payload >> 32)

cdef inline int high_of(long long payload) noexcept nogil:
    return <int> (payload & 0x7FFFFFFF)

cdef inline long long ends(int low, int high) noexcept nogil:
    return (<long long> low << 32) | high

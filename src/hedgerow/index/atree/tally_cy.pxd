cimport cython

@cython.final
cdef class Tally:
    cdef int width
    cdef int words
    cdef long long[::1] counts
    cdef unsigned long long[::1] planes
    cdef unsigned long long[::1] carry
    cdef unsigned long long[::1] held
    cdef bint holds_one

    cdef int begin(self, long long[::1] counts, int words) except -1
    cdef void add(self, unsigned long long handle) noexcept nogil
    cdef void add_bits(self, unsigned long long* bits) noexcept nogil
    cdef void ripple(self, unsigned long long* carry, int first) noexcept nogil
    cdef int end(self) except -1 nogil

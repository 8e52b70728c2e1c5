cimport cython

@cython.final
cdef class Part:
    cdef long long first
    cdef long long last
    cdef long long[::1] counts
    cdef long long[::1] cursors
    cdef long long noted
    cdef int[::1] slot
    cdef unsigned long long[::1] handle
    cdef unsigned long long[::1] events

    cdef void note(self, long long slot, unsigned long long handle) noexcept nogil
    cdef int place(self, long long[::1] starts) except -1

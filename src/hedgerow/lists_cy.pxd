# What compiled readers use of the lists.

cimport cython

@cython.final
cdef class Lists:
    cdef long long[::1] place
    cdef int[::1] room
    cdef int[::1] arena
    cdef readonly int count
    cdef long long used

    cdef int new_list(self) except -1
    cdef int append(self, int number, int value) except -1
    cdef int erase(self, int number, int index) except -1
    cdef int drop(self, int number, int index) except -2


cdef inline long long list_start(long long place) noexcept nogil:
    return place >> 24

cdef inline long long list_length(long long place) noexcept nogil:
    return place & 0xFFFFFF

cimport cython

@cython.final
cdef class Counts:
    cdef int[::1] key
    cdef int[::1] count
    cdef Py_ssize_t used

    cpdef int add(self, int key, int amount) except? -1
    cdef Py_ssize_t home_of(self, int key) noexcept
    cdef Py_ssize_t slot_of(self, int key) noexcept
    cdef int make(self, Py_ssize_t size) except -1
    cdef int grow(self) except -1

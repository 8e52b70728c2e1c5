cimport cython

@cython.final
cdef class Listed:
    cdef int[::1] slots
    cdef long long count
    cdef long long counted
    cdef list waiting

    cpdef int add(self, int[::1] slots, long long count) except -1 nogil
    cdef int move_up(self) except -1

@cython.final
cdef class Shares:
    cdef long long[::1] counts
    cdef long long[::1] names
    cdef readonly long long[::1] first
    cdef long long[::1] begin
    cdef long long[::1] total
    cdef long long[::1] found
    cdef Py_ssize_t next_share
    cdef Py_ssize_t known
    cdef readonly list listed

    cpdef Py_ssize_t take(self) except? -1
    cpdef int finish(self, Py_ssize_t share, Listed listed) except -1
    cpdef int write(self, Listed listed) except -1
    cdef int write_names(self, int* slots, Py_ssize_t share) except -1 nogil
    cdef int enlarge(self, long long size) except -1

# What engines and their searches use of the slots.

cimport cython

@cython.final
cdef class Slots:
    cdef int[::1] root
    cdef int[::1] scored
    cdef double[::1] weight
    cdef long long[::1] died
    cdef readonly bint has_scored
    cdef readonly bint has_weights
    cdef readonly bint has_died
    cdef readonly int count
    cdef readonly int committed
    cdef readonly long long version
    cdef readonly double greatest  # weight of all that ever came, 0 at least

    cdef int reserve(self, bint scored, bint weighted) except -1
    cdef int add(self, int root, int scored, double weight) except -1
    cdef bint is_live(self, int slot) except -1
    cdef int check(self, int slot) except -1
    cdef int scored_at(self, int slot) except -2
    cdef double weight_at(self, int slot) except? -1

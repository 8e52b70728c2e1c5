# What the finder and the ranges ask of the list at hand.

cimport cython

from hedgerow.predicate.outcome_cy cimport Outcomes

cdef struct Member:
    long long key
    long long payload
    int kind

@cython.final
cdef class Marks:
    cdef unsigned long long[::1] bits
    cdef int[::1] touched
    cdef Py_ssize_t count

    cdef int fit(self, Py_ssize_t size) except -1 nogil
    cdef bint has(self, int number) except -1 nogil
    cdef bint put(self, int number) except -1 nogil
    cdef int clear(self) except -1 nogil

@cython.final
cdef class Members:
    cdef Outcomes outcomes
    cdef readonly Marks numbers
    cdef readonly Marks keys
    cdef readonly Marks strings

    cdef long long first
    cdef long long last
    cdef bint measured
    cdef bint ordered
    cdef Member[4] least
    cdef Member[4] greatest
    cdef Py_ssize_t[5] start
    cdef Member* members
    cdef Py_ssize_t room
    cdef readonly long long orderings

    cdef int begin(self, long long number, int number_limit, int key_limit) except -1 nogil
    cdef int end(self) except -1 nogil
    cdef bint any_between(self, int family, long long low, long long high) except -1 nogil
    cdef bint literal(self, int code) except -1 nogil

    cdef int measure(self) except -1 nogil
    cdef int order(self) except -1 nogil
    cdef int make_room(self, Py_ssize_t needed) except -1 nogil
    cdef int sort(self, Member* members, Member* spare, Py_ssize_t count) except -1 nogil
    cdef int merge(
        self, const Member* source, Py_ssize_t first, Py_ssize_t middle, Py_ssize_t last, Member* target
    ) except -1 nogil
    cdef int copy(self, const Member* source, Py_ssize_t count, Member* target) noexcept nogil
    cdef bint before(self, const Member* one, const Member* other) except -1 nogil
    cdef bint text_before(self, long long one, long long other) except -1 nogil
    cdef bint some(self, int predicate, int operator) except -1 nogil
    cdef bint some_ordered(self, int operator, int family, long long operand) except -1 nogil
    cdef bint some_listed(self, int predicate, int operator) except -1 nogil
    cdef bint has_operand(self, long long operand) except -1 nogil
    cdef Py_ssize_t first_from(self, int family, long long operand) except -1 nogil

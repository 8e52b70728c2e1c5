# What an event looks for in predicate lists.

cimport cython

from hedgerow.index.chassis.literals_cy cimport Holding
from hedgerow.predicate.outcome_cy cimport Outcomes

cdef struct Probe:
    int line
    int operation
    unsigned long long bit
    long long low  # the key, or the least of those of a list
    long long high
    long long entry
    bint listed

@cython.final
cdef class Probes:
    cdef Outcomes outcomes
    cdef Holding holding
    cdef unsigned char[::1] operation_of  # by literal
    cdef unsigned char[::1] value_room
    cdef unsigned char[::1] range_room
    cdef unsigned char[::1] number_room
    cdef int value_count
    cdef int range_count
    cdef int number_count
    cdef long long[::1] sorted

    cdef int begin(self, long long row) except -1 nogil
    cdef int make_room(self, long long values, long long ranges, long long numbers) except -1
    cdef int add_number(self, int number) noexcept nogil
    cdef int add_value(self, int attribute, int kind, long long payload, long long entry, bint listed) noexcept nogil
    cdef int add_range(self, int attribute, int kind, long long low, long long high, long long entry, bint listed) noexcept nogil
    cdef int add_scalar(self, int attribute, int kind, long long payload, long long entry) noexcept nogil
    cdef int add_list(self, int attribute, long long entry) except -1 nogil
    cdef int add_elements(self, int attribute, int kind, long long entry) except -1 nogil
    cdef int add_hull(self, int attribute, int kind, long long entry) noexcept nogil
    cdef Probe* values(self) noexcept nogil
    cdef Probe* ranges(self) noexcept nogil
    cdef Probe* numbers(self) noexcept nogil

# The elements of the lists of a block of events, by attribute and value.

cimport cython

from hedgerow.predicate.outcome_cy cimport Outcomes

@cython.final
cdef class Elements:
    cdef Outcomes outcomes
    cdef int[::1] event_string
    cdef int[::1] first_value
    cdef unsigned char[::1] value_kind
    cdef long long[::1] value_payload
    cdef int[::1] value_start
    cdef unsigned short[::1] event
    cdef unsigned char[::1] gathered

    cdef int begin(self, long long first_row, int event_count) except -1
    cdef int gather(self, long long first_row, int event_count) except -1 nogil
    cdef int part(self, int attribute_count, long long total) except -1 nogil
    cdef int mark(self, int predicate, int base, int attribute, unsigned long long* bits) except -1 nogil
    cdef int mark_listed(self, int predicate, int attribute, unsigned long long* bits) except -1 nogil
    cdef int mark_value(self, int value, unsigned long long* bits) except -1 nogil
    cdef int find(self, int attribute, int kind, long long payload) except -2 nogil

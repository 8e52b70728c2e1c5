# The literals that an engine of literals asks for, and those that an event makes true.

cimport cython

from hedgerow.language.graph_cy cimport Graph
from hedgerow.lists_cy cimport Lists
from hedgerow.predicate.finder_cy cimport Finder, Found
from hedgerow.predicate.outcome_cy cimport Outcomes
from hedgerow.predicate.table_cy cimport PredicateTable

@cython.final
cdef class Literals:
    cdef Graph graph
    cdef PredicateTable table
    cdef readonly Finder finder
    cdef readonly int count
    cdef int[::1] of_code
    cdef unsigned char[::1] families
    cdef int[::1] next_there
    cdef int[::1] first_there

    cdef int number(self, int code) except -1
    cdef bint is_denied(self, int code) except -1
    cdef int denied(self, int code) except -1
    cdef int there(self, int code) except -1
    cdef int add(self, unsigned char families) except -1

@cython.final
cdef class Holding:
    cdef Outcomes outcomes
    cdef Found found
    cdef int limit
    cdef unsigned char[::1] families
    cdef int[::1] next_there
    cdef int[::1] first_there
    cdef unsigned char[::1] holds
    cdef int[::1] numbers
    cdef int count

    cdef int find(self, long long row) except -1 nogil
    cdef int find_there(self, int attribute, long long entry) except -1 nogil
    cdef int note(self, int number) noexcept nogil

@cython.final
cdef class ListsView:
    cdef Lists lists
    cdef long long[::1] place
    cdef int[::1] arena
    cdef int count

    cdef int begin(self, Lists lists) except -1
    cdef Py_ssize_t locate(self, int number) except -1 nogil

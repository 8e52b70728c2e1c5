# What units become in predicate lists.

cimport cython

from hedgerow.index.chassis.literals_cy cimport Literals
from hedgerow.index.opindex.partitions_cy cimport Draft
from hedgerow.index.opindex.pivots_cy cimport Pivots
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.table_cy cimport PredicateTable

@cython.final
cdef class Entries:
    cdef Graph graph
    cdef PredicateTable table
    cdef Literals literals
    cdef Pivots pivots
    cdef unsigned char[::1] operation_of  # by literal, the lists that ask for it
    cdef int[::1] asked_by  # by literal, how many units a draft had under pivots when one asked for it last

    cdef int prepare_unit(self) except -1
    cdef int prepare(self, int code, bint alone) except -1
    cdef int note(self, int number, int operation) except -1
    cdef int operation(self, int code) except -1
    cdef bint is_keyed(self, int code, bint alone) except -1
    cdef int begin(self) except -1
    cdef int draft(self, Draft draft) except -1
    cdef int draft_clause(self, Draft draft, int first, int last) except -1
    cdef int draft_literal(self, Draft draft, int code) except -1
    cdef int draft_number(self, Draft draft, int number, int operation, int code) except -1
    cdef int draft_keyed(self, Draft draft, int code, int counter) except -1
    cdef int draft_values(self, Draft draft, int predicate, int counter) except -1
    cdef int draft_range(self, Draft draft, int predicate, int counter) except -1

# The pivots of an index, and the clauses of the unit at hand.

cimport cython

from hedgerow.index.chassis.literals_cy cimport Literals
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.table_cy cimport PredicateTable

@cython.final
cdef class Pivots:
    cdef Graph graph
    cdef PredicateTable table
    cdef Literals literals
    cdef object log
    cdef bint random
    cdef int start  # what pivots at random are drawn from

    cdef int count
    cdef int[::1] of_attribute
    cdef int[::1] attribute  # by pivot
    cdef double[::1] frequency  # by attribute
    cdef int named  # attributes that have their frequency

    # The unit at hand: its literals, clause by clause.
    cdef int[::1] code
    cdef int[::1] clause_start
    cdef int clause_count

    # What was found last for it: the attributes of a clause, or pivots.
    cdef int[::1] found
    cdef int found_count
    cdef long long[::1] found_by  # by attribute, the last gathering that came to it
    cdef long long gathering

    cdef int name_attributes(self) except -1
    cdef int read(self, int node) except -1
    cdef int read_clause(self, int node) except -1
    cdef int needed(self, int code) except -2
    cdef bint gather(self, int clause) except -1
    cdef double burden(self) except? -1
    cdef double burden_of(self, int choice) except? -1
    cdef int choose(self, int unit) except? -1
    cdef int make(self, int attribute) except -1
    cdef int find(self, int choice) except -1
    cdef int rarest(self) except -2
    cdef int drawn(self, int unit) except -2
    cdef Py_ssize_t most_entries(self) except -1

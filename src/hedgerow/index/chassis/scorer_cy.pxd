# Scores of expressions, for the best matches of an event.

cimport cython

from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.outcome_cy cimport Outcomes
from hedgerow.predicate.table_cy cimport PredicateTable

@cython.final
cdef class Scorer:
    cdef Outcomes outcomes
    cdef unsigned char[::1] kind
    cdef int[::1] code
    cdef long long[::1] start
    cdef int[::1] child
    cdef int event
    cdef int[::1] known
    cdef unsigned char[::1] holds
    cdef double[::1] score
    cdef int[::1] stack

    # Where greatest scores are wanted.
    cdef bint bounding
    cdef double[::1] listed_weight
    cdef unsigned char[::1] operator
    cdef unsigned int[::1] operand

    cdef int take(self, Graph graph, Outcomes outcomes, int node_count) except -1
    cdef int take_bounds(self, Graph graph, PredicateTable table) except -1
    cdef double bound_of(self, int root) except? -1
    cdef int settle_bound(self, int node, int code) except -1 nogil
    cdef int begin(self) except -1
    cdef double score_of(self, int root) except? -1 nogil
    cdef Py_ssize_t push_unknown(self, int node, Py_ssize_t depth) except -1 nogil
    cdef int settle(self, int node) except -1 nogil
    cdef int settle_literal(self, int node) except -1 nogil
    cdef int lengthen(self, Py_ssize_t needed) except -1

# What the engine uses to score: bounds when an expression comes, the best matches when one asks for them.

cimport cython

from hedgerow.index.atree.tree_cy cimport Tree
from hedgerow.predicate.outcome_cy cimport Outcomes
from hedgerow.predicate.table_cy cimport PredicateTable

cdef enum Standing:
    FAILS = 0
    HOLDS = 1
    HOLDS_UNADDED = 2

@cython.final
cdef class Scorer:
    cdef Outcomes outcomes
    cdef PredicateTable table
    cdef unsigned char[::1] kind
    cdef long long[::1] body
    cdef int[::1] parts
    cdef unsigned char[::1] operator

    cdef int event
    cdef int[::1] seen_at
    cdef unsigned char[::1] standing
    cdef double[::1] score
    cdef int meeting
    cdef int[::1] met
    cdef int[::1] stack
    cdef int[::1] groups

    cdef int begin(self, Tree tree, Outcomes outcomes, int node_count) except -1
    cdef int end(self) except -1
    cdef float bound(self, Tree tree, int node) except? -1
    cdef double worth(self, int node) except? -1 nogil

    cdef int evaluate(self, int node) except -1 nogil
    cdef int stack_unknown(self, int node, int depth) except -1 nogil
    cdef int settle(self, int node, int standing, double score) except -1 nogil
    cdef int settle_leaf(self, int node) except -1 nogil
    cdef double greatest_weight(self, int predicate) except? -1 nogil
    cdef int settle_or(self, int node) except -1 nogil
    cdef int settle_and(self, int node) except -1 nogil
    cdef double settled(self, int node) except? -1 nogil
    cdef double added(self, int node) except? -1 nogil
    cdef int push(self, int depth, int node) except -1 nogil

@cython.final
cdef class Best:
    cdef Scorer scorer
    cdef int[::1] root
    cdef double[::1] weight
    cdef float[::1] bound
    cdef double scale
    cdef readonly long long scored

    cdef int[::1] queue
    cdef double[::1] queue_bound
    cdef Py_ssize_t queued
    cdef int[::1] kept
    cdef double[::1] kept_score
    cdef Py_ssize_t count

    cdef int fill(self, const int[::1] slots) except -1 nogil
    cdef int choose(self, Py_ssize_t n) except -1 nogil
    cdef double exact(self, int slot) except? -1 nogil
    cdef int keep(self, int slot, double score, Py_ssize_t n) except -1 nogil

# The k-index for DNF, for those who key its literals otherwise.

from hedgerow.index.chassis.searcher_cy cimport Searcher
from hedgerow.index.kindex.keyed_cy cimport KeyedEngine
from hedgerow.predicate.outcome_cy cimport Outcomes

cdef class KIndexEngine(KeyedEngine):
    cdef long long[::1] items  # of the unit at hand: a key, and what it does
    cdef int item_count
    cdef int size

    cdef int add_unit(self, int unit, int node) except -1
    cdef int unite(self) except -1
    cdef int add_item(self, long long key, long long does) except -1
    cdef int add_literal(self, int unit, int code) except -1
    cdef int add_found(self, int code) except -1
    cdef int add_keys(self, int code, int way, long long does) except -1
    cdef Searcher new_searcher(self, Outcomes outcomes)

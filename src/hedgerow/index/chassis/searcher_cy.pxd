# The base of an engine's searches. ``hit`` is inlined into the loops that report what matches.

cimport cython

from hedgerow.index.chassis.scorer_cy cimport Scorer
from hedgerow.index.chassis.slots_cy cimport Slots
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.outcome_cy cimport Outcomes

cdef class Searcher:
    cdef Outcomes outcomes
    cdef Graph graph
    cdef bint stopped
    cdef long long changes
    cdef readonly long long visits
    cdef readonly long long skipped  # lists, or matches, that bounds let a ranking pass over
    cdef readonly long long checked  # units whose literals were looked at, where that is not a visit by itself

    # What counts, as it was when the search began.
    cdef int slot_limit
    cdef readonly long long version
    cdef int node_limit
    cdef bint any_died
    cdef long long[::1] died
    cdef Slots slots

    # Units that the row begun has hit, and then the slots that match it.
    cdef int[::1] hits
    cdef int hit_count
    cdef int[::1] matched
    cdef Scorer scorer

    cdef int run(self, long long row) except -1 nogil
    cdef int settle(self) except -1 nogil
    cdef int find(self, long long row) except -1 nogil
    cdef object match_rows(self, long long first, long long last)
    cdef object count_rows(self, long long first, long long last)
    cdef object best_of(self, long long row, Py_ssize_t n)
    cdef int score_matched(self, double[::1] scores) except -1
    cdef double score_at(self, int slot) except? -1

cdef class MarkingSearcher(Searcher):
    cdef unsigned long long[::1] bits
    cdef unsigned long long[::1] summary

    cdef int settle(self) except -1 nogil
    cdef int mark(self, int slot) noexcept nogil
    cdef int write(self) except -1 nogil


cdef inline void hit(Searcher searcher, int unit) noexcept nogil:
    # Each unit of a search may be hit once a row: there is room for no more.
    searcher.hits[searcher.hit_count] = unit
    searcher.hit_count = searcher.hit_count + 1

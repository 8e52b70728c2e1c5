# The base of engines.

cimport cython

from hedgerow.index.chassis.searcher_cy cimport Searcher
from hedgerow.index.chassis.slots_cy cimport Slots
from hedgerow.language.copy_cy cimport Copier
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.outcome_cy cimport Outcomes
from hedgerow.predicate.table_cy cimport PredicateTable

cdef class BaseEngine:
    cdef readonly str missing
    cdef readonly Graph graph
    cdef readonly PredicateTable table
    cdef readonly Slots slots
    cdef bint rewrites
    cdef bint removes  # whether deleted slots are taken out of the structure when no search runs
    cdef list leaving  # slots that wait for that
    cdef int running
    cdef bint loose  # whether what is taken now scores otherwise than the form in which it is taken
    cdef int ready_nodes
    cdef int committed_nodes
    cdef Copier copier
    cdef long long generation
    cdef list idle
    cdef list scorers
    cdef long long changes
    cdef long long last_visits
    cdef readonly long long last_skipped
    cdef readonly long long last_checked

    # What an engine says.
    cdef int simplified(self, Graph graph, int node) except -1
    cdef int form(self, Graph graph, int node) except -1
    cdef int take(self, int slot, int root) except -1
    cdef int take_back(self, int count) except -1
    cdef int let_go(self, int slot) except -1
    cdef int keep_written(self, int slot, Graph graph, int node, int formed) except -1
    cdef int publish(self) except -1
    cdef Searcher new_searcher(self, Outcomes outcomes)

    # What it has.
    cdef int copied(self, Graph graph, int node) except -1
    cdef int change(self) except -1
    cdef Searcher begin(self, object events, object weights)
    cdef int end(self, Searcher searcher) except -1
    cdef int let_all_go(self) except -1
    cdef list crew(self, object events, int threads)
    cdef list begun(self, object events, int threads)
    cdef list shared(self, object events, int threads, bint counting)

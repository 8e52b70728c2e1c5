# Units, their owners, and the bases of what is made of units.

cimport cython

from hedgerow.index.chassis.engine_cy cimport BaseEngine
from hedgerow.index.chassis.searcher_cy cimport MarkingSearcher
from hedgerow.index.chassis.slots_cy cimport Slots
from hedgerow.language.graph_cy cimport Graph
from hedgerow.language.rewrite.clauses_cy cimport Clauses

@cython.final
cdef class Units:
    cdef readonly int count
    cdef readonly int committed
    cdef readonly int entry_count
    cdef int[::1] of_node
    cdef int[::1] owner
    cdef int[::1] more
    cdef int[::1] live  # by unit, how many owners were not deleted, if units are removed
    cdef int[::1] entry_slot
    cdef int[::1] entry_next
    cdef int[::1] entry_last

    cdef int find(self, int node) except -2
    cdef int add(self) except -1
    cdef int know(self, int unit, int node) except -1
    cdef int own(self, int unit, int slot) except -1
    cdef bint is_orphan(self, int unit) except -1
    cdef int gain(self, int unit) except -1
    cdef int take_back(self, int slots) except -1
    cdef int count_live(self, Slots slots) except -1

cdef class UnitEngine(BaseEngine):
    cdef readonly Units units
    cdef Clauses clauses
    cdef bint shares

    cdef int add_unit(self, int unit, int node) except -1
    cdef int remove_unit(self, int unit) except -1
    cdef int form(self, Graph graph, int node) except -1
    cdef int joined(self, Graph graph) except -1
    cdef int take(self, int slot, int root) except -1
    cdef int take_clause(self, int slot, int node) except -1
    cdef int take_back(self, int count) except -1
    cdef int let_go(self, int slot) except -1
    cdef int let_clause_go(self, int node) except -1
    cdef int publish(self) except -1

cdef class UnitSearcher(MarkingSearcher):
    cdef int unit_limit
    cdef int entry_limit
    cdef int[::1] owner
    cdef int[::1] more
    cdef int[::1] entry_slot
    cdef int[::1] entry_next

    cdef int settle(self) except -1 nogil

# The search of OpIndex.

cimport cython

from hedgerow.index.chassis.literals_cy cimport ListsView, Literals
from hedgerow.index.chassis.units_cy cimport UnitSearcher
from hedgerow.index.opindex.partitions_cy cimport Partitions
from hedgerow.index.opindex.probes_cy cimport Probe, Probes
from hedgerow.lists_cy cimport Lists

@cython.final
cdef class OpIndexSearch(UnitSearcher):
    cdef Probes probes
    cdef Partitions partitions
    cdef ListsView tail
    cdef int[::1] tail_of
    cdef int[::1] pivot_of
    cdef unsigned char[::1] node_kind
    cdef long long[::1] node_start
    cdef int[::1] node_code
    cdef int[::1] child
    cdef int[::1] unit_node

    cdef int[::1] left  # by counter
    cdef int[::1] touched
    cdef int touched_count
    cdef int touched_most  # more are not noted: all counters of the pivot are set back then
    cdef long long[::1] once_seen
    cdef long long turn
    cdef int base  # the first counter of the pivot at hand
    cdef bint signed

    cdef int take_tail(self, Lists tail, int[::1] tail_of, int[::1] pivot_of, int[::1] unit_node) except -1
    cdef int take_lists(self, Partitions partitions, Literals literals, unsigned char[::1] operation_of) except -1
    cdef int visit(self, int pivot) except -1 nogil
    cdef int reset(self, int first, int count) noexcept nogil
    cdef int clear_counters(self, int size) noexcept nogil
    cdef int search_list(self, int number) except -1 nogil
    cdef int look_up(self, int number, int operation, Probe* probes, int count) except -1 nogil
    cdef long long place(self, int segment, int line, long long key) noexcept nogil
    cdef int take_equal(self, int segment, Probe* probe, bint denies) except -1 nogil
    cdef int take_at_most(self, int segment, Probe* probe) except -1 nogil
    cdef int take_at_least(self, int segment, Probe* probe) except -1 nogil
    cdef bint is_sure(self, long long at, Probe* probe, long long bound) noexcept nogil
    cdef bint holds(self, long long at, long long entry) except -1 nogil
    cdef int scan_keyed(self, long long first, long long last) except -1 nogil
    cdef int scan_numbers(self, long long first, long long last, bint denies) except -1 nogil
    cdef int count_all(self, long long first, long long last) except -1 nogil
    cdef int looked_at(self, long long count) except -1 nogil
    cdef int count_entry(self, long long at, bint listed) noexcept nogil
    cdef int deny(self, long long at) noexcept nogil
    cdef int touch(self, int counter) noexcept nogil
    cdef int test_tail(self, int number) except -1 nogil
    cdef bint is_true(self, int node) except -1 nogil
    cdef bint is_clause_true(self, int node) except -1 nogil

# The search by relation.

cimport cython

from hedgerow.index.betree.axes_cy cimport Axes
from hedgerow.index.betree.nodes_cy cimport Node
from hedgerow.index.betree.tree_cy cimport Tree
from hedgerow.index.chassis.relating_cy cimport Judge
from hedgerow.index.chassis.units_cy cimport UnitSearcher

cdef class BETreeRelating(UnitSearcher):
    cdef str missing
    cdef object events
    cdef Judge judge
    cdef Axes axes
    cdef Tree tree
    cdef int[::1] code
    cdef int[::1] stack
    cdef int[::1] literals  # of the record at hand

    # Where the event is, by entry.
    cdef unsigned char[::1] everywhere  # whether it may be in any bucket: it is a list
    cdef long long[::1] low  # by family, the hull of its set; none where low is above high
    cdef long long[::1] high
    cdef list keys  # the numbers of the values that it has, None if these are not some
    cdef long long[::1] covered_at
    cdef long long turn

    # Odd expressions.
    cdef int[::1] odd_slot
    cdef int[::1] odd_node
    cdef int odd_count

    cdef int take_odd(self, int[::1] slots, int[::1] nodes, int count) except -1
    cdef int relate(self, long long row) except -1
    cdef int mark_odd(self) except -1
    cdef int place(self, object event) except -1
    cdef int place_line(self, Py_ssize_t entry, Py_ssize_t family, object spans) except -1
    cdef long long end_key(self, object end) except? -1
    cdef list keys_of(self, object name, object said)
    cdef int walk(self) except -1
    cdef int push_halves(self, Node* node, int depth) except -1
    cdef int push_buckets(self, int number, int depth) except -1
    cdef int look_everywhere(self) except -1
    cdef int look(self, int number) except -1
    cdef int read(self, long long at) except -1
    cdef bint is_related(self, int count) except -1

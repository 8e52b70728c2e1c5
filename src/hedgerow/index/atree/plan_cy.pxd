# The tree as a batch wants it.

from hedgerow.index.atree.tree_cy cimport Tree

cdef class Plan:
    cdef readonly int literal_count
    cdef readonly int rank_count
    cdef int[::1] code
    cdef unsigned char[::1] kind
    cdef long long[::1] start
    cdef int[::1] child
    cdef readonly list level_ends
    cdef int[::1] slot_rank
    cdef readonly int slot_count

    cdef int[::1] rank_levels(self, Tree tree, int node_count)
    cdef int level_of(self, Tree tree, int[::1] levels, int node, list pending) except -1
    cdef int rank_nodes(self, Tree tree, int[::1] levels, int[::1] rank) except -1
    cdef int rank_literals(self, Tree tree, int[::1] levels, int[::1] rank) except -1
    cdef int take_children(self, Tree tree, int[::1] levels, int[::1] rank) except -1

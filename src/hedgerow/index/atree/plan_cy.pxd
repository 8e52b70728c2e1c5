# The tree as a batch wants it.

cimport cython

from hedgerow.index.atree.tree_cy cimport Tree

# How the values of an attribute are sorted: by sort, then by key. What has no key is tested one by one.
cdef enum:
    SORT_NUMBER = 0
    SORT_TIME = 1
    SORT_TRUTH = 2
    SORT_TEXT = 3
    SORT_OTHER = 4
    SORTS = 5

# A literal's form: operator * 16 + accepts FALSE * 8 + sort, or that it must be tested.
cdef enum:
    FORM_TESTED = 255

@cython.final
cdef class Plan:
    cdef readonly int literal_count
    cdef readonly int kept_count
    cdef readonly int rank_count
    cdef int highest
    cdef int[::1] code
    cdef int[::1] attribute
    cdef unsigned char[::1] form
    cdef long long[::1] low
    cdef long long[::1] high
    cdef unsigned char[::1] kind
    cdef long long[::1] start
    cdef int[::1] child
    cdef readonly list level_ends
    cdef int[::1] slot_rank
    cdef readonly int slot_count
    cdef bint crowded  # whether a batch had no room to keep sets of tops in

    cdef int take(self, Tree tree, int[::1] root) except -1
    cdef int[::1] levels(self)
    cdef int[::1] rank_levels(self, Tree tree, unsigned char[::1] wanted)
    cdef int level_of(self, Tree tree, int[::1] levels, unsigned char[::1] wanted, int node, list pending) except -1
    cdef int rank_nodes(self, Tree tree, int[::1] levels, unsigned char[::1] wanted, int[::1] rank) except -1
    cdef int rank_by_access(
        self, Tree tree, int[::1] levels, unsigned char[::1] wanted, int[::1] rank, long long[::1] following
    ) except -1
    cdef int rank_tops(self, int[::1] levels, unsigned char[::1] wanted, int[::1] rank, int[::1] root) except -1
    cdef int rank_literals(self, Tree tree, int[::1] levels, int[::1] rank) except -1
    cdef int set_literal(self, Tree tree, int rank, int code) except -1
    cdef int take_children(self, Tree tree, int[::1] levels, int[::1] rank) except -1

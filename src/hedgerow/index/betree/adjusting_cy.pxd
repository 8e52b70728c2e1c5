# What searches have told of a tree, and what comes of it.

cimport cython

from hedgerow.index.betree.tree_cy cimport Tree

@cython.final
cdef class Adjuster:
    cdef Tree tree
    cdef double[::1] looked  # by node
    cdef double[::1] wasted
    cdef double rows  # that this was told of
    cdef readonly long long reviews
    cdef readonly long long recycled

    cdef int forget(self) except -1
    cdef int tell(self, int node, int looked, int wasted) except -1
    cdef int adjust(self) except -1
    cdef bint is_due(self) except -1
    cdef int review(self) except -1
    cdef double loss_of(self, int node) except? -1.0
    cdef double rank_of(self, int node, double share) except? -1.0
    cdef int recycle(self, int node) except -1

cpdef double covered_worth(double share) noexcept

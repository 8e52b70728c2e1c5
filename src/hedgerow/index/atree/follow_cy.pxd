# Making the lists of literals, for the engine that knows which are wanted.

cimport cython

from hedgerow.index.atree.tree_cy cimport Tree

@cython.final
cdef class Follower:
    cdef int[::1] slots
    cdef int[::1] noted
    cdef int[::1] ors
    cdef int[::1] ands
    cdef int[::1] stack
    cdef unsigned char[::1] depths
    cdef long long slot_count
    cdef long long noted_count
    cdef long long or_count
    cdef long long and_length
    cdef int stacked

    cdef int follow(self, Tree tree, int number) except -1
    cdef int gather(self, Tree tree, int node) except -1
    cdef int take(self, Tree tree, int value, int depth) except -1
    cdef int pass_by(self, Tree tree, int node, int depth) except -1
    cdef int take_and(self, Tree tree, int node) except -1
    cdef int guards_of(self, Tree tree, int node, int* guards) except -1
    cdef int guards_of_or(self, Tree tree, long long place, int* guards) except -1
    cdef int guard_of_and(self, Tree tree, long long place) except -2
    cdef int attribute_of(self, Tree tree, int operand) except -2
    cdef bint passes(self, Tree tree, int node, int depth) except -1
    cdef int push(self, int node, int depth) except -1
    cdef int write(self, Tree tree, int number, int start) except -1

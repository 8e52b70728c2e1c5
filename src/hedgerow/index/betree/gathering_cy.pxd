# Nodes of which what is below them can be brought back.

from hedgerow.index.betree.nodes_cy cimport Nodes

cdef class Gathering(Nodes):
    # Scratch.
    cdef int[::1] below
    cdef int below_count
    cdef int[::1] parting
    cdef int parting_count

    cdef int leave(self, int node) except -1
    cdef int shrink(self, int node) except -1
    cdef bint are_few(self, int node) except -1
    cdef int gather(self, int node) except -1
    cdef int withdraw(self, int partition) except -1
    cdef int bring(self, int node) except -1
    cdef int list_rest(self) except -1
    cdef int list_children(self, int node) except -1
    cdef int list_partition(self, int partition) except -1
    cdef int put_below(self, int node) except -1
    cdef Py_ssize_t words_of(self, int node) except -1
    cdef int absorb(self, int node, int other) except -1

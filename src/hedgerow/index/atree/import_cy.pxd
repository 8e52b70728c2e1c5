# How an expression of another graph gets into a tree.

cimport cython

from hedgerow.index.atree.ahead_cy cimport Ahead
from hedgerow.index.atree.tree_cy cimport Tree
from hedgerow.language.copy_cy cimport Copier
from hedgerow.language.graph_cy cimport Graph

@cython.final
cdef class Importer:
    cdef Tree tree
    cdef Graph source
    cdef Copier copier
    cdef long long generation
    cdef long long frees
    cdef Py_ssize_t used
    cdef int reading
    cdef int[::1] known
    cdef int[::1] met
    cdef int meeting
    cdef int[::1] stack
    cdef int[::1] region
    cdef int[::1] found
    cdef int found_count
    cdef long long collected
    cdef Ahead ahead

    cdef int take(self, Graph graph, int node) except? -9
    cdef int forget_below(self, int node) except -1
    cdef int remember(self, Graph graph) except -1
    cdef int resolve(self, int code) except -1
    cdef int step(self, int code, int depth) except -9
    cdef int leaf(self, int node, bint negative) except? -9
    cdef int collect(self, int code) except -1
    cdef int collect_child(self, int kind, int code, int depth) except -1
    cdef bint is_nested(self, int kind, int code) except -1
    cdef int combine(self, int kind) except? -9
    cdef int push(self, int depth, int code) except -1
    cdef int below_not(self, int code) except -1
    cdef int kind_of(self, int code) except -1

# The tree of one expression, and how it is measured before it is written.

cimport cython

from hedgerow.language.graph_cy cimport Graph

@cython.final
cdef class Tree:
    cdef int count
    cdef int leaf_count
    cdef int deepest
    cdef unsigned char[::1] kind  # AND, OR, or that of a literal where the tree ends
    cdef int[::1] node  # of the graph
    cdef int[::1] parent
    cdef int[::1] ordinal  # among its siblings, from 1
    cdef unsigned char[::1] last  # whether no sibling comes after it
    cdef int[::1] leaves  # below it
    cdef int[::1] depth  # nodes above it
    cdef int[::1] left  # leaves before it
    cdef int[::1] operands

    cdef int write(self, Graph graph, int root, bint conjunctions) except -1
    cdef int add(self, int node, int parent, int ordinal, bint last) except -1
    cdef int extend(self, int needed) except -1
    cdef bint is_leaf(self, Graph graph, int place, bint conjunctions) except -1
    cdef int enter(self, Graph graph, int place, bint conjunctions) except -1
    cdef int take_operands(self, Graph graph, int node, bint conjunctions) except -1
    cdef int count_leaves(self) except -1

cdef int measure(Graph graph, int node, bint levels) except -1

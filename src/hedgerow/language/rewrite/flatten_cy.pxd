# What the order pass uses of this one.

from hedgerow.language.graph_cy cimport Graph

cdef int flattened(Graph graph, int node, bint by_number) except -1

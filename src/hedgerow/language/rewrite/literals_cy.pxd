# What an engine uses that makes literals of its own: no node is added to the graph.

from hedgerow.language.graph_cy cimport Graph

# ``reading`` is 0 where missing attributes are unknown, 4 where tests on them are false.
cdef int literal_code(Graph graph, int node, bint negative, int reading) except -1

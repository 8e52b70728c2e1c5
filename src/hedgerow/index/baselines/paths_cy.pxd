# What two rivals are made of: a tree whose edges are literals, with conjunctions packed at its nodes.

cimport cython

from hedgerow.index.chassis.keys_cy cimport Keys
from hedgerow.index.chassis.literals_cy cimport Holding, ListsView, Literals
from hedgerow.index.chassis.units_cy cimport UnitEngine, UnitSearcher
from hedgerow.lists_cy cimport Lists

cdef enum PathList:
    STARTS = 0  # the list of the nodes that every event comes to

cdef class PathEngine(UnitEngine):
    cdef Literals literals
    cdef Lists lists
    cdef Keys keys  # of each node but the root, by the node that leads to it and a literal
    cdef int[::1] children  # by node, the list of the nodes that its edges lead to
    cdef int[::1] ends  # by node, the list of what ends there
    cdef int[::1] attribute_of  # by literal; -1 if it is on no edge
    cdef int[::1] codes  # of the unit at hand
    cdef int code_count
    cdef int[::1] bits
    cdef int bit_count

    cdef int read(self, int node) except -1
    cdef int node_at(self, int parent, int literal, int attribute) except -1
    cdef int new_node(self, int siblings, int parent, int kind, int payload) except -1
    cdef int add_bits(self, int code) except -1
    cdef int add_bit(self, int literal, bint wanted) except -1
    cdef int end_at(self, int unit, int node) except -1

cdef class PathSearcher(UnitSearcher):
    cdef Holding holding
    cdef ListsView lists
    cdef Keys keys
    cdef int nodes
    cdef int[::1] children
    cdef int[::1] ends
    cdef int[::1] attribute_of
    cdef bint ordered
    cdef int[::1] held  # the literals that hold and are on edges
    cdef int held_count
    cdef int[::1] grouped
    cdef long long[::1] present  # their attributes
    cdef int present_count
    cdef int[::1] group  # by attribute
    cdef int[::1] stack
    cdef int[::1] held_from
    cdef int depth

    cdef int run(self, long long row) except -1 nogil
    cdef int hold_edges(self) except -1 nogil
    cdef int go_on(self, int node, int first) except -1 nogil
    cdef int group_held(self) except -1 nogil
    cdef int follow(self, int child, int literal) except -1 nogil
    cdef int push(self, int node, int first) except -1 nogil
    cdef int look(self, int node) except -1 nogil

# The fields and compiled methods that the passes use.

cimport cython

from hedgerow.language.graph_cy cimport Graph

@cython.final
cdef class Part:
    cdef int count
    cdef int kinds
    cdef int[::1] nodes
    cdef long long[::1] starts
    cdef int[::1] edges
    cdef int[::1] result
    cdef int[::1] mark
    cdef int[::1] operands
    cdef int[::1] stack

    cdef int entry_count
    cdef int[::1] entry_node
    cdef int[::1] entry_rank
    cdef int[::1] entry_mark
    cdef int[::1] slots
    cdef Py_ssize_t slot_count

    cdef int walk(self, Graph graph, int node) except -1
    cdef Py_ssize_t enter(self, Graph graph, int node, Py_ssize_t depth) except -1
    cdef int close(self, Graph graph, int entry) except -1
    cdef int entry_of(self, int node) except -1
    cdef int add_entry(self, int node, Py_ssize_t slot) except -1
    cdef int rehash(self) except -1
    cdef int make_room(self, long long widest) except -1
    cdef int put_operand(self, Py_ssize_t position, int node) except -1
    cdef int joined(self, Graph graph, int kind, Py_ssize_t count) except -1

cdef Part part_below(Graph graph, int node)
cdef int give_back(Part part) except -1

# What the passes that sort use.

from hedgerow.language.graph_cy cimport Graph

cdef class Sorter:
    cdef int[::1] items
    cdef int[::1] swap

    cdef int compare(self, int left, int right) except -2
    cdef int sort(self, Py_ssize_t first, Py_ssize_t last) except -1
    cdef int insert_run(self, Py_ssize_t first, Py_ssize_t last) except -1
    cdef int merge(self, Py_ssize_t first, Py_ssize_t middle, Py_ssize_t last) except -1

cdef int compare_values(Graph graph, long long left, long long right) except -2
cdef int compare_predicates(Graph graph, int left, int right) except -2

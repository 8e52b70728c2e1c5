# What goes from the parser's graph into an engine's.

cimport cython

from hedgerow.language.graph_cy cimport Graph

@cython.final
cdef class Copier:
    cdef readonly Graph source
    cdef readonly Graph target
    cdef int[::1] nodes
    cdef int[::1] predicates
    cdef int[::1] attributes
    cdef int[::1] strings
    cdef int[::1] stack
    cdef int[::1] operands
    cdef int looked
    cdef int copy_node(self, int node) except -1
    cdef int copy_part(self, int part) except -1
    cdef int copy_predicate(self, int number) except -1
    cdef int copy_attribute(self, int number) except -1
    cdef int copy_string(self, int number) except -1
    cdef int fit(self, Py_ssize_t predicates, Py_ssize_t names, Py_ssize_t strings) except -1
    cdef int take_over(self, Copier other) except -1
    cdef bint is_copied(self, int number) except -1 nogil
    cdef int recognise_to(self, Py_ssize_t count) except -1 nogil
    cdef int recognise_block(self, int first, int last) except -1 nogil
    cdef unsigned long long foresee(self, int number) except? 1 nogil
    cdef int find_attribute(self, int number) except -2 nogil
    cdef int find_string(self, int number) except -2 nogil
    cdef int candidate(self, unsigned long long state, int past) except -2 nogil
    cdef int fetch_values(self, int candidate) except -1 nogil
    cdef bint recognise(self, int number, int candidate) except -1 nogil

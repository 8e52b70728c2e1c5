# What goes ahead of an importer.

cimport cython

from hedgerow.index.atree.tree_cy cimport Tree
from hedgerow.language.copy_cy cimport Copier

@cython.final
cdef class Ahead:
    cdef Tree tree
    cdef Copier copier
    cdef int reading
    cdef int done
    cdef int[::1] code
    cdef unsigned long long[::1] state
    cdef int[::1] guess
    cdef unsigned int[::1] content

    cdef int begin(self, Copier copier) except -1
    cdef int forget(self) except -1
    cdef int look(self, int node) except -1
    cdef int grow(self, int count) except -1
    cdef int look_at(self, int first, int last) except -1
    cdef int find_predicates(self, int first, int last) except -1
    cdef int fetch_literals(self, int first, int last) except -1
    cdef int find_literals(self, int first, int last) except -1
    cdef int foresee_nodes(self, int first, int last) except -1
    cdef bint foresee_content(self, int node, int kind) except -1
    cdef int fetch_nodes(self, int first, int last) except -1
    cdef int find_nodes(self, int first, int last) except -1
    cdef int fetch_links(self, int first, int last) except -1
    cdef int fetch_operands(self, int node) except -1

# The fields and compiled methods that the engines use: after ``make``, ``count`` clauses stand in ``literal``, the one
# of number c from ``start[c]`` up to ``start[c + 1]``. All else is what a call works with.

cimport cython

from hedgerow.language.graph_cy cimport Graph
from hedgerow.language.rewrite.part_cy cimport Part

@cython.final
cdef class Clauses:
    cdef readonly bint dnf
    cdef readonly int limit
    cdef public str hint
    cdef readonly int count
    cdef int[::1] start
    cdef int[::1] literal

    cdef int outer
    cdef int inner
    cdef int[4] sides
    cdef unsigned long long seed

    cdef int kept
    cdef unsigned long long[::1] clause_hash
    cdef long long[::1] clause_mark
    cdef int[::1] slots
    cdef Py_ssize_t slot_count
    cdef long long serial
    cdef long long work

    cdef int[::1] leaf
    cdef int[::1] side
    cdef int[::1] base
    cdef int[::1] joint
    cdef unsigned long long[::1] base_hash
    cdef long long[::1] base_mark
    cdef bint contested

    cdef long long[::1] sets
    cdef int[::1] member
    cdef int[::1] other_start
    cdef int[::1] other_literal

    cdef int make(self, Graph graph, int node) except -1
    cdef int take(self, Graph graph, int node) except -1
    cdef int take_each(self, Graph graph, int node) except -1
    cdef int candidate(self, Graph graph, int node) except -1
    cdef int opposed_pair(self, Graph graph, Py_ssize_t base, Py_ssize_t top) except -1
    cdef int side_of(self, Graph graph, int code) except -1
    cdef int unfold(self, Graph graph, int node) except -1
    cdef int count_clauses(self, Graph graph, Part part) except -1
    cdef int number_literals(self, Graph graph, Part part) except -1
    cdef int find_opponents(self, Graph graph, int count) except -1
    cdef int put_set(self, Graph graph, Part part, int rank) except -1
    cdef Py_ssize_t side_by_side(self, Part part, int rank) except -1
    cdef Py_ssize_t product(self, Part part, int rank) except -1
    cdef Py_ssize_t product_of_two(self, Py_ssize_t first, Py_ssize_t last, int right) except -1
    cdef Py_ssize_t merged(self, int left, int right) except -1
    cdef bint opposed(self, Py_ssize_t base, Py_ssize_t top) except -1
    cdef int write(self, int rank) except -1
    cdef int keep(self, Py_ssize_t top) except -1
    cdef int close(self, Py_ssize_t top) except -1
    cdef bint is_same(self, int number, Py_ssize_t base, Py_ssize_t top) except -1
    cdef int empty_slots(self) except -1
    cdef int rehash(self) except -1
    cdef int grow_literals(self, Py_ssize_t needed) except -1
    cdef int grow_clauses(self) except -1
    cdef int put_member(self, Py_ssize_t position, int clause) except -1
    cdef int spend(self, long long literals) except -1
    cdef int slim(self) except -1
    cdef int make_room(self) except -1
    cdef object refusal(self, str text)

# An expression as clauses of tests, and how such a clause becomes entries.

cimport cython

from hedgerow.index.hedge.atoms_cy cimport Atoms
from hedgerow.index.hedge.entries_cy cimport Entries
from hedgerow.language.graph_cy cimport Graph

cdef enum TestKind:
    TEST_ANY = 0
    TEST_NONE = 1
    TEST_RANGE = 2
    TEST_LITERAL = 3
    TEST_LISTED = 4
    TEST_SOME = 5
    TEST_UNLISTED = 6
    TEST_TEXT = 7

@cython.final
cdef class Forms:
    cdef Atoms atoms
    cdef Graph graph
    cdef int limit  # clauses of an expression
    cdef readonly int test_count
    cdef int item_count
    cdef int clause_count
    cdef int top
    cdef int budget

    cdef unsigned char[::1] kind
    cdef int[::1] atom
    cdef int[::1] size
    cdef int[::1] code
    cdef int[::1] second  # the code of the other comparison of a range, or -1
    cdef int[::1] line
    cdef unsigned int[::1] low
    cdef unsigned int[::1] high
    cdef int[::1] families  # that its attribute must have a value of, or 0 where nothing need be there
    cdef double[::1] chance
    cdef int[::1] loose  # whether an atom of it is true by absence, so that it leads nowhere

    cdef int[::1] item
    cdef int[::1] clause_start
    cdef int[::1] clause_size
    cdef int[::1] stack

    cdef int make(self, int root) except -2
    cdef int expand(self, int node, int depth) except -2
    cdef int expand_or(self, int node, int depth) except -2
    cdef int put_literal(self, int clause, int code) except -1
    cdef bint narrow(self, int wide, int test) except -1
    cdef int some_of(self, int node) except -2
    cdef bint is_led(self, int clause) except -1
    cdef int expand_and(self, int node, int depth) except -2
    cdef int multiply(self, int base, int left, int right) except -2
    cdef int push_test(self, int test) except -2
    cdef int new_clause(self) except -2
    cdef bint put(self, int test) except -1
    cdef int push(self, int clause) except -2
    cdef bint merge(self, int group, int test) except -1
    cdef int test_of(self, int code) except -2
    cdef int find_text(self, int test) except -1
    cdef int add_atom(self, int test, int atom) except -1
    cdef int add_values(self, int test, int predicate) except -1
    cdef int read_denied(self, int test, int code) except -1
    cdef int read_range(self, int test, int code) except -1

# Where the clauses of an expression are filed.

cimport cython

from hedgerow.index.hedge.atoms_cy cimport Atoms
from hedgerow.index.hedge.entries_cy cimport Entries
from hedgerow.index.hedge.forms_cy cimport Forms

@cython.final
cdef class Filing:
    cdef Atoms atoms
    cdef Forms forms
    cdef int[::1] order
    cdef unsigned int[::1] rest
    cdef int rest_count
    cdef int[::1] access
    cdef readonly int access_count
    cdef unsigned long long[4] entry
    cdef int level

    # Entries that were made since the last commit, to be hidden if it does not come.
    cdef int[::1] filed_list
    cdef long long[::1] filed_index
    cdef int[::1] filed_slot
    cdef long long filed_count

    cdef int file(self, Entries entries, int slot, int clause, bint logged) except -1
    cdef int choose(self, int clause) except -2
    cdef double cost(self, int test) except? -1
    cdef bint has_cells(self, int test) except -1
    cdef double cell_cost(self, int test) except? -1
    cdef int lead_to(self, int test) except -1
    cdef int lead_by_value(self, int predicate) except -1
    cdef int sort_tests(self, int clause, int chosen) except -1
    cdef int write_columns(self, int count) except -1
    cdef bint fits_column(self, int test) except -1
    cdef int write_test(self, int column, int test) except -1
    cdef bint is_decided(self, int test) except -1
    cdef int write_rest(self, int test, bint in_column) except -1
    cdef int prefer_atoms(self, int count) except -1
    cdef bint is_exact(self, int test) except -1
    cdef double rank(self, int test) except? -1
    cdef int write_some(self, int node) except -1
    cdef int write_values(self, int test) except -1
    cdef int write_literal(self, int code, unsigned int kind) except -1
    cdef int push_rest(self, unsigned int word) except -1
    cdef int take_back(self, Entries entries, int count) except -1

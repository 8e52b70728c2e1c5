# One search of the hedge.

cimport cython

from hedgerow.index.chassis.keys_cy cimport Keys
from hedgerow.index.chassis.searcher_cy cimport MarkingSearcher
from hedgerow.index.hedge.atoms_cy cimport Atoms
from hedgerow.index.hedge.entries_cy cimport Entries
from hedgerow.predicate.finder_cy cimport Found

@cython.final
cdef class HedgeSearch(MarkingSearcher):
    cdef Keys keys
    cdef Found found
    cdef int atom_limit
    cdef int[::1] literal_atom
    cdef int[::1] first_presence
    cdef unsigned char[::1] presence_families
    cdef int[::1] presence_there
    cdef int[::1] presence_lacking
    cdef int[::1] next_presence
    cdef int presence_limit
    cdef int[::1] listed_atom
    cdef int[::1] line_of
    cdef unsigned int[::1] line_levels
    cdef int line_limit

    cdef Entries entries
    cdef long long[::1] place
    cdef unsigned long long[::1] words
    cdef unsigned int[::1] rest
    cdef unsigned char[::1] ranged
    cdef int list_count

    # Of the row begun.
    cdef unsigned char[::1] truth  # by code
    cdef unsigned char[::1] holds  # by atom
    cdef int[::1] held
    cdef int held_count
    cdef int[::1] lifted  # atoms of absence that are not true, since the attribute is there
    cdef int lifted_count
    cdef unsigned int[::1] least  # by line
    cdef unsigned int[::1] greatest
    cdef unsigned long long last_line  # which no attribute has
    cdef int[::1] lined
    cdef int lined_count

    # Of some rows, to learn from: for each one minus the number of its atoms minus one, and these.
    cdef int[::1] sampled
    cdef int sampled_count
    cdef int[::1] sampled_line
    cdef unsigned int[::1] sampled_value
    cdef int values_count
    cdef long long rows

    cdef object bounds  # by slot, of scores; None where none are wanted

    # What another engine has found, for expressions that have no clauses.
    cdef object beside
    cdef long long[::1] beside_start
    cdef int[::1] beside_slot
    cdef int[::1] slot_beside
    cdef int beside_limit
    cdef long long beside_row

    cdef int take_atoms(self, Atoms atoms) except -1
    cdef int take_entries(self, Entries entries) except -1
    cdef object limits(self, int count)
    cdef object scored(self, object positions)
    cdef object ranked(self, object positions, object scores, Py_ssize_t n)
    cdef int look_beside(self, long long first, long long last) except -1
    cdef int take_entry(self, int attribute, long long entry) except -1 nogil
    cdef int take_presence(self, int attribute, int kind) except -1 nogil
    cdef int take_value(self, int attribute, int kind, long long payload) except -1 nogil
    cdef int take_cells(self, int line, int attribute, int family, unsigned int value) except -1 nogil
    cdef int take_list(self, int attribute, long long number) except -1 nogil
    cdef int note_line(self, int line, unsigned int least, unsigned int greatest) except -1 nogil
    cdef int hold(self, int atom) except -1 nogil
    cdef int lift(self, int atom) except -1 nogil
    cdef int restore(self) except -1 nogil
    cdef int sample(self) except -1 nogil
    cdef int teach(self, Atoms atoms) except -1
    cdef int forget_sample(self) except -1
    cdef int scan(self, int atom) except -1 nogil
    cdef int scan_some(self, long long first, int count, bint ranged) except -1 nogil
    cdef int column_holds(self, unsigned long long word, unsigned long long test, int column) noexcept nogil
    cdef bint is_sure(self, unsigned long long word, long long at) noexcept nogil
    cdef int verify(self, int* left, int count, long long first) except -1 nogil
    cdef bint rest_holds(self, long long start, unsigned long long entry, long long entry_at) except -1 nogil
    cdef Py_ssize_t locate(self, int number) except -1 nogil

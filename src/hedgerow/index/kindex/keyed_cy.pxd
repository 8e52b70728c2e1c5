# What the k-index for DNF and that for CNF have in common: keys, postings, and the walk over sorted lists.

cimport cython

from hedgerow.index.chassis.keys_cy cimport Keys
from hedgerow.index.chassis.literals_cy cimport Holding, ListsView, Literals
from hedgerow.index.chassis.units_cy cimport UnitEngine, UnitSearcher
from hedgerow.index.kindex.postings_cy cimport Postings
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.outcome_cy cimport Outcomes

cdef enum Keying:
    BY_FOUND = 0  # a literal that the finder finds, with a key of its own
    BY_VALUES = 1
    BY_PIECES = 2

cdef struct Piece:
    int level
    long long prefix

cdef class KeyedEngine(UnitEngine):
    cdef readonly object options
    cdef bint dyadic
    cdef readonly Literals literals
    cdef readonly Keys keys
    cdef readonly Postings postings
    cdef int[::1] key_of_literal
    cdef int[::1] seen_by
    cdef unsigned long long[::1] levels
    cdef double[::1] bound_of_key
    cdef int greatest_size

    cdef int keying(self, int code) except -1
    cdef int literal_key(self, int number) except -1
    cdef int value_key(self, int code, long long position) except -1
    cdef int pieces_of(self, int code, Piece* pieces) except -1
    cdef int piece_key(self, int code, Piece piece) except -1
    cdef bint is_exact(self, long long position) except -1
    cdef long long range_key(self, long long position) except? -1
    cdef int raise_bound(self, int key, long long position) except -1
    cdef bint is_first_of(self, int unit, int code) except -1

cdef class KeyedSearcher(UnitSearcher):
    cdef Holding holding
    cdef Keys keys
    cdef Postings postings
    cdef ListsView tail
    cdef int shift
    cdef int width
    cdef bint doubtful

    cdef int list_limit
    cdef int main_lists
    cdef int[::1] first_list
    cdef int[::1] next_list
    cdef int[::1] list_size
    cdef long long[::1] begin
    cdef int[::1] entries
    cdef int[::1] tail_of
    cdef int[::1] key_of_literal
    cdef unsigned long long[::1] levels
    cdef double[::1] bound_of_key

    # The lists that a row leads to, by size.
    cdef unsigned char[::1] taken
    cdef int[::1] keys_taken
    cdef int key_count
    cdef int[::1] cursor_list
    cdef int[::1] cursor_group
    cdef double[::1] cursor_bound
    cdef int[::1] cursor_next
    cdef int cursor_count
    cdef int[::1] bucket
    cdef int[::1] sizes
    cdef int size_count

    # The walk over those of one size.
    cdef Py_ssize_t[::1] at
    cdef Py_ssize_t[::1] stop
    cdef int[::1] cursor
    cdef long long[::1] front
    cdef long long[::1] heap
    cdef int heap_count

    # Ranking.
    cdef bint sweeps
    cdef bint prunes
    cdef bint by_size
    cdef bint ranking
    cdef double threshold
    cdef double greatest_weight
    cdef double scale
    cdef int[::1] scored
    cdef double[::1] weight
    cdef double[::1] best_score
    cdef int[::1] best_slot
    cdef int best_count
    cdef double[::1] bounds

    cdef int run(self, long long row) except -1 nogil
    cdef int collect(self, long long row) except -1 nogil
    cdef int take_entry(self, int attribute, long long entry) except -1 nogil
    cdef int take_value(self, int attribute, int kind, long long payload, double weight) except -1 nogil
    cdef int take_key(self, int key, int group, double weight) except -1 nogil
    cdef int refresh_lists(self) except -1
    cdef int forget_row(self) except -1 nogil
    cdef int sort_sizes(self) except -1 nogil
    cdef int walk_size(self, int rank) except -1 nogil
    cdef int open_main(self, int rank) except -1 nogil
    cdef int open_tail(self, int rank) except -1 nogil
    cdef int walk(self, const int* base, int count, int wanted, bint loose) except -1 nogil
    cdef object best_of(self, long long row, Py_ssize_t n)
    cdef double greatest_of(self, long long row) except? -1 nogil
    cdef bint is_too_low(self, int rank) except -1 nogil
    cdef int found_unit(self, int unit) except -1 nogil
    cdef int rank_slot(self, int slot) except -1 nogil
    cdef bint is_worse(self, int one, int two) noexcept nogil
    cdef int swap_best(self, int one, int two) noexcept nogil
    cdef int sift_best(self) except -1 nogil
    cdef bint sweep(self, const int* base, int count, int wanted, bint loose) except -1 nogil
    cdef int walk_best(self, const int* base, int count, int wanted, bint loose) except -1 nogil
    cdef int pivot_of(self, int count, int wanted, bint loose) except -2 nogil
    cdef int judge(self, const int* base, int count, int wanted, int unit) except -1 nogil
    cdef int fill(self, const int* base, int count, int wanted) except -1 nogil
    cdef int gather(self, int wanted, long long ident) except -1 nogil
    cdef int advance(self, const int* base, int count, int wanted, long long target) except -1 nogil
    cdef int sift(self, int place) except -1 nogil
    cdef int push(self, long long value) except -1 nogil
    cdef long long pop(self) except? -1 nogil
    cdef int settle_front(self, int moved, int wanted) except -1 nogil


cdef int sort_values(long long* values, int count) noexcept nogil

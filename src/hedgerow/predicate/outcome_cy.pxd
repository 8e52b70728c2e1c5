# What engines use to test predicates: ``begin`` a row, then ask for outcomes, without the GIL.

cimport cython

from hedgerow.event.batch_cy cimport EventBatch
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.table_cy cimport PredicateTable

cdef enum Outcome:
    OUTCOME_FALSE = 0
    OUTCOME_TRUE = 1
    OUTCOME_UNDEFINED = 2

@cython.final
cdef class Outcomes:
    # Of the predicates.
    cdef Graph graph
    cdef int predicate_count
    cdef unsigned char[::1] operator
    cdef unsigned char[::1] family
    cdef int[::1] attribute
    cdef int[::1] listed_count
    cdef unsigned int[::1] start
    cdef unsigned char[::1] listed_kind
    cdef long long[::1] listed_payload
    cdef double[::1] listed_weight
    cdef unsigned char[::1] operand_heap
    cdef long long[::1] operand_starts
    cdef unsigned char[::1] folded_heap
    cdef long long[::1] folded_starts
    cdef PredicateTable table
    cdef bint missing_is_false

    # Of the events.
    cdef readonly EventBatch batch
    cdef long long[::1] row_start
    cdef int[::1] entry_attribute
    cdef unsigned char[::1] entry_kind
    cdef long long[::1] entry_payload
    cdef long long[::1] list_start
    cdef unsigned char[::1] element_kind
    cdef long long[::1] element_payload
    cdef unsigned char[::1] event_heap
    cdef long long[::1] event_starts
    cdef int[::1] attribute_of
    cdef int[::1] string_of
    cdef double[::1] entry_weight
    cdef double[::1] element_weight
    cdef bint weighted
    cdef dict remembered
    cdef readonly long long steps  # characters that LIKE and ILIKE compared

    # Of the row that was begun.
    cdef long long row
    cdef long long[::1] entry_of

    cdef long long patience  # steps until signals are let in

    cdef int spend(self, long long steps) except -1 nogil
    cdef int begin(self, long long row) except -1 nogil
    cdef int end(self) except -1 nogil
    cdef int outcome(self, int predicate) except -1 nogil
    cdef int literal(self, int code) except -1 nogil
    cdef int literal_at(self, int code, long long entry) except -1 nogil
    cdef double score(self, int predicate) except? -1 nogil

    cdef int base_outcome(self, int predicate, int base) except -1 nogil
    cdef int outcome_at(self, int predicate, int base, long long entry) except -1 nogil
    cdef int list_outcome(self, int predicate, int base, long long number) except -1 nogil
    cdef int has_all(self, int predicate, long long first, long long last) except -1 nogil
    cdef bint satisfies(self, int predicate, int base, int kind, long long payload) except -1 nogil
    cdef int count_of(self, int predicate) except -1 nogil
    cdef Py_ssize_t listed_at(self, int predicate, int kind, long long payload) except -2 nogil
    cdef int compared(self, int kind, long long payload, long long operand) except -2 nogil
    cdef bint text_satisfies(self, int predicate, int base, long long string) except -1 nogil
    cdef bint regex_satisfies(self, int predicate, long long string) except -1
    cdef object text_of(self, long long string)
    cdef object found_regexes(self, int attribute, long long string)

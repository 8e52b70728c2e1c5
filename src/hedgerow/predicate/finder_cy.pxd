# What engines use to find literals: add and remove on the writer's side, find on the readers'.

from hedgerow.language.graph_cy cimport Graph
from hedgerow.lists_cy cimport Lists
from hedgerow.predicate.outcome_cy cimport Outcomes
from hedgerow.predicate.table_cy cimport PredicateTable

cdef class Finder:
    cdef readonly Graph graph
    cdef PredicateTable table
    cdef readonly Lists lists
    cdef int key_count
    cdef int[::1] key_attribute
    cdef unsigned char[::1] key_kind
    cdef long long[::1] key_payload
    cdef int[::1] key_list
    cdef int[::1] slots
    cdef int[::1] tested
    cdef int[::1] node_index
    cdef int[::1] value_index

    cdef int[::1] code

    cdef int add(self, int number, int code) except -1
    cdef int remove(self, int number) except -1
    cdef int reserve(self, int number) except -1
    cdef int single_list(self, int code) except -2
    cdef int list_of_key(self, int attribute, int kind, long long payload) except -1
    cdef int list_of_tested(self, int attribute) except -1
    cdef int rehash(self, Py_ssize_t size) except -1

cdef class Found:
    cdef Finder finder
    cdef Outcomes outcomes
    cdef int node_count
    cdef int key_count
    cdef int[::1] node_code
    cdef int[::1] key_attribute
    cdef unsigned char[::1] key_kind
    cdef long long[::1] key_payload
    cdef int[::1] key_list
    cdef int[::1] slots
    cdef int[::1] tested
    cdef long long[::1] place
    cdef int[::1] arena
    cdef int list_count

    cdef int[::1] nodes
    cdef int count

    cdef int find(self, long long row) except -1 nogil
    cdef int find_value(self, int attribute, int kind, long long payload) except -1 nogil
    cdef int take(self, int number, bint testing) except -1 nogil
    cdef int note(self, int node) except -1 nogil
    cdef int refresh(self) except -1

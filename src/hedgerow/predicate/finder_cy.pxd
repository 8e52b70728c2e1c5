# What engines use to find literals: add and remove on the writer's side, find on the readers'.

cimport cython

from hedgerow.language.graph_cy cimport Graph
from hedgerow.lists_cy cimport Lists
from hedgerow.predicate.members_cy cimport Members
from hedgerow.predicate.outcome_cy cimport Outcomes
from hedgerow.predicate.ranges_cy cimport RangeSearch, Ranges
from hedgerow.predicate.table_cy cimport PredicateTable
from hedgerow.symbols_cy cimport SymbolTable

cdef enum Way:
    BY_TEST = 0
    BY_VALUE = 1
    BY_RANGE = 2
    BY_TEXT = 3
    BY_ABSENCE = 4

cdef struct Interval:
    long long low
    long long high

@cython.final
cdef class Finder:
    cdef readonly Graph graph
    cdef PredicateTable table
    cdef readonly Lists lists
    cdef readonly Ranges ranges
    cdef readonly SymbolTable fragments
    cdef readonly list patterns

    cdef unsigned long long seed
    cdef int[::1] code
    cdef int[::1] index_of_number
    cdef int[::1] index_of_value
    cdef int number_count
    cdef long long value_count

    cdef int key_count
    cdef int[::1] key_attribute
    cdef unsigned char[::1] key_kind
    cdef long long[::1] key_payload
    cdef int[::1] key_list
    cdef int[::1] slots

    cdef int[::1] tested
    cdef int[::1] absent
    cdef int[::1] bands
    cdef int[::1] pending
    cdef int[::1] patterns_of
    cdef int[::1] pattern_key
    cdef long long[::1] pattern_start

    cdef int add(self, int number, int code) except -1
    cdef int remove(self, int number) except -1
    cdef int quiet(self) except -1

    cdef int reserve(self, int number) except -1
    cdef int reserve_attribute(self, int attribute) except -1
    cdef int way(self, int code) except -1
    cdef int add_values(self, int number, int predicate) except -1
    cdef int remove_values(self, int number, int predicate) except -1
    cdef bint has_one_value(self, int number) except -1
    cdef int note_index(self, int number, long long position, int index) except -1
    cdef int drop_value(self, int key, int index) except -1
    cdef Py_ssize_t value_position(self, int predicate, int kind, long long payload) except -1
    cdef int list_of_absent(self, int attribute) except -1
    cdef int list_of_tested(self, int attribute) except -1
    cdef int add_single(self, int number, int target) except -1
    cdef int remove_single(self, int number, int target) except -1
    cdef int key_of(self, int attribute, int kind, long long payload) except -1
    cdef int rehash(self, Py_ssize_t size) except -1
    cdef int band_of(self, int code) except -1
    cdef int intervals(self, int code, Interval* found) except -1
    cdef Py_ssize_t operand_key(self, long long position) except? -1
    cdef int add_text(self, int number, int predicate) except -1
    cdef int remove_text(self, int number, int predicate) except -1
    cdef int text_key_of(self, int predicate) except -2
    cdef int expect(self, int attribute, int channel, int key) except -1
    cdef object patterns_at(self, int number)
    cdef object new_patterns(self, int channel)

@cython.final
cdef class Found:
    cdef Finder finder
    cdef Outcomes outcomes
    cdef readonly RangeSearch ranges
    cdef readonly Members members
    cdef int limit
    cdef unsigned long long seed
    cdef int[::1] code
    cdef int key_count
    cdef int[::1] key_attribute
    cdef unsigned char[::1] key_kind
    cdef long long[::1] key_payload
    cdef int[::1] key_list
    cdef int[::1] slots
    cdef int[::1] tested
    cdef int[::1] absent
    cdef int[::1] bands
    cdef int[::1] pending
    cdef int[::1] patterns_of
    cdef long long[::1] place
    cdef int[::1] arena
    cdef int list_count

    cdef int[::1] nodes
    cdef int count
    cdef readonly long long tests

    cdef int find(self, long long row) except -1 nogil
    cdef int fetch(self, long long row) noexcept nogil
    cdef int find_entry(self, int attribute, long long entry) except -1 nogil
    cdef int find_value(self, int attribute, int kind, long long payload) except -1 nogil
    cdef int find_range(self, int band, int kind, long long payload) except -1 nogil
    cdef int find_text(self, int attribute, long long string) except -1 nogil
    cdef int find_patterns(self, int attribute, long long string, bint listed) except -1
    cdef int find_absent(self) except -1 nogil
    cdef int take_ranges(self) except -1 nogil
    cdef int take_keys(self, int number) except -1 nogil
    cdef int take(self, int number, bint testing) except -1 nogil
    cdef Py_ssize_t locate(self, int number) except -1 nogil
    cdef bint holds(self, int number) except -1 nogil
    cdef bint is_known(self, int number) except -1 nogil
    cdef int note(self, int number) except -1 nogil
    cdef int refresh(self) except -1

    cdef int find_list(self, int attribute, long long number) except -1 nogil
    cdef int find_elements(self, int attribute, long long number) except -1 nogil
    cdef int find_list_ranges(self, int attribute) except -1 nogil
    cdef int take_list_ranges(self) except -1 nogil
    cdef int find_list_texts(self, int attribute, long long number) except -1 nogil
    cdef int take_pending(self, int number) except -1 nogil
    cdef int take_tested(self, int number) except -1 nogil
    cdef int take_key(self, int key) except -1 nogil
    cdef int take_for_element(self, int key, long long string) except -1 nogil
    cdef int test_once(self, int number) except -1 nogil
    cdef bint holds_for(self, int number, long long string) except -1 nogil
    cdef int note_once(self, int number) except -1 nogil

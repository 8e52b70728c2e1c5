# Predicate lists by pivot and operator, and what is to be sorted into them.

cimport cython

from hedgerow.symbols_cy cimport mixed

cdef enum Operation:
    # Those that deny come first: a counter must be out of reach before anything is counted.
    DENIES = 0
    EQUAL = 1
    AT_MOST = 2
    AT_LEAST = 3
    PREFIX = 4
    SUFFIX = 5
    REGEX = 6
    FOUND = 7
    ALWAYS = 8

# A line is an attribute (or a literal's number) with its bits reversed, and the kind of the key behind them: so lines
# in ascending order are in the order of their segments, however many segments there are.
cdef enum:
    LINE_BITS = 31
    KIND_BITS = 3
    MOST_NUMBERS = 0x10000000  # what 28 bits can tell apart
    CATCH_ALL = 0  # the pivot of conjunctions that no attribute must be there for

cdef struct Entry:
    int pivot
    int operation
    int line
    int counter
    long long key
    int predicate

@cython.final
cdef class Draft:
    cdef unsigned char[::1] room
    cdef readonly long long count
    cdef int[::1] taken  # by pivot, how many counters it has
    cdef int[::1] unit
    cdef int[::1] unit_pivot
    cdef int[::1] unit_counter
    cdef int[::1] wanted
    cdef int unit_count
    cdef int[::1] once_counter
    cdef int once_count
    cdef int first_once

    cdef int begin_unit(self, int pivot, int unit) except -1
    cdef int want(self) except -1
    cdef int once(self, bint of_clause) except? -1
    cdef int add(self, int operation, int line, long long key, int counter, int predicate) except -1
    cdef int counter(self) except -1
    cdef Entry* entries(self) except NULL
    cdef int sort(self) except -1

@cython.final
cdef class Partitions:
    cdef readonly int pivot_count
    cdef readonly int list_count
    cdef readonly long long entry_count
    cdef readonly int counter_count
    cdef readonly int once_count
    cdef int[::1] pivot_list
    cdef int[::1] pivot_counter
    cdef unsigned char[::1] list_operation
    cdef unsigned char[::1] list_shift
    cdef int[::1] list_segment
    cdef long long[::1] list_start
    cdef long long[::1] segment_start
    cdef unsigned long long[::1] signature
    cdef int[::1] line
    cdef long long[::1] key
    cdef int[::1] counter
    cdef int[::1] predicate
    cdef int[::1] counter_unit
    cdef int[::1] wanted
    cdef int[::1] once_counter

    cdef int place_counters(self, Partitions old, Draft draft, int pivots) except -1
    cdef int place_entries(self, Partitions old, Draft draft) except -1
    cdef Py_ssize_t merge_list(
        self, Partitions old, long long first, long long last, Entry* drafted, long long count, long long at
    ) except -1
    cdef int copy_entry(self, Partitions old, long long position, long long at) noexcept
    cdef int cut(self, int segments, bint signatures) except -1
    cdef int cut_list(self, int number, bint signatures) except -1

cdef Partitions merged(Partitions old, Draft draft, int pivots, int segments, bint signatures)
cdef int line_of(int number, int kind) noexcept nogil
cdef int number_of(int line) noexcept nogil


cdef inline unsigned long long bit_of(int operation, int line, long long key) noexcept nogil:
    # Of a range only the line is known: its operand may be any.
    cdef unsigned long long word = 0 if operation == AT_MOST or operation == AT_LEAST else <unsigned long long>key
    return 1ULL << (mixed(mixed(0, <unsigned long long>line), word) & 63)

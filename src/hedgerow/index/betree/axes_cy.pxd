# Literals by number, and where each lies on which axis.

cimport cython

from hedgerow.index.chassis.keys_cy cimport Keys
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.table_cy cimport PredicateTable

cdef enum Lane:
    # What an attribute can be partitioned on; an axis is an attribute times AXES plus a lane.
    LANE_PRESENT = 0  # that it is there
    LANE_VALUE = 1  # the one value that it must have
    LANE_LINE = 2  # its values in their order, a lane for each family of kinds: booleans, numbers, strings, timestamps
    AXES = 8

cdef enum Form:
    # How a test is written: a word of the axis and this, the literal, and then
    FORM_CODE = 0  # nothing: it is tested by its code
    FORM_PRESENT = 1  # nothing: it holds where the event is on the axis
    FORM_KEY = 2  # a key
    FORM_ANY = 3  # how many keys, and these
    FORM_NONE = 4  # the same; it holds where the event has none of them and is on the axis, which is a line
    FORM_LINE = 5  # two words of each end: it holds between them
    FORM_ROUGH = 6  # the same; at the ends it is tested by its code
    FORM_BITS = 3
    MOST_FORM_KEYS = 16

@cython.final
cdef class Axes:
    cdef Graph graph
    cdef PredicateTable table
    cdef readonly Keys keys
    cdef bint hashes  # whether equality leads by value
    cdef int bloom_bits
    cdef readonly int count
    cdef int[::1] of_code
    cdef int[::1] code
    cdef int[::1] axis  # of each literal; -1 where nothing must be there
    cdef long long[::1] low
    cdef long long[::1] high
    cdef int[::1] key  # that leads to it; -1 where it has none
    cdef int[::1] test  # where its test begins among the words
    cdef int[::1] words
    cdef readonly int word_count
    cdef unsigned int[::1] bit_of  # by attribute
    cdef readonly int attribute_count

    cdef int number(self, int code) except -1
    cdef int grow(self, int literal) except -1
    cdef int place(self, int literal) except -1
    cdef int span(self, int literal, long long first, long long last) except -1
    cdef int span_text(self, int literal, long long position) except -1
    cdef bint is_known(self, int literal) except -1
    cdef int write(self, int literal) except -1
    cdef int put(self, int word) except -1
    cdef int write_line(self, int axis, int literal, long long first) except -1
    cdef int write_keys(self, int axis, int form, int literal, long long first, int count) except -1
    cdef bint is_exact(self, long long position) except -1
    cdef Py_ssize_t ordered(self, long long position) except? -1
    cdef int know_attribute(self, int attribute) except -1
    cdef int rank(self, int literal) except -1


cdef inline int test_size(const int* test) noexcept nogil:
    # How many words a test has.
    cdef int form = test[0] & ((1 << FORM_BITS) - 1)
    if form >= FORM_LINE:
        return 6
    if form >= FORM_ANY:
        return 3 + test[2]
    return 3 if form == FORM_KEY else 2

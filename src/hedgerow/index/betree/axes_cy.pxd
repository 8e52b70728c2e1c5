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

cdef enum Surety:
    # What a literal is known to be from the axis alone.
    SURE_NEVER = 0
    SURE_INSIDE = 1  # it holds strictly between its ends, and fails beyond them
    SURE_ALWAYS = 2  # it holds where the axis leads to it

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
    cdef int[::1] key
    cdef unsigned char[::1] surety
    cdef unsigned int[::1] bit_of  # by attribute
    cdef readonly int attribute_count

    cdef int number(self, int code) except -1
    cdef int place(self, int literal) except -1
    cdef int span(self, int literal, long long first, long long last) except -1
    cdef int span_text(self, int literal, long long position) except -1
    cdef Py_ssize_t ordered(self, long long position) except? -1
    cdef int know_attribute(self, int attribute) except -1
    cdef int rank(self, int literal) except -1

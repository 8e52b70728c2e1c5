# What tests say of the sets of an event, for searches by relation.

cimport cython

from hedgerow.language.graph_cy cimport Graph

cdef enum Said:
    # What is known of a literal, as bits; 0 if nothing is.
    KNOWN = 1
    HOLDS = 2
    COVERS = 4

cdef class Judge:
    cdef Graph graph
    cdef object questions
    cdef readonly int literal_limit
    cdef unsigned char[::1] operator_of
    cdef int[::1] attribute_of
    cdef bint wants_holding
    cdef bint takes_absence
    cdef readonly bint wants_covering

    # The event at hand.
    cdef int[::1] entry_of  # by attribute, or -1
    cdef int[::1] entered
    cdef int entered_count
    cdef readonly int entries
    cdef readonly int wanted  # how many entries must be covered
    cdef readonly unsigned long long wanted_bits  # which, if there are no more than 64 entries
    cdef unsigned char[::1] state  # by literal
    cdef int[::1] judged
    cdef int judged_count
    cdef int[::1] open
    cdef int open_count

    cdef int begin(self, object event) except -1
    cdef int known(self, int code) except -1
    cdef int ask(self, int code) except -1
    cdef int answer(self) except -1
    cdef int bits(self, int code) except -1
    cdef int entry(self, int code) except -2
    cdef object all_wanted(self)
    cdef bint holds_absent(self, int code) except -1

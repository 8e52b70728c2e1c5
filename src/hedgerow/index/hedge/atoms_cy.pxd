# What events are made of, as far as rules name it: numbers, how often they hold, and where ranges are compared.

cimport cython

from hedgerow.bits cimport folded_product
from hedgerow.index.chassis.keys_cy cimport Keys
from hedgerow.index.chassis.literals_cy cimport Literals
from hedgerow.language.copy_cy cimport Copier
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.table_cy cimport PredicateTable

# The kinds of keys beyond those of values, which are below 16.
cdef enum AtomKind:
    VALUE_KINDS = 16
    CELL = 32  # and 32 kinds for each family of values, one a level
    THERE = 200
    LACKING = 201
    LITERAL = 202
    LISTED = 204
    ALWAYS_KIND = 203

cdef enum Known:
    ALWAYS = 0  # the atom that is true of every event, and the number of its list
    PRIVATE = 57344  # atoms from here on share codes
    ALL_CODES = 65536
    RING = 64  # values that are remembered of a line
    LINE_BITS = 24  # of a value in the order of its family
    MOST_LINES = 65536

@cython.final
cdef class Atoms:
    cdef Graph graph
    cdef PredicateTable table
    cdef readonly Keys keys
    cdef readonly Literals literals
    cdef int[::1] literal_atom  # by the number of a literal

    cdef int[::1] first_presence  # by attribute
    cdef unsigned char[::1] presence_families
    cdef int[::1] presence_there
    cdef int[::1] presence_lacking
    cdef int[::1] next_presence
    cdef int presence_count

    cdef int[::1] line_of  # by attribute and family
    cdef unsigned int[::1] line_levels
    cdef readonly int line_count

    cdef int[::1] listed_atom  # by attribute

    cdef int[::1] uses  # by atom, tests that name it
    cdef int[::1] attribute_uses
    cdef int[::1] seen  # by atom, events in which it held
    cdef int[::1] since  # by atom, how many events had been counted when it came
    cdef readonly int events
    cdef unsigned int[::1] ring
    cdef long long[::1] ring_count

    cdef int reserve(self, int atom) except -1
    cdef int reserve_attribute(self, int attribute) except -1
    cdef int atom(self, int attribute, int kind, long long payload) except -1
    cdef int value(self, int attribute, int kind, long long payload) except -1
    cdef int literal(self, int code) except -1
    cdef int presence(self, int attribute, int families) except -1
    cdef int there(self, int attribute, int families) except -1
    cdef int lacking(self, int attribute, int families) except -1
    cdef int listed(self, int attribute) except -1
    cdef int line(self, int attribute, int family) except -2
    cdef int cell(self, int line, int attribute, int family, int level, unsigned int number) except -1
    cdef double chance(self, int atom) except? -1
    cdef double text_chance(self, int code) except? -1
    cdef double presence_chance(self, int attribute, int families) except? -1
    cdef double range_chance(self, int line, unsigned int low, unsigned int high, double guess) except? -1
    cdef int note(self, int[::1] held, int first, int count) except -1
    cdef int note_line(self, int line, unsigned int value) except -1
    cdef int fade(self) except -1
    cdef int learn(self, Atoms other, Copier copier) except -1
    cdef int translated(self, Atoms other, int atom, Copier copier) except -2


cdef inline unsigned int code_of(int atom) noexcept nogil:
    # The code of an atom, 16 bits. The first ones have codes of their own, and so tests of them are decided by these.
    if atom < PRIVATE:
        return <unsigned int> atom
    return PRIVATE + <unsigned int> (folded_product(<unsigned long long> atom) >> 51)


cdef inline unsigned int line_value(int family, long long key) noexcept nogil:
    # 24 bits of a key of 64, in the same order, as a number that is not negative. Timestamps are microseconds: those of
    # some thousand years are told apart by the hour, and all beyond count as the first or the last.
    cdef long long edge = 1LL << 55
    if family == 3:
        return <unsigned int> ((max(-edge, min(key, edge - 1)) + edge) >> 32)
    return <unsigned int> ((<unsigned long long> key ^ 0x8000000000000000ULL) >> 40)

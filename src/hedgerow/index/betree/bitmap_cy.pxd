# Which literals a value satisfies, as bits.

cimport cython

from hedgerow.index.chassis.keys_cy cimport Keys
from hedgerow.predicate.outcome_cy cimport Outcomes

@cython.final
cdef class Bitmap:
    cdef int[::1] code  # by literal
    cdef int[::1] attribute_of  # by literal
    cdef int[::1] place_of  # by literal, its bit in the rows of its attribute
    cdef int[::1] first  # by attribute, where its literals begin in ``members``
    cdef int[::1] members
    cdef Keys keys  # of the values that have rows
    cdef long long[::1] row_of  # by key, where its row begins
    cdef unsigned long long[::1] words
    cdef long long word_count

    # The event at hand.
    cdef long long[::1] row_at  # by attribute, or -1
    cdef int[::1] taken
    cdef int taken_count

    cdef int begin(self) except -1 nogil
    cdef int take(self, Outcomes outcomes, int attribute, int kind, long long payload) except -1 nogil
    cdef int make(self, Outcomes outcomes, int attribute, int kind, long long payload) except -1


cdef inline int bit_of(Bitmap bitmap, int literal) noexcept nogil:
    # Whether a literal holds for the event at hand; -1 if no row says so.
    cdef long long row = bitmap.row_at[bitmap.attribute_of[literal]]
    cdef int place = bitmap.place_of[literal]
    if row < 0:
        return -1
    return <int> (bitmap.words[row + (place >> 6)] >> (place & 63)) & 1

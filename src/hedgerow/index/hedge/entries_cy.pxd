# Entries by list, and what of their clauses has no room in them: written by one thread, read by all.

cimport cython

cdef enum Layout:
    COLUMNS = 3
    CODES = 4  # in a test of a column

# The first word of an entry: 28 bits of the slot plus one, 3 that negate the columns, whether there is a rest; then 29
# bits where the rest is, in pairs of words, and 3 that say of the columns that they are ranges.
cdef enum Bits:
    SLOT_BITS = 28
    REST_BIT = 31
    RANGE_BIT = 61  # of the first column

# The lowest bits of the first word of a test in a rest. Above them stands how many atoms, or literals of which one must
# hold, come behind, or the one literal that must hold; REST_COMPARED must hold too, and does where columns are sure.
cdef enum Kind:
    REST_ANY = 0
    REST_NONE = 1
    REST_LITERAL = 2
    REST_SOME = 3
    REST_COMPARED = 4
    REST_KIND_BITS = 3
    REST_KIND = 7

@cython.final
cdef class Entries:
    cdef long long[::1] place
    cdef int[::1] room
    cdef unsigned char[::1] ranged  # by list, whether some first column is a range
    cdef unsigned long long[::1] words
    cdef long long used
    cdef long long entry_count
    cdef long long packed  # how many there were when lists were packed last
    cdef readonly int count
    cdef unsigned int[::1] rest
    cdef long long rest_used
    cdef long long[::1] free  # by the logarithm of its size, the first free room
    cdef long long[::1] left  # rooms that lists have left, with the logarithms of their sizes
    cdef long long left_count

    cdef int reserve_list(self, int number) except -1
    cdef Py_ssize_t append(self, int number, unsigned long long* entry) except -1
    cdef Py_ssize_t moved(self, int number) except -1
    cdef Py_ssize_t room_of(self, int size) except -1
    cdef int forget_rooms(self) except -1
    cdef int free_rooms(self) except -1
    cdef int pack(self) except -1
    cdef int pack_if_worth_it(self) except -1
    cdef int hide(self, int number, long long index) except -1
    cdef Py_ssize_t add_rest(self, unsigned int[::1] given, Py_ssize_t count) except -1


cdef inline long long entry_word(long long index) noexcept nogil:
    # Where the four words of an entry are.
    return index << 2


cdef inline long long entries_start(long long place) noexcept nogil:
    return place >> 28

cdef inline long long entries_length(long long place) noexcept nogil:
    return place & 0xFFFFFFF

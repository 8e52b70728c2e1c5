# The fields and compiled methods that other compiled modules may use.

cimport cython

from hedgerow.bits cimport folded_product

cdef inline unsigned long long mixed(unsigned long long state, unsigned long long word) noexcept nogil:
    # Here and not in the .py file, because only what a .pxd defines is inlined into other modules.
    # The product has 128 bits, and its halves fold into each other: a word's highest bits reach the lowest ones of the
    # result by way of sums with bits of the state, which starts from the seed, so that nobody can foretell how.
    return folded_product(state ^ word)

cdef unsigned long long seed() noexcept nogil

@cython.final
cdef class SymbolTable:
    cdef unsigned char[::1] heap
    cdef long long[::1] starts
    cdef unsigned long long[::1] hashes
    cdef int[::1] slots
    cdef unsigned long long seed
    cdef readonly int count

    cdef int intern_bytes(self, const unsigned char* data, Py_ssize_t length) except -1 nogil
    cdef int find_bytes(self, const unsigned char* data, Py_ssize_t length) except -2 nogil
    cdef int intern_text(self, str text) except -1
    cdef int find_text(self, str text) except -2
    cdef bint has_room(self, Py_ssize_t length) noexcept nogil
    cdef int grow(self, Py_ssize_t length) except -1 with gil
    cdef Py_ssize_t slot_of(self, const unsigned char* data, Py_ssize_t length, unsigned long long state) except -1 nogil
    cdef int rehash(self, Py_ssize_t size) except -1

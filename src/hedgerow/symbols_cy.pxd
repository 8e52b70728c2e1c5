# cython: overflowcheck=False
# The fields and compiled methods that other compiled modules may use.

cdef inline unsigned long long mixed(unsigned long long state, unsigned long long word) noexcept nogil:
    # Here and not in the .py file, because only what a .pxd defines is inlined into other modules.
    # Each half folds into the other, so that the low bits that a hash table uses depend on every bit of the word.
    cdef unsigned long long product = (state ^ word) * <unsigned long long>0x9E3779B97F4A7C15U
    return product ^ (product >> 32)

cdef unsigned long long seed() noexcept nogil

cdef class SymbolTable:
    cdef unsigned char[::1] heap
    cdef long long[::1] starts
    cdef unsigned long long[::1] hashes
    cdef int[::1] slots
    cdef readonly int count

    cdef int intern_bytes(self, const unsigned char* data, Py_ssize_t length) except -1
    cdef int find_bytes(self, const unsigned char* data, Py_ssize_t length) except -2
    cdef int intern_text(self, str text) except -1
    cdef int find_text(self, str text) except -2
    cdef int grow(self, Py_ssize_t length) except -1
    cdef Py_ssize_t slot_of(self, const unsigned char* data, Py_ssize_t length, unsigned long long state) except -1
    cdef int rehash(self, Py_ssize_t size) except -1

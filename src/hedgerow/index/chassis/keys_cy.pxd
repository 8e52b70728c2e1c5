# Keys of attributes and values, for engines that lead from values to units by themselves.

cimport cython

@cython.final
cdef class Keys:
    cdef readonly int count
    cdef unsigned long long seed
    cdef int[::1] attribute
    cdef unsigned char[::1] kind
    cdef long long[::1] payload
    cdef int[::1] slots

    cdef int number(self, int attribute, int kind, long long payload) except -1
    cdef int find(self, int attribute, int kind, long long payload) noexcept nogil
    cdef int take_back(self, int count) except -1
    cdef int rehash(self, Py_ssize_t size) except -1
    cdef Keys view(self)

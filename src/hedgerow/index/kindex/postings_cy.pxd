# Posting lists by key and size: a sorted main part and a tail.

cimport cython

from hedgerow.lists_cy cimport Lists

@cython.final
cdef class Postings:
    cdef readonly int width
    cdef readonly long long least  # entries that the tail may have in any case
    cdef readonly int list_count
    cdef unsigned long long seed
    cdef int[::1] first_list
    cdef int[::1] next_list
    cdef int[::1] list_key
    cdef int[::1] list_size
    cdef int[::1] list_turn
    cdef int[::1] slots

    cdef readonly int main_lists
    cdef long long[::1] begin
    cdef int[::1] entries

    cdef Lists tail
    cdef int[::1] tail_of
    cdef readonly long long tail_count

    cdef int list_of(self, int key, int size, int turn) except -1
    cdef int new_list(self, int key, int size, int turn) except -1
    cdef int rehash(self, Py_ssize_t size) except -1
    cdef int add(self, int number, int entry) except -1
    cdef int add_pair(self, int number, int entry, int companion) except -1
    cdef bint is_worth_merging(self) noexcept
    cdef int merge(self) except -1

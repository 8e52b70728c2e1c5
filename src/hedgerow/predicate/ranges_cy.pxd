# What the finder uses of the ranges: insert and remove on the writer's side, stab, stab_list and every on the readers'.

cimport cython

from hedgerow.predicate.keys cimport number_key, text_key
from hedgerow.predicate.members_cy cimport Members

cdef extern from * nogil:
    """
    #define HEDGEROW_ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
    #define HEDGEROW_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
    """
    void acquire "HEDGEROW_ACQUIRE"() noexcept
    void release "HEDGEROW_RELEASE"() noexcept

cdef extern from "string.h" nogil:
    void* memcpy(void* target, const void* source, size_t size)

cdef enum Question:
    AT_POINT = 0
    EVERYTHING = 1
    AT_MEMBERS = 2

cdef struct Entry:
    long long low
    long long high
    int number

cdef struct Arena:
    long long* low
    long long* high
    int* number
    long long* peak
    int used

@cython.final
cdef class Ranges:
    cdef long long[::1] low
    cdef long long[::1] high
    cdef int[::1] number
    cdef long long[::1] peak
    cdef int used
    cdef int free_blocks
    cdef int[::1] free_room

    cdef int[::1] runs
    cdef int[::1] buffer
    cdef int[::1] filled
    cdef int[::1] live
    cdef int[::1] dead
    cdef readonly int count
    cdef int dropped
    cdef readonly long long touched

    cdef long long changes
    cdef long long generation

    cdef int new_band(self) except -1
    cdef int insert(self, int band, long long low, long long high, int number) except -1
    cdef int remove(self, int band, long long low, long long high, int number) except -1
    cdef int merge(self, int band, int levels) except -1
    cdef Py_ssize_t gather(self, int band, int levels, Entry* entries, Entry* spare) except -1
    cdef Py_ssize_t merge_run(self, const Entry* entries, Py_ssize_t count, int room, int level, Entry* merged)
    cdef int write_run(self, int room, int level, const Entry* entries, Py_ssize_t count)
    cdef int switch(self, int band, int levels, int level, int room)
    cdef int take_room(self, int level) except -1
    cdef int give_room(self, int room, int level)
    cdef int free_room_of(self, int level)
    cdef bint is_sparse(self)
    cdef int compact(self) except -1
    cdef int move_room(self, int room, int level, Arena* target)
    cdef int quiet(self) except -1
    cdef int remove_buffered(self, int band, long long low, long long high, int number)
    cdef long long position_of(self, int room, int level, const Entry* wanted)

@cython.final
cdef class RangeSearch:
    cdef Ranges ranges
    cdef long long[::1] low
    cdef long long[::1] high
    cdef int[::1] number
    cdef long long[::1] peak
    cdef int[::1] runs
    cdef int[::1] buffer
    cdef int[::1] filled
    cdef int band_count
    cdef long long generation

    cdef Members members
    cdef int family
    cdef int[::1] numbers
    cdef Py_ssize_t count
    cdef readonly long long touched
    cdef readonly long long repeated

    cdef int refresh(self) except -1
    cdef int stab(self, int band, long long key) except -1 nogil
    cdef int stab_list(self, int band, int family) except -1 nogil
    cdef int every(self, int band) except -1 nogil
    cdef int guarded(self, int band, long long key, int question) except -1 nogil
    cdef int scan(self, int band, long long key, int question) except -1 nogil
    cdef int scan_run(self, int room, int level, long long key) except -1 nogil
    cdef int scan_run_for_list(self, int room, int level) except -1 nogil
    cdef int look_for_list(self, long long first, long long last) except -1 nogil
    cdef int look(self, long long first, long long last, long long key) except -1 nogil
    cdef int take(self, long long first, long long last) except -1 nogil
    cdef int note(self, int number) except -1 nogil


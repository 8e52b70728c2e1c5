# The tree as a writer makes it.

cimport cython

from hedgerow.index.betree.gathering_cy cimport Gathering

@cython.final
cdef class Tree(Gathering):
    cdef long long steps  # records that came and went since the last review

    # Scratch.
    cdef int[::1] count_of  # by axis
    cdef int[::1] counted
    cdef int counted_count
    cdef long long[::1] seen_at  # by axis
    cdef long long seen
    cdef int[::1] waiting
    cdef int waiting_count
    cdef int outgrown  # the first partition on the way of a record whose line is too short by now, or -1

    cdef int add(self, int unit, const int* literals, int count) except -1
    cdef int prepare(self) except -1
    cdef int descend(self, int node, const int* literals, int count) except -1
    cdef int guide(self, int node, const int* literals, int count) except -2
    cdef int bucket(self, int partition, int literal) except -1
    cdef int note_beyond(self, int partition, int literal) except -1
    cdef int smallest_bucket(self, int node, int literal) except -1
    cdef bint encloses(self, int node, int top, int literal) except -1
    cdef int known_of(self, int node, int* literals, int count, int known, bint whole) except -1
    cdef int literal_on(self, const int* literals, int count, int axis) except -2
    cdef int wait(self, int node) except -1
    cdef int settle(self) except -1
    cdef int cluster(self, int node) except -1
    cdef bint differ(self, int node) except -1
    cdef int split(self, int node) except -1
    cdef int partition(self, int node) except -1
    cdef int choose(self, int node) except -2
    cdef int count_axes(self, int node) except -1
    cdef int part(self, int node, int axis) except -1
    cdef int span_of(self, int node, int axis, long long* low, long long* high) except -1
    cdef int halved(self, int node) except -1
    cdef int lengthen(self, int partition) except -1
    cdef int remove(self, int unit) except -1

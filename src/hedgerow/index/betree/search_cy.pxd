# The search of a BE-Tree.

cimport cython

from hedgerow.index.betree.axes_cy cimport Axes
from hedgerow.index.betree.bitmap_cy cimport Bitmap
from hedgerow.index.betree.nodes_cy cimport Node, Partition
from hedgerow.index.betree.tree_cy cimport Tree
from hedgerow.index.chassis.keys_cy cimport Keys
from hedgerow.index.chassis.units_cy cimport UnitSearcher

@cython.final
cdef class BETreeSearch(UnitSearcher):
    cdef Tree tree
    cdef Axes axes
    cdef Keys keys
    cdef bint lazy
    cdef bint maps
    cdef Bitmap bitmap

    # The tree, as it was when this was last refreshed.
    cdef long long taken_at
    cdef long long[::1] node_words
    cdef long long[::1] partition_words
    cdef int[::1] arena
    cdef unsigned long long[::1] partition_of
    cdef unsigned long long[::1] bucket_of
    cdef unsigned long long partition_seed
    cdef unsigned long long bucket_seed
    cdef int nodes_there
    cdef int partitions_there
    cdef unsigned char[::1] is_parted
    cdef int[::1] stack
    cdef long long leaf_start[16]
    cdef long long leaf_end[16]
    cdef int leaf_node[16]
    cdef int leaf_records[16]
    cdef int leaf_count

    # What some rows have seen of leaves, for the tree to adjust itself by.
    cdef bint adjusts
    cdef int[::1] told_node
    cdef int[::1] told_looked
    cdef int[::1] told_wasted
    cdef int told_count
    cdef int told_rows

    # The literals that there were when this was made.
    cdef int literal_limit
    cdef int[::1] code
    cdef unsigned int[::1] bit_of
    cdef unsigned char[::1] state
    cdef int[::1] tested
    cdef int tested_count

    # Where the event is.
    cdef int[::1] place_on  # by axis, or -1
    cdef int[::1] place_axis
    cdef long long[::1] place_low
    cdef long long[::1] place_high
    cdef int[::1] place_key
    cdef unsigned char[::1] place_is_rough  # of a list, or of a value that others share the key of
    cdef int[::1] place_first
    cdef int[::1] place_last
    cdef int place_count
    cdef int[::1] probed  # places on the axes that partitions have
    cdef int probed_count
    cdef int[::1] listed  # the keys of lists, each once
    cdef int listed_count
    cdef long long[::1] seen_key
    cdef long long turn
    cdef unsigned int bloom

    cdef int make_places(self, Py_ssize_t count) except -1
    cdef int refresh(self) except -1
    cdef int run_alone(self, long long row) except -1
    cdef int begin_row(self, long long row) except -1 nogil
    cdef int add_place(self, int axis, long long low, long long high, int key) except -1 nogil
    cdef int add_value(self, int attribute, int kind, long long payload) except -1 nogil
    cdef int key_of(self, int attribute, int kind, long long payload) except -2 nogil
    cdef int add_list(self, int attribute, long long number) except -1 nogil
    cdef int add_listed(self, int key) except -1 nogil
    cdef bint walk(self) except -1 nogil
    cdef Node* node_at(self, int number) noexcept nogil
    cdef Partition* partition_at(self, int number) noexcept nogil
    cdef int push(self, int node, int depth) noexcept nogil
    cdef int push_halves(self, Node* node, int depth) noexcept nogil
    cdef int push_partitions(self, int number, Node* node, int depth) noexcept nogil
    cdef int push_buckets(self, int number, int place, int depth) noexcept nogil
    cdef bint has_key(self, long long key) noexcept nogil
    cdef int push_bucket(self, int partition, int key, int depth) noexcept nogil
    cdef bint await_leaf(self, int number, Node* node) except -1 nogil
    cdef bint look_at_leaves(self) except -1 nogil
    cdef bint look(self, long long at, long long end) except -1 nogil
    cdef bint hold(self, long long at, long long last) except -1 nogil
    cdef bint remembered(self, const int* test) except -1 nogil
    cdef bint test(self, const int* test) except -1 nogil
    cdef bint is_between(self, const int* test, int place) except -1 nogil
    cdef bint has_keys(self, int form, const int* test, int key) noexcept nogil

# The nodes, partitions and leaves of a tree: structs in arrays, and an arena.

cimport cython

from hedgerow.index.betree.axes_cy cimport Axes
from hedgerow.index.betree.edges_cy cimport Edges

cdef struct Node:
    # A c-node, which is a bucket of a partition too; the root is of none. 64 bytes.
    long long start  # of its leaf in the arena
    long long low  # of its bucket
    long long high
    int used  # words of the leaf
    int room
    int records
    int capacity
    int left  # the lower half of the bucket, or -1; the upper one is the next node
    int next  # bucket of the same partition by value, or -1; of one that nobody has, the next such
    int partition  # its first partition, or -1
    int partitions
    int owner  # the partition that it is a bucket of, or -1; NOBODY if nobody has it
    int up  # the bucket that it is a half of, or -1

cdef struct Partition:
    # A p-node. 32 bytes.
    int axis
    int node  # that it partitions
    int top  # the bucket that has all of a line; where values are hashed, the first bucket, or -1
    int next  # of the same node, or -1; of one that nobody has, the next such
    int buckets  # by value; of a line, how many records have come whose ends are beyond it
    int records  # below it
    double score

cdef enum Sizes:
    NOBODY = -2
    NODE_WORDS = 8
    PARTITION_WORDS = 4
    HEAD_WORDS = 3  # of a record: unit, Bloom filter, how many words its tests have and how many literals are known
    KNOWN_BITS = 6
    MOST_PARTED = 48  # partitions on a path

cdef class Nodes:
    cdef readonly Axes axes
    cdef readonly Edges partition_of  # a node and an axis
    cdef readonly Edges bucket_of  # a partition and a key
    cdef readonly int node_count
    cdef readonly int partition_count
    cdef int free_node  # nodes that nobody has: single ones, and pairs of halves by the lower one
    cdef int free_pair
    cdef int free_partition
    cdef readonly int free_nodes
    cdef readonly int free_partitions
    cdef readonly long long changes
    cdef int depth  # of the change that is open
    cdef long long[::1] node_words
    cdef long long[::1] partition_words
    cdef int[::1] arena
    cdef long long used
    cdef int[::1] node_of  # by unit, in whose leaf it is, or -1
    cdef int unit_count
    cdef long long[::1] free_room  # by size, the first room of that many words, as a power of two

    # Switches.
    cdef int capacity
    cdef int least
    cdef bint ranked

    # Scratch.
    cdef int[::1] literals  # of the record that was read last: those that are tested, and then those that are known
    cdef int read_count
    cdef int read_known
    cdef long long[::1] used_at  # by attribute
    cdef long long stamp
    cdef unsigned char[::1] is_parted  # by axis, whether some partition has it
    cdef int parted_axes
    cdef int[::1] emptied
    cdef int emptied_count

    cdef int new_node(self, long long low, long long high, int owner) except -1
    cdef int new_pair(self, int node, long long middle) except -1
    cdef int more_nodes(self, int count) except -1
    cdef int begin_node(self, int number, long long low, long long high, int owner, int up) except -1
    cdef int new_partition(self, int node, int axis, long long low, long long high) except -1
    cdef int know_axis(self, int axis) except -1
    cdef int forget_node(self, int node) except -1
    cdef int forget_partition(self, int partition) except -1
    cdef int parted(self, int node) except -1
    cdef int know_unit(self, int unit) except -1
    cdef Py_ssize_t record_of(self, int unit) except -1
    cdef int read(self, long long at) except -1
    cdef long long size_of(self, const int* literals, int count, int known) noexcept
    cdef int append(self, int node, int unit, const int* literals, int count, int known) except -1
    cdef int make_room(self, int node, long long needed) except -1
    cdef Py_ssize_t allocate(self, int size) except -1
    cdef int release(self, long long start, int room) except -1
    cdef int reserve_marks(self, int node) except -1
    cdef int mark(self, long long at) except -1
    cdef int close_up(self, int node) except -1
    cdef int open(self) except -1
    cdef int close(self) except -1


cdef inline Node* node_at(Nodes nodes, int node) except NULL:
    # It holds until the next one is added.
    if node < 0 or node >= nodes.node_count:
        raise IndexError(node)
    return <Node*>&nodes.node_words[<Py_ssize_t>node * NODE_WORDS]


cdef inline Partition* partition_at(Nodes nodes, int partition) except NULL:
    # It holds until the next one is added.
    if partition < 0 or partition >= nodes.partition_count:
        raise IndexError(partition)
    return <Partition*>&nodes.partition_words[<Py_ssize_t>partition * PARTITION_WORDS]


cdef inline int attribute_of(int axis) noexcept nogil:
    return axis >> 3


cdef inline int lane_of(int axis) noexcept nogil:
    return axis & 7

# The arrays of the tree, for the searches that read them and the engine that owns them.

cimport cython

from hedgerow.index.atree.counts_cy cimport Counts
from hedgerow.index.atree.reach_cy cimport Reach
from hedgerow.language.graph_cy cimport Graph
from hedgerow.predicate.finder_cy cimport Finder
from hedgerow.predicate.table_cy cimport PredicateTable
from hedgerow.symbols_cy cimport mixed

cdef enum Link:
    LINK_OR = 0
    LINK_AND = 1
    LINK_SLOT = 2

cdef inline long long place_start(long long place) noexcept nogil:
    return place >> 24

cdef inline long long place_length(long long place) noexcept nogil:
    return place & 0xFFFFFF

cdef inline long long looked_at_from(long long place) noexcept nogil:
    # Where those links begin that are looked at for nodes to build on: the last four, however many there are.
    return place_start(place) + (place_length(place) - 4 if place_length(place) > 4 else 0)

cdef inline unsigned int scattered(unsigned long long seed, int number) noexcept nogil:
    # What an operand adds to the content of a node.
    return <unsigned int> (mixed(seed, <unsigned long long> number) >> 32)

cdef inline Py_ssize_t home_of(unsigned int content, int kind, Py_ssize_t size) noexcept nogil:
    # The slot where a node of this content belongs: the hash's share of the size, which can be any number.
    cdef unsigned long long state = mixed(<unsigned long long> content, <unsigned long long> kind) >> 32
    return <Py_ssize_t> ((state * <unsigned long long> size) >> 32)

cdef inline int literal_code(long long body) noexcept nogil:
    return <int> (body & 0x7FFFFFFF)

@cython.final
cdef class Tree:
    cdef readonly object options
    cdef bint unique
    cdef bint reorganising
    cdef bint adjusting
    cdef bint on_demand
    cdef int access_choice
    cdef unsigned long long dice

    cdef readonly Graph graph
    cdef readonly PredicateTable table
    cdef readonly Finder finder

    cdef unsigned char[::1] kind
    cdef unsigned char[::1] level
    cdef unsigned char[::1] rarity
    cdef long long[::1] body
    cdef long long[::1] posts
    cdef unsigned char[::1] uses
    cdef Counts many_uses
    cdef unsigned long long seed
    cdef unsigned int[::1] content
    cdef readonly int node_count
    cdef readonly int live_count
    cdef int free_node
    cdef readonly long long frees
    cdef unsigned long long[::1] pushed
    cdef list unpushed

    cdef int[::1] parts
    cdef long long parts_used
    cdef long long parts_free
    cdef long long[::1] free_parts

    cdef int[::1] links
    cdef long long links_used
    cdef long long links_free
    cdef long long[::1] free_links
    cdef bint torn

    cdef int[::1] slots
    cdef int slots_filled
    cdef int[::1] literal_of
    cdef int[::1] literal_node
    cdef readonly int literal_count
    cdef readonly int live_literals
    cdef int free_literal

    cdef readonly Reach reach
    cdef int[::1] slot_back
    cdef readonly int searches

    cdef int[::1] attribute_values
    cdef double[::1] attribute_low
    cdef double[::1] attribute_high

    cdef int[::1] operands
    cdef int[::1] flat
    cdef int[::1] other
    cdef int[::1] stack
    cdef int[::1] candidates
    cdef int candidate_count
    cdef int[::1] fresh
    cdef int fresh_count

    cdef int literal(self, int code) except -1
    cdef int inner(self, int kind, int count) except -1
    cdef int begin(self) except -1
    cdef int keep(self) except -1
    cdef int note_fresh(self, int node) except -1
    cdef int use_root(self, int node, int slot) except -1
    cdef int end_root(self, int node, int slot) except -1
    cdef int hush_slot(self, int node, int slot) except -1
    cdef int release_root(self, int node) except -1

    cdef int sort_operands(self, int count) except -1
    cdef int flatten(self, int kind, int count) except -1
    cdef int flat_body(self, int node) except -1
    cdef int find(self, int kind, int flat_count, unsigned int content) except -2
    cdef int create(self, int kind, int count, unsigned int content) except -1
    cdef int new_number(self, int kind) except -1
    cdef int grow_nodes(self, int needed) except -1
    cdef int enter(self, int node) except -1
    cdef int leave(self, int node) except -1
    cdef int rehash(self, Py_ssize_t size) except -1
    cdef Py_ssize_t body_size(self, int kind, int count) except -1
    cdef Py_ssize_t new_parts(self, long long size) except -1
    cdef int give_parts(self, long long start, long long size) except -1
    cdef Py_ssize_t new_links(self, long long size) except -1
    cdef int give_links(self, long long start, long long size) except -1
    cdef int link(self, int node, int value) except -1
    cdef int unlink(self, int node, int index) except -1
    cdef int touch(self, int node) except -1
    cdef int moved(self, int value, int node, int index) except -1
    cdef int note_back(self, long long first, int offset, int index) except -1
    cdef int back_index(self, int operand, int value, long long first, int offset) except -1
    cdef int width(self, int node) except -1
    cdef int place_access(self, int node) except -1
    cdef int place_guard(self, int node) except -1
    cdef bint needs_attribute(self, int node) except -1
    cdef int more_selective(self, int left, int right) except -1
    cdef int rarity_of(self, int kind, int count) except -1
    cdef double literal_chance(self, int code) except -1
    cdef double range_chance(self, int predicate, int operator) except -1
    cdef int note_attribute(self, int predicate, int accepts) except -1
    cdef int disuse(self, int node) except -1
    cdef int use(self, int node) except -1
    cdef int unuse(self, int node) except -1
    cdef int free(self, int node) except -1
    cdef int heed(self, int node, int value) except -1
    cdef int ask_operand(self, int node, long long position, int tag, int depth) except -1
    cdef int begin_asking(self, int node, int depth) except -1
    cdef int ignore(self, int node, int index) except -1
    cdef int new_literal(self, int node) except -1
    cdef int stop_asking(self, int node, int depth) except -1
    cdef int push(self, int depth, int node) except -1
    cdef int cover(self, int kind, int count) except -1
    cdef int gather(self, int kind, int count) except -1
    cdef int gather_from(self, int kind, int first, int last, int count) except -1
    cdef int consider(self, int node, int count) except -1
    cdef int best_candidate(self, unsigned char* covered, int count) except -2
    cdef int adjust(self, int node) except -1
    cdef int adopt(self, int parent, int node) except -1
    cdef bint contains(self, int parent, int node) except -1
    cdef int ensure_scratch(self, int count) except -1
    cdef int new_search(self) except -1
    cdef int end_search(self) except -1
    cdef int quiet(self) except -1
    cdef int flatten_groups(self, int kind, int depth, int total) except -1
    cdef bint number_at(self, long long position, double* number) noexcept
    cdef int forget_literal(self, int node, int predicate) except -1
    cdef int mark_covered(self, int node, unsigned char* covered, int count) except -1
    cdef int note_candidate(self, int node) except -1
    cdef bint is_among(self, int operand, long long place) except -1

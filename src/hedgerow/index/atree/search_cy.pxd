# One search, for the engine that begins and ends it.

cimport cython

from hedgerow.event.batch_cy cimport EventBatch
from hedgerow.index.atree.tree_cy cimport Tree
from hedgerow.predicate.finder_cy cimport Found
from hedgerow.predicate.outcome_cy cimport Outcomes

cdef class Scratch:
    cdef unsigned long long[::1] true
    cdef unsigned long long[::1] known
    cdef unsigned long long[::1] value
    cdef unsigned long long[::1] matched
    cdef unsigned long long[::1] summary
    cdef int[::1] heard
    cdef int[::1] looked
    cdef int[::1] frame_node
    cdef long long[::1] frame_position
    cdef int[::1] waiting
    cdef int[::1] following
    cdef int[::1] first
    cdef int[::1] slots

@cython.final
cdef class Search:
    cdef Tree tree
    cdef readonly Scratch scratch
    cdef readonly Outcomes outcomes
    cdef Found found

    cdef int node_count
    cdef int slot_count
    cdef int[::1] literal_node
    cdef unsigned char[::1] level
    cdef unsigned char[::1] kind
    cdef long long[::1] body
    cdef long long[::1] posts
    cdef int[::1] parts
    cdef int[::1] links
    cdef unsigned long long[::1] pushed
    cdef bint guarded
    cdef readonly long long changes
    cdef bint any_died
    cdef long long[::1] died
    cdef long long version

    cdef unsigned long long[::1] true
    cdef unsigned long long[::1] known
    cdef unsigned long long[::1] value
    cdef unsigned long long[::1] matched
    cdef unsigned long long[::1] summary
    cdef int[::1] heard
    cdef int heard_count
    cdef int heard_done
    cdef int[::1] looked
    cdef int looked_count
    cdef int[::1] frame_node
    cdef long long[::1] frame_position
    cdef int[::1] waiting
    cdef int[::1] following
    cdef int[::1] first
    cdef int waiting_count
    cdef int lined_up
    cdef int highest
    cdef int[::1] slots
    cdef long long slot_total
    cdef readonly long long visits
    cdef readonly long long runs
    cdef readonly long long tests

    cdef int take_scratch(self, Scratch scratch) except -1
    cdef int leave_scratch(self) except -1
    cdef int run(self, long long row) except -1 nogil
    cdef int announce(self, int node) except -1 nogil
    cdef int spread(self) except -1 nogil
    cdef int hear(self, int node) except -1 nogil
    cdef int deliver(self, int value) except -1 nogil
    cdef int wait(self, int node) except -1 nogil
    cdef int line_up(self) except -1 nogil
    cdef int fetch_links(self, int number) noexcept nogil
    cdef int fetch_targets(self, int number) noexcept nogil
    cdef int fetch_parts(self, int number) noexcept nogil
    cdef int work_off(self, int level) except -1 nogil
    cdef bint holds(self, int node) except -1 nogil
    cdef int operand_holds(self, int operand, int level) except -1 nogil
    cdef int evaluate(self, int node) except -1 nogil
    cdef int advance(self, int depth) except -1 nogil
    cdef int settle(self, int node, bint value) except -1 nogil
    cdef int literal_holds(self, int node) except -1 nogil
    cdef int open(self, int depth, int node) except -1 nogil
    cdef int mark_slot(self, int slot) except -1 nogil
    cdef int collect(self) except -1 nogil
    cdef int clean(self) except -1 nogil

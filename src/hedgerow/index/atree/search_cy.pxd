# One search, for the engine that begins and ends it.

cimport cython

from hedgerow.event.batch_cy cimport EventBatch
from hedgerow.index.atree.reach_cy cimport Reach
from hedgerow.index.atree.shares_cy cimport Listed
from hedgerow.index.atree.tree_cy cimport Tree
from hedgerow.predicate.finder_cy cimport Found
from hedgerow.predicate.outcome_cy cimport Outcomes

@cython.final
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
    cdef int[::1] ways
    cdef int[::1] rest
    cdef int[::1] wanted
    cdef int[::1] words

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
    cdef Reach reach
    cdef long long reach_version
    cdef int[::1] place
    cdef int[::1] arena
    cdef unsigned long long[::1] silent
    cdef int[::1] ways
    cdef int way_count
    cdef int[::1] rest
    cdef int rest_count
    cdef int[::1] wanted
    cdef int wanted_count
    cdef bint patient
    cdef bint stopped
    cdef int[::1] words
    cdef long long marks
    cdef readonly long long marked
    cdef readonly long long visits
    cdef readonly long long runs
    cdef readonly long long tests

    cdef int take_scratch(self, Scratch scratch) except -1
    cdef int leave_scratch(self) except -1
    cdef int take_reach(self) except -1
    cdef int run(self, long long row) except -1 nogil
    cdef Py_ssize_t run_rows(
        self, long long first, long long last, long long[::1] counts, Listed listed
    ) except -1 nogil
    cdef int sort_out(self) except -1 nogil
    cdef int want(self, int number) except -1 nogil
    cdef int tell(self, long long start) except -1 nogil
    cdef int go(self, long long start) except -1 nogil
    cdef int note(self, int node) noexcept nogil
    cdef bint has_guard(self, long long first, int count) noexcept nogil
    cdef int mark_slots(self, long long first, long long last) except -1 nogil
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
    cdef Py_ssize_t marked_words(self) noexcept nogil
    cdef int clean(self) except -1 nogil

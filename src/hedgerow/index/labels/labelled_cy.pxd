# What both engines of labels are made of.

cimport cython

from hedgerow.index.chassis.units_cy cimport UnitEngine, UnitSearcher
from hedgerow.index.labels.leaves_cy cimport HoldingLeaves, Leaves
from hedgerow.index.labels.tree_cy cimport Tree
from hedgerow.language.graph_cy cimport Graph

cdef class LabelEngine(UnitEngine):
    cdef readonly object options
    cdef bint joins  # whether conjunctions are leaves
    cdef bint has_levels  # whether a label is longer the deeper its leaf is
    cdef readonly Leaves leaves
    cdef Tree tree
    cdef unsigned int[::1] words
    cdef int used
    cdef int shown
    cdef int[::1] start  # by unit, and where the last one ends
    cdef int started
    cdef int[::1] unit_at  # by word / 64
    cdef int[::1] place  # by node of the tree at hand
    cdef int most_leaves
    cdef int deepest

    cdef int take_options(self, object options) except -1
    cdef long long word_count(self) except -1
    cdef int write_labels(self, int base) except -1
    cdef str label(self, int unit, int place)
    cdef int form(self, Graph graph, int node) except -1
    cdef int add_unit(self, int unit, int node) except -1
    cdef int make_room(self, int unit, long long words) except -1
    cdef int begin_unit(self, int unit, long long words) except -1
    cdef int publish(self) except -1

cdef class LabelSearcher(UnitSearcher):
    cdef HoldingLeaves holding
    cdef unsigned long long[::1] marks
    cdef unsigned long long[::1] marked_words
    cdef unsigned int[::1] words
    cdef int[::1] start
    cdef int[::1] unit_at
    cdef int most_leaves
    cdef int unit
    cdef int unit_end
    cdef int[::1] marked
    cdef int marked_count

    cdef bint is_true(self, int unit, int count) except -1 nogil
    cdef int run(self, long long row) except -1 nogil
    cdef int take_word(self, int word) except -1 nogil
    cdef int end_unit(self) except -1 nogil

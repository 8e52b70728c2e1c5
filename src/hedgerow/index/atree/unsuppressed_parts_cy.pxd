# The parts of expressions as they were written, and what a search of them reads.

cimport cython

from hedgerow.language.copy_cy cimport Copier
from hedgerow.language.graph_cy cimport NODE_AND, NODE_NOT, NODE_OR, NODE_XNOR, Graph
from hedgerow.lists_cy cimport Lists
from hedgerow.predicate.outcome_cy cimport OUTCOME_FALSE, OUTCOME_TRUE, OUTCOME_UNDEFINED
from hedgerow.predicate.table_cy cimport PredicateTable

# Who is told of a part: a part over it of any change, an AND only when it becomes true, or an expression.
cdef enum Told:
    TOLD_CHANGE = 0
    TOLD_TRUTH = 1
    TOLD_SLOT = 2

@cython.final
cdef class Parts:
    cdef readonly Graph graph
    cdef readonly PredicateTable table
    cdef Lists links
    cdef Lists tests
    cdef unsigned char[::1] default
    cdef unsigned char[::1] rarity
    cdef int[::1] level
    cdef readonly int ready
    cdef readonly int count
    cdef readonly int highest

    cdef unsigned char[::1] absent
    cdef bint unique
    cdef bint on_demand
    cdef int access_choice
    cdef unsigned long long dice

    cdef Graph source
    cdef Copier copier
    cdef long long generation
    cdef Py_ssize_t used
    cdef int[::1] known
    cdef int[::1] stack
    cdef int[::1] operands

    cdef int remember(self, Graph graph) except -1
    cdef int take(self, int node) except -1
    cdef int copy(self, int node) except -1
    cdef int tell(self, int part, int target, int told) except -1
    cdef int forget_below(self, int node) except -1
    cdef int code_of(self, int node, int role) except -1
    cdef int step(self, int code, int depth) except -1
    cdef int push(self, int depth, int code) except -1
    cdef int leaf(self, int node, int kind) except -1
    cdef int inner(self, int code, int kind) except -1
    cdef int sort_operands(self, Py_ssize_t count) except -1
    cdef bint only_truth(self, int kind, Py_ssize_t count) except -1
    cdef int extend(self) except -1
    cdef int reserve(self, int needed) except -1
    cdef int prepare(self, int part) except -1
    cdef int prepare_test(self, int part) except -1
    cdef int prepare_inner(self, int part, int kind) except -1
    cdef int rarity_of(self, int kind, long long first, long long last) except -1
    cdef int link_below(self, int part, int kind) except -1
    cdef int access_child(self, long long first, long long last) except -1
    cdef int chosen_by_lot(self, long long first, long long last) except -1
    cdef bint more_selective(self, int left, int right) except -1


cdef inline int combined(
    int kind, unsigned char[::1] value, int[::1] child, long long first, long long last
) except -1 nogil:
    # The value of an operator over operands with these values, as the paper's Table 2 has it. Here because only what a
    # .pxd defines is inlined into other modules.
    cdef int neutral = OUTCOME_TRUE if kind == NODE_AND else OUTCOME_FALSE
    cdef int result = neutral
    cdef int operand
    cdef long long position
    if kind == NODE_AND or kind == NODE_OR:
        for position in range(first, last):
            operand = value[child[position]]
            if operand == 1 - neutral:
                return operand
            if operand == OUTCOME_UNDEFINED:
                result = OUTCOME_UNDEFINED
        return result
    for position in range(first, last):
        operand = value[child[position]]
        if operand == OUTCOME_UNDEFINED:
            return OUTCOME_UNDEFINED
        result ^= operand
    if kind == NODE_NOT:
        return 1 - result
    # From left to right, each step of XNOR negates once more.
    return result ^ ((last - first - 1) & 1) if kind == NODE_XNOR else result

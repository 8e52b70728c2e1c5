# What is labelled, and what of it holds for an event.

cimport cython

from hedgerow.index.chassis.literals_cy cimport Holding, ListsView, Literals
from hedgerow.language.graph_cy cimport Graph
from hedgerow.lists_cy cimport Lists
from hedgerow.predicate.outcome_cy cimport Outcomes

@cython.final
cdef class Leaves:
    cdef Graph graph
    cdef readonly Literals literals
    cdef Lists lists
    cdef readonly long long label_count

    # By the number of a literal, what it leads to: one, or the list of ...
    cdef int[::1] labels_of  # its labels
    cdef int[::1] negations_of  # negations that want it to hold
    cdef int[::1] asking  # conjunctions that it leads to

    cdef int[::1] negation  # by predicate, two each: what accepts FALSE, and what accepts NOT_TRUE
    cdef readonly int negation_count
    cdef int[::1] denier  # by negation, the literal that must not, or -2
    cdef int[::1] negated_labels  # by negation, the list of its labels

    cdef int[::1] conjunction  # by node, where there is a conjunction among all of them
    cdef readonly int conjunction_count
    cdef int[::1] joint
    cdef int joint_used
    cdef int access  # of the conjunction at hand, the literal that is to lead to it
    cdef long long access_rank

    cdef int shown_negations
    cdef int shown_joint

    cdef int publish(self) except -1
    cdef int add_label(self, int node, int label) except -1
    cdef int put(self, int holder, int thing) except? -1
    cdef int add_literal_label(self, int code, int label) except -1
    cdef int negation_of(self, int code) except -1
    cdef int list_of_there(self, int there) except -1
    cdef int conjunction_of(self, int node) except -1
    cdef int write_tests(self, int place, long long first, long long last) except -2
    cdef int offer(self, int place, int number, long long rank) except -1
    cdef int put_test(self, int place, int test) except -1

@cython.final
cdef class HoldingLeaves:
    cdef Outcomes outcomes
    cdef Holding holding
    cdef ListsView lists
    cdef int limit
    cdef int negation_limit
    cdef int joint_limit
    cdef long long visits
    cdef int[::1] labels_of
    cdef int[::1] negations_of
    cdef int[::1] asking
    cdef int[::1] joint
    cdef int[::1] denier
    cdef int[::1] negated_labels
    cdef unsigned long long[::1] bits
    cdef unsigned long long[::1] summary

    cdef int find(self, long long row) except -1 nogil
    cdef int mark(self, int label) noexcept nogil
    cdef int mark_list(self, int number) except -1 nogil
    cdef int mark_negations(self, int list_number) except -1 nogil
    cdef bint is_denied(self, int number) noexcept nogil
    cdef int mark_all(self, int holder) except -1 nogil
    cdef int known(self, int number) except -1 nogil
    cdef int find_conjunctions(self) except -1 nogil
    cdef int fetch(self, int number) except -1 nogil
    cdef int look_at_list(self, int number) except -1 nogil
    cdef int look_at(self, int at) except -1 nogil
    cdef bint tests_hold(self, int at) noexcept nogil
    cdef int spend(self, long long steps) except -1 nogil

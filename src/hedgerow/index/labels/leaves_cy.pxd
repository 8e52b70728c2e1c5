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

    # By the number of a literal, the list of ...
    cdef int[::1] labels_of  # its labels
    cdef int[::1] negations_of  # negations that want it to hold
    cdef int[::1] asking  # conjunctions that it counts for
    cdef int[::1] denying  # conjunctions that it strikes out

    cdef int[::1] negation  # by predicate, two each: what accepts FALSE, and what accepts NOT_TRUE
    cdef readonly int negation_count
    cdef int[::1] denier  # by negation, the literal that denies it, or -2
    cdef int[::1] negated_labels  # by negation, the list of its labels

    cdef int[::1] conjunction  # by node
    cdef readonly int conjunction_count
    cdef int[::1] wanted  # by conjunction, how often it must be counted
    cdef int[::1] joint_labels  # by conjunction, the list of its labels

    cdef int shown_negations
    cdef int shown_conjunctions

    cdef int publish(self) except -1
    cdef int add_label(self, int node, int place) except -1
    cdef int list_of_literal(self, int code) except -1
    cdef int negation_of(self, int code) except -1
    cdef int list_of_there(self, int there) except -1
    cdef int list_of_conjunction(self, int node) except -1
    cdef int ask_for(self, int number, int code) except -1
    cdef int count_for(self, int number, int literal) except -1

@cython.final
cdef class HoldingLeaves:
    cdef Outcomes outcomes
    cdef Holding holding
    cdef ListsView lists
    cdef int limit
    cdef int negation_limit
    cdef int conjunction_limit
    cdef long long visits
    cdef int[::1] labels_of
    cdef int[::1] negations_of
    cdef int[::1] asking
    cdef int[::1] denying
    cdef int[::1] denier
    cdef int[::1] negated_labels
    cdef int[::1] wanted
    cdef int[::1] joint_labels
    cdef int[::1] counted
    cdef int[::1] touched
    cdef int touched_count
    cdef unsigned long long[::1] bits
    cdef unsigned long long[::1] summary

    cdef int find(self, long long row) except -1 nogil
    cdef int mark_list(self, int number) except -1 nogil
    cdef int mark_negations(self, int list_number) except -1 nogil
    cdef bint is_denied(self, int number) noexcept nogil
    cdef int find_conjunctions(self) except -1 nogil
    cdef int count_list(self, int list_number) except -1 nogil
    cdef int deny_list(self, int list_number) except -1 nogil
    cdef int spend(self, long long steps) except -1 nogil

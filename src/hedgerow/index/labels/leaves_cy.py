"""Leaves: which literals and conjunctions have labels where, and those of them that hold for an event.

::

    literals that hold     a = 1                 state is there                           always
                             │                       │  unless state = 'NY' holds           │
    labels                 3 17 40                 8 12      of state != 'NY'               21      of TRUE
                             │
    conjunctions           0 (asks for 2)  1 (asks for 2)      counted; one that is counted as often as it asks holds

A label is told by its place among the words of all labels. Each leaf, a literal or a conjunction of several, has one
list of places, wherever it stands. A literal with a negated test is found by what must be there for it, once, and
looked up in what denies it; one that nothing must be there for is looked up at every event. Conjunctions are counted as
in ``baselines/counting_cy``, each once however many expressions have it: what denies one strikes it out.

A search marks the places that it finds in bits. That puts them in order, those of a tree side by side in the order of
its labels, and makes each come once; a summary, a bit a word, tells which words to look at.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, ListsView, Literals
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, Graph
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.language.operators import Accepts
from hedgerow.sections import nested, numbers, part, scalars, section

_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))

# Lists that every event looks at.
_ALWAYS = cython.declare(cython.int, 0)  # labels of what always holds
_WEAK = cython.declare(cython.int, 1)  # negations that need nothing to be there
_FREE = cython.declare(cython.int, 2)  # conjunctions that ask for nothing

_DENIED = cython.declare(cython.int, -1)
_ONE = cython.declare(cython.ulonglong, 1)


@cython.final
@cython.cclass
class Leaves:
    """What is labelled. One writer adds, with the GIL held, while searches run; nothing is taken out."""

    def __init__(self, graph: Graph, table: PredicateTable):
        self.graph = graph
        self.literals = Literals(graph, table)
        self.lists = Lists()
        for _ in range(3):
            self.lists.new_list()
        self.labels_of = filled(16, -1, np.int32)
        self.negations_of = filled(16, -1, np.int32)
        self.asking = filled(16, -1, np.int32)
        self.denying = filled(16, -1, np.int32)
        self.negation = filled(16, -1, np.int32)
        self.denier = np.empty(16, np.int32)
        self.negated_labels = np.empty(16, np.int32)
        self.conjunction = filled(16, -1, np.int32)
        self.wanted = np.empty(16, np.int32)
        self.joint_labels = np.empty(16, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes these leaves of."""
        return nested(literals=self.literals.saved(), lists=self.lists.saved()) | {
            "labels_of": np.asarray(self.labels_of),
            "negations_of": np.asarray(self.negations_of),
            "asking": np.asarray(self.asking),
            "denying": np.asarray(self.denying),
            "negation": np.asarray(self.negation),
            "denier": np.asarray(self.denier)[: self.negation_count],
            "negated_labels": np.asarray(self.negated_labels)[: self.negation_count],
            "conjunction": np.asarray(self.conjunction),
            "wanted": np.asarray(self.wanted)[: self.conjunction_count],
            "joint_labels": np.asarray(self.joint_labels)[: self.conjunction_count],
            "leaves": numbers(self.label_count),
        }

    @staticmethod
    def restored(graph: Graph, table: PredicateTable, arrays):
        """Return the leaves that were saved as these arrays, in these arrays."""
        leaves: Leaves = Leaves.__new__(Leaves)
        leaves.graph = graph
        leaves.literals = Literals.restored(graph, table, part(arrays, "literals"))
        leaves.lists = Lists.restored(part(arrays, "lists"))
        leaves.labels_of = section(arrays, "labels_of", np.int32)
        leaves.negations_of = section(arrays, "negations_of", np.int32)
        leaves.asking = section(arrays, "asking", np.int32)
        leaves.denying = section(arrays, "denying", np.int32)
        leaves.negation = section(arrays, "negation", np.int32)
        leaves.denier = section(arrays, "denier", np.int32)
        leaves.negation_count = leaves.denier.shape[0]
        leaves.negated_labels = section(arrays, "negated_labels", np.int32, leaves.negation_count)
        leaves.conjunction = section(arrays, "conjunction", np.int32)
        leaves.wanted = section(arrays, "wanted", np.int32)
        leaves.conjunction_count = leaves.wanted.shape[0]
        leaves.joint_labels = section(arrays, "joint_labels", np.int32, leaves.conjunction_count)
        (leaves.label_count,) = scalars(arrays, "leaves", 1)
        leaves.publish()
        return leaves

    @property
    def nbytes(self):
        """Bytes held, those of the literals left out."""
        by_literal = self.labels_of.nbytes + self.negations_of.nbytes + self.asking.nbytes + self.denying.nbytes
        by_node = self.negation.nbytes + self.conjunction.nbytes
        return self.lists.nbytes + by_literal + by_node + 8 * (self.negation_count + self.conjunction_count)

    def publish(self):
        """Show what there is to the searches that begin from now on."""
        self.shown_negations = self.negation_count
        self.shown_conjunctions = self.conjunction_count
        return 0

    def add_label(self, node, place):
        """Let events that satisfy a node, a leaf, lead to a label."""
        kind: cython.int = self.graph.node_kind[node]
        number: cython.int = _ALWAYS
        if kind == NODE_LITERAL:
            number = self.list_of_literal(self.graph.node_code[node])
        elif kind == NODE_AND:
            number = self.list_of_conjunction(node)
        self.lists.append(number, place)
        self.label_count = self.label_count + 1
        return 0

    def list_of_literal(self, code):
        """Return the list of the labels that a literal has."""
        number: cython.int
        if self.literals.is_denied(code):
            number = self.negation_of(code)
            return self.negated_labels[number]
        number = self.literals.number(code)
        if number >= self.labels_of.shape[0]:
            self.labels_of = grown(self.labels_of, number + 1, -1)
        if self.labels_of[number] < 0:
            self.labels_of[number] = self.lists.new_list()
        return self.labels_of[number]

    def negation_of(self, code):
        """Return the number of a literal that is found by what must be there and by what denies it."""
        key: cython.int = 2 * (code >> 2) + (code & 3 == _NOT_TRUE)
        number: cython.int
        there: cython.int
        if key >= self.negation.shape[0]:
            self.negation = grown(self.negation, key + 1, -1)
        if self.negation[key] >= 0:
            return self.negation[key]
        there = self.literals.there(code)
        number = self.negation_count
        if number >= self.denier.shape[0]:
            deniers, labels = grown(self.denier, number + 1), grown(self.negated_labels, number + 1)
            self.denier, self.negated_labels = deniers, labels
        self.denier[number] = self.literals.denied(code)
        self.negated_labels[number] = self.lists.new_list()
        self.negation_count = number + 1
        self.lists.append(self.list_of_there(there), number)
        self.negation[key] = number
        return number

    def list_of_there(self, there):
        """Return the list of the negations for which something must be there, or nothing."""
        if there < 0:
            return _WEAK
        if there >= self.negations_of.shape[0]:
            self.negations_of = grown(self.negations_of, there + 1, -1)
        if self.negations_of[there] < 0:
            self.negations_of[there] = self.lists.new_list()
        return self.negations_of[there]

    def list_of_conjunction(self, node):
        """Return the list of the labels that a conjunction has."""
        number: cython.int
        position: cython.longlong
        if node >= self.conjunction.shape[0]:
            self.conjunction = grown(self.conjunction, node + 1, -1)
        if self.conjunction[node] >= 0:
            return self.joint_labels[self.conjunction[node]]
        number = self.conjunction_count
        if number >= self.wanted.shape[0]:
            wanted, labels = grown(self.wanted, number + 1), grown(self.joint_labels, number + 1)
            self.wanted, self.joint_labels = wanted, labels
        self.wanted[number] = 0
        self.joint_labels[number] = self.lists.new_list()
        # From here on the number is used up: what is counted for one that fails leads to an empty list.
        self.conjunction_count = number + 1
        for position in range(self.graph.node_start[node], self.graph.node_start[node + 1]):
            self.ask_for(number, self.graph.node_code[self.graph.child[position]])
        if self.wanted[number] == 0:
            self.lists.append(_FREE, number)
            self.wanted[number] = 1
        self.conjunction[node] = number
        return self.joint_labels[number]

    def ask_for(self, number, code):
        """Let a literal count for a conjunction, or strike it out."""
        literal: cython.int
        if not self.literals.is_denied(code):
            return self.count_for(number, self.literals.number(code))
        literal = self.literals.there(code)
        if literal >= 0:
            self.count_for(number, literal)
        literal = self.literals.denied(code)
        if literal >= 0:
            if literal >= self.denying.shape[0]:
                self.denying = grown(self.denying, literal + 1, -1)
            if self.denying[literal] < 0:
                self.denying[literal] = self.lists.new_list()
            self.lists.append(self.denying[literal], number)
        return 0

    def count_for(self, number, literal):
        """Let what holds count for a conjunction, once: two negations may want the same to be there."""
        if literal >= self.asking.shape[0]:
            self.asking = grown(self.asking, literal + 1, -1)
        if self.asking[literal] < 0:
            self.asking[literal] = self.lists.new_list()
        place: cython.longlong = self.lists.place[self.asking[literal]]
        if list_length(place) and self.lists.arena[list_start(place) + list_length(place) - 1] == number:
            return 0
        self.lists.append(self.asking[literal], number)
        self.wanted[number] += 1
        return 0

    def told(self):
        """Return the places of the labels of each leaf by what people write for it, for pictures and tests."""
        number: cython.int
        code: cython.int
        found: dict = {}
        for number in range(self.labels_of.shape[0]):
            if self.labels_of[number] >= 0:
                self.tell(found, self.literals.text(number), self.labels_of[number])
        for code in range(self.negation.shape[0]):
            if self.negation[code] >= 0:
                number = self.negation[code]
                way = "not true: " if code & 1 else "NOT "
                self.tell(found, f"{way}{self.graph.predicate(code >> 1)}", self.negated_labels[number])
        for number in range(self.conjunction.shape[0]):
            if self.conjunction[number] >= 0:
                text = str(self.graph.expression(number))
                self.tell(found, text, self.joint_labels[self.conjunction[number]])
        self.tell(found, "TRUE", _ALWAYS)
        return found

    def tell(self, found: dict, text, number: cython.int):
        """Add the places of a list."""
        for place in self.lists.values(number):
            found[place] = text


@cython.final
@cython.cclass
class HoldingLeaves:
    """The labels of the leaves that hold for one row after the other, as bits. Whoever reads the bits cleans them."""

    def __init__(self, leaves: Leaves, outcomes: Outcomes, limit: cython.int):
        # The numbers first: arrays that are taken later have all that they count.
        self.limit = limit
        self.negation_limit = leaves.shown_negations
        self.conjunction_limit = leaves.shown_conjunctions
        self.outcomes = outcomes
        self.holding = Holding(leaves.literals, outcomes)
        self.lists = ListsView()
        self.lists.begin(leaves.lists)
        self.labels_of, self.negations_of = leaves.labels_of, leaves.negations_of
        self.asking, self.denying = leaves.asking, leaves.denying
        self.denier, self.negated_labels = leaves.denier, leaves.negated_labels
        self.wanted, self.joint_labels = leaves.wanted, leaves.joint_labels
        self.counted = filled(self.conjunction_limit, 0, np.int32)
        self.touched = roomy(self.conjunction_limit, np.int32)
        words: cython.Py_ssize_t = (limit >> 6) + 1
        self.bits = filled(words, 0, np.uint64)
        self.summary = filled((words >> 6) + 1, 0, np.uint64)

    def find(self, row):
        """Mark the labels of all leaves that hold for a row."""
        position: cython.int
        number: cython.int
        self.visits = 0
        self.holding.find(row)
        self.mark_list(_ALWAYS)
        self.mark_negations(_WEAK)
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.labels_of.shape[0]:
                self.mark_list(self.labels_of[number])
            if number < self.negations_of.shape[0]:
                self.mark_negations(self.negations_of[number])
        if self.conjunction_limit:
            self.find_conjunctions()
        return 0

    def mark_list(self, number):
        """Mark the labels of a list."""
        place: cython.longlong = self.lists.locate(number)
        position: cython.longlong
        label: cython.int
        self.spend(list_length(place))
        for position in range(list_start(place), list_start(place) + list_length(place)):
            label = self.lists.arena[position]
            if 0 <= label < self.limit:
                self.bits[label >> 6] |= _ONE << (label & 63)
                self.summary[label >> 12] |= _ONE << ((label >> 6) & 63)
        return 0

    def mark_negations(self, list_number):
        """Mark the labels of those negations of a list that nothing denies."""
        place: cython.longlong = self.lists.locate(list_number)
        position: cython.longlong
        number: cython.int
        self.spend(list_length(place))
        for position in range(list_start(place), list_start(place) + list_length(place)):
            # Marking may have the view of the lists begin again: what was in the arena stays where it was.
            number = self.lists.arena[position]
            if 0 <= number < self.negation_limit and not self.is_denied(number):
                self.mark_list(self.negated_labels[number])
        return 0

    def is_denied(self, number):
        """Return whether what denies a negation holds; what came later holds for no row of this search."""
        denier: cython.int = self.denier[number]
        return 0 <= denier < self.holding.limit and self.holding.holds[denier] != 0

    def find_conjunctions(self):
        """Count, strike out what is denied, mark the labels of what is counted as often as it asks."""
        position: cython.int
        number: cython.int
        self.touched_count = 0
        self.count_list(_FREE)
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.asking.shape[0]:
                self.count_list(self.asking[number])
        for position in range(self.holding.count):
            number = self.holding.numbers[position]
            if number < self.denying.shape[0]:
                self.deny_list(self.denying[number])
        for position in range(self.touched_count):
            number = self.touched[position]
            if self.counted[number] == self.wanted[number]:
                self.mark_list(self.joint_labels[number])
            self.counted[number] = 0
        return 0

    def count_list(self, list_number):
        """Count for the conjunctions of a list."""
        place: cython.longlong = self.lists.locate(list_number)
        position: cython.longlong
        number: cython.int
        self.spend(list_length(place))
        for position in range(list_start(place), list_start(place) + list_length(place)):
            number = self.lists.arena[position]
            if 0 <= number < self.conjunction_limit:
                if self.counted[number] == 0:
                    self.touched[self.touched_count] = number
                    self.touched_count = self.touched_count + 1
                self.counted[number] += 1
        return 0

    def deny_list(self, list_number):
        """Strike out the conjunctions of a list."""
        place: cython.longlong = self.lists.locate(list_number)
        position: cython.longlong
        number: cython.int
        self.spend(list_length(place))
        for position in range(list_start(place), list_start(place) + list_length(place)):
            number = self.lists.arena[position]
            if 0 <= number < self.conjunction_limit and self.counted[number]:
                self.counted[number] = _DENIED
        return 0

    def spend(self, steps):
        """Count entries of lists as visits."""
        self.visits = self.visits + steps
        return self.outcomes.spend(steps)

"""Leaves: which literals and conjunctions have labels where, and those of them that hold for an event.

::

    literals that hold     a = 1                 state is there                           always
                             │                       │  unless state = 'NY' holds           │
    labels                 3 17 40                 8 12      of state != 'NY'               21      of TRUE
                             │
    conjunctions           a = 1 AND b = 2   a = 1 AND state != 'NY'
                             labels 5          labels 9
                             b = 2?            state is there?  state = 'NY' not?

A label is told by its place among the words of all labels. Each leaf, a literal or a conjunction of several, has one
list of places, wherever it stands. A literal with a negated test is found by what must be there for it, once, and
looked up in what denies it; one that nothing must be there for is looked up at every event.

A conjunction is led to by one of its literals, by one that few events satisfy as far as can be told, and by the one
that leads to fewest of them already. What is left of it are tests, each the number of a literal and whether it must
hold, one behind the other; equal conjunctions are one, however many expressions have it.

A search marks the places that it finds in bits. That puts them in order, those of a tree side by side in the order of
its labels, and makes each come once; a summary, a bit a word, tells which words to look at.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import prefetch
from cython.cimports.hedgerow.index.chassis.literals_cy import Holding, ListsView, Literals
from cython.cimports.hedgerow.language.graph_cy import NODE_AND, NODE_LITERAL, Graph
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.finder_cy import BY_VALUE
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable

from hedgerow.arrays_cy import filled, grown
from hedgerow.errors import LimitError
from hedgerow.language.operators import Accepts
from hedgerow.sections import nested, numbers, part, scalars, section

_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))

# Lists that every event looks at.
_ALWAYS = cython.declare(cython.int, 0)  # labels of what always holds
_WEAK = cython.declare(cython.int, 1)  # negations that need nothing to be there
_FREE = cython.declare(cython.int, 2)  # conjunctions that ask for nothing

# What there is of a conjunction: its labels, how many tests it has, and the tests.
_LABELS = cython.declare(cython.int, 0)
_COUNT = cython.declare(cython.int, 1)
_TESTS = cython.declare(cython.int, 2)

# Most literals and conjunctions lead to one thing only. That stands by itself where the number of a list would, as
# -2 - thing; from the second on there is a list, of which a search may not know that it has come.
_NONE = cython.declare(cython.int, -1)
_FIRST = cython.declare(cython.int, -2)
_AHEAD = cython.declare(cython.int, 8)  # literals by which conjunctions are fetched before they are looked at

# How few events satisfy what leads to a conjunction, the best one first.
_BY_VALUE = cython.declare(cython.longlong, 0)
_BY_MORE = cython.declare(cython.longlong, 1)
_BY_PRESENCE = cython.declare(cython.longlong, 2)
_RANK = cython.declare(cython.int, 32)  # bits below it are for the length of a list
_MOST_TESTS = cython.declare(cython.longlong, (1 << 30) - 1)  # numbers of literals are doubled, places have 31 bits

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
        self.negation = filled(16, -1, np.int32)
        self.denier, self.negated_labels = np.empty(16, np.int32), np.empty(16, np.int32)
        self.conjunction = filled(16, -1, np.int32)
        self.joint = np.empty(64, np.int32)

    def saved(self):
        """Return the arrays that ``restored`` makes these leaves of."""
        return nested(literals=self.literals.saved(), lists=self.lists.saved()) | {
            "labels_of": np.asarray(self.labels_of),
            "negations_of": np.asarray(self.negations_of),
            "asking": np.asarray(self.asking),
            "negation": np.asarray(self.negation),
            "denier": np.asarray(self.denier)[: self.negation_count],
            "negated_labels": np.asarray(self.negated_labels)[: self.negation_count],
            "conjunction": np.asarray(self.conjunction),
            "joint": np.asarray(self.joint)[: self.joint_used],
            "leaves": numbers(self.label_count, self.conjunction_count),
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
        leaves.negation = section(arrays, "negation", np.int32)
        leaves.denier = section(arrays, "denier", np.int32)
        leaves.negation_count = leaves.denier.shape[0]
        leaves.negated_labels = section(arrays, "negated_labels", np.int32, leaves.negation_count)
        leaves.conjunction = section(arrays, "conjunction", np.int32)
        leaves.joint = section(arrays, "joint", np.int32)
        leaves.joint_used = leaves.joint.shape[0]
        leaves.label_count, leaves.conjunction_count = scalars(arrays, "leaves", 2)
        leaves.publish()
        return leaves

    @property
    def nbytes(self):
        """Bytes held, those of the literals left out."""
        by_literal = self.labels_of.nbytes + self.negations_of.nbytes + self.asking.nbytes
        by_node = self.negation.nbytes + self.conjunction.nbytes
        return self.lists.nbytes + by_literal + by_node + 8 * self.negation_count + 4 * self.joint_used

    def publish(self):
        """Show what there is to the searches that begin from now on."""
        self.shown_negations = self.negation_count
        self.shown_joint = self.joint_used
        return 0

    def add_label(self, node, label):
        """Let events that satisfy a node, a leaf, lead to a label."""
        kind: cython.int = self.graph.node_kind[node]
        place: cython.int
        if kind == NODE_LITERAL:
            self.add_literal_label(self.graph.node_code[node], label)
        elif kind == NODE_AND:
            place = self.conjunction_of(node)
            self.joint[place + _LABELS] = self.put(self.joint[place + _LABELS], label)
        else:
            self.lists.append(_ALWAYS, label)
        self.label_count = self.label_count + 1
        return 0

    def put(self, holder, thing):
        """Add a thing to those that something leads to; return what is to stand there from now on."""
        number: cython.int
        if holder == _NONE:
            return _FIRST - thing
        if holder >= 0:
            self.lists.append(holder, thing)
            return holder
        number = self.lists.new_list()
        self.lists.append(number, _FIRST - holder)
        self.lists.append(number, thing)
        return number

    def add_literal_label(self, code, label):
        """Let events that satisfy a literal lead to a label."""
        number: cython.int
        if self.literals.is_denied(code):
            return self.lists.append(self.negated_labels[self.negation_of(code)], label)
        number = self.literals.number(code)
        if number >= self.labels_of.shape[0]:
            self.labels_of = grown(self.labels_of, number + 1, -1)
        self.labels_of[number] = self.put(self.labels_of[number], label)
        return 0

    def negation_of(self, code):
        """Return the number of a literal that holds if something is there, and what denies it does not hold."""
        key: cython.int = 2 * (code >> 2) + (code & 3 == _NOT_TRUE)
        number: cython.int = self.negation_count
        there: cython.int
        if key >= self.negation.shape[0]:
            self.negation = grown(self.negation, key + 1, -1)
        if self.negation[key] >= 0:
            return self.negation[key]
        if number >= self.denier.shape[0]:
            labels = grown(self.negated_labels, number + 1)
            self.denier = grown(self.denier, number + 1)
            self.negated_labels = labels
        there = self.literals.there(code)
        self.denier[number] = self.literals.denied(code)
        self.negated_labels[number] = self.lists.new_list()
        # From here on the number is used up: one that fails has no label.
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

    def conjunction_of(self, node):
        """Return the place of a conjunction; write down the tests of a new one, and let a literal lead to it."""
        place: cython.int = self.joint_used
        first: cython.longlong = self.graph.node_start[node]
        last: cython.longlong = self.graph.node_start[node + 1]
        needed: cython.longlong = place + _TESTS + 2 * (last - first)
        access: cython.int
        if node >= self.conjunction.shape[0]:
            self.conjunction = grown(self.conjunction, node + 1, -1)
        if self.conjunction[node] >= 0:
            return self.conjunction[node]
        if needed > _MOST_TESTS:
            raise LimitError(f"conjunctions of more than {_MOST_TESTS:,} literals in one index")
        if needed > self.joint.shape[0]:
            self.joint = grown(self.joint, needed)
        self.joint[place + _LABELS] = _NONE
        self.joint[place + _COUNT] = 0
        access = self.write_tests(place, first, last)
        # From here on the place is used up: one that fails has no label.
        self.joint_used = place + _TESTS + self.joint[place + _COUNT]
        if access < 0:
            self.lists.append(_FREE, place)
        else:
            if access >= self.asking.shape[0]:
                self.asking = grown(self.asking, access + 1, -1)
            self.asking[access] = self.put(self.asking[access], place)
        self.conjunction[node] = place
        self.conjunction_count = self.conjunction_count + 1
        return place

    def write_tests(self, place, first, last):
        """Write the tests of a conjunction but for the literal that leads to it, which is returned; -1 if none can."""
        position: cython.longlong
        code: cython.int
        there: cython.int
        self.access = -1
        self.access_rank = 0
        for position in range(first, last):
            code = self.graph.node_code[self.graph.child[position]]
            if self.literals.is_denied(code):
                there = self.literals.there(code)
                if there >= 0:
                    self.offer(place, there, _BY_PRESENCE)
                there = self.literals.denied(code)
                if there >= 0:
                    self.put_test(place, 2 * there)
            elif self.literals.finder.way(code) == BY_VALUE:
                self.offer(place, self.literals.number(code), _BY_VALUE)
            else:
                self.offer(place, self.literals.number(code), _BY_MORE)
        return self.access

    def offer(self, place, number, rank):
        """Take a literal that must hold as the one that leads to a conjunction, or as a test."""
        ranked: cython.longlong = rank << _RANK
        if number < self.asking.shape[0] and self.asking[number] != _NONE:
            ranked += list_length(self.lists.place[self.asking[number]]) if self.asking[number] >= 0 else 1
        if self.access < 0:
            self.access = number
            self.access_rank = ranked
        elif ranked < self.access_rank:
            self.put_test(place, 2 * self.access + 1)
            self.access = number
            self.access_rank = ranked
        else:
            self.put_test(place, 2 * number + 1)
        return 0

    def put_test(self, place, test):
        """Write down a test: twice the number of a literal, and 1 more if it must hold."""
        self.joint[place + _TESTS + self.joint[place + _COUNT]] = test
        self.joint[place + _COUNT] += 1
        return 0

    def told(self):
        """Return the places of the labels of each leaf by what people write for it, for pictures and tests."""
        number: cython.int
        code: cython.int
        found: dict = {}
        for number in range(self.labels_of.shape[0]):
            if self.labels_of[number] != _NONE:
                self.tell(found, self.literals.text(number), self.labels_of[number])
        for code in range(self.negation.shape[0]):
            if self.negation[code] >= 0:
                number = self.negation[code]
                way = "not true: " if code & 1 else "NOT "
                self.tell(found, f"{way}{self.graph.predicate(code >> 1)}", self.negated_labels[number])
        for number in range(self.conjunction.shape[0]):
            if self.conjunction[number] >= 0:
                self.tell(found, str(self.graph.expression(number)), self.joint[self.conjunction[number] + _LABELS])
        self.tell(found, "TRUE", _ALWAYS)
        return found

    def tell(self, found: dict, text, number: cython.int):
        """Add the labels of a list, or the one that has none."""
        for label in self.lists.values(number) if number >= 0 else [_FIRST - number]:
            found[label] = text


@cython.final
@cython.cclass
class HoldingLeaves:
    """The labels of the leaves that hold for one row after the other, as bits. Whoever reads the bits cleans them."""

    def __init__(self, leaves: Leaves, outcomes: Outcomes, limit: cython.int):
        # The numbers first: arrays that are taken later have all that they count.
        self.limit = limit
        self.negation_limit = leaves.shown_negations
        self.joint_limit = leaves.shown_joint
        self.outcomes = outcomes
        self.holding = Holding(leaves.literals, outcomes)
        self.lists = ListsView()
        self.lists.begin(leaves.lists)
        self.labels_of, self.negations_of = leaves.labels_of, leaves.negations_of
        self.asking, self.joint = leaves.asking, leaves.joint
        self.denier, self.negated_labels = leaves.denier, leaves.negated_labels
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
                self.mark_all(self.labels_of[number])
            if number < self.negations_of.shape[0]:
                self.mark_negations(self.negations_of[number])
        if self.joint_limit:
            self.find_conjunctions()
        return 0

    def mark_list(self, number):
        """Mark the labels of a list."""
        place: cython.longlong = self.lists.locate(number)
        position: cython.longlong
        label: cython.int
        self.spend(list_length(place))
        for position in range(list_start(place), list_start(place) + list_length(place)):
            self.mark(self.lists.arena[position])
        return 0

    def mark(self, label):
        """Mark a label that this search sees."""
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

    def mark_all(self, holder):
        """Mark the one label that stands somewhere, or those of its list."""
        if holder == _NONE:
            return 0
        if holder < 0:
            self.spend(1)
            return self.mark(_FIRST - holder)
        return self.mark_list(self.known(holder))

    def known(self, number):
        """Return the number of a list, of which this search may not have known when it began."""
        if number >= self.lists.count:
            # One thing stood there then, which is the first in a list that has come since.
            with cython.gil:
                self.lists.begin(self.lists.lists)
        return number

    def find_conjunctions(self):
        """Look at the conjunctions that literals lead to."""
        position: cython.int
        number: cython.int
        holder: cython.int
        self.look_at_list(_FREE)
        for position in range(self.holding.count):
            if position + _AHEAD < self.holding.count:
                self.fetch(self.holding.numbers[position + _AHEAD])
            number = self.holding.numbers[position]
            holder = self.asking[number] if number < self.asking.shape[0] else _NONE
            if holder >= 0:
                self.look_at_list(self.known(holder))
            elif holder != _NONE:
                self.spend(1)
                self.look_at(_FIRST - holder)
        return 0

    def fetch(self, number):
        """Have the memory fetch the conjunction that a literal leads to."""
        holder: cython.int = self.asking[number] if number < self.asking.shape[0] else _NONE
        if holder < _NONE and _FIRST - holder < self.joint_limit:
            prefetch(cython.address(self.joint[_FIRST - holder]))
        return 0

    def look_at_list(self, number):
        """Look at the conjunctions of a list."""
        place: cython.longlong = self.lists.locate(number)
        position: cython.longlong
        self.spend(list_length(place))
        for position in range(list_start(place), list_start(place) + list_length(place)):
            self.look_at(self.lists.arena[position])
        return 0

    def look_at(self, at):
        """Mark the labels of a conjunction if it holds."""
        if 0 <= at < self.joint_limit and self.tests_hold(at):
            self.mark_all(self.joint[at + _LABELS])
        return 0

    def tests_hold(self, at):
        """Return whether all tests of a conjunction come out as they must."""
        position: cython.int
        test: cython.int
        for position in range(at + _TESTS, at + _TESTS + self.joint[at + _COUNT]):
            test = self.joint[position]
            if self.holding.holds[test >> 1] != (test & 1):
                return False
        return True

    def spend(self, steps):
        """Count entries of lists as visits."""
        self.visits = self.visits + steps
        return self.outcomes.spend(steps)

"""What tests say of the sets of an event: found out once for each test and event, for all searches by relation.

A literal is ``predicate * 4 + accepts``. Under the relation of a search it may *hold* (its test has the o that the
relation wants of it) and *cover* (the o of its attribute has the test that the relation wants of it); what the relation
does not want holds always. Of an attribute that the event is silent about, a literal holds or not by its operator
alone. All else is asked of Python (``index/relating.py``), which compares regions of values; the answer is kept for
the rest of the event.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import Graph

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.language.asked_values import is_pattern
from hedgerow.language.operators import OPERATORS as _ROWS
from hedgerow.language.operators import Accepts, Operator

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))
_NOT_FALSE = cython.declare(cython.int, int(Accepts.NOT_FALSE))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_WORD = cython.declare(cython.int, 64)
_BASE = cython.declare(cython.int[32])
_IS_PATTERN = cython.declare(cython.bint[32])
for _row in _ROWS:
    _BASE[int(_row.operator)] = int(_row.base)
    _IS_PATTERN[int(_row.operator)] = is_pattern(_row.operator)


@cython.cclass
class Judge:
    """What the literals of a graph say of one event after the other. A search has one, and the GIL throughout."""

    def __init__(self, graph: Graph, questions):
        self.graph = graph
        self.questions = questions
        self.wants_holding = questions.wants_holding
        self.takes_absence = questions.takes_absence
        self.wants_covering = questions.wants_covering
        self.literal_limit = 4 * graph.predicate_count
        self.operator_of, self.attribute_of = graph.predicate_operator, graph.predicate_attribute
        self.entry_of = filled(max(graph.names.count, 1), -1, np.int32)
        self.entered = np.empty(16, np.int32)
        self.state = np.zeros(max(self.literal_limit, 1), np.uint8)  # of which mostly little is used
        self.judged = roomy(max(self.literal_limit, 1), np.int32)
        self.open = roomy(max(self.literal_limit, 1), np.int32)

    def begin(self, event):
        """Take another event: forget the last one."""
        position: cython.int
        attribute: cython.int
        for position in range(self.judged_count):
            self.state[self.judged[position]] = 0
        for position in range(self.entered_count):
            self.entry_of[self.entered[position]] = -1
        self.judged_count = self.entered_count = self.open_count = 0
        self.entries, self.wanted, self.wanted_bits = 0, 0, 0
        for name, is_wanted in self.questions.begin(event):
            attribute = self.graph.names.find_text(name)
            if is_wanted and self.wants_covering:
                self.wanted += 1
                if self.entries < _WORD:
                    self.wanted_bits |= cython.cast(cython.ulonglong, 1) << self.entries
            if 0 <= attribute < self.entry_of.shape[0]:
                if self.entered_count >= self.entered.shape[0]:
                    self.entered = grown(self.entered, self.entered_count + 1)
                self.entered[self.entered_count] = attribute
                self.entered_count += 1
                self.entry_of[attribute] = self.entries
            self.entries += 1
        return 0

    def all_wanted(self):
        """Return the bits of the entries that must be covered, however many there are."""
        return sum(1 << place for place, is_wanted in enumerate(self.questions.wanted) if is_wanted)

    def entry(self, code):
        """Return which of the entries of the event a literal is about, or -1."""
        return self.entry_of[self.attribute_of[code >> 2]]

    def known(self, code):
        """Return what is known of a literal, 0 if it has to be asked for."""
        if self.state[code]:
            return self.state[code]
        if self.entry(code) >= 0:
            return 0
        return KNOWN | HOLDS if not self.wants_holding or self.holds_absent(code) else KNOWN

    def ask(self, code):
        """Note that a literal has to be asked for, before ``answer`` is called."""
        self.open[self.open_count] = code
        self.open_count += 1
        self.state[code] = KNOWN  # not twice; nobody reads it before the answer
        return 0

    def answer(self):
        """Ask for what was noted."""
        position: cython.int
        code: cython.int
        for position in range(self.open_count):
            self.state[self.open[position]] = 0
        for position in range(self.open_count):
            code = self.open[position]
            self.bits(code)
        self.open_count = 0
        return 0

    def bits(self, code):
        """Return what a literal says of the event; Python may run meanwhile."""
        known: cython.int = self.known(code)
        if known:
            return known
        known = KNOWN | cython.cast(cython.int, self.questions.judge(code, self.entry(code)))
        self.judged[self.judged_count] = code
        self.judged_count += 1
        self.state[code] = known
        return known

    def told(self, code: cython.int):
        """Return whether a literal holds, and which entry of the event it covers, or -1."""
        if not 0 <= code < self.literal_limit:
            raise IndexError(code)
        bits: cython.int = self.bits(code)
        return bool(bits & HOLDS), self.entry(code) if bits & COVERS else -1

    def holds_absent(self, code):
        """Return whether a literal holds for what an event is silent about."""
        accepts: cython.int = code & 3
        if _BASE[self.operator_of[code >> 2]] == _IS_NULL:
            return accepts == _TRUE or accepts == _NOT_FALSE
        return self.takes_absence and (accepts == _NOT_TRUE or accepts == _NOT_FALSE)


def patterns_of(graph: Graph, first: cython.int):
    """Return the numbers of the predicates from ``first`` on that test the text of strings."""
    predicate: cython.int
    found: list = []
    for predicate in range(first, graph.predicate_count):
        if _IS_PATTERN[graph.predicate_operator[predicate]]:
            found.append(predicate)
    return found

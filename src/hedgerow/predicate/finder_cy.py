"""Which literals hold for an event, without testing them all.

A ``Finder`` keeps some literals of a graph (an engine decides which) where an event leads to them::

    state = 'CA', state IN ('CA', 'NY')   by key: (attribute, value) ─ hash ─> list of literals, all of which hold
    age < 30, name LIKE 'A%', state != 1  by attribute: a list of literals that are tested when it is present
    vip IS NULL, a WEAK NOT IN (1)        in one list that every event tests: absence satisfies them

A ``Found`` is one search: views of the finder as it was when the search began, and the literals found for a row. A
literal that was added or removed in the meantime may be found or not; an engine looks at committed ones only.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.lists_cy import Lists, list_length, list_start
from cython.cimports.hedgerow.predicate.outcome_cy import Outcomes
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable
from cython.cimports.hedgerow.symbols_cy import mixed, seed

from hedgerow.arrays_cy import filled, grown
from hedgerow.language.operators import Accepts, Operator
from hedgerow.values import Kind

_EQ = cython.declare(cython.int, int(Operator.EQ))
_IN = cython.declare(cython.int, int(Operator.IN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_ACCEPTS_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_LIST = cython.declare(cython.int, int(Kind.LIST))

_ABSENT = cython.declare(cython.int, 0)  # the number of the list of literals that absence satisfies


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hash(attribute: cython.int, kind: cython.int, payload: cython.longlong) -> cython.ulonglong:
    state: cython.ulonglong = mixed(seed(), cython.cast(cython.ulonglong, attribute))
    return mixed(mixed(state, cython.cast(cython.ulonglong, payload)), cython.cast(cython.ulonglong, kind))


@cython.cclass
class Finder:
    """Literals of a graph, where events lead to them."""

    def __init__(self, graph: Graph, table: PredicateTable):
        self.graph = graph
        self.table = table
        self.lists = Lists()
        self.lists.new_list()
        self.key_attribute = np.empty(16, np.int32)
        self.key_kind = np.empty(16, np.uint8)
        self.key_payload = np.empty(16, np.int64)
        self.key_list = np.empty(16, np.int32)
        self.slots = filled(32, -1, np.int32)
        self.tested = filled(16, -1, np.int32)
        self.node_index = np.empty(16, np.int32)
        self.code = np.empty(16, np.int32)
        self.value_index = np.empty(16, np.int32)

    @property
    def nbytes(self):
        """Bytes held beside the graph's and the table's, spare room included."""
        keys = self.key_attribute.nbytes + self.key_kind.nbytes + self.key_payload.nbytes + self.key_list.nbytes
        places = self.node_index.nbytes + self.value_index.nbytes
        return keys + places + self.slots.nbytes + self.tested.nbytes + self.lists.nbytes

    # Writing

    def add(self, node, code):
        """Let events lead to a literal."""
        self.reserve(node)
        self.code[node] = code
        predicate: cython.int = code >> 2
        position: cython.longlong = self.graph.predicate_start[predicate]
        last: cython.longlong = position + self.table.listed_count[predicate]
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        number: cython.int = self.single_list(code)
        if number >= 0:
            self.node_index[node] = self.lists.append(number, node)
            return 0
        while position < last:
            number = self.list_of_key(attribute, self.table.listed_kind[position], self.table.listed_payload[position])
            self.value_index[position] = self.lists.append(number, node)
            position += 1
        return 0

    def remove(self, node):
        """Let no event lead to a literal any more; its place in each list was noted, so the lists are not searched."""
        predicate: cython.int = self.code[node] >> 2
        position: cython.longlong = self.graph.predicate_start[predicate]
        last: cython.longlong = position + self.table.listed_count[predicate]
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        number: cython.int = self.single_list(self.code[node])
        if number >= 0:
            return self.lists.erase(number, self.node_index[node])
        while position < last:
            number = self.list_of_key(attribute, self.table.listed_kind[position], self.table.listed_payload[position])
            self.lists.erase(number, self.value_index[position])
            position += 1
        return 0

    def reserve(self, node):
        """Make room to note the places of a literal."""
        if node >= self.node_index.shape[0]:
            self.node_index = grown(self.node_index, node + 1)
            self.code = grown(self.code, node + 1)
        if self.graph.value_count > self.value_index.shape[0]:
            self.value_index = grown(self.value_index, self.graph.value_count)
        return 0

    def single_list(self, code):
        """Return the one list that a literal belongs in; -1 where it belongs in those of its values."""
        accepts: cython.int = code & 3
        operator: cython.int = self.graph.predicate_operator[code >> 2]
        if accepts > _ACCEPTS_FALSE or (operator == _IS_NULL and accepts == _ACCEPTS_TRUE):
            return _ABSENT
        if accepts == _ACCEPTS_TRUE and (operator == _EQ or operator == _IN):
            return -1
        return self.list_of_tested(self.graph.predicate_attribute[code >> 2])

    def list_of_tested(self, attribute):
        """Return the list of literals that are tested when an attribute is present."""
        old: cython.Py_ssize_t = self.tested.shape[0]
        if attribute >= old:
            longer: cython.int[::1] = grown(self.tested, attribute + 1)
            longer[old:] = -1
            self.tested = longer
        if self.tested[attribute] < 0:
            self.tested[attribute] = self.lists.new_list()
        return self.tested[attribute]

    def list_of_key(self, attribute, kind, payload):
        """Return the list of literals that hold when an attribute has a value."""
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        state: cython.ulonglong = _hash(attribute, kind, payload)
        slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
        key: cython.int
        while self.slots[slot] >= 0:
            key = self.slots[slot]
            if self.key_payload[key] == payload and self.key_attribute[key] == attribute and self.key_kind[key] == kind:
                return self.key_list[key]
            slot = (slot + 1) & mask
        key = self.key_count
        if key >= self.key_attribute.shape[0]:
            attributes, kinds = grown(self.key_attribute, key + 1), grown(self.key_kind, key + 1)
            payloads, lists = grown(self.key_payload, key + 1), grown(self.key_list, key + 1)
            self.key_attribute, self.key_kind, self.key_payload, self.key_list = attributes, kinds, payloads, lists
        self.key_attribute[key] = attribute
        self.key_kind[key] = kind
        self.key_payload[key] = payload
        self.key_list[key] = self.lists.new_list()
        self.slots[slot] = key
        self.key_count = key + 1
        if 2 * self.key_count > self.slots.shape[0]:
            self.rehash(2 * self.slots.shape[0])
        return self.key_list[key]

    def rehash(self, size):
        slots: cython.int[::1] = filled(size, -1, np.int32)
        slot: cython.Py_ssize_t
        key: cython.int
        state: cython.ulonglong
        for key in range(self.key_count):
            state = _hash(self.key_attribute[key], self.key_kind[key], self.key_payload[key])
            slot = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, size - 1))
            while slots[slot] >= 0:
                slot = (slot + 1) & (size - 1)
            slots[slot] = key
        self.slots = slots
        return 0


@cython.cclass
class Found:
    """One search: the literals among the first ``node_count`` nodes that hold for a row."""

    def __init__(self, finder: Finder, outcomes: Outcomes, node_count: cython.int):
        self.finder = finder
        self.outcomes = outcomes
        self.node_count = node_count
        self.node_code = finder.code
        self.key_count = finder.key_count
        self.key_attribute = finder.key_attribute
        self.key_kind = finder.key_kind
        self.key_payload = finder.key_payload
        self.key_list = finder.key_list
        self.slots = finder.slots
        self.tested = finder.tested
        self.refresh()
        self.nodes = np.empty(64, np.int32)

    def refresh(self):
        """Take the lists as they are now: a list may have moved into a part of the arena that is new."""
        self.list_count = self.finder.lists.count
        self.place = self.finder.lists.place
        self.arena = self.finder.lists.arena
        return 0

    def find(self, row):
        """Begin a row, and note the literals that hold for it in ``nodes[:count]``; some may be there twice."""
        self.outcomes.begin(row)
        self.count = 0
        entry: cython.longlong
        element: cython.longlong
        number: cython.longlong
        attribute: cython.int
        for entry in range(self.outcomes.row_start[row], self.outcomes.row_start[row + 1]):
            attribute = self.outcomes.attribute_of[self.outcomes.entry_attribute[entry]]
            if attribute < 0:
                continue
            if self.outcomes.entry_kind[entry] == _LIST:
                number = self.outcomes.entry_payload[entry]
                for element in range(self.outcomes.list_start[number], self.outcomes.list_start[number + 1]):
                    self.find_value(
                        attribute, self.outcomes.element_kind[element], self.outcomes.element_payload[element]
                    )
            else:
                self.find_value(attribute, self.outcomes.entry_kind[entry], self.outcomes.entry_payload[entry])
            if attribute < self.tested.shape[0] and self.tested[attribute] >= 0:
                self.take(self.tested[attribute], True)
        return self.take(_ABSENT, True)

    def find_value(self, attribute, kind, payload):
        """Note the literals that hold because an attribute has this value."""
        mask: cython.Py_ssize_t = self.slots.shape[0] - 1
        state: cython.ulonglong
        slot: cython.Py_ssize_t
        key: cython.int
        if kind == _STRING:
            payload = self.outcomes.string_of[payload]
        state = _hash(attribute, kind, payload)
        slot = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
        while True:
            key = self.slots[slot]
            if key < 0 or key >= self.key_count:
                # Beyond the count is a key that came after this search began, and so nothing that it may see.
                if key < 0:
                    return 0
            elif (
                self.key_payload[key] == payload and self.key_attribute[key] == attribute and self.key_kind[key] == kind
            ):
                return self.take(self.key_list[key], False)
            slot = (slot + 1) & mask

    def take(self, number, testing):
        """Note the literals of a list, or those of them that pass their test."""
        if number >= self.list_count:
            return 0
        place: cython.longlong = self.place[number]
        start: cython.longlong = list_start(place)
        length: cython.longlong = list_length(place)
        position: cython.longlong
        node: cython.int
        if start + length > self.arena.shape[0]:
            with cython.gil:
                self.refresh()
        for position in range(start, start + length):
            node = self.arena[position]
            if node < 0 or node >= self.node_count:
                continue
            if not testing or self.outcomes.literal(self.node_code[node]):
                self.note(node)
        return 0

    def note(self, node):
        if self.count >= self.nodes.shape[0]:
            with cython.gil:
                self.nodes = grown(self.nodes, self.count + 1)
        self.nodes[self.count] = node
        self.count = self.count + 1
        return 0

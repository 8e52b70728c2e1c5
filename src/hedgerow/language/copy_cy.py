"""From one graph into another: nodes with all that they are made of, each at most once.

Where the other graph is large, most of that is waiting for memory: for each predicate the slot of a hash table, what
the predicate is, its operands. ``recognise_to`` therefore goes ahead over the source's predicates in blocks and finds
those that the target has already. A pass over a block reads what the pass before has asked the memory for, and asks for
what the next one will read: many predicates wait together instead of one after the other.

It needs no GIL, and may run beside whoever adds to the target, if it is given the graph as it was (``Graph.seen``): ::

    one thread          inserts chunk 1 into the index        inserts chunk 2, whose predicates
                        │ Graph.seen                          ▲ are mostly found: Copier.take_over
    another one         └> parses chunk 2, Copier.recognise_to┘
"""

import cython
import numpy as np
from cython.cimports.hedgerow.bits import prefetch
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_LITERAL,
    NODE_PREDICATE,
    NODE_TRUE,
    Graph,
    slot_home,
    slot_number,
    slot_tells,
    weight_at,
)
from cython.cimports.hedgerow.symbols_cy import SymbolTable, mixed
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown
from hedgerow.values import Kind

_KIND_STRING = cython.declare(cython.int, int(Kind.STRING))
_BLOCK = cython.declare(cython.int, 256)  # predicates: what is fetched for them fits the cache next to the processor


@cython.final
@cython.cclass
class Copier:
    """Copies nodes of one graph into another, each at most once; the source may grow between copies, not be cleared.

    >>> from hedgerow.language.graph_cy import Graph
    >>> from hedgerow.language.parse import parse
    >>> source, target = Graph(), Graph()
    >>> node = source.add(parse("a = 1 OR a = 2"))
    >>> str(target.expression(Copier(source, target).copy(node)))
    'a = 1 OR a = 2'
    """

    def __init__(self, source: Graph, target: Graph):
        self.source = source
        self.target = target
        self.nodes = filled(16, -1, np.int32)
        self.predicates = filled(16, -1, np.int32)
        self.attributes = filled(16, -1, np.int32)
        self.strings = filled(16, -1, np.int32)
        self.stack = np.empty(16, np.int32)
        self.operands = np.empty(16, np.int32)

    def copy(self, node: cython.int):
        """Return the number in the target of the source's node."""
        self.source.check(node)
        return self.copy_node(node)

    def copy_node(self, node):
        source: Graph = self.source
        if source.node_count > self.nodes.shape[0]:
            self.nodes = grown(self.nodes, source.node_count, -1)
        depth: cython.Py_ssize_t = 1
        position: cython.longlong
        part: cython.int
        before: cython.Py_ssize_t
        self.stack[0] = node
        while depth:
            part = self.stack[depth - 1]
            before = depth
            if self.nodes[part] < 0:
                for position in range(source.node_start[part], source.node_start[part + 1]):
                    if self.nodes[source.child[position]] < 0:
                        if depth >= self.stack.shape[0]:
                            self.stack = grown(self.stack, depth + 1)
                        self.stack[depth] = source.child[position]
                        depth += 1
                if depth > before:
                    continue
                self.nodes[part] = self.copy_part(part)
            depth -= 1
        return self.nodes[node]

    def copy_part(self, part):
        source: Graph = self.source
        kind: cython.int = source.node_kind[part]
        code: cython.int = source.node_code[part]
        if kind == NODE_PREDICATE:
            return self.target.predicate_leaf(self.copy_predicate(code))
        if kind == NODE_LITERAL:
            return self.target.add_leaf(kind, self.copy_predicate(code >> 2) * 4 + (code & 3))
        if kind <= NODE_TRUE:
            return self.target.add_leaf(kind, 0)
        start: cython.longlong = source.node_start[part]
        count: cython.Py_ssize_t = source.node_start[part + 1] - start
        if count > self.operands.shape[0]:
            self.operands = grown(self.operands, count)
        offset: cython.Py_ssize_t
        for offset in range(count):
            self.operands[offset] = self.nodes[source.child[start + offset]]
        return self.target.add_node(kind, cython.address(self.operands[0]), count)

    def copy_predicate(self, number):
        source: Graph = self.source
        target: Graph = self.target
        if source.predicate_count > self.predicates.shape[0]:
            self.predicates = grown(self.predicates, source.predicate_count, -1)
        if self.predicates[number] >= 0:
            return self.predicates[number]
        position: cython.longlong
        payload: cython.longlong
        attribute: cython.int = self.copy_attribute(source.predicate_attribute[number])
        try:
            for position in range(source.predicate_start[number], source.predicate_start[number + 1]):
                payload = source.value_payload[position]
                if source.value_kind[position] == _KIND_STRING:
                    payload = self.copy_string(cython.cast(cython.int, payload))
                target.push_value(source.value_kind[position], payload, weight_at(source, position))
            self.predicates[number] = target.intern_predicate(source.predicate_operator[number], attribute)
        except BaseException:
            target.drop_values()
            raise
        return self.predicates[number]

    def copy_attribute(self, number):
        if number >= self.attributes.shape[0]:
            self.attributes = grown(self.attributes, self.source.names.count, -1)
        if self.attributes[number] < 0:
            self.attributes[number] = _moved(self.source.names, number, self.target.names)
        return self.attributes[number]

    def copy_string(self, number):
        if number >= self.strings.shape[0]:
            self.strings = grown(self.strings, self.source.strings.count, -1)
        if self.strings[number] < 0:
            self.strings[number] = _moved(self.source.strings, number, self.target.strings)
        return self.strings[number]

    def known(self):
        """Return the number in the target of each predicate of the source that was copied or found there."""
        numbers = np.asarray(self.predicates)[: self.source.predicate_count].tolist()
        return {number: there for number, there in enumerate(numbers) if there >= 0}

    # Predicates that the target has already

    def prepare(self):
        """Have room to recognise whatever the source has room for."""
        self.fit(
            self.source.predicate_operator.shape[0],
            self.source.names.hashes.shape[0],
            self.source.strings.hashes.shape[0],
        )

    def fit(self, predicates, names, strings):
        """Have room for this many predicates, names and strings of the source."""
        if predicates > self.predicates.shape[0]:
            self.predicates = grown(self.predicates, predicates, -1)
        if names > self.attributes.shape[0]:
            self.attributes = grown(self.attributes, names, -1)
        if strings > self.strings.shape[0]:
            self.strings = grown(self.strings, strings, -1)
        return 0

    def take_over(self, other):
        """Go on with what another one has found out on the way from the same graph to what this target was then."""
        if other is not None and other.source is self.source and other.target.original is self.target:
            self.predicates, self.attributes, self.strings = other.predicates, other.attributes, other.strings
        return 0

    def is_copied(self, number):
        """Return whether a predicate was copied, or found to be there."""
        return number < self.predicates.shape[0] and self.predicates[number] >= 0

    def recognise_to(self, count):
        """Find those of the first ``count`` predicates that the target has; ``fit`` has made room for them."""
        count = cython.cast(cython.int, min(count, self.predicates.shape[0]))
        while self.looked < count:
            self.recognise_block(self.looked, min(self.looked + _BLOCK, count))
        return 0

    def recognise_block(self, first, last):
        states: cython.ulonglong[256]  # as many as there are in a block
        candidates: cython.int[256]
        number: cython.int
        self.looked = last
        for number in range(first, last):
            states[number - first] = 0 if self.is_copied(number) else self.foresee(number)
            if states[number - first]:
                prefetch(
                    cython.address(
                        self.target.predicate_slots[
                            slot_home(states[number - first], self.target.predicate_slots.shape[0])
                        ]
                    )
                )
        for number in range(first, last):
            candidates[number - first] = self.candidate(states[number - first], -1) if states[number - first] else -1
            if candidates[number - first] >= 0:
                prefetch(cython.address(self.target.predicate_start[candidates[number - first]]))
                prefetch(cython.address(self.target.predicate_operator[candidates[number - first]]))
                prefetch(cython.address(self.target.predicate_attribute[candidates[number - first]]))
        for number in range(first, last):
            if candidates[number - first] >= 0:
                self.fetch_values(candidates[number - first])
        for number in range(first, last):
            while candidates[number - first] >= 0 and not self.recognise(number, candidates[number - first]):
                candidates[number - first] = self.candidate(states[number - first], candidates[number - first])
        return 0

    def foresee(self, number):
        """Return the hash that a predicate has in the target if it is there; 0 if it cannot be."""
        position: cython.longlong
        payload: cython.longlong
        bits: cython.ulonglong = 0
        attribute: cython.int = self.find_attribute(self.source.predicate_attribute[number])
        state: cython.ulonglong = mixed(
            self.target.seed, cython.cast(cython.ulonglong, self.source.predicate_operator[number])
        )
        if attribute < 0:
            return 0
        state = mixed(state, cython.cast(cython.ulonglong, attribute))
        for position in range(self.source.predicate_start[number], self.source.predicate_start[number + 1]):
            payload = self.source.value_payload[position]
            if self.source.value_kind[position] == _KIND_STRING:
                payload = self.find_string(cython.cast(cython.int, payload))
                if payload < 0:
                    return 0
            state = mixed(state, cython.cast(cython.ulonglong, payload))
            state = mixed(state, self.source.value_kind[position])
            if weight_at(self.source, position) != 0:
                memcpy(cython.address(bits), cython.address(self.source.value_weight[position]), 8)
                state = mixed(state, bits)
        return state

    def find_attribute(self, number):
        """Return the number in the target of an attribute that it has, or -1."""
        if number >= self.attributes.shape[0]:
            return -1
        if self.attributes[number] < 0:
            self.attributes[number] = _found(self.source.names, number, self.target.names)
        return self.attributes[number]

    def find_string(self, number):
        """Return the number in the target of a string that it has, or -1."""
        if number >= self.strings.shape[0]:
            return -1
        if self.strings[number] < 0:
            self.strings[number] = _found(self.source.strings, number, self.target.strings)
        return self.strings[number]

    def candidate(self, state, past):
        """Return the first predicate of the target whose slot has this hash, or the next one past another; or -1."""
        size: cython.Py_ssize_t = self.target.predicate_slots.shape[0]
        slot: cython.Py_ssize_t = slot_home(state, size)
        entry: cython.ulonglong = self.target.predicate_slots[slot]
        while entry:
            # One that came since the graph was seen so is in its slots, and not yet in what else was seen of it.
            if slot_tells(entry, state) and slot_number(entry) < self.target.predicate_count:
                if past < 0:
                    return slot_number(entry)
                if past == slot_number(entry):
                    past = -1
            slot = slot + 1 if slot + 1 < size else 0
            entry = self.target.predicate_slots[slot]
        return -1

    def fetch_values(self, candidate):
        start: cython.longlong = self.target.predicate_start[candidate]
        if start < self.target.value_count:
            prefetch(cython.address(self.target.value_payload[start]))
            prefetch(cython.address(self.target.value_kind[start]))
        return 0

    def recognise(self, number, candidate):
        """Note that a predicate is there, as this number of the target; return whether it is so."""
        start: cython.longlong = self.source.predicate_start[number]
        there: cython.longlong = self.target.predicate_start[candidate]
        payload: cython.longlong
        offset: cython.longlong
        if (
            self.target.predicate_operator[candidate] != self.source.predicate_operator[number]
            or self.target.predicate_attribute[candidate] != self.attributes[self.source.predicate_attribute[number]]
            or self.target.predicate_start[candidate + 1] - there != self.source.predicate_start[number + 1] - start
        ):
            return False
        for offset in range(self.source.predicate_start[number + 1] - start):
            payload = self.source.value_payload[start + offset]
            if self.source.value_kind[start + offset] == _KIND_STRING:
                payload = self.strings[payload]
            if (
                self.target.value_payload[there + offset] != payload
                or self.target.value_kind[there + offset] != self.source.value_kind[start + offset]
                or weight_at(self.target, there + offset) != weight_at(self.source, start + offset)
            ):
                return False
        self.predicates[number] = candidate
        return True


@cython.cfunc
@cython.exceptval(-1)
def _moved(source: SymbolTable, number: cython.longlong, target: SymbolTable) -> cython.int:
    start: cython.longlong = source.starts[number]
    length: cython.longlong = source.starts[number + 1] - start
    if length == 0:
        return target.intern_bytes(cython.NULL, 0)
    return target.intern_bytes(cython.address(source.heap[start]), length)


@cython.cfunc
@cython.nogil
@cython.exceptval(-2)
def _found(source: SymbolTable, number: cython.longlong, target: SymbolTable) -> cython.int:
    start: cython.longlong = source.starts[number]
    length: cython.longlong = source.starts[number + 1] - start
    if length == 0:
        return target.find_bytes(cython.NULL, 0)
    return target.find_bytes(cython.address(source.heap[start]), length)

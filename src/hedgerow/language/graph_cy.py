"""The shared graph: expressions as numbers in arrays, each distinct part once.

::

    names    "age" "state"              attribute names            (SymbolTable)
    strings  "NY"                       string operands            (SymbolTable)
    values   18 24 │ 0                  kind, payload and weight of every operand, one predicate's after another's
    predicates  (age BETWEEN) (state IN)   operator, attribute and where its values start
    nodes    PREDICATE 0, PREDICATE 1, NOT [1], AND [0 2]      kind, and a slice of ``child``

Hash-consed: the same predicate or node added twice is one number. Hashes only find candidates; what decides is a
comparison of the parts. A slot of the predicates' hash table has half of a hash beside the number, so that a look-up
reads the parts of no other predicate than its own, and the table can grow by what is in it. Children always have
smaller numbers than their parents, so a loop over the numbers visits children first, and nothing here recurses however
deep an expression is.

The parser writes into a graph, the rewrites add nodes to it, the engines read from it. Nothing is ever changed or
removed (but by ``clear``), and where an array grows the old one stays, so a reader may go on with the views it took: a
search does, and ``seen`` gives them to who looks up predicates. A graph that is restored from a file goes on hashing
with the seed that it was made with, so that its hashes hold.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.language.graph_cy import slot_entry, slot_home, slot_number, slot_tells
from cython.cimports.hedgerow.symbols_cy import SymbolTable, mixed, seed
from cython.cimports.libc.string import memcpy, memset

from hedgerow.arrays_cy import filled, grown, roomy
from hedgerow.errors import LimitError, UnknownVersion
from hedgerow.language.expression import And, Constant, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operators import OPERATORS as _OPERATORS
from hedgerow.language.operators import Accepts, Operator
from hedgerow.sections import loaded_section, nested, numbers, optional_section, part, scalars, section, table_section
from hedgerow.values import Kind, kind_of, microseconds, timestamp

_KIND_BOOL = cython.declare(cython.int, int(Kind.BOOL))
_KIND_INT = cython.declare(cython.int, int(Kind.INT))
_KIND_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_KIND_STRING = cython.declare(cython.int, int(Kind.STRING))
_KIND_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))

# A literal's code is four times its predicate's number, and must fit in 32 bits; hash tables have twice as many slots.
_MOST = cython.declare(cython.int, 1 << 28)
_MOST_VALUES = cython.declare(cython.longlong, 1 << 31)  # where they start has 32 bits

_OPERATOR_KINDS = {NODE_NOT: Not, NODE_AND: And, NODE_OR: Or, NODE_XOR: Xor, NODE_XNOR: Xnor}
_NODE_KINDS = {kind: code for code, kind in _OPERATOR_KINDS.items()}
# The operator that says the complement of a base test on present values, where people can write one.
_TWINS = {row.base: row.operator for row in reversed(_OPERATORS) if row.accepts == Accepts.FALSE}


@cython.final
@cython.cclass
class Graph:
    """Expressions as numbered nodes, each distinct part once.

    >>> from hedgerow.language.parse import parse
    >>> graph = Graph()
    >>> node = graph.add(parse("a = 1 AND NOT (a = 1 OR b = 2)"))
    >>> graph.predicate_count, graph.node_count
    (2, 5)
    >>> str(graph.expression(node))
    'a = 1 AND NOT (a = 1 OR b = 2)'

    With ``unique=False`` nothing is found again: whatever is added is a new number, also if it is there already.
    """

    FALSE, TRUE, PREDICATE, LITERAL = NODE_FALSE, NODE_TRUE, NODE_PREDICATE, NODE_LITERAL
    NOT, AND, OR, XOR, XNOR = NODE_NOT, NODE_AND, NODE_OR, NODE_XOR, NODE_XNOR

    def __init__(self, unique: cython.bint = True):
        self.seed = seed()
        self.repeating = not unique
        self.names = SymbolTable()
        self.strings = SymbolTable()
        self.value_kind = np.empty(16, np.uint8)
        self.value_payload = np.empty(16, np.int64)
        self.value_weight = np.empty(0, np.float64)  # until the first weight comes
        self.predicate_operator = np.empty(16, np.uint8)
        self.predicate_attribute = np.empty(16, np.int32)
        self.predicate_start = np.zeros(17, np.uint32)
        self.predicate_node = np.empty(0, np.int32)  # until the first one is asked for
        self.node_kind = np.empty(16, np.uint8)
        self.node_code = np.empty(16, np.int32)
        self.node_start = np.zeros(17, np.int64)
        self.node_hash = np.empty(16, np.uint64)
        self.child = np.empty(16, np.int32)
        self.node_slots = filled(32, -1, np.int32)
        self.predicate_slots = filled(32, 0, np.uint64)

    def saved(self):
        """Return the arrays that ``restored`` makes this graph of, as ``hedgerow.sections`` has it."""
        predicates: cython.int = self.predicate_count
        values: cython.longlong = self.predicate_start[predicates] if predicates else 0
        nodes: cython.int = self.node_count
        symbols = nested(names=self.names.saved(), strings=self.strings.saved())
        return (
            symbols
            | {
                "value_kind": np.asarray(self.value_kind)[:values],
                "value_payload": np.asarray(self.value_payload)[:values],
                "value_weight": np.asarray(self.value_weight)[:values],  # none of it where no weight was ever given
                "predicate_operator": np.asarray(self.predicate_operator)[:predicates],
                "predicate_attribute": np.asarray(self.predicate_attribute)[:predicates],
                "predicate_start": np.asarray(self.predicate_start)[: predicates + 1],
                "predicate_node": np.asarray(self.predicate_node)[:predicates],  # none of it where there are no nodes
                "predicate_slots": np.asarray(self.predicate_slots),
                "node_kind": np.asarray(self.node_kind)[:nodes],
                "node_code": np.asarray(self.node_code)[:nodes],
                "node_start": np.asarray(self.node_start)[: nodes + 1],
                "node_hash": np.asarray(self.node_hash)[:nodes],
                "node_slots": np.asarray(self.node_slots),
                "child": np.asarray(self.child)[: self.node_start[nodes] if nodes else 0],
                "numbers": numbers(self.seed, self.weighted, self.predicate_slots.shape[0]),
            }
        )

    @staticmethod
    def restored(arrays):
        """Return the graph that was saved as these arrays, in these arrays.

        >>> from hedgerow.language.parse import parse
        >>> graph = Graph()
        >>> node = graph.add(parse("a = 1 OR a = 2"))
        >>> again = Graph.restored(graph.saved())
        >>> str(again.expression(node)), again.add(parse("a = 1 OR a = 2")) == node
        ('a = 1 OR a = 2', True)
        """
        graph: Graph = Graph.__new__(Graph)
        graph.names = SymbolTable.restored(part(arrays, "names"))
        graph.strings = SymbolTable.restored(part(arrays, "strings"))
        graph.seed, graph.weighted, size = scalars(arrays, "numbers", 3)
        graph._restore_predicates(arrays, size)
        graph._restore_nodes(arrays)
        return graph

    def _restore_predicates(self, arrays, size):
        operators = section(arrays, "predicate_operator", np.uint8)
        if operators.size and operators.max() >= len(_OPERATORS):
            raise UnknownVersion("there are operators that this version of hedgerow does not know; use a newer one")
        self.predicate_operator = operators
        self.predicate_count = operators.size
        self.predicate_attribute = section(arrays, "predicate_attribute", np.int32, self.predicate_count)
        self.predicate_start = section(arrays, "predicate_start", np.uint32, self.predicate_count + 1)
        self.predicate_node = optional_section(arrays, "predicate_node", np.int32, self.predicate_count)
        self.predicate_slots = loaded_section(arrays, "predicate_slots", self.predicate_count, size)
        self.value_count = self.predicate_start[self.predicate_count]
        self.value_kind = section(arrays, "value_kind", np.uint8, self.value_count)
        self.value_payload = section(arrays, "value_payload", np.int64, self.value_count)
        self.value_weight = optional_section(arrays, "value_weight", np.float64, self.value_count)

    def _restore_nodes(self, arrays):
        self.node_kind = section(arrays, "node_kind", np.uint8)
        self.node_count = self.node_kind.shape[0]
        self.node_code = section(arrays, "node_code", np.int32, self.node_count)
        self.node_start = section(arrays, "node_start", np.int64, self.node_count + 1)
        self.node_hash = section(arrays, "node_hash", np.uint64, self.node_count)
        self.node_slots = table_section(arrays, "node_slots", self.node_count)
        self.child = section(arrays, "child", np.int32, self.node_start[self.node_count])

    def alike(self):
        """Return an empty graph with as much room as this one has.

        >>> graph = Graph().alike()
        >>> graph.node_count, str(graph.expression(graph.constant(True)))
        (0, 'TRUE')
        """
        graph: Graph = Graph(not self.repeating)
        graph.names, graph.strings = self.names.alike(), self.strings.alike()
        graph.value_kind = roomy(self.value_kind.shape[0], np.uint8)
        graph.value_payload = roomy(self.value_payload.shape[0], np.int64)
        graph.value_weight = filled(self.value_weight.shape[0], 0.0, np.float64)
        graph.predicate_operator = roomy(self.predicate_operator.shape[0], np.uint8)
        graph.predicate_attribute = roomy(self.predicate_attribute.shape[0], np.int32)
        graph.predicate_start = filled(self.predicate_start.shape[0], 0, np.uint32)
        graph.predicate_node = filled(self.predicate_node.shape[0], -1, np.int32)
        graph.predicate_slots = filled(self.predicate_slots.shape[0], 0, np.uint64)
        graph.node_kind = roomy(self.node_kind.shape[0], np.uint8)
        graph.node_code = roomy(self.node_code.shape[0], np.int32)
        graph.node_start = filled(self.node_start.shape[0], 0, np.int64)
        graph.node_hash = roomy(self.node_hash.shape[0], np.uint64)
        graph.node_slots = filled(self.node_slots.shape[0], -1, np.int32)
        graph.child = roomy(self.child.shape[0], np.int32)
        return graph

    def seen(self):
        """Return the names, strings and predicates of now, in the same arrays: to be read, also while others add.

        All that it counts stays as it is. What comes later may stand in its hash tables; that is to be passed over.

        >>> from hedgerow.language.parse import parse
        >>> graph = Graph()
        >>> node = graph.add(parse("a = 1"))
        >>> then = graph.seen()
        >>> node = graph.add(parse("b = 2"))
        >>> then.predicate_count, then.names.find("a"), then.names.find("b"), then.original is graph
        (1, 0, -1, True)
        """
        graph: Graph = Graph.__new__(Graph)
        graph.original = self
        graph.names, graph.strings, graph.seed = self.names.seen(), self.strings.seen(), self.seed
        graph.value_kind, graph.value_payload = self.value_kind, self.value_payload
        graph.value_weight = self.value_weight
        graph.predicate_operator, graph.predicate_attribute = self.predicate_operator, self.predicate_attribute
        graph.predicate_start, graph.predicate_slots = self.predicate_start, self.predicate_slots
        graph.predicate_count = self.predicate_count
        graph.value_count = self.predicate_start[self.predicate_count]
        return graph

    def clear(self):
        """Forget everything but keep the room; costs what the graph holds, not what it has room for."""
        self.foreseen = None
        _emptied(self.node_slots, self.node_hash, self.node_count)
        self.forget_predicates()
        self.names.clear()
        self.strings.clear()
        self.value_count = 0
        self.predicate_count = 0
        self.node_count = 0
        self.weighted = False
        self.kinds = 0
        self.generation = self.generation + 1

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out."""
        return sum(self.bytes_by_part().values())

    def bytes_by_part(self):
        """Return how many bytes symbols, predicates and nodes hold, room that nothing was written to left out."""
        predicate: cython.longlong = 1 + 4 + 4 + (4 if self.predicate_node.shape[0] else 0)
        node: cython.longlong = 1 + 4 + 8 + 8  # kind, code, start, hash
        value: cython.longlong = 1 + 8 + (8 if self.value_weight.shape[0] else 0)
        values: cython.longlong = value * self.value_count
        return {
            "symbols": self.names.nbytes + self.strings.nbytes,
            "predicates": values + predicate * self.predicate_count + self.predicate_slots.nbytes,
            "nodes": node * self.node_count + 4 * self.node_start[self.node_count] + self.node_slots.nbytes,
        }

    # Reading, for Python

    def kind(self, node: cython.int):
        """Return what the node is: ``Graph.AND``, ``Graph.LITERAL``, ..."""
        self.check(node)
        return self.node_kind[node]

    def children(self, node: cython.int):
        """Return the numbers of the node's operands; none for a leaf."""
        self.check(node)
        position: cython.longlong
        return tuple([self.child[position] for position in range(self.node_start[node], self.node_start[node + 1])])

    def predicate_of(self, node: cython.int):
        """Return ``(predicate number, accepts)`` of a PREDICATE or LITERAL node."""
        self.check(node)
        if self.node_kind[node] == NODE_PREDICATE:
            return self.node_code[node], Accepts.TRUE
        if self.node_kind[node] == NODE_LITERAL:
            return self.node_code[node] >> 2, Accepts(self.node_code[node] & 3)
        raise ValueError(f"node {node} is not a leaf with a predicate")

    def predicate(self, number: cython.int):
        """Return the predicate of this number as an expression."""
        if number < 0 or number >= self.predicate_count:
            raise IndexError(number)
        return self.predicate_object(number)

    def check(self, node):
        if node < 0 or node >= self.node_count:
            raise IndexError(node)
        return 0

    # Adding

    def make(self, kind: cython.int, children):
        """Return the node of this kind over these nodes; a new one if it is new."""
        if kind < NODE_NOT or kind > NODE_XNOR:
            raise ValueError(f"{kind} is not a kind with operands")
        numbers: cython.int[::1] = np.array(children, np.int32)
        number: cython.int
        for number in numbers:
            self.check(number)
        least: cython.int = 1 if kind == NODE_NOT else 2
        if numbers.shape[0] < least or (kind == NODE_NOT and numbers.shape[0] > 1):
            raise ValueError(f"wrong number of operands: {numbers.shape[0]}")
        return self.add_node(kind, cython.address(numbers[0]), numbers.shape[0])

    def constant(self, value: cython.bint):
        """Return the node TRUE or FALSE."""
        return self.add_leaf(NODE_TRUE if value else NODE_FALSE, 0)

    def literal(self, predicate: cython.int, accepts: cython.int):
        """Return the literal node that holds when the base test ``predicate`` has an accepted outcome."""
        if predicate < 0 or predicate >= self.predicate_count:
            raise IndexError(predicate)
        return self.add_leaf(NODE_LITERAL, predicate * 4 + int(Accepts(accepts)))

    def add(self, expression):
        """Return the node of an expression, adding what is new of it."""
        done = {}
        stack = [expression]
        while stack:
            part = stack.pop()
            if id(part) in done:
                continue
            waiting = [operand for operand in part.operands if id(operand) not in done]
            if waiting:
                stack.append(part)
                stack.extend(waiting)
            else:
                done[id(part)] = self._add_part(part, done)
        return done[id(expression)]

    def _add_part(self, part, done):
        if isinstance(part, Predicate):
            return self.predicate_leaf(self.add_predicate(part))
        if isinstance(part, Constant):
            return self.constant(part.value)
        return self.make(_NODE_KINDS[type(part)], [done[id(operand)] for operand in part.operands])

    def expression(self, node: cython.int):
        """Return the node as an expression; equal parts are one object, so it takes no more room than the graph."""
        self.check(node)
        objects = {}
        number: cython.int
        for number in self.below(node):
            objects[number] = self._object(number, objects)
        return objects[node]

    def below(self, node: cython.int):
        """Return the numbers of a node and all below it, children before parents."""
        self.check(node)
        seen = {node}
        stack = [node]
        number: cython.int
        position: cython.longlong
        while stack:
            number = stack.pop()
            for position in range(self.node_start[number], self.node_start[number + 1]):
                if self.child[position] not in seen:
                    seen.add(self.child[position])
                    stack.append(self.child[position])
        return sorted(seen)

    def has_weights(self, node: cython.int):
        """Say whether a value below the node carries a weight."""
        part: cython.int
        predicate: cython.int
        position: cython.longlong
        for part in self.below(node):
            if self.node_kind[part] == NODE_PREDICATE:
                predicate = self.node_code[part]
                for position in range(self.predicate_start[predicate], self.predicate_start[predicate + 1]):
                    if self.value_weight[position] != 0:
                        return True
        return False

    def _object(self, node: cython.int, objects):
        kind: cython.int = self.node_kind[node]
        if kind == NODE_PREDICATE:
            return self.predicate_object(self.node_code[node])
        if kind == NODE_LITERAL:
            return self.literal_object(self.node_code[node] >> 2, self.node_code[node] & 3)
        if kind <= NODE_TRUE:
            return Constant(kind == NODE_TRUE)
        operands = tuple([objects[operand] for operand in self.children(node)])
        if kind == NODE_NOT:
            return Not(operands[0])
        return _OPERATOR_KINDS[kind]._trusted(operands)

    def literal_object(self, number: cython.int, accepts: cython.int):
        """Return what people would write for a literal, under the reading of missing attributes that it came from."""
        base = self.predicate_object(number)
        if accepts == 0:
            return base
        if accepts == 2 and base.operator in (Operator.EQ, Operator.IN):
            return Predicate._trusted(base.attribute, Operator.WEAK_NOT_IN, base.values, None)
        if accepts == 2 or base.operator not in _TWINS:
            return Not(base)
        twin = Predicate._trusted(base.attribute, _TWINS[base.operator], base.values, None)
        return twin if accepts == 1 else Not(twin)

    # Values and predicates

    def push_value(self, kind, payload, weight):
        """Put one more operand behind the last predicate's; ``intern_predicate`` takes all that were put."""
        position: cython.longlong = self.value_count
        if position >= self.value_kind.shape[0]:
            self.grow_values()
        self.value_kind[position] = kind
        self.value_payload[position] = payload
        self.value_count = position + 1
        return self.weigh_last(weight)

    def grow_values(self):
        """Make room for one more operand."""
        position: cython.longlong = self.value_count
        if position >= _MOST_VALUES:
            raise LimitError(f"more than {_MOST_VALUES} operands in one index")
        kinds, payloads = grown(self.value_kind, position + 1), grown(self.value_payload, position + 1)
        if self.value_weight.shape[0]:
            self.value_weight = grown(self.value_weight, kinds.size)
        self.value_kind, self.value_payload = kinds, payloads
        return 0

    def weigh_last(self, weight):
        """Give the operand that was put last a weight; the first one of all makes room for weights."""
        if weight != 0 and self.value_weight.shape[0] == 0:
            self.grow_weights()
        if self.value_weight.shape[0]:
            self.value_weight[self.value_count - 1] = weight
        self.weighted = self.weighted | (weight != 0)
        return 0

    def grow_weights(self):
        """Give all operands a weight, which is none."""
        self.value_weight = filled(self.value_kind.shape[0], 0.0, np.float64)
        return 0

    def drop_values(self):
        """Forget operands that no predicate took."""
        self.value_count = self.predicate_start[self.predicate_count] if self.predicate_count else 0
        return 0

    def same_operands(self, first, second, count):
        offset: cython.longlong
        for offset in range(count):
            if (
                self.value_payload[first + offset] != self.value_payload[second + offset]
                or self.value_kind[first + offset] != self.value_kind[second + offset]
                or weight_at(self, first + offset) != weight_at(self, second + offset)
            ):
                return False
        return True

    def intern_predicate(self, operator, attribute):
        """Return the number of the predicate over the operands just put; a new one if it is new."""
        start: cython.longlong = self.predicate_start[self.predicate_count] if self.predicate_count else 0
        count: cython.longlong = self.value_count - start
        state: cython.ulonglong = self.predicate_state(operator, attribute, start, count)
        size: cython.Py_ssize_t = self.predicate_slots.shape[0]
        slot: cython.Py_ssize_t
        number: cython.int
        if self.repeating:
            state = mixed(state, cython.cast(cython.ulonglong, self.predicate_count))  # a hash that no other one has
        slot = slot_home(state, size)
        while self.predicate_slots[slot]:
            if slot_tells(self.predicate_slots[slot], state):
                number = slot_number(self.predicate_slots[slot])
                if self.is_same(number, operator, attribute, start, count):
                    self.value_count = start
                    return number
            slot = slot + 1 if slot + 1 < size else 0
        if self.lacks_room() and self.grow_predicates():
            slot = _vacant(self.predicate_slots, state)
        number = self.predicate_count
        self.predicate_operator[number] = operator
        self.predicate_attribute[number] = attribute
        self.predicate_start[number] = start
        self.predicate_start[number + 1] = self.value_count
        self.predicate_slots[slot] = slot_entry(state, number)
        if self.predicate_node.shape[0]:
            self.predicate_node[number] = -1
        self.predicate_count = number + 1
        return number

    def predicate_state(self, operator, attribute, start, count):
        """Return the hash of a predicate over the operands from ``start`` on."""
        state: cython.ulonglong = mixed(self.seed, cython.cast(cython.ulonglong, operator))
        position: cython.longlong
        bits: cython.ulonglong = 0
        state = mixed(state, cython.cast(cython.ulonglong, attribute))
        for position in range(start, start + count):
            state = mixed(state, cython.cast(cython.ulonglong, self.value_payload[position]))
            state = mixed(state, self.value_kind[position])
            if weight_at(self, position) != 0:
                memcpy(cython.address(bits), cython.address(self.value_weight[position]), 8)
                state = mixed(state, bits)
        return state

    def is_same(self, number, operator, attribute, start, count):
        """Return whether a predicate is made of this."""
        return (
            self.predicate_operator[number] == operator
            and self.predicate_attribute[number] == attribute
            and self.predicate_start[number + 1] - self.predicate_start[number] == count
            and self.same_operands(self.predicate_start[number], start, count)
        )

    def forget_predicates(self):
        """Empty the slots of the predicates: each by its hash, or all at once if most are taken."""
        number: cython.int
        slot: cython.Py_ssize_t
        size: cython.Py_ssize_t = self.predicate_slots.shape[0]
        start: cython.longlong
        state: cython.ulonglong
        if self.repeating or 16 * self.predicate_count > size:
            memset(cython.address(self.predicate_slots[0]), 0, 8 * size)
            return 0
        for number in range(self.predicate_count):
            start = self.predicate_start[number]
            state = self.predicate_state(
                self.predicate_operator[number],
                self.predicate_attribute[number],
                start,
                self.predicate_start[number + 1] - start,
            )
            slot = slot_home(state, size)
            while self.predicate_slots[slot] == 0 or slot_number(self.predicate_slots[slot]) != number:
                slot = slot + 1 if slot + 1 < size else 0
            self.predicate_slots[slot] = 0
        return 0

    def lacks_room(self):
        """Return whether there is no room for one more predicate."""
        number: cython.longlong = self.predicate_count
        return (
            number >= _MOST
            or number + 1 > self.predicate_operator.shape[0]
            or number + 2 > self.predicate_start.shape[0]
            or 4 * (number + 1) > 3 * self.predicate_slots.shape[0]
        )

    def grow_predicates(self):
        """Make room for one more predicate, true if the slots moved; where memory is short, nothing has changed."""
        number: cython.int = self.predicate_count
        if number >= _MOST:
            raise LimitError(f"more than {_MOST} predicates in one index")
        if number + 1 > self.predicate_operator.shape[0]:
            operators, attributes = (
                grown(self.predicate_operator, number + 1),
                grown(self.predicate_attribute, number + 1),
            )
            if self.predicate_node.shape[0]:
                self.predicate_node = grown(self.predicate_node, number + 1)
            self.predicate_operator, self.predicate_attribute = operators, attributes
        if number + 2 > self.predicate_start.shape[0]:
            self.predicate_start = grown(self.predicate_start, number + 2)
        if 4 * (cython.cast(cython.Py_ssize_t, number) + 1) > 3 * self.predicate_slots.shape[0]:
            self.rehash_predicates()
            return 1
        return 0

    def rehash_predicates(self):
        """Make the table half as large again."""
        size: cython.Py_ssize_t = self.predicate_slots.shape[0]
        slots: cython.ulonglong[::1] = filled(max(32, size + size // 2), 0, np.uint64)
        slot: cython.Py_ssize_t
        for slot in range(size):
            if self.predicate_slots[slot]:
                slots[_vacant(slots, self.predicate_slots[slot])] = self.predicate_slots[slot]
        self.predicate_slots = slots
        return 0

    def add_predicate(self, predicate):
        operator: cython.int = int(predicate.operator)
        attribute: cython.int = self.names.intern_text(predicate.attribute)
        weights = predicate.weights or (0.0,) * len(predicate.values)
        try:
            for value, weight in zip(predicate.values, weights, strict=True):
                self.push_python_value(value, weight)
            return self.intern_predicate(operator, attribute)
        except BaseException:
            self.drop_values()
            raise

    def push_python_value(self, value, weight):
        kind: cython.int = int(kind_of(value))
        number: cython.double
        payload: cython.longlong
        if kind == _KIND_STRING:
            payload = self.strings.intern_text(value)
        elif kind == _KIND_FLOAT:
            number = value
            memcpy(cython.address(payload), cython.address(number), 8)
        elif kind == _KIND_TIMESTAMP:
            payload = microseconds(value)
        else:
            payload = int(value)
        return self.push_value(kind, payload, weight)

    def python_value(self, position):
        kind: cython.int = self.value_kind[position]
        payload: cython.longlong = self.value_payload[position]
        number: cython.double
        if kind == _KIND_INT:
            return payload
        if kind == _KIND_STRING:
            return self.strings[payload]
        if kind == _KIND_FLOAT:
            memcpy(cython.address(number), cython.address(payload), 8)
            return number
        if kind == _KIND_BOOL:
            return payload != 0
        return timestamp(payload)

    def predicate_object(self, number):
        first: cython.longlong = self.predicate_start[number]
        last: cython.longlong = self.predicate_start[number + 1]
        position: cython.longlong
        values = tuple([self.python_value(position) for position in range(first, last)])
        weights = tuple([weight_at(self, position) for position in range(first, last)])
        operator = Operator(self.predicate_operator[number])
        return Predicate._trusted(
            self.names[self.predicate_attribute[number]], operator, values, weights if any(weights) else None
        )

    # Nodes

    def add_leaf(self, kind, code):
        return self.intern_node(kind, code, cython.NULL, 0)

    def predicate_leaf(self, number):
        """Return the node of a predicate, which is looked up so often that the predicate remembers it."""
        if number >= self.predicate_node.shape[0]:
            self.grow_leaves()
        if self.predicate_node[number] < 0:
            self.predicate_node[number] = self.add_leaf(NODE_PREDICATE, number)
        return self.predicate_node[number]

    def grow_leaves(self):
        """Let predicates remember their nodes; in a graph that is for its predicates alone there never are any."""
        self.predicate_node = filled(self.predicate_operator.shape[0], -1, np.int32)
        return 0

    def add_node(self, kind, children, count):
        return self.intern_node(kind, 0, children, count)

    def intern_node(self, kind, code, children, count):
        """Return the number of the node with these parts; a new one if it is new."""
        state: cython.ulonglong = mixed(self.seed, cython.cast(cython.ulonglong, kind))
        state = mixed(state, cython.cast(cython.ulonglong, code))
        offset: cython.Py_ssize_t
        for offset in range(count):
            state = mixed(state, cython.cast(cython.ulonglong, children[offset]))
        if self.repeating:
            state = mixed(state, cython.cast(cython.ulonglong, self.node_count))  # as for predicates
        mask: cython.Py_ssize_t = self.node_slots.shape[0] - 1
        slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
        number: cython.int
        start: cython.longlong
        while True:
            number = self.node_slots[slot]
            if number < 0:
                break
            if self.node_hash[number] == state and self.node_kind[number] == kind and self.node_code[number] == code:
                start = self.node_start[number]
                if self.node_start[number + 1] - start == count:
                    offset = 0
                    while offset < count and self.child[start + offset] == children[offset]:
                        offset += 1
                    if offset == count:
                        return number
            slot = (slot + 1) & mask
        if not self.has_room(count) and self.grow_nodes(count):
            slot = _free_slot(self.node_slots, state)
        number = self.node_count
        start = self.node_start[number] if number else 0
        for offset in range(count):
            self.child[start + offset] = children[offset]
        self.kinds = self.kinds | (1 << kind)
        self.node_kind[number] = kind
        self.node_code[number] = code
        self.node_hash[number] = state
        self.node_start[number] = start
        self.node_start[number + 1] = start + count
        self.node_slots[slot] = number
        self.node_count = number + 1
        return number

    def has_room(self, count):
        """Return whether there is room for one more node."""
        number: cython.longlong = self.node_count
        start: cython.longlong = self.node_start[number] if number else 0
        return (
            number < _MOST
            and number + 1 <= self.node_kind.shape[0]
            and number + 2 <= self.node_start.shape[0]
            and start + count <= self.child.shape[0]
            and 2 * (number + 1) <= self.node_slots.shape[0]
        )

    def grow_nodes(self, count):
        """Make room for one more node, true if the slots moved; where memory is short, nothing has changed."""
        number: cython.int = self.node_count
        if number >= _MOST:
            raise LimitError(f"more than {_MOST} nodes in one index")
        if number + 1 > self.node_kind.shape[0]:
            kinds, codes = grown(self.node_kind, number + 1), grown(self.node_code, number + 1)
            self.node_hash = grown(self.node_hash, number + 1)
            self.node_kind, self.node_code = kinds, codes
        if number + 2 > self.node_start.shape[0]:
            self.node_start = grown(self.node_start, number + 2)
        needed: cython.longlong = (self.node_start[number] if number else 0) + count
        if needed > self.child.shape[0]:
            self.child = grown(self.child, needed)
        if 2 * (number + 1) > self.node_slots.shape[0]:
            self.rehash_nodes()
            return 1
        return 0

    def rehash_nodes(self):
        self.node_slots = _slots(self.node_hash, self.node_count, 2 * self.node_slots.shape[0])
        return 0


@cython.cfunc
def _slots(hashes: cython.ulonglong[::1], count: cython.int, size: cython.Py_ssize_t):
    """Return a hash table of ``size`` slots over the numbers below ``count``."""
    slots: cython.int[::1] = filled(size, -1, np.int32)
    slot: cython.Py_ssize_t
    number: cython.int
    for number in range(count):
        slot = cython.cast(cython.Py_ssize_t, hashes[number] & cython.cast(cython.ulonglong, size - 1))
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = number
    return slots


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _free_slot(slots: cython.int[::1], state: cython.ulonglong) -> cython.Py_ssize_t:
    """Return the free slot for a hash that no slot has."""
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    slot: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, state & cython.cast(cython.ulonglong, mask))
    while slots[slot] >= 0:
        slot = (slot + 1) & mask
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _vacant(slots: cython.ulonglong[::1], state: cython.ulonglong) -> cython.Py_ssize_t:
    """Return the free slot for a predicate that no slot has, by its hash or by what stood in its slot before."""
    size: cython.Py_ssize_t = slots.shape[0]
    slot: cython.Py_ssize_t = slot_home(state, size)
    while slots[slot]:
        slot = slot + 1 if slot + 1 < size else 0
    return slot


@cython.cfunc
@cython.exceptval(-1)
def _emptied(slots: cython.int[::1], hashes: cython.ulonglong[::1], count: cython.int) -> cython.int:
    """Free the slots of the numbers below ``count``: each stands at or after the slot that its hash names."""
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    slot: cython.Py_ssize_t
    number: cython.int
    for number in range(count):
        slot = cython.cast(cython.Py_ssize_t, hashes[number] & cython.cast(cython.ulonglong, mask))
        while slots[slot] != number:
            slot = (slot + 1) & mask
        slots[slot] = -1
    return 0

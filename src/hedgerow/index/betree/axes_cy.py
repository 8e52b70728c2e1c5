"""Where literals lie: the axis on which the tree may cut by a literal, and the values between which it can hold.

An *axis* is an attribute with a lane. What a literal wants of its attribute decides on the lane::

    age = 20                             value      by hash: the key of (age, 20)
    age < 30, age BETWEEN 3 AND 9        a line     between the ends of Table I of the paper: (-inf, 30), (3, 9)
    age IN (3, 9)                        a line     between its least and its greatest value
    name STARTS WITH 'ab'                a line     the strings that begin so
    age != 20, name LIKE '%b%'           presence   the attribute must be there, and no more can be said
    vip IS NULL, age WEAK NOT IN (1)     none       absence satisfies it: never cut by it

Lines are in the order of values, by 64-bit keys that are coarser than the values (``predicate/keys.pxd``), so at its
ends a literal is tested. Values of an IN that are of several families of kinds have no common line: presence is all
they want. An axis is a number, ``attribute * AXES + lane``.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.index.chassis.keys_cy import Keys
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.keys import family_of, number_key, text_key
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable, listed_count
from cython.cimports.libc.string import memcpy

from hedgerow.arrays_cy import filled, grown
from hedgerow.language.operators import Accepts, Operator
from hedgerow.sections import nested, part, section
from hedgerow.values import Kind

_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_EQ = cython.declare(cython.int, int(Operator.EQ))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_GT = cython.declare(cython.int, int(Operator.GT))
_GE = cython.declare(cython.int, int(Operator.GE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IN = cython.declare(cython.int, int(Operator.IN))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_STARTS_WITH = cython.declare(cython.int, int(Operator.STARTS_WITH))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_INT = cython.declare(cython.int, int(Kind.INT))
_STRING = cython.declare(cython.int, int(Kind.STRING))

_LOWEST = cython.declare(cython.longlong, -(1 << 63))
_HIGHEST = cython.declare(cython.longlong, (1 << 63) - 1)
_EXACT = cython.declare(cython.longlong, 1 << 53)  # whole numbers up to this are floats too
_MOST_ATTRIBUTES = cython.declare(cython.int, 1 << 24)  # whose axes fit into a word with a form
_BYTE = cython.declare(cython.ulonglong, 255)

_TREE_MULTIPLIER = 65599  # of the hash function of sdbm, which the paper names


def sdbm(text):
    """Return the sdbm hash of a text, in 32 bits.

    >>> from hedgerow.index.betree.axes_cy import sdbm
    >>> sdbm("a"), sdbm("ab")
    (97, 6363201)
    """
    value = 0
    for byte in text.encode():
        value = (byte + value * _TREE_MULTIPLIER) & ((1 << 32) - 1)
    return value


@cython.final
@cython.cclass
class Axes:
    """The literals of a tree by number. One writer adds, with the GIL held; nothing is taken out."""

    def __init__(self, graph: Graph, table: PredicateTable, hashes: cython.bint, bloom_bits: cython.int):
        self.graph = graph
        self.table = table
        self.hashes = hashes
        self.bloom_bits = bloom_bits
        self.keys = Keys()
        self.of_code = filled(64, -1, np.int32)
        self.code = np.empty(16, np.int32)
        self.axis = np.empty(16, np.int32)
        self.low = np.empty(16, np.int64)
        self.high = np.empty(16, np.int64)
        self.key = np.empty(16, np.int32)
        self.test = filled(17, 0, np.int32)
        self.words = np.empty(64, np.int32)
        self.bit_of = filled(16, 0, np.uint32)

    def saved(self):
        """Return the arrays that ``restored`` makes these axes of."""
        return nested(keys=self.keys.saved()) | {
            "of_code": np.asarray(self.of_code),
            "code": np.asarray(self.code)[: self.count],
            "axis": np.asarray(self.axis)[: self.count],
            "low": np.asarray(self.low)[: self.count],
            "high": np.asarray(self.high)[: self.count],
            "key": np.asarray(self.key)[: self.count],
            "test": np.asarray(self.test)[: self.count + 1],
            "words": np.asarray(self.words)[: self.word_count],
            "bit_of": np.asarray(self.bit_of)[: self.attribute_count],
        }

    @staticmethod
    def restored(graph: Graph, table: PredicateTable, hashes: cython.bint, bloom_bits: cython.int, arrays):
        """Return the axes that were saved as these arrays, in these arrays."""
        axes: Axes = Axes(graph, table, hashes, bloom_bits)
        axes.keys = Keys.restored(part(arrays, "keys"))
        axes.of_code = section(arrays, "of_code", np.int32)
        axes.code = section(arrays, "code", np.int32)
        axes.count = axes.code.shape[0]
        axes.axis = section(arrays, "axis", np.int32, axes.count)
        axes.low = section(arrays, "low", np.int64, axes.count)
        axes.high = section(arrays, "high", np.int64, axes.count)
        axes.key = section(arrays, "key", np.int32, axes.count)
        axes.test = section(arrays, "test", np.int32, axes.count + 1)
        axes.words = section(arrays, "words", np.int32)
        axes.word_count = axes.words.shape[0]
        axes.bit_of = section(arrays, "bit_of", np.uint32)
        axes.attribute_count = axes.bit_of.shape[0]
        return axes

    @property
    def nbytes(self):
        """Bytes held, room that nothing was written to left out of all but the codes' array."""
        return self.keys.nbytes + self.of_code.nbytes + 32 * self.count + 4 * (self.word_count + self.attribute_count)

    def told(self, literal: cython.int):
        """Return axis, ends, key and code of a literal."""
        if literal < 0 or literal >= self.count:
            raise IndexError(literal)
        return self.axis[literal], self.low[literal], self.high[literal], self.key[literal], self.code[literal]

    def number(self, code):
        """Return the number of the literal ``predicate * 4 + accepts``, a new one if it has none."""
        literal: cython.int
        if code >= self.of_code.shape[0]:
            self.of_code = grown(self.of_code, code + 1, -1)
        literal = self.of_code[code]
        if literal >= 0:
            return literal
        literal = self.count
        self.grow(literal)
        self.code[literal] = code
        self.place(literal)
        self.write(literal)
        self.count = literal + 1
        self.of_code[code] = literal
        return literal

    def grow(self, literal):
        """Have room for a literal."""
        if literal >= self.code.shape[0]:
            codes, axes, keys = (
                grown(self.code, literal + 1),
                grown(self.axis, literal + 1),
                grown(self.key, literal + 1),
            )
            lows, highs = grown(self.low, literal + 1), grown(self.high, literal + 1)
            self.code, self.axis, self.key, self.low, self.high = codes, axes, keys, lows, highs
        if literal + 1 >= self.test.shape[0]:
            self.test = grown(self.test, literal + 2)
        return 0

    def place(self, literal):
        """Find the axis of a literal, and its ends there."""
        code: cython.int = self.code[literal]
        predicate: cython.int = code >> 2
        accepts: cython.int = code & 3
        operator: cython.int = self.graph.predicate_operator[predicate]
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        first: cython.longlong = self.graph.predicate_start[predicate]
        family: cython.int = family_of(self.table.family[predicate])
        self.know_attribute(attribute)
        self.axis[literal] = -1
        self.low[literal], self.high[literal], self.key[literal] = _LOWEST, _HIGHEST, -1
        if accepts > _FALSE or (operator == _IS_NULL and accepts == _TRUE):
            return 0
        self.axis[literal] = attribute * AXES + LANE_PRESENT
        if operator == _IS_NULL or accepts == _FALSE or family < 0:
            return 0
        if operator == _EQ and self.hashes:
            self.axis[literal] = attribute * AXES + LANE_VALUE
            self.key[literal] = self.keys.number(
                attribute, self.table.listed_kind[first], self.table.listed_payload[first]
            )
        elif operator <= _BETWEEN or operator == _IN:
            self.axis[literal] = attribute * AXES + LANE_LINE + family
            self.span(literal, first, first + listed_count(self.table, predicate) - 1)
        elif operator == _STARTS_WITH:
            self.axis[literal] = attribute * AXES + LANE_LINE + family
            self.span_text(literal, first)
        return 0

    def span(self, literal, first, last):
        """Set the ends of a literal, whose operands stand from ``first`` to ``last``."""
        operator: cython.int = self.graph.predicate_operator[self.code[literal] >> 2]
        position: cython.longlong
        key: cython.longlong
        if operator == _LT or operator == _LE:
            self.high[literal] = self.ordered(first)
        elif operator == _GT or operator == _GE:
            self.low[literal] = self.ordered(first)
        else:
            self.low[literal], self.high[literal] = _HIGHEST, _LOWEST
            for position in range(first, last + 1):
                key = self.ordered(position)
                self.low[literal], self.high[literal] = min(self.low[literal], key), max(self.high[literal], key)
        if operator == _BETWEEN:
            self.low[literal], self.high[literal] = self.ordered(first), self.ordered(last)
            # From a value to a lesser one is nothing: it lies anywhere, and is found false.
            if self.low[literal] > self.high[literal]:
                self.high[literal] = self.low[literal]
        return 0

    def span_text(self, literal, position):
        """Set the ends of what begins with a text: the rest of its first eight bytes may be anything."""
        text: cython.longlong = self.table.listed_payload[position]
        start: cython.longlong = self.graph.strings.starts[text]
        length: cython.longlong = self.graph.strings.starts[text + 1] - start
        free: cython.ulonglong = 0
        self.low[literal] = self.ordered(position)
        for _ in range(length, 8):
            free = free << 8 | _BYTE
        self.high[literal] = cython.cast(cython.longlong, cython.cast(cython.ulonglong, self.low[literal]) | free)
        return 0

    def is_known(self, literal):
        """Return whether a literal holds for whatever its axis, and its key if it has one, leads to it."""
        is_null: cython.bint = self.graph.predicate_operator[self.code[literal] >> 2] == _IS_NULL
        return self.axis[literal] >= 0 and (self.key[literal] >= 0 or is_null)

    # Tests, as records have them

    def write(self, literal):
        """Write the test of a new literal behind those of the others; what was written before an error is lost."""
        predicate: cython.int = self.code[literal] >> 2
        accepts: cython.int = self.code[literal] & 3
        operator: cython.int = self.graph.predicate_operator[predicate]
        attribute: cython.int = self.graph.predicate_attribute[predicate]
        family: cython.int = family_of(self.table.family[predicate])
        first: cython.longlong = self.graph.predicate_start[predicate]
        count: cython.int = listed_count(self.table, predicate)
        lists: cython.bint = operator == _EQ or operator == _IN
        self.word_count = self.test[literal]
        if self.axis[literal] < 0 or attribute >= _MOST_ATTRIBUTES:
            self.write_keys(0, FORM_CODE, literal, 0, 0)
        elif operator == _IS_NULL:
            self.write_keys(attribute * AXES + LANE_PRESENT, FORM_PRESENT, literal, 0, 0)
        elif accepts == _TRUE and lists and count <= MOST_FORM_KEYS:
            self.write_keys(attribute * AXES + LANE_VALUE, FORM_KEY if count == 1 else FORM_ANY, literal, first, count)
        elif accepts == _FALSE and lists and count <= MOST_FORM_KEYS and family >= 0:
            self.write_keys(attribute * AXES + LANE_LINE + family, FORM_NONE, literal, first, count)
        elif accepts == _TRUE and operator <= _BETWEEN and operator != _EQ and family >= 0:
            self.write_line(attribute * AXES + LANE_LINE + family, literal, first)
        else:
            self.write_keys(0, FORM_CODE, literal, 0, 0)
        self.test[literal + 1] = self.word_count
        return 0

    def put(self, word):
        if self.word_count >= self.words.shape[0]:
            self.words = grown(self.words, self.word_count + 1)
        self.words[self.word_count] = word
        self.word_count += 1
        return 0

    def write_keys(self, axis, form, literal, first, count):
        """Write a test of keys, as many as its form wants."""
        position: cython.longlong
        attribute: cython.int = self.graph.predicate_attribute[self.code[literal] >> 2]
        kind: cython.int
        self.put(axis << FORM_BITS | form)
        self.put(literal)
        if form == FORM_ANY or form == FORM_NONE:
            self.put(count)
        for position in range(first, first + count):
            kind = self.table.listed_kind[position]
            self.put(self.keys.number(attribute, kind, self.table.listed_payload[position]))
        return 0

    def write_line(self, axis, literal, first):
        """Write a test of ends; where keys are as fine as values, these are the least and the greatest that it has."""
        operator: cython.int = self.graph.predicate_operator[self.code[literal] >> 2]
        ends: cython.longlong[2]
        exact: cython.bint = self.is_exact(first) and (operator != _BETWEEN or self.is_exact(first + 1))
        ends[0], ends[1] = _LOWEST, _HIGHEST
        if operator == _LT or operator == _LE:
            ends[1] = self.ordered(first)
        else:
            ends[0] = self.ordered(first)
        if operator == _BETWEEN:
            ends[1] = self.ordered(first + 1)
        if exact and operator == _LT:
            exact = ends[1] > _LOWEST
            ends[1] -= exact
        if exact and operator == _GT:
            exact = ends[0] < _HIGHEST
            ends[0] += exact
        self.put(axis << FORM_BITS | (FORM_LINE if exact else FORM_ROUGH))
        self.put(literal)
        for _ in range(4):
            self.put(0)
        memcpy(cython.address(self.words[self.word_count - 4]), ends, 16)
        return 0

    def is_exact(self, position):
        """Return whether no other value has the key of an operand."""
        kind: cython.int = self.table.listed_kind[position]
        payload: cython.longlong = self.table.listed_payload[position]
        return kind != _STRING and (kind != _INT or -_EXACT <= payload <= _EXACT)

    def ordered(self, position):
        """Return the key of an operand in the order of its family, as ``value_key`` has it for an event's values."""
        kind: cython.int = self.table.listed_kind[position]
        payload: cython.longlong = self.table.listed_payload[position]
        number: cython.double
        start: cython.longlong
        length: cython.longlong
        if kind == _INT:
            return number_key(cython.cast(cython.double, payload))
        if kind == _FLOAT:
            memcpy(cython.address(number), cython.address(payload), 8)
            return number_key(number)
        if kind == _STRING:
            start = self.graph.strings.starts[payload]
            length = self.graph.strings.starts[payload + 1] - start
            if length == 0:
                return text_key(cython.NULL, 0)
            return text_key(cython.address(self.graph.strings.heap[start]), length)
        return payload

    def know_attribute(self, attribute):
        """Give the attributes up to this one their bits."""
        number: cython.int
        if attribute < self.attribute_count:
            return 0
        if attribute >= self.bit_of.shape[0]:
            self.bit_of = grown(self.bit_of, attribute + 1, 0)
        for number in range(self.attribute_count, attribute + 1):
            self.bit_of[number] = 1 << sdbm(self.graph.names[number]) % self.bloom_bits if self.bloom_bits else 0
        self.attribute_count = attribute + 1
        return 0

    def rank(self, literal):
        """Return in which order literals are tested, those that seldom hold and cost little first."""
        operator: cython.int = self.graph.predicate_operator[self.code[literal] >> 2]
        if operator == _EQ or operator == _IN:
            return 0 if self.code[literal] & 3 == _TRUE else 2
        return 1 if operator <= _BETWEEN else 3

"""The parser: text to nodes of a graph, in one pass over its UTF-8 bytes, without recursion or a tree of objects.

::

    age BETWEEN 18 AND 24 AND (state = 'CA' OR vip)
    └─ a predicate goes into the graph as soon as it is read, its node onto ``operand``;
       operators wait on ``pending`` until one that binds less tightly, a ``)`` or the end makes them a node.

``pending`` holds NOT, AND, XOR, XNOR, OR and open parentheses; ``pending_count`` how many operands each has by now, so
that ``a AND b AND c`` becomes one node with three children. docs/grammar.md has the grammar that this file reads.
"""

import datetime as dt
import difflib

import cython
import numpy as np
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from cython.cimports.hedgerow.language.copy_cy import Copier
from cython.cimports.hedgerow.language.graph_cy import (
    NODE_AND,
    NODE_FALSE,
    NODE_NOT,
    NODE_OR,
    NODE_TRUE,
    NODE_XNOR,
    NODE_XOR,
    Graph,
)
from cython.cimports.libc.string import memchr, memcpy

from hedgerow import limits
from hedgerow.arrays_cy import grown
from hedgerow.errors import ExpressionError, HedgerowError, LimitError
from hedgerow.language.failure import parse_error
from hedgerow.language.operators import OPERATORS as _OPERATORS
from hedgerow.language.operators import Operands, Operator
from hedgerow.language.pattern import check_like, check_regex
from hedgerow.values import Kind, canonical, microseconds

_PAREN = cython.declare(cython.int, 0)  # on ``pending``; no node kind with operands is 0
_MAX_DEPTH = cython.declare(cython.Py_ssize_t, limits.MAX_DEPTH)
_MAX_PENDING = cython.declare(cython.Py_ssize_t, limits.MAX_WAITING)
_MAX_LIST = cython.declare(cython.Py_ssize_t, limits.MAX_LIST)
_MAX_NAME = cython.declare(cython.Py_ssize_t, limits.MAX_NAME_BYTES)
_MAX_TEXT = cython.declare(cython.Py_ssize_t, limits.MAX_TEXT_BYTES)

_BOOL = cython.declare(cython.int, int(Kind.BOOL))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))

_EQ = cython.declare(cython.int, int(Operator.EQ))
_NE = cython.declare(cython.int, int(Operator.NE))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_GT = cython.declare(cython.int, int(Operator.GT))
_GE = cython.declare(cython.int, int(Operator.GE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IN = cython.declare(cython.int, int(Operator.IN))
_WEAK_NOT_IN = cython.declare(cython.int, int(Operator.WEAK_NOT_IN))
_ANY_OF = cython.declare(cython.int, int(Operator.ANY_OF))
_ALL_OF = cython.declare(cython.int, int(Operator.ALL_OF))
_NONE_OF = cython.declare(cython.int, int(Operator.NONE_OF))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_IS_EMPTY = cython.declare(cython.int, int(Operator.IS_EMPTY))
_LIKE = cython.declare(cython.int, int(Operator.LIKE))
_ILIKE = cython.declare(cython.int, int(Operator.ILIKE))
_STARTS_WITH = cython.declare(cython.int, int(Operator.STARTS_WITH))
_ENDS_WITH = cython.declare(cython.int, int(Operator.ENDS_WITH))
_CONTAINS = cython.declare(cython.int, int(Operator.CONTAINS))
_MATCHES = cython.declare(cython.int, int(Operator.MATCHES))
_NOT_ILIKE = cython.declare(cython.int, int(Operator.NOT_ILIKE))
_NOT_MATCHES = cython.declare(cython.int, int(Operator.NOT_MATCHES))
_NO_OPERATOR = cython.declare(cython.int, 65)
_BARE = cython.declare(cython.int, 64)  # no operator follows the attribute: ``a`` for ``a = true``

_TAKE_NOTHING = cython.declare(cython.int, int(Operands.NOTHING))
_TAKE_ONE = cython.declare(cython.int, int(Operands.ONE))
_TAKE_TWO = cython.declare(cython.int, int(Operands.TWO))
_TAKE_MANY = cython.declare(cython.int, int(Operands.MANY))
_takes = cython.declare(cython.uchar[::1], np.array([row.operands for row in _OPERATORS], np.uint8))
_weighted = cython.declare(cython.uchar[::1], np.array([row.weighted for row in _OPERATORS], np.uint8))

_LARGEST = cython.declare(cython.ulonglong, (1 << 63) - 1)

_AT_LETTER, _AT_DIGIT, _AT_SPACE = 1, 2, 4


def _character_classes():
    classes = np.zeros(256, np.uint8)
    for character in range(128):
        letter = chr(character).isalpha() or chr(character) == "_"
        classes[character] = (
            _AT_LETTER * letter + _AT_DIGIT * chr(character).isdigit() + _AT_SPACE * (chr(character) in " \t\n\r\f\v")
        )
    return classes


_class = cython.declare(cython.uchar[::1], _character_classes())
_LETTER = cython.declare(cython.int, _AT_LETTER)
_DIGIT = cython.declare(cython.int, _AT_DIGIT)
_SPACE = cython.declare(cython.int, _AT_SPACE)
_powers = cython.declare(cython.double[::1], np.array([10.0**power for power in range(23)]))


def _packed(word):
    """Return a keyword of up to nine letters as one number, five bits a letter, to compare it at once."""
    number = 0
    for letter in word:
        number = number << 5 | (ord(letter) & 31)
    return number


def _unpacked(number):
    """Return the keyword that was packed.

    >>> _unpacked(_packed("BETWEEN"))
    'BETWEEN'
    """
    letters = []
    while number:
        letters.append(chr(number % 32 + 64))
        number //= 32
    return "".join(reversed(letters))


_W_AND = cython.declare(cython.ulonglong, _packed("AND"))
_W_OR = cython.declare(cython.ulonglong, _packed("OR"))
_W_NOT = cython.declare(cython.ulonglong, _packed("NOT"))
_W_XOR = cython.declare(cython.ulonglong, _packed("XOR"))
_W_XNOR = cython.declare(cython.ulonglong, _packed("XNOR"))
_W_IN = cython.declare(cython.ulonglong, _packed("IN"))
_W_BETWEEN = cython.declare(cython.ulonglong, _packed("BETWEEN"))
_W_IS = cython.declare(cython.ulonglong, _packed("IS"))
_W_NULL = cython.declare(cython.ulonglong, _packed("NULL"))
_W_EMPTY = cython.declare(cython.ulonglong, _packed("EMPTY"))
_W_LIKE = cython.declare(cython.ulonglong, _packed("LIKE"))
_W_ILIKE = cython.declare(cython.ulonglong, _packed("ILIKE"))
_W_STARTS = cython.declare(cython.ulonglong, _packed("STARTS"))
_W_ENDS = cython.declare(cython.ulonglong, _packed("ENDS"))
_W_WITH = cython.declare(cython.ulonglong, _packed("WITH"))
_W_CONTAINS = cython.declare(cython.ulonglong, _packed("CONTAINS"))
_W_MATCHES = cython.declare(cython.ulonglong, _packed("MATCHES"))
_W_ANY = cython.declare(cython.ulonglong, _packed("ANY"))
_W_ALL = cython.declare(cython.ulonglong, _packed("ALL"))
_W_NONE = cython.declare(cython.ulonglong, _packed("NONE"))
_W_ONE = cython.declare(cython.ulonglong, _packed("ONE"))
_W_OF = cython.declare(cython.ulonglong, _packed("OF"))
_W_WEAK = cython.declare(cython.ulonglong, _packed("WEAK"))
_W_TRUE = cython.declare(cython.ulonglong, _packed("TRUE"))
_W_FALSE = cython.declare(cython.ulonglong, _packed("FALSE"))
_W_TIMESTAMP = cython.declare(cython.ulonglong, _packed("TIMESTAMP"))

_PATTERNS_KEPT = 10_000
_LONGEST_MISTAKE = 8  # a NOT with more letters than this is none
_NO_WEIGHT = "AND, OR or the end (only the values of =, IN and ANY OF have weights)"
_OPERAND = "an attribute (in backticks, if it is no plain word), NOT, '(' or a constant"
_JOINERS = ("AND", "OR", "XOR", "XNOR")
_NEGATABLE_WORDS = ("IN", "BETWEEN", "LIKE", "ILIKE", "STARTS WITH", "ENDS WITH", "CONTAINS", "MATCHES")
_AFTER_NOT = f"one of {', '.join(_NEGATABLE_WORDS)} after NOT"
_LIST_WORDS = ("ANY OF", "ALL OF", "NONE OF", "ONE OF")
_PREDICATE_WORDS = (*_NEGATABLE_WORDS, *_LIST_WORDS, "IS", "NOT", "WEAK NOT IN", *_JOINERS)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _precedence(kind: cython.int) -> cython.int:
    if kind == NODE_NOT:
        return 4
    if kind == NODE_AND:
        return 3
    if kind == NODE_XOR or kind == NODE_XNOR:
        return 2
    return 1 if kind == NODE_OR else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_family(first: cython.int, second: cython.int) -> cython.bint:
    return (_INT if first == _FLOAT else first) == (_INT if second == _FLOAT else second)


@cython.final
@cython.cclass
class Parser:
    """Parses any number of texts into one graph.

    >>> from hedgerow.language.graph_cy import Graph
    >>> graph = Graph()
    >>> node = Parser(graph).parse("a = 1 and (b in (2, 3) or not c)")
    >>> str(graph.expression(node))
    'a = 1 AND (b IN (2, 3) OR NOT c = true)'
    """

    def __init__(self, graph: Graph):
        self.graph = graph
        self.patterns = set()
        self.operand = np.empty(32, np.int32)
        self.height = np.empty(32, np.int32)
        self.pending = np.empty(32, np.uint8)
        self.pending_count = np.empty(32, np.int32)
        self.scratch = np.empty(32, np.uint8)

    def parse(self, text: str):
        """Return the node of the expression that ``text`` says, or raise ParseError or LimitError."""
        length: cython.Py_ssize_t = 0
        data: cython.p_const_char
        try:
            data = PyUnicode_AsUTF8AndSize(text, cython.address(length))
        except UnicodeEncodeError as error:
            raise parse_error(text, error.start, "a character that UTF-8 can encode") from None
        try:
            return self.parse_bytes(cython.cast(cython.pointer(cython.const[cython.uchar]), data), length)
        except BaseException:
            self.graph.drop_values()
            raise

    def parse_rows(
        self,
        offsets: cython.longlong[::1],
        data: cython.const[cython.uchar][::1],
        roots: cython.int[::1],
        copier: Copier = None,
    ):
        """Parse the texts ``data[offsets[i]:offsets[i + 1]]`` into ``roots[i]``; return {row: error} of the bad ones.

        A root that is -2 on entry is left out. Other threads run meanwhile, until some row is wrong. A ``copier`` from
        this graph then finds the predicates that its target has.
        """
        errors = {}
        self.row = 0
        while self.row < roots.shape[0]:
            try:
                with cython.nogil:
                    self.parse_on(offsets, data, roots)
                    if copier is not None:
                        copier.recognise_to(self.graph.predicate_count)
            except HedgerowError as error:
                roots[self.row] = -1
                errors[self.row] = error
                self.graph.drop_values()
                self.row = self.row + 1
        return errors

    def parse_on(self, offsets, data, roots):
        """Parse from a row on, until the last one or one that is wrong."""
        start: cython.longlong
        empty: cython.uchar = 0
        while self.row < roots.shape[0]:
            start = offsets[self.row]
            if roots[self.row] == -2:
                pass
            elif offsets[self.row + 1] == start:
                roots[self.row] = self.parse_bytes(cython.address(empty), 0)
            else:
                roots[self.row] = self.parse_bytes(cython.address(data[start]), offsets[self.row + 1] - start)
            self.row = self.row + 1
        return 0

    def parse_bytes(self, text, length):
        """Return the node of the expression that a text says; after an error, operands may be left, to be dropped."""
        if length > _MAX_TEXT:
            with cython.gil:
                raise LimitError(f"an expression of {length} bytes; the limit is {limits.MAX_TEXT_BYTES}")
        self.text = text
        self.length = length
        self.position = 0
        self.operand_count = 0
        self.pending_depth = 0
        return self.run()

    def run(self):
        """Alternate between operands and the operators that join them, until the text ends."""
        word: cython.ulonglong
        while True:
            self.read_operand()
            while True:
                self.skip_space()
                if self.position >= self.length:
                    return self.close()
                if self.text[self.position] == cython.cast(cython.uchar, ord(")")):
                    self.reduce_while(0)
                    if self.pending_depth == 0:
                        with cython.gil:
                            raise self._failed(self.position, "AND, OR or the end: no parenthesis is open")
                    self.pending_depth = self.pending_depth - 1
                    self.position = self.position + 1
                    continue
                break
            word = self.peek_word()
            if word == _W_AND:
                self.join(NODE_AND)
            elif word == _W_OR:
                self.join(NODE_OR)
            elif word == _W_XOR:
                self.join(NODE_XOR)
            elif word == _W_XNOR:
                self.join(NODE_XNOR)
            else:
                with cython.gil:
                    raise self._failed(self.position, "AND, OR, XOR, XNOR or the end", _JOINERS)
            self.take_word()

    # Operators that wait for their operands

    def push_operand(self, node, height):
        if self.operand_count >= self.operand.shape[0]:
            self.grow_operands()
        self.operand[self.operand_count] = node
        self.height[self.operand_count] = height
        self.operand_count = self.operand_count + 1
        return 0

    def grow_operands(self):
        operands = grown(self.operand, self.operand_count + 1)
        self.height = grown(self.height, self.operand_count + 1)
        self.operand = operands
        return 0

    def push_pending(self, kind, count):
        if self.pending_depth >= min(self.pending.shape[0], _MAX_PENDING):
            self.grow_pending()
        self.pending[self.pending_depth] = kind
        self.pending_count[self.pending_depth] = count
        self.pending_depth = self.pending_depth + 1
        return 0

    def grow_pending(self):
        if self.pending_depth >= _MAX_PENDING:
            raise LimitError(f"more than {limits.MAX_WAITING} open parentheses and unfinished operators")
        pending = grown(self.pending, self.pending_depth + 1)
        self.pending_count = grown(self.pending_count, self.pending_depth + 1)
        self.pending = pending
        return 0

    def join(self, kind):
        """Take one more operand into the operator on top if it is the same, else start a new one."""
        precedence: cython.int = _precedence(kind)
        self.reduce_while(precedence)
        if self.pending_depth:
            if self.pending[self.pending_depth - 1] == kind:
                self.pending_count[self.pending_depth - 1] = self.pending_count[self.pending_depth - 1] + 1
                return 0
            if _precedence(self.pending[self.pending_depth - 1]) == precedence:
                self.reduce_one()  # XOR after XNOR or the other way round: from left to right
        return self.push_pending(kind, 2)

    def reduce_while(self, precedence):
        """Make nodes of the waiting operators that bind more tightly, down to an open parenthesis."""
        while self.pending_depth and _precedence(self.pending[self.pending_depth - 1]) > precedence:
            self.reduce_one()
        return 0

    def reduce_one(self):
        self.pending_depth = self.pending_depth - 1
        kind: cython.int = self.pending[self.pending_depth]
        count: cython.Py_ssize_t = self.pending_count[self.pending_depth]
        first: cython.Py_ssize_t = self.operand_count - count
        height: cython.int = 0
        position: cython.Py_ssize_t
        for position in range(first, self.operand_count):
            if self.height[position] > height:
                height = self.height[position]
        if height >= _MAX_DEPTH:
            with cython.gil:
                raise self._too_deep()
        node: cython.int = self.graph.add_node(kind, cython.address(self.operand[first]), count)
        self.operand_count = first
        return self.push_operand(node, height + 1)

    def close(self):
        self.reduce_while(0)
        if self.pending_depth:
            with cython.gil:
                raise self._failed(self.position, "')'")
        return self.operand[0]

    # Words and names

    # What is beyond ASCII has methods of its own: the others are then small enough to be inlined.

    def skip_space(self):
        while self.position < self.length and _class[self.text[self.position]] & _SPACE:
            self.position = self.position + 1
        return self.skip_other_space() if self.position < self.length and self.text[self.position] >= 0x80 else 0

    def skip_other_space(self):
        end: cython.Py_ssize_t = _character_end(self.text, self.position, self.length)
        while _decoded(self.text, self.position, end).isspace():
            self.position = end
            while self.position < self.length and _class[self.text[self.position]] & _SPACE:
                self.position = self.position + 1
            if self.position == self.length or self.text[self.position] < 0x80:
                break
            end = _character_end(self.text, self.position, self.length)
        return 0

    def letter_end(self, position, first):
        """Return where the letter at ``position`` ends, or -1 if no name can have (or start with) it."""
        if position >= self.length:
            return -1
        if self.text[position] >= 0x80:
            return self.other_letter_end(position, first)
        return position + 1 if _class[self.text[position]] & (_LETTER if first else _LETTER | _DIGIT) else -1

    def other_letter_end(self, position, first):
        end: cython.Py_ssize_t = _character_end(self.text, position, self.length)
        letter = _decoded(self.text, position, end)
        return end if (letter if first else "a" + letter).isidentifier() else -1

    def name_end(self, position):
        """Return where the identifier that starts at ``position`` ends; ``position`` itself if none does."""
        end: cython.Py_ssize_t = self.letter_end(position, True)
        while end >= 0:
            position = end
            while position < self.length and _class[self.text[position]] & (_LETTER | _DIGIT):
                position += 1
            end = self.letter_end(position, False)
        return position

    def peek_word(self):
        """Return the word here in packed form, 1 if it can be no keyword; ``take_word`` goes past it."""
        position: cython.Py_ssize_t = self.position
        packed: cython.ulonglong = 0
        while position < self.length and _class[self.text[position]] & _LETTER:
            if position - self.position < 10:
                packed = packed << 5 | (self.text[position] & 31)
            position += 1
        self.word_start = self.position
        self.word_length = position - self.position
        if self.word_length == 0 or self.word_length > 9 or self.letter_end(position, False) >= 0:
            return 1
        # An underscore has the low five bits 31, which no letter has, so it cannot pass for one.
        return packed

    def take_word(self):
        self.position = self.word_start + self.word_length
        return 0

    def expect_word(self, word):
        self.skip_space()
        if self.peek_word() != word:
            with cython.gil:
                raise self._failed(self.position, _unpacked(word), (_unpacked(word),))
        return self.take_word()

    def read_operand(self):
        """Read parentheses and NOTs as they come, then a constant or a predicate."""
        word: cython.ulonglong
        while True:
            self.skip_space()
            if self.position < self.length and self.text[self.position] == cython.cast(cython.uchar, ord("(")):
                self.push_pending(_PAREN, 0)
                self.position = self.position + 1
                continue
            word = self.peek_word()
            if word != _W_NOT or self.is_dotted():
                break
            self.push_pending(NODE_NOT, 1)
            self.take_word()
        if (word == _W_TRUE or word == _W_FALSE) and not self.is_dotted():
            self.take_word()
            return self.push_operand(self.graph.add_leaf(NODE_TRUE if word == _W_TRUE else NODE_FALSE, 0), 0)
        return self.push_operand(self.read_predicate(self.read_name(word)), 0)

    def is_dotted(self):
        """Say whether a dot follows the word just peeked at: then it is the start of a name, never a keyword."""
        end: cython.Py_ssize_t = self.word_start + self.word_length
        return end < self.length and self.text[end] == cython.cast(cython.uchar, ord("."))

    def read_name(self, word):
        """Return the number of the attribute name here, where ``word`` was peeked at."""
        start: cython.Py_ssize_t = self.position
        self.name_start = start
        if start < self.length and self.text[start] == cython.cast(cython.uchar, ord("`")):
            return self.read_quoted_name()
        end: cython.Py_ssize_t = self.name_end(start)
        if end == start or (_is_reserved(word) and not self.is_dotted()):
            with cython.gil:
                raise self._failed(start, _OPERAND)
        while end < self.length and self.text[end] == cython.cast(cython.uchar, ord(".")):
            self.position = end + 1
            end = self.name_end(self.position)
            if end == self.position:
                with cython.gil:
                    raise self._failed(end, "the rest of a dotted name (names with other characters need backticks)")
        if end - start > _MAX_NAME:
            with cython.gil:
                raise self._name_too_long(start)
        self.position = end
        self.name_stop = end
        return self.graph.names.intern_bytes(self.text + start, end - start)

    def read_quoted_name(self):
        start: cython.Py_ssize_t = self.position
        length: cython.Py_ssize_t = self.unquoted()
        self.name_stop = self.position
        if length == 0:
            with cython.gil:
                raise self._failed(start, "a name that is not empty")
        if length > _MAX_NAME:
            with cython.gil:
                raise self._name_too_long(start)
        return self.graph.names.intern_bytes(cython.address(self.scratch[0]), length)

    def unquoted(self):
        """Read what stands between two quotes, a doubled one for itself, into ``scratch``; return its length."""
        start: cython.Py_ssize_t = self.position
        quote: cython.uchar = self.text[start]
        length: cython.Py_ssize_t = 0
        found: cython.p_void
        piece: cython.Py_ssize_t
        position: cython.Py_ssize_t = start + 1
        while True:
            found = cython.NULL
            if position < self.length:
                found = memchr(self.text + position, quote, self.length - position)
            if found == cython.NULL:
                with cython.gil:
                    raise self._failed(start, f"a closing {chr(quote)}")
            piece = cython.cast(cython.pointer(cython.const[cython.uchar]), found) - (self.text + position)
            if length + piece + 1 > self.scratch.shape[0]:
                with cython.gil:
                    self.scratch = grown(self.scratch, length + piece + 1)
            if piece:
                memcpy(cython.address(self.scratch[length]), self.text + position, piece)
            length += piece
            position += piece + 1
            if position >= self.length or self.text[position] != quote:
                self.position = position
                return length
            self.scratch[length] = quote
            length += 1
            position += 1

    # Predicates

    def read_predicate(self, attribute):
        """Return the node of the predicate whose attribute was just read."""
        self.skip_space()
        operator: cython.int = self.read_symbol()
        if operator == _NO_OPERATOR:
            operator = self.read_word_operator()
        if operator == _BARE:
            operator = _EQ
            self.graph.push_value(_BOOL, 1, 0.0)
        else:
            self.read_operands(operator)
        return self.graph.predicate_leaf(self.graph.intern_predicate(operator, attribute))

    def read_symbol(self):
        """Return the operator written in symbols here; _NO_OPERATOR (and no step forward) if there is none."""
        first: cython.uchar = self.text[self.position] if self.position < self.length else 0
        second: cython.uchar = self.text[self.position + 1] if self.position + 1 < self.length else 0
        equals: cython.bint = second == cython.cast(cython.uchar, ord("="))
        self.position = self.position + (2 if equals else 1)
        if first == cython.cast(cython.uchar, ord("=")):
            return _EQ
        if first == cython.cast(cython.uchar, ord("<")):
            if second == cython.cast(cython.uchar, ord(">")):
                self.position = self.position + 1
                return _NE
            return _LE if equals else _LT
        if first == cython.cast(cython.uchar, ord(">")):
            return _GE if equals else _GT
        if first == cython.cast(cython.uchar, ord("!")) and equals:
            return _NE
        self.position = self.position - (2 if equals else 1)
        return _NO_OPERATOR

    def read_word_operator(self):
        """Return the operator written in words here, ``_BARE`` where the predicate is the attribute alone."""
        if self.position >= self.length or self.text[self.position] == cython.cast(cython.uchar, ord(")")):
            return _BARE
        word: cython.ulonglong = self.peek_word()
        if word == _W_AND or word == _W_OR or word == _W_XOR or word == _W_XNOR:
            return _BARE
        operator: cython.int = self.read_negatable(word)
        if operator != _NO_OPERATOR:
            return operator
        self.take_word()
        if word == _W_NOT:
            self.skip_space()
            operator = self.read_negatable(self.peek_word())
            if operator == _NO_OPERATOR:
                with cython.gil:
                    raise self._failed(self.position, _AFTER_NOT, _NEGATABLE_WORDS)
            return operator + 1  # each of them has its NOT form as the next number
        if word == _W_IS:
            return self.read_is()
        if word == _W_WEAK:
            self.expect_word(_W_NOT)
            self.expect_word(_W_IN)
            return _WEAK_NOT_IN
        if word == _W_ANY or word == _W_ONE:
            operator = _ANY_OF
        elif word == _W_ALL:
            operator = _ALL_OF
        elif word == _W_NONE:
            operator = _NONE_OF
        else:
            with cython.gil:
                raise self._no_operator()
        self.expect_word(_W_OF)
        return operator

    def read_negatable(self, word):
        """Return the operator that begins with this word and can be negated, and go past it; else _NO_OPERATOR."""
        operator: cython.int
        if word == _W_IN:
            operator = _IN
        elif word == _W_BETWEEN:
            operator = _BETWEEN
        elif word == _W_LIKE:
            operator = _LIKE
        elif word == _W_ILIKE:
            operator = _ILIKE
        elif word == _W_CONTAINS:
            operator = _CONTAINS
        elif word == _W_MATCHES:
            operator = _MATCHES
        elif word == _W_STARTS:
            operator = _STARTS_WITH
        elif word == _W_ENDS:
            operator = _ENDS_WITH
        else:
            return _NO_OPERATOR
        self.take_word()
        if operator == _STARTS_WITH or operator == _ENDS_WITH:
            self.expect_word(_W_WITH)
        return operator

    def read_is(self):
        negative: cython.bint = False
        self.skip_space()
        word: cython.ulonglong = self.peek_word()
        if word == _W_NOT:
            negative = True
            self.take_word()
            self.skip_space()
            word = self.peek_word()
        if word != _W_NULL and word != _W_EMPTY:
            with cython.gil:
                raise self._failed(
                    self.position, "NULL or EMPTY" if negative else "NULL, EMPTY or NOT", ("NULL", "EMPTY", "NOT")
                )
        self.take_word()
        return (_IS_NULL if word == _W_NULL else _IS_EMPTY) + negative

    # Operands

    def read_operands(self, operator):
        takes: cython.int = _takes[operator]
        weighted: cython.bint = _weighted[operator]
        first: cython.int
        start: cython.Py_ssize_t
        if takes == _TAKE_ONE:
            return self.read_value(weighted)
        if takes == _TAKE_NOTHING:
            return 0
        if takes == _TAKE_MANY:
            return self.read_list(weighted)
        if takes == _TAKE_TWO:
            self.read_value(False)
            first = self.value_kind
            self.expect_word(_W_AND)
            self.skip_space()
            start = self.position
            self.read_value(False)
            if not _same_family(first, self.value_kind):
                with cython.gil:
                    raise self._failed(start, "a value of the same kind as the one before AND")
            return 0
        return self.read_text(operator)

    def read_list(self, weighted):
        self.skip_space()
        opening: cython.uchar = self.text[self.position] if self.position < self.length else 0
        closing: cython.uchar
        if opening == cython.cast(cython.uchar, ord("(")):
            closing = ord(")")
        elif opening == cython.cast(cython.uchar, ord("[")):
            closing = ord("]")
        elif opening == cython.cast(cython.uchar, ord("{")):
            closing = ord("}")
        else:
            with cython.gil:
                raise self._failed(self.position, "a list in '(', '[' or '{'")
        count: cython.Py_ssize_t = 0
        while True:
            self.position = self.position + 1
            if count >= _MAX_LIST:
                with cython.gil:
                    raise LimitError(f"a list of more than {limits.MAX_LIST} values")
            self.read_value(weighted)
            count += 1
            self.skip_space()
            if self.position < self.length:
                if self.text[self.position] == cython.cast(cython.uchar, ord(",")):
                    continue
                if self.text[self.position] == closing:
                    self.position = self.position + 1
                    return 0
            with cython.gil:
                raise self._failed(self.position, f"',' or '{chr(closing)}'")

    def read_value(self, weighted):
        """Read one value, and its weight if it has one, onto the graph's operands."""
        payload: cython.longlong = 0
        word: cython.ulonglong
        character: cython.uchar
        self.skip_space()
        character = self.text[self.position] if self.position < self.length else 0
        if _class[character] & _LETTER:
            word = self.peek_word()
            if word == _W_TRUE or word == _W_FALSE:
                self.take_word()
                self.value_kind = _BOOL
                payload = word == _W_TRUE
            elif word == _W_TIMESTAMP:
                self.take_word()
                self.value_kind = _TIMESTAMP
                self.read_timestamp(cython.address(payload))
            elif word == _W_NULL:
                with cython.gil:
                    raise self._failed(self.position, "a value (a missing one is tested by IS NULL)")
            else:
                with cython.gil:
                    raise self._failed(self.position, "a value (strings need quotes)", ("TRUE", "FALSE", "TIMESTAMP"))
        elif character == cython.cast(cython.uchar, ord("'")) or character == cython.cast(cython.uchar, ord('"')):
            self.value_kind = _STRING
            payload = self.read_string()
        else:
            self.value_kind = self.read_number(cython.address(payload))
        self.graph.push_value(self.value_kind, payload, 0.0)
        return self.read_weight(weighted)

    def read_weight(self, weighted):
        """Read ``^ number`` behind the value just read, if it is there."""
        self.skip_space()
        if self.position >= self.length or self.text[self.position] != cython.cast(cython.uchar, ord("^")):
            return 0
        if not weighted:
            with cython.gil:
                raise self._failed(self.position, _NO_WEIGHT)
        self.position = self.position + 1
        self.skip_space()
        start: cython.Py_ssize_t = self.position
        payload: cython.longlong = 0
        weight: cython.double
        if start >= self.length or not (_class[self.text[start]] & _DIGIT or _begins_number(self.text[start])):
            with cython.gil:
                raise self._failed(start, "a number as the weight")
        if self.read_number(cython.address(payload)) == _INT:
            weight = cython.cast(cython.double, payload)
        else:
            memcpy(cython.address(weight), cython.address(payload), 8)
        if weight < 0:
            with cython.gil:
                raise self._failed(start, "a weight of 0 or more")
        return self.graph.weigh_last(weight)

    def read_string(self):
        """Return the number of the string here."""
        start: cython.Py_ssize_t = self.position + 1
        quote: cython.uchar = self.text[self.position]
        found: cython.p_void = cython.NULL
        end: cython.Py_ssize_t
        if start < self.length:
            found = memchr(self.text + start, quote, self.length - start)
        if found != cython.NULL:
            end = cython.cast(cython.pointer(cython.const[cython.uchar]), found) - self.text
            if end + 1 >= self.length or self.text[end + 1] != quote:
                self.position = end + 1
                return self.graph.strings.intern_bytes(self.text + start, end - start)
        end = self.unquoted()
        return self.graph.strings.intern_bytes(cython.address(self.scratch[0]), end)

    def read_number(self, payload):
        """Read a number into ``payload``; return its kind, whole numbers being INT however they are written."""
        start: cython.Py_ssize_t = self.position
        position: cython.Py_ssize_t = start
        negative: cython.bint = False
        mantissa: cython.ulonglong = 0
        digits: cython.int = 0
        exponent: cython.int = 0
        whole: cython.bint = True
        if position < self.length and (
            self.text[position] == cython.cast(cython.uchar, ord("-"))
            or self.text[position] == cython.cast(cython.uchar, ord("+"))
        ):
            negative = self.text[position] == cython.cast(cython.uchar, ord("-"))
            position += 1
        first: cython.Py_ssize_t = position
        while position < self.length:
            if _class[self.text[position]] & _DIGIT:
                if digits or self.text[position] != cython.cast(cython.uchar, ord("0")):
                    digits += 1
                if digits <= 19:
                    mantissa = mantissa * 10 + (self.text[position] & 15)
                exponent -= not whole
            elif whole and self.text[position] == cython.cast(cython.uchar, ord(".")):
                whole = False
                first += 1
            else:
                break
            position += 1
        if position == first:
            with cython.gil:
                raise self._failed(start, "a value")
        if position < self.length and (self.text[position] | 32) == cython.cast(cython.uchar, ord("e")):
            whole = False
            position = self.exponent_end(position, start)
            exponent = 9999  # let the library do it
        self.position = position
        if position < self.length and (
            self.letter_end(position, False) >= 0 or self.text[position] == cython.cast(cython.uchar, ord("."))
        ):
            with cython.gil:
                raise self._failed(start, "a number that ends where a space, ',' or ')' could stand")
        if whole:
            if digits > 19 or mantissa > _LARGEST + negative:
                with cython.gil:
                    raise self._failed(start, "an integer of at most 64 bits")
            # The smallest integer has no positive twin, so it is negated one step away from the edge.
            if negative and mantissa:
                payload[0] = -cython.cast(cython.longlong, mantissa - 1) - 1
            else:
                payload[0] = cython.cast(cython.longlong, mantissa)
            return _INT
        return self.read_float(start, negative, mantissa, digits, exponent, payload)

    def exponent_end(self, position, start):
        position += 1
        if position < self.length and (
            self.text[position] == cython.cast(cython.uchar, ord("-"))
            or self.text[position] == cython.cast(cython.uchar, ord("+"))
        ):
            position += 1
        first: cython.Py_ssize_t = position
        while position < self.length and _class[self.text[position]] & _DIGIT:
            position += 1
        if position == first:
            with cython.gil:
                raise self._failed(start, "a number with digits after its e")
        return position

    def read_float(self, start, negative, mantissa, digits, exponent, payload):
        value: cython.double
        whole: cython.longlong
        if digits <= 15 and exponent >= -22 and exponent <= 0:
            # Both are exact in a double, so one division rounds as it should.
            value = cython.cast(cython.double, mantissa) / _powers[-exponent]
            if negative:
                value = -value
        else:
            with cython.gil:
                value = float(self.text[start : self.position].decode("ascii"))
        if value - value != 0:
            with cython.gil:
                raise self._failed(start, "a number that a 64-bit float can hold")
        if value >= -9223372036854775808.0 and value < 9223372036854775808.0:
            whole = cython.cast(cython.longlong, value)
            if cython.cast(cython.double, whole) == value:
                payload[0] = whole
                return _INT
        memcpy(payload, cython.address(value), 8)
        return _FLOAT

    def read_timestamp(self, payload):
        self.skip_space()
        start: cython.Py_ssize_t = self.position
        character: cython.uchar = self.text[start] if start < self.length else 0
        if character != cython.cast(cython.uchar, ord("'")) and character != cython.cast(cython.uchar, ord('"')):
            raise self._failed(start, "a quoted time after TIMESTAMP")
        written = self.graph.strings[self.read_string()]
        try:
            moment = canonical(dt.datetime.fromisoformat(written))
        except ValueError:
            moment = None
        if moment is None:
            raise self._failed(start, "an ISO 8601 time such as '2026-01-31T12:00:00Z'")
        payload[0] = microseconds(moment)
        return 0

    def read_text(self, operator):
        """Read the string that a string test takes."""
        self.skip_space()
        start: cython.Py_ssize_t = self.position
        character: cython.uchar = self.text[start] if start < self.length else 0
        if character != cython.cast(cython.uchar, ord("'")) and character != cython.cast(cython.uchar, ord('"')):
            with cython.gil:
                raise self._failed(start, "a quoted string")
        string: cython.int = self.read_string()
        if _LIKE <= operator <= _NOT_ILIKE or operator == _MATCHES or operator == _NOT_MATCHES:
            self.check_pattern(operator, string, start)
        return self.graph.push_value(_STRING, string, 0.0)

    def check_pattern(self, operator, string, start):
        """Refuse a LIKE pattern or regular expression that means nothing."""
        pattern = self.graph.strings[string]
        try:
            if operator <= _NOT_ILIKE:
                check_like(pattern)
            elif pattern not in self.patterns:
                check_regex(pattern)
                if len(self.patterns) >= _PATTERNS_KEPT:
                    self.patterns.clear()
                self.patterns.add(pattern)
        except ExpressionError as error:
            raise self._failed(start, f"a valid pattern ({error})") from None
        return 0

    # Errors

    def _failed(self, position: cython.Py_ssize_t, expected, candidates=()):
        """Return the error that something else was expected at this byte."""
        text = PyUnicode_DecodeUTF8(cython.cast(cython.p_char, self.text), self.length, b"replace")
        before = PyUnicode_DecodeUTF8(cython.cast(cython.p_char, self.text), position, b"replace")
        return parse_error(text, len(before), expected, candidates)

    def _no_operator(self):
        """Return the error for an attribute with no operator after it, which may be a NOT that was mistyped."""
        name = _decoded(self.text, self.name_start, min(self.name_stop, self.name_start + _LONGEST_MISTAKE))
        if difflib.SequenceMatcher(None, name.upper(), "NOT").ratio() > 0.6:
            return self._failed(self.name_start, "NOT, or an attribute with an operator", ("NOT",))
        return self._failed(self.word_start, "an operator", _PREDICATE_WORDS)

    def _too_deep(self):
        return LimitError(f"an expression nested deeper than {limits.MAX_DEPTH} levels")

    def _name_too_long(self, start):
        return LimitError(f"an attribute name of more than {limits.MAX_NAME_BYTES} bytes, at byte {start}")


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begins_number(character: cython.uchar) -> cython.bint:
    """Return whether a number may begin with this character, which is no digit."""
    return (
        character == cython.cast(cython.uchar, ord("+"))
        or character == cython.cast(cython.uchar, ord("-"))
        or character == cython.cast(cython.uchar, ord("."))
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_reserved(word: cython.ulonglong) -> cython.bint:
    return (
        word == _W_AND
        or word == _W_OR
        or word == _W_NOT
        or word == _W_XOR
        or word == _W_XNOR
        or word == _W_IN
        or word == _W_BETWEEN
        or word == _W_IS
        or word == _W_NULL
        or word == _W_LIKE
        or word == _W_ILIKE
        or word == _W_TRUE
        or word == _W_FALSE
    )


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _character_end(
    text: cython.pointer(cython.const[cython.uchar]), position: cython.Py_ssize_t, length: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    position += 1
    while position < length and text[position] & 0xC0 == 0x80:
        position += 1
    return position


@cython.cfunc
def _decoded(text: cython.pointer(cython.const[cython.uchar]), start: cython.Py_ssize_t, end: cython.Py_ssize_t):
    return PyUnicode_DecodeUTF8(cython.cast(cython.p_char, text + start), end - start, b"replace")

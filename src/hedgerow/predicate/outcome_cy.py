"""The outcome of a predicate on an event: true, false or undefined, as docs/language.md says, without the GIL.

An ``Outcomes`` is what one search works with: views of the predicates as they were when the search began (a writer may
go on adding), the events, and the numbers that tie the two together::

    event attribute 4 "age"  ─ attribute_of ─>  predicate attribute 0       both tables have their own numbers,
    event string 17 "nba"    ─ string_of ────>  operand string 3  or -1     matched once a batch by their text

``begin(row)`` notes where the row has which attribute; then any predicate's outcome is one look-up and one test.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.language.graph_cy import Graph
from cython.cimports.hedgerow.predicate.like_cy import like, memmem
from cython.cimports.hedgerow.predicate.table_cy import PredicateTable, family_bit
from cython.cimports.hedgerow.signals import MANY_STEPS, answer_signals
from cython.cimports.hedgerow.symbols_cy import SymbolTable
from cython.cimports.libc.stdlib import calloc, free
from cython.cimports.libc.string import memcmp, memcpy

from hedgerow.arrays_cy import filled
from hedgerow.language.operators import OPERATORS as _OPERATORS
from hedgerow.language.operators import Accepts, Operator
from hedgerow.predicate.weights import bound_weights
from hedgerow.values import Kind

_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_NAN = cython.declare(cython.int, int(Kind.NAN))
_LIST = cython.declare(cython.int, int(Kind.LIST))

_EQ = cython.declare(cython.int, int(Operator.EQ))
_LT = cython.declare(cython.int, int(Operator.LT))
_LE = cython.declare(cython.int, int(Operator.LE))
_GT = cython.declare(cython.int, int(Operator.GT))
_GE = cython.declare(cython.int, int(Operator.GE))
_BETWEEN = cython.declare(cython.int, int(Operator.BETWEEN))
_IN = cython.declare(cython.int, int(Operator.IN))
_ALL_OF = cython.declare(cython.int, int(Operator.ALL_OF))
_IS_NULL = cython.declare(cython.int, int(Operator.IS_NULL))
_IS_EMPTY = cython.declare(cython.int, int(Operator.IS_EMPTY))
_LIKE = cython.declare(cython.int, int(Operator.LIKE))
_ILIKE = cython.declare(cython.int, int(Operator.ILIKE))
_STARTS_WITH = cython.declare(cython.int, int(Operator.STARTS_WITH))
_ENDS_WITH = cython.declare(cython.int, int(Operator.ENDS_WITH))
_CONTAINS = cython.declare(cython.int, int(Operator.CONTAINS))

_ACCEPTS_TRUE = cython.declare(cython.int, int(Accepts.TRUE))
_ACCEPTS_FALSE = cython.declare(cython.int, int(Accepts.FALSE))
_ACCEPTS_NOT_TRUE = cython.declare(cython.int, int(Accepts.NOT_TRUE))

_EVENT = cython.declare(cython.longlong, 64)  # steps that an event takes at least
_LONG_TEXT = cython.declare(cython.Py_ssize_t, 1024)

_base = cython.declare(cython.uchar[::1], np.array([row.base for row in _OPERATORS], np.uint8))
_accepts = cython.declare(cython.uchar[::1], np.array([row.accepts for row in _OPERATORS], np.uint8))


@cython.final
@cython.cclass
class Outcomes:
    """What one search knows of the predicates and the events."""

    def __init__(self, table: PredicateTable, batch: EventBatch, missing: str, weights=None):
        graph: Graph = table.graph
        self.weighted = weights is not None
        if self.weighted:
            self.entry_weight, self.element_weight = bound_weights(batch, weights)
        # Nothing from here on runs Python code, so all that is taken is of one moment.
        self.graph = graph
        # First, so that the arrays have all predicates that count.
        self.predicate_count = table.count
        self.operator = graph.predicate_operator
        self.attribute = graph.predicate_attribute
        self.start = graph.predicate_start
        self.operand_heap = graph.strings.heap
        self.operand_starts = graph.strings.starts
        self.family = table.family
        self.table = table
        self.listed_count = table.listed_count
        self.listed_kind = table.listed_kind
        self.listed_payload = table.listed_payload
        self.listed_weight = table.listed_weight
        self.folded_heap = table.folded.heap
        self.folded_starts = table.folded.starts
        self.missing_is_false = missing == "false"
        self._take_events(batch)
        self.attribute_of = _translated(batch.names, graph.names)
        self.string_of = _translated(batch.strings, graph.strings)
        self.entry_of = filled(graph.names.count, -1, np.int64)
        self.row = -1

    def renew(self, batch: EventBatch):
        """Go on with other events, for the same predicates, where nothing was added to them since."""
        self.end()
        self.remembered = None
        self._take_events(batch)
        self.attribute_of = _translated(batch.names, self.graph.names)
        self.string_of = _translated(batch.strings, self.graph.strings)

    def end(self):
        """Forget the row begun."""
        entry: cython.longlong
        attribute: cython.int
        if self.row >= 0:
            for entry in range(self.row_start[self.row], self.row_start[self.row + 1]):
                attribute = self.attribute_of[self.entry_attribute[entry]]
                if attribute >= 0:
                    self.entry_of[attribute] = -1
        self.row = -1
        return 0

    def _take_events(self, batch: EventBatch):
        self.batch = batch
        self.row_start = batch.row_start
        self.entry_attribute = batch.entry_attribute
        self.entry_kind = batch.entry_kind
        self.entry_payload = batch.entry_payload
        self.list_start = batch.list_start
        self.element_kind = batch.element_kind
        self.element_payload = batch.element_payload
        self.event_heap = batch.strings.heap
        self.event_starts = batch.strings.starts

    def spend(self, steps):
        """Count steps of a search, of some nanoseconds each; after many of them, let signals in."""
        self.patience = self.patience - steps
        if self.patience < 0:
            self.patience = MANY_STEPS
            answer_signals()
        return 0

    def begin(self, row):
        """Make ``row`` the event that outcomes are asked of."""
        entry: cython.longlong
        attribute: cython.int
        self.end()
        self.spend(_EVENT)
        for entry in range(self.row_start[row], self.row_start[row + 1]):
            attribute = self.attribute_of[self.entry_attribute[entry]]
            if attribute >= 0:
                self.entry_of[attribute] = entry
        self.row = row
        return 0

    def outcome(self, predicate):
        """Return the outcome of a predicate as people wrote it."""
        operator: cython.int = self.operator[predicate]
        outcome: cython.int = self.base_outcome(predicate, _base[operator])
        accepts: cython.int = _accepts[operator]
        if accepts == _ACCEPTS_FALSE:
            if outcome != OUTCOME_UNDEFINED:
                outcome = 1 - outcome
        elif accepts == _ACCEPTS_NOT_TRUE:
            return OUTCOME_FALSE if outcome == OUTCOME_TRUE else OUTCOME_TRUE
        if outcome == OUTCOME_UNDEFINED and self.missing_is_false:
            return OUTCOME_FALSE
        return outcome

    def literal(self, code):
        """Return whether a literal, ``predicate * 4 + accepts``, holds: true or false, never undefined."""
        return self.literal_at(code, self.entry_of[self.attribute[code >> 2]])

    def literal_at(self, code, entry):
        """Return whether a literal holds for an entry of its attribute; -1 stands for none. Needs no row begun."""
        predicate: cython.int = code >> 2
        accepts: cython.int = code & 3
        outcome: cython.int = self.outcome_at(predicate, self.operator[predicate], entry)
        if accepts == _ACCEPTS_TRUE:
            return outcome == OUTCOME_TRUE
        if accepts == _ACCEPTS_FALSE:
            return outcome == OUTCOME_FALSE
        return outcome != (OUTCOME_TRUE if accepts == _ACCEPTS_NOT_TRUE else OUTCOME_FALSE)

    def base_outcome(self, predicate, base):
        return self.outcome_at(predicate, base, self.entry_of[self.attribute[predicate]])

    def outcome_at(self, predicate, base, entry):
        if base == _IS_NULL:
            return OUTCOME_TRUE if entry < 0 else OUTCOME_FALSE
        if entry < 0:
            return OUTCOME_UNDEFINED
        kind: cython.int = self.entry_kind[entry]
        if kind == _LIST:
            return self.list_outcome(predicate, base, self.entry_payload[entry])
        if kind == _NAN:
            return OUTCOME_UNDEFINED
        if base == _IS_EMPTY:
            return OUTCOME_FALSE
        if not family_bit(kind) & self.family[predicate]:
            return OUTCOME_UNDEFINED
        if base == _ALL_OF:
            # A scalar is its own only value, so it has them all only if they are one.
            return self.count_of(predicate) == 1 and self.satisfies(predicate, _EQ, kind, self.entry_payload[entry])
        return self.satisfies(predicate, base, kind, self.entry_payload[entry])

    def list_outcome(self, predicate, base, number):
        """Return whether some element satisfies the predicate; on a list nothing is undefined."""
        first: cython.longlong = self.list_start[number]
        last: cython.longlong = self.list_start[number + 1]
        if base == _IS_EMPTY:
            return first == last
        self.spend(last - first)
        if base == _ALL_OF:
            return self.has_all(predicate, first, last)
        family: cython.int = self.family[predicate]
        element: cython.longlong
        for element in range(first, last):
            if family_bit(self.element_kind[element]) & family and self.satisfies(
                predicate, base, self.element_kind[element], self.element_payload[element]
            ):
                return OUTCOME_TRUE
        return OUTCOME_FALSE

    def has_all(self, predicate, first, last):
        """Return whether every listed value is among the elements: each element ticks off the value that it is."""
        wanted: cython.int = self.count_of(predicate)
        if wanted > last - first:
            return OUTCOME_FALSE
        ticked: cython.p_char = cython.cast(cython.p_char, calloc(wanted, 1))
        if ticked == cython.NULL:
            with cython.gil:
                raise MemoryError
        found: cython.int = 0
        element: cython.longlong
        position: cython.longlong
        for element in range(first, last):
            position = self.listed_at(predicate, self.element_kind[element], self.element_payload[element])
            if position >= 0:
                position -= self.start[predicate]
                found += ticked[position] == 0
                ticked[position] = 1
        free(ticked)
        return found == wanted

    def satisfies(self, predicate, base, kind, payload):
        """Return whether one value, of a kind that the operand can be compared with, satisfies the base test."""
        operand: cython.longlong = self.start[predicate]
        if base == _EQ:
            if kind == _STRING:
                payload = self.string_of[payload]
            return self.listed_payload[operand] == payload and self.listed_kind[operand] == kind
        if base == _IN:
            return self.listed_at(predicate, kind, payload) >= 0
        if base == _LT:
            return self.compared(kind, payload, operand) < 0
        if base == _LE:
            return self.compared(kind, payload, operand) <= 0
        if base == _GT:
            return self.compared(kind, payload, operand) > 0
        if base == _GE:
            return self.compared(kind, payload, operand) >= 0
        if base == _BETWEEN:
            return self.compared(kind, payload, operand) >= 0 and self.compared(kind, payload, operand + 1) <= 0
        return self.text_satisfies(predicate, base, payload)

    def count_of(self, predicate):
        """Return how many values a predicate lists."""
        if self.listed_count.shape[0]:
            return self.listed_count[predicate]
        return cython.cast(cython.int, self.start[predicate + 1] - self.start[predicate])

    def listed_at(self, predicate, kind, payload):
        """Return where a value stands among a predicate's listed ones, or -1; equal values have one form."""
        low: cython.longlong = self.start[predicate]
        end: cython.longlong = low + self.count_of(predicate)
        high: cython.longlong = end
        middle: cython.longlong
        if kind == _STRING:
            payload = self.string_of[payload]
        while low < high:
            middle = (low + high) // 2
            if self.listed_kind[middle] < kind or (
                self.listed_kind[middle] == kind and self.listed_payload[middle] < payload
            ):
                low = middle + 1
            else:
                high = middle
        if low < end and self.listed_kind[low] == kind and self.listed_payload[low] == payload:
            return low
        return -1

    def compared(self, kind, payload, operand):
        """Return -1, 0 or 1 as an event's value is less than, equal to or greater than an operand of its family."""
        other: cython.longlong = self.listed_payload[operand]
        if kind == _STRING:
            return _compared_text(
                _at(self.event_heap, self.event_starts[payload]),
                self.event_starts[payload + 1] - self.event_starts[payload],
                _at(self.operand_heap, self.operand_starts[other]),
                self.operand_starts[other + 1] - self.operand_starts[other],
            )
        if kind == _FLOAT:
            if self.listed_kind[operand] == _FLOAT:
                return _sign(_as_double(payload) > _as_double(other), _as_double(payload) < _as_double(other))
            return -_compared_mixed(other, _as_double(payload))
        if self.listed_kind[operand] == _FLOAT:
            return _compared_mixed(payload, _as_double(other))
        return _sign(payload > other, payload < other)

    def text_satisfies(self, predicate, base, string):
        text: cython.pointer(cython.const[cython.uchar]) = _at(self.event_heap, self.event_starts[string])
        length: cython.Py_ssize_t = self.event_starts[string + 1] - self.event_starts[string]
        operand: cython.longlong = self.listed_payload[self.start[predicate]]
        other: cython.pointer(cython.const[cython.uchar])
        size: cython.Py_ssize_t
        if length > _LONG_TEXT:
            self.spend(length)
        if base == _ILIKE:
            other = _at(self.folded_heap, self.folded_starts[operand])
            size = self.folded_starts[operand + 1] - self.folded_starts[operand]
            return like(text, length, other, size, True, cython.address(self.steps))
        other = _at(self.operand_heap, self.operand_starts[operand])
        size = self.operand_starts[operand + 1] - self.operand_starts[operand]
        if base == _LIKE:
            return like(text, length, other, size, False, cython.address(self.steps))
        if base == _STARTS_WITH:
            return size <= length and (size == 0 or memcmp(text, other, size) == 0)
        if base == _ENDS_WITH:
            return size <= length and (size == 0 or memcmp(text + (length - size), other, size) == 0)
        if base == _CONTAINS:
            return size == 0 or (size <= length and memmem(text, length, other, size) != cython.NULL)
        with cython.gil:
            return self.regex_satisfies(predicate, string)

    def remember(self):
        """Look for all regular expressions of an attribute together, and keep what was found in each string.

        That is worth it where each of many events is asked for most of them, as when a batch goes node by node.
        """
        self.remembered = {}

    def regex_satisfies(self, predicate, string):
        if self.remembered is not None:
            return predicate in self.found_regexes(self.attribute[predicate], string)
        return self.table.compiled(predicate).search(self.text_of(string)) is not None

    def text_of(self, string):
        text: cython.pointer(cython.const[cython.uchar]) = _at(self.event_heap, self.event_starts[string])
        return text[: self.event_starts[string + 1] - self.event_starts[string]]

    def found_regexes(self, attribute, string):
        """Return the MATCHES of an attribute that hold for a string."""
        known = self.remembered.get(attribute)
        if known is None:
            known = self.remembered[attribute] = ({}, self.table.regexes_of(attribute))
        strings, patterns = known
        found = strings.get(string)
        if found is None:
            text = self.text_of(string)
            sure, doubtful = patterns.found(text)
            sure += [key for key in doubtful if self.table.compiled(key).search(text) is not None]
            found = strings[string] = frozenset(sure)
        return found

    def score(self, predicate):
        """Return what a satisfied ``=`` or ``IN`` scores: the best product of weights over the values it holds for."""
        entry: cython.longlong = self.entry_of[self.attribute[predicate]]
        if entry < 0 or self.listed_weight.shape[0] == 0:
            return 0.0
        kind: cython.int = self.entry_kind[entry]
        payload: cython.longlong = self.entry_payload[entry]
        position: cython.longlong
        element: cython.longlong
        best: cython.double = 0.0
        found: cython.double
        if kind != _LIST:
            position = self.listed_at(predicate, kind, payload)
            if position < 0:
                return 0.0
            return self.listed_weight[position] * (self.entry_weight[entry] if self.weighted else 1.0)
        self.spend(self.list_start[payload + 1] - self.list_start[payload])
        for element in range(self.list_start[payload], self.list_start[payload + 1]):
            position = self.listed_at(predicate, self.element_kind[element], self.element_payload[element])
            if position >= 0:
                found = self.listed_weight[position] * (self.element_weight[element] if self.weighted else 1.0)
                if found > best:
                    best = found
        return best


@cython.cfunc
def _translated(source: SymbolTable, target: SymbolTable):
    """Return, for each number of one table, the number of the same text in another, or -1."""
    numbers: cython.int[::1] = np.empty(source.count, np.int32)
    number: cython.int
    for number in range(source.count):
        numbers[number] = target.find_bytes(
            _at(source.heap, source.starts[number]), source.starts[number + 1] - source.starts[number]
        )
    return numbers


@cython.cfunc
@cython.nogil
@cython.boundscheck(False)
@cython.exceptval(check=False)
def _at(heap: cython.uchar[::1], start: cython.longlong) -> cython.pointer(cython.const[cython.uchar]):
    """Return the address of a heap's byte; for an empty text that may be past the end, and nobody reads it."""
    return cython.cast(cython.pointer(cython.const[cython.uchar]), cython.address(heap[0])) + start


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _as_double(payload: cython.longlong) -> cython.double:
    number: cython.double
    memcpy(cython.address(number), cython.address(payload), 8)
    return number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sign(greater: cython.bint, less: cython.bint) -> cython.int:
    return greater - less


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _compared_mixed(whole: cython.longlong, number: cython.double) -> cython.int:
    """Compare an integer with a float exactly: a conversion to float would lose the integer's low bits."""
    if number >= 9223372036854775808.0:
        return -1
    if number < -9223372036854775808.0:
        return 1
    floor: cython.longlong = cython.cast(cython.longlong, number)
    if whole != floor:
        return _sign(whole > floor, whole < floor)
    fraction: cython.double = number - cython.cast(cython.double, floor)
    return _sign(fraction < 0, fraction > 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _compared_text(
    text: cython.pointer(cython.const[cython.uchar]),
    length: cython.Py_ssize_t,
    other: cython.pointer(cython.const[cython.uchar]),
    size: cython.Py_ssize_t,
) -> cython.int:
    """Compare by code point, which in UTF-8 is by byte."""
    shorter: cython.Py_ssize_t = length if length < size else size
    order: cython.int = memcmp(text, other, shorter) if shorter else 0
    if order == 0:
        return _sign(length > size, length < size)
    return _sign(order > 0, order < 0)

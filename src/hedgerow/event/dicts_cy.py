"""Encoding of dicts: the quick way for what events are mostly made of, and ``flatten`` for everything else.

The quick way knows the exact types dict, str, int, float, bool, list, tuple, set and frozenset. A single value that it
does not know goes through ``canonical_entry``. A row in which anything at all is wrong or unusual is taken back and
goes through ``collected``, so that both say the same about the same event: what can be used of it comes back as a plain
dict, and what cannot is remembered with the batch, where ``problems.py`` finds whether a rule asks for it.

Who knows which names rules mention (``Asked``) has nothing else looked at: neither the values of other names nor what
is in objects that lead to none of them.

An encoder collects rows in arrays with spare room and copies them into a batch of exact size at the end. One encoder is
kept for the next call: for a single event, making its arrays would cost more than encoding.
"""

import cython
import numpy as np
from cython.cimports.cpython.dict import PyDict_CheckExact
from cython.cimports.cpython.exc import PyErr_CheckSignals
from cython.cimports.cpython.float import PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cython.cimports.cpython.list import PyList_CheckExact
from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cython.cimports.cpython.set import PyAnySet_CheckExact, PySet_Contains
from cython.cimports.cpython.tuple import PyTuple_CheckExact
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_CheckExact
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.event.rows_cy import Rows
from cython.cimports.libc.math import floor
from cython.cimports.libc.string import memcpy

from hedgerow import limits
from hedgerow.arrays_cy import grown
from hedgerow.errors import EventError
from hedgerow.event.flatten import canonical_entry, collected
from hedgerow.event.problems import Problem
from hedgerow.values import OBJECT, Kind, microseconds

_NULL = cython.declare(cython.int, int(Kind.NULL))
_BOOL = cython.declare(cython.int, int(Kind.BOOL))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))
_NAN = cython.declare(cython.int, int(Kind.NAN))
_LIST = cython.declare(cython.int, int(Kind.LIST))
_OBJECT = cython.declare(cython.int, int(Kind.OBJECT))
# Rows, or elements of a list, after which signals are let in; a power of two.
_OFTEN = cython.declare(cython.Py_ssize_t, 4096)
# What ``scalar`` answers for a value that it does not know.
_UNKNOWN = cython.declare(cython.int, -2)

_MAX_NAME = cython.declare(cython.Py_ssize_t, limits.MAX_NAME_BYTES)
_MAX_LIST = cython.declare(cython.Py_ssize_t, limits.MAX_LIST)
_MAX_MAPPINGS = cython.declare(cython.int, limits.MAX_EVENT_MAPPINGS)
# Every level of nesting holds its own prefix, so deeper ones are left to ``flatten``: nobody writes them on purpose.
_MAX_PREFIX = cython.declare(cython.Py_ssize_t, 1024)
_TWO_TO_63 = cython.declare(cython.double, 9223372036854775808.0)
# An encoder with more room than this is not kept.
_KEPT = cython.declare(cython.Py_ssize_t, 1 << 14)
_spare = cython.declare(object, None)


@cython.final
@cython.cclass
class _Encoder(Rows):
    # For each name the attempt that met it last, which finds a name given twice; attempts are never numbered anew.
    met: cython.longlong[::1]
    attempt: cython.longlong
    # What is asked for, and its names and the objects that they are in by themselves; None where that is everything.
    asked: object
    asked_names: set
    asked_above: set
    asked_deep: set
    problems: list

    def __init__(self):
        Rows.__init__(self)
        self.met = np.zeros(64, np.int64)

    @cython.cfunc
    def ask(self, asked):
        """Say what is asked for, before the first row."""
        self.problems = None
        self.asked = asked
        if asked is None:
            self.asked_names = self.asked_above = self.asked_deep = None
        else:
            self.asked_names = asked.names
            self.asked_above = asked.above
            self.asked_deep = asked.deep

    @cython.cfunc
    @cython.exceptval(-1)
    def add_row(self, event) -> cython.int:
        """Encode what can be used of one event, and remember what cannot."""
        entries: cython.Py_ssize_t = self.entry_count
        lists: cython.Py_ssize_t = self.list_count
        elements: cython.Py_ssize_t = self.element_count
        if not (PyDict_CheckExact(event) and self.attempted(event)):
            self.entry_count = entries
            self.list_count = lists
            self.element_count = elements
            flat, problems = collected(event, self.asked)
            if problems:
                self.remember(problems)
            if not self.attempted(flat):
                raise AssertionError("a flat event must have an encoding")
        return self.close_row()

    @cython.cfunc
    def remember(self, problems):
        """Note what is wrong with the row that is being added."""
        rows = np.array([self.row_count], np.int64)
        if self.problems is None:
            self.problems = []
        self.problems += [Problem(name, reason, rows, rows) for name, reason in problems]

    @cython.cfunc
    @cython.exceptval(-1)
    def attempted(self, event: dict) -> cython.int:
        """Encode a dict and the dicts in it the quick way; 0 where that is not possible."""
        self.attempt += 1
        pending: list = []
        done: cython.int
        mappings: cython.int = 1
        try:
            done = self.add_entries(event, "", pending)
            while done and pending:
                prefix, nested = pending.pop()
                mappings += 1
                done = mappings <= _MAX_MAPPINGS and len(prefix) <= _MAX_PREFIX
                done = done and self.add_entries(nested, prefix, pending)
        except (EventError, UnicodeEncodeError):
            return 0
        return done

    @cython.cfunc
    @cython.exceptval(-1)
    def add_entries(self, event: dict, prefix: str, pending: list) -> cython.int:
        """Encode one level of an event, and put the dicts in it on ``pending``."""
        number: cython.int
        nested: cython.bint = prefix != ""
        names: set = self.asked_names
        some: cython.bint = names is not None
        deeper: cython.bint = some and len(self.asked_above) > 0
        named: cython.bint = True
        entered: cython.bint = True
        for key, value in event.items():
            if not PyUnicode_CheckExact(key) or len(cython.cast(str, key)) == 0:
                return 0
            if nested:
                key = prefix + key
            if some:
                named = PySet_Contains(names, key)
                entered = deeper and self.leads_on(key)
                if not named and (not entered or _is_plain(value)):
                    continue
            if PyDict_CheckExact(value):
                if entered:
                    pending.append((key + ".", value))
                if not named:
                    continue
                value = OBJECT
            elif not named:
                return 0  # it may be a mapping of another kind
            number = self.attribute(key)
            if number < 0 or not self.add_entry(number, value):
                return 0
        return 1

    @cython.cfunc
    @cython.exceptval(-1)
    def leads_on(self, key: str) -> cython.bint:
        """Return whether what is in an object of this name is asked for."""
        if PySet_Contains(self.asked_above, key):
            return True
        return len(self.asked_deep) > 0 and self.asked.leads_on(key)

    @cython.cfunc
    @cython.exceptval(-2)
    def attribute(self, name: str) -> cython.int:
        """Return the number of a name that this row has not had yet; -1 where it has, or the name is too long."""
        length: cython.Py_ssize_t = 0
        data: cython.p_const_char = PyUnicode_AsUTF8AndSize(name, cython.address(length))
        if length > _MAX_NAME:
            return -1
        number: cython.int = self.names.intern_bytes(
            cython.cast(cython.pointer(cython.const[cython.uchar]), data), length
        )
        if number >= self.met.shape[0]:
            size: cython.Py_ssize_t = self.met.shape[0]
            self.met = grown(self.met, number + 1)
            self.met[size:] = 0
        if self.met[number] == self.attempt:
            return -1
        self.met[number] = self.attempt
        return number

    @cython.cfunc
    @cython.exceptval(-1)
    def add_entry(self, number: cython.int, value) -> cython.int:
        """Encode the value of an attribute, unless it is missing; 0 where that is not possible."""
        payload: cython.longlong = 0
        kind: cython.int = self.scalar(value, cython.address(payload))
        if kind == _UNKNOWN:
            if PyList_CheckExact(value):
                kind = self.add_list(value, False)
            elif PyTuple_CheckExact(value) or PyAnySet_CheckExact(value):
                kind = self.add_list(list(value), False)
            if kind == _UNKNOWN:
                kind = self.unusual(value, cython.address(payload))
            if kind == _LIST:
                payload = self.list_count - 1
        if kind == _NULL:
            return 1
        if self.entry_count == self.entry_payload.shape[0]:
            self.grow_entries()
        self.entry_attribute[self.entry_count] = number
        self.entry_kind[self.entry_count] = kind
        self.entry_payload[self.entry_count] = payload
        self.entry_count += 1
        return 1

    @cython.cfunc
    @cython.exceptval(-1)
    def scalar(self, value, payload: cython.pointer(cython.longlong)) -> cython.int:
        """Return the kind of a scalar of a type that is known, and its payload."""
        length: cython.Py_ssize_t = 0
        overflow: cython.int = 0
        if PyUnicode_CheckExact(value):
            data: cython.p_const_char = PyUnicode_AsUTF8AndSize(value, cython.address(length))
            payload[0] = self.strings.intern_bytes(
                cython.cast(cython.pointer(cython.const[cython.uchar]), data), length
            )
            return _STRING
        if PyLong_CheckExact(value):
            payload[0] = PyLong_AsLongLongAndOverflow(value, cython.address(overflow))
            return _UNKNOWN if overflow else _INT
        if value is None:
            return _NULL
        if PyFloat_CheckExact(value):
            return _canonical_double(PyFloat_AS_DOUBLE(value), payload)
        if value is True or value is False:
            payload[0] = value is True
            return _BOOL
        if value is OBJECT:
            return _OBJECT
        return _UNKNOWN

    @cython.cfunc
    @cython.exceptval(-1)
    def unusual(self, value, payload: cython.pointer(cython.longlong)) -> cython.int:
        """Return the kind of any value that an event can have, and its payload; raise EventError for others."""
        entry = canonical_entry(value)
        if PyTuple_CheckExact(entry):
            return self.add_list(list(entry), True)
        kind: cython.int = self.scalar(entry, payload)
        if kind != _UNKNOWN:
            return kind
        payload[0] = microseconds(entry)
        return _TIMESTAMP

    @cython.cfunc
    @cython.exceptval(-1)
    def add_list(self, elements: list, canonical: cython.bint) -> cython.int:
        """Encode the elements of a list; take them back where one is of a type that is not known."""
        before: cython.Py_ssize_t = self.element_count
        kind: cython.int
        payload: cython.longlong
        if len(elements) > _MAX_LIST:
            return _UNKNOWN
        for element in elements:
            payload = 0
            kind = self.scalar(element, cython.address(payload))
            if kind == _UNKNOWN:
                if not canonical:
                    self.element_count = before
                    return _UNKNOWN
                # Of all canonical forms only a timestamp is not known to ``scalar``.
                kind = _TIMESTAMP
                payload = microseconds(element)
            if self.element_count == self.element_payload.shape[0]:
                self.grow_elements()
            self.element_kind[self.element_count] = kind
            self.element_payload[self.element_count] = payload
            self.element_count += 1
        self.close_list()
        return _LIST


@cython.cfunc
@cython.exceptval(check=False)
def _is_plain(value) -> cython.bint:
    """Return whether a value surely has nothing in it that has a name."""
    if value is None or value is True or value is False:
        return True
    return PyUnicode_CheckExact(value) or PyLong_CheckExact(value) or PyFloat_CheckExact(value)


@cython.cfunc
@cython.exceptval(check=False)
def _canonical_double(number: cython.double, payload: cython.pointer(cython.longlong)) -> cython.int:
    if number != number:  # only NaN differs from itself
        return _NAN
    if floor(number) == number and -_TWO_TO_63 <= number < _TWO_TO_63:
        payload[0] = cython.cast(cython.longlong, number)
        return _INT
    memcpy(payload, cython.address(number), 8)
    return _FLOAT


@cython.cfunc
def _encoder() -> _Encoder:
    """Take the encoder that waits, so that nobody else can (a mapping may run any code); or make one."""
    global _spare
    taken = _spare
    _spare = None
    return _Encoder() if taken is None else taken


@cython.cfunc
def _finished(encoder: _Encoder) -> EventBatch:
    """Return the batch, and let the encoder wait for the next call unless its arrays have grown large."""
    global _spare
    batch: EventBatch = encoder.batch()
    batch.problems = encoder.problems
    encoder.ask(None)
    if encoder.room() <= _KEPT:
        encoder.clear()
        _spare = encoder
    return batch


def encode(events, asked=None):
    """Return a batch of events, each a mapping, with what is asked for (None: all); it knows what cannot be used.

    >>> encode([{"age": 20}, {"age": None, "vip": True}]).row(1)
    {'vip': True}
    """
    encoder: _Encoder = _encoder()
    encoder.ask(asked)
    for event in events:
        encoder.add_row(event)
        if encoder.row_count & (_OFTEN - 1) == 0:
            PyErr_CheckSignals()
    return _finished(encoder)


def encode_one(event, asked=None):
    """Return a batch of one event, a mapping, with what is asked for (None: all); it knows what cannot be used.

    >>> encode_one({"user": {"age": 20.0}}).row(0)
    {'user': {...}, 'user.age': 20}
    """
    encoder: _Encoder = _encoder()
    encoder.ask(asked)
    encoder.add_row(event)
    return _finished(encoder)

"""Encoding of dicts: the quick way for what events are mostly made of, and ``flatten`` for everything else.

The quick way knows the exact types dict, str, int, float, bool, list, tuple, set and frozenset. A single value that it
does not know goes through ``canonical_entry``. A row in which anything at all is wrong or unusual is taken back and
goes through ``flatten``: it raises the error, so that both say the same about the same event, or returns a plain dict.

An encoder collects rows in arrays with spare room and copies them into a batch of exact size at the end. One encoder is
kept for the next call: for a single event, making its arrays would cost more than encoding.
"""

import cython
import numpy as np
from cython.cimports.cpython.dict import PyDict_CheckExact
from cython.cimports.cpython.float import PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cython.cimports.cpython.list import PyList_CheckExact
from cython.cimports.cpython.long import PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cython.cimports.cpython.set import PyAnySet_CheckExact
from cython.cimports.cpython.tuple import PyTuple_CheckExact
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8AndSize, PyUnicode_CheckExact
from cython.cimports.hedgerow.event.batch_cy import EventBatch
from cython.cimports.hedgerow.event.rows_cy import Rows
from cython.cimports.libc.math import floor
from cython.cimports.libc.string import memcpy

from hedgerow import limits
from hedgerow.arrays_cy import grown
from hedgerow.errors import EventError
from hedgerow.event.flatten import canonical_entry, flatten
from hedgerow.values import Kind, microseconds

_NULL = cython.declare(cython.int, int(Kind.NULL))
_BOOL = cython.declare(cython.int, int(Kind.BOOL))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))
_NAN = cython.declare(cython.int, int(Kind.NAN))
_LIST = cython.declare(cython.int, int(Kind.LIST))
# What ``scalar`` answers for a value that it does not know.
_UNKNOWN = cython.declare(cython.int, -2)

_MAX_NAME = cython.declare(cython.Py_ssize_t, limits.MAX_NAME_BYTES)
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

    def __init__(self):
        Rows.__init__(self)
        self.met = np.zeros(64, np.int64)

    @cython.cfunc
    @cython.exceptval(-1)
    def add_row(self, event) -> cython.int:
        """Encode one event, or raise what ``flatten`` says about it."""
        entries: cython.Py_ssize_t = self.entry_count
        lists: cython.Py_ssize_t = self.list_count
        elements: cython.Py_ssize_t = self.element_count
        if not (PyDict_CheckExact(event) and self.attempted(event)):
            self.entry_count = entries
            self.list_count = lists
            self.element_count = elements
            if not self.attempted(flatten(event)):
                raise AssertionError("a flat event must have an encoding")
        return self.close_row()

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
        for key, value in event.items():
            if not PyUnicode_CheckExact(key) or len(cython.cast(str, key)) == 0:
                return 0
            if nested:
                key = prefix + key
            if PyDict_CheckExact(value):
                pending.append((key + ".", value))
                continue
            number = self.attribute(key)
            if number < 0 or not self.add_entry(number, value):
                return 0
        return 1

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
        return _UNKNOWN

    @cython.cfunc
    @cython.exceptval(-1)
    def unusual(self, value, payload: cython.pointer(cython.longlong)) -> cython.int:
        """Return the kind of any value that an event can have, and its payload; raise EventError for others."""
        entry = canonical_entry("", value)
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
    if encoder.room() <= _KEPT:
        encoder.clear()
        _spare = encoder
    return batch


def encode(events):
    """Return a batch of events, each a mapping; EventError names the row (from 0) and the attribute.

    >>> encode([{"age": 20}, {"age": None, "vip": True}]).row(1)
    {'vip': True}
    """
    encoder: _Encoder = _encoder()
    for event in events:
        try:
            encoder.add_row(event)
        except EventError as error:
            raise EventError(f"event {encoder.row_count}: {error}") from None
    return _finished(encoder)


def encode_one(event):
    """Return a batch of one event, a mapping; EventError names the attribute.

    >>> encode_one({"user": {"age": 20.0}}).row(0)
    {'user.age': 20}
    """
    encoder: _Encoder = _encoder()
    encoder.add_row(event)
    return _finished(encoder)

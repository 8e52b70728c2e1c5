"""Encoded events: rows of (attribute, kind, payload) in arrays, with their own names and strings.

::

    {"age": 20, "tags": ["a", None]}, {}, {"age": 1.5}

    row_start        [ 0         2  2    3 ]        row i has the entries row_start[i] : row_start[i + 1]
    entry_attribute  [ age  tags     age   ]        numbers of ``names``
    entry_kind       [ INT  LIST     FLOAT ]        values.Kind
    entry_payload    [ 20   0        1.5   ]        what it means depends on the kind, see below
    list_start       [ 0         2 ]                list j has the elements list_start[j] : list_start[j + 1]
    element_kind     [ STRING NULL ]
    element_payload  [ a      0    ]                numbers of ``strings``

The payload of a BOOL is 0 or 1, of an INT its value, of a FLOAT its bits, of a STRING its number in ``strings``, of a
TIMESTAMP its microseconds since 1970, of a LIST its number; of NAN, OBJECT and NULL it is 0. Values are in the
canonical form of ``values.py``. What is missing has no entry (its name may still be in ``names``), an attribute has at
most one entry in a row, in no particular order, and only elements of lists can be NULL.

What an event has that no event can have is no entry, but a ``Problem`` in ``problems``: only an index knows whether a
rule asks for it.

A batch belongs to no index: names and strings are numbered by the batch itself, so that it can be matched many times
and against many indexes. It never changes once it is made, so any number of threads may read it without the GIL.
"""

import cython
import numpy as np
from cython.cimports.libc.string import memcpy

from hedgerow.event.problems import taken_problems
from hedgerow.values import OBJECT, Kind, timestamp

_NULL = cython.declare(cython.int, int(Kind.NULL))
_BOOL = cython.declare(cython.int, int(Kind.BOOL))
_INT = cython.declare(cython.int, int(Kind.INT))
_FLOAT = cython.declare(cython.int, int(Kind.FLOAT))
_STRING = cython.declare(cython.int, int(Kind.STRING))
_TIMESTAMP = cython.declare(cython.int, int(Kind.TIMESTAMP))
_LIST = cython.declare(cython.int, int(Kind.LIST))
_OBJECT = cython.declare(cython.int, int(Kind.OBJECT))


@cython.final
@cython.cclass
class EventBatch:
    """Events that were encoded once, to be matched any number of times. ``hedgerow.events`` makes them.

    >>> from hedgerow.event.dicts_cy import encode
    >>> batch = encode([{"user": {"age": 20}, "tags": ["a", None]}, {}])
    >>> batch
    EventBatch(2 events, 3 attributes, 3 values)
    >>> batch.row(0)
    {'user': {...}, 'tags': ('a', None), 'user.age': 20}
    """

    def __init__(
        self,
        names,
        strings,
        row_start,
        entry_attribute,
        entry_kind,
        entry_payload,
        list_start,
        element_kind,
        element_payload,
        problems=None,
    ):
        """Take the arrays as they are: who encodes has made sure that they fit together."""
        self.names = names
        self.strings = strings
        self.row_start = row_start
        self.entry_attribute = entry_attribute
        self.entry_kind = entry_kind
        self.entry_payload = entry_payload
        self.list_start = list_start
        self.element_kind = element_kind
        self.element_payload = element_payload
        self.problems = problems

    def __len__(self):
        return self.row_start.shape[0] - 1

    def __repr__(self):
        counts = f"{len(self):,} events, {len(self.names):,} attributes, {self.entry_payload.shape[0]:,} values"
        return f"EventBatch({counts})"

    def __reduce__(self):
        raise TypeError("an EventBatch cannot be pickled: send the events as they came, and encode them there")

    @property
    def is_whole(self):
        """Whether the batch has its arrays: one that was made around ``__init__`` has none, and cannot be matched."""
        return self.names is not None

    @property
    def string_count(self):
        """How many distinct strings the batch holds."""
        return self.strings.count

    @property
    def nbytes(self):
        """Bytes held by the arrays, the names and the strings."""
        entries: cython.Py_ssize_t = 13 * self.entry_payload.shape[0] + 9 * self.element_payload.shape[0]
        starts: cython.Py_ssize_t = 8 * (self.row_start.shape[0] + self.list_start.shape[0])
        return entries + starts + self.names.nbytes + self.strings.nbytes

    @property
    def attribute_names(self):
        """The attribute names of the batch, in the order of their numbers."""
        return [self.names[number] for number in range(len(self.names))]

    def row(self, index: cython.Py_ssize_t):
        """Return an event as ``flatten`` would give it: attribute names to canonical values, lists as tuples."""
        if index < 0 or index + 1 >= self.row_start.shape[0]:
            raise IndexError(index)
        entries = {}
        position: cython.longlong
        for position in range(self.row_start[index], self.row_start[index + 1]):
            name = self.names[self.entry_attribute[position]]
            entries[name] = self.value_of(self.entry_kind[position], self.entry_payload[position])
        return entries

    def rows_with(self, names):
        """Return the numbers of the events that have any of these attributes, ascending."""
        wanted: cython.uchar[::1] = np.zeros(len(self.names) + 1, np.uint8)
        found: cython.int[::1] = np.empty(len(self), np.int32)
        count: cython.Py_ssize_t = 0
        row: cython.Py_ssize_t
        position: cython.longlong
        for name in names:
            number = self.names.find(name)
            if number >= 0:
                wanted[number] = 1
        for row in range(len(self)):
            for position in range(self.row_start[row], self.row_start[row + 1]):
                if wanted[self.entry_attribute[position]]:
                    found[count] = cython.cast(cython.int, row)
                    count += 1
                    break
        return np.asarray(found)[:count]

    def taken(self, rows):
        """Return a batch of these events, given by ascending numbers; it shares all but the entries with this one."""
        chosen = np.asarray(rows, np.int64)
        starts = np.asarray(self.row_start)
        lengths = starts[chosen + 1] - starts[chosen]
        ends = np.zeros(len(chosen) + 1, np.int64)
        np.cumsum(lengths, out=ends[1:])
        places = np.repeat(starts[chosen] - ends[: len(chosen)], lengths) + np.arange(ends[len(chosen)])
        return EventBatch(
            self.names,
            self.strings,
            ends,
            np.asarray(self.entry_attribute)[places],
            np.asarray(self.entry_kind)[places],
            np.asarray(self.entry_payload)[places],
            self.list_start,
            self.element_kind,
            self.element_payload,
            taken_problems(self.problems, chosen),
        )

    def value_of(self, kind, payload):
        """Return a payload as the Python value that it stands for."""
        number: cython.double
        if kind == _NULL:
            return None
        if kind == _BOOL:
            return payload != 0
        if kind == _INT:
            return payload
        if kind == _FLOAT:
            memcpy(cython.address(number), cython.address(payload), 8)
            return number
        if kind == _STRING:
            return self.strings[payload]
        if kind == _TIMESTAMP:
            return timestamp(payload)
        if kind == _OBJECT:
            return OBJECT
        return self.list_of(payload) if kind == _LIST else float("nan")

    def list_of(self, number):
        """Return the elements of a list as Python values."""
        elements = []
        position: cython.longlong
        for position in range(self.list_start[number], self.list_start[number + 1]):
            elements.append(self.value_of(self.element_kind[position], self.element_payload[position]))
        return tuple(elements)

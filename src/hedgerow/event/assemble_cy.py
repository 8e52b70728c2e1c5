"""The loops of the Arrow encoding: interning, canonical numbers, and columns to rows.

Whatever is passed in is read only, and may be a read-only view of an Arrow buffer.
"""

import cython
import numpy as np
from cython.cimports.hedgerow.symbols_cy import SymbolTable
from cython.cimports.libc.math import floor
from cython.cimports.libc.string import memcpy

from hedgerow.values import Kind

_INT = cython.declare(cython.uchar, int(Kind.INT))
_FLOAT = cython.declare(cython.uchar, int(Kind.FLOAT))
_NAN = cython.declare(cython.uchar, int(Kind.NAN))
_TWO_TO_63 = cython.declare(cython.double, 9223372036854775808.0)


def intern_all(table: SymbolTable, starts: cython.const[cython.longlong][::1], text: cython.const[cython.uchar][::1]):
    """Return the number in ``table`` of each of the strings ``text[starts[i]:starts[i + 1]]``, which must be UTF-8."""
    count: cython.Py_ssize_t = starts.shape[0] - 1
    numbers: cython.longlong[::1] = np.empty(count, np.int64)
    data: cython.pointer(cython.const[cython.uchar])
    length: cython.Py_ssize_t
    index: cython.Py_ssize_t
    for index in range(count):
        length = starts[index + 1] - starts[index]
        data = cython.address(text[starts[index]]) if length > 0 else cython.NULL
        numbers[index] = table.intern_bytes(data, length)
    return np.asarray(numbers)


def canonical_floats(numbers: cython.const[cython.double][::1]):
    """Return kind and payload of each number: whole 64-bit numbers are INT, the others FLOAT or NAN."""
    count: cython.Py_ssize_t = numbers.shape[0]
    kinds: cython.uchar[::1] = np.empty(count, np.uint8)
    payloads: cython.longlong[::1] = np.zeros(count, np.int64)
    number: cython.double
    index: cython.Py_ssize_t
    with cython.nogil:
        for index in range(count):
            number = numbers[index]
            if number != number:  # only NaN differs from itself
                kinds[index] = _NAN
            elif floor(number) == number and -_TWO_TO_63 <= number < _TWO_TO_63:
                kinds[index] = _INT
                payloads[index] = cython.cast(cython.longlong, number)
            else:
                kinds[index] = _FLOAT
                memcpy(cython.address(payloads[index]), cython.address(number), 8)
    return np.asarray(kinds), np.asarray(payloads)


def merged(columns, row_count: cython.Py_ssize_t):
    """Return the entries of all columns row by row: starts of the rows, attributes, kinds and payloads.

    A column is (rows, attributes, kinds, payloads), an entry each; in a row, entries keep the order of the columns.
    """
    starts: cython.longlong[::1] = np.zeros(row_count + 1, np.int64)
    for column in columns:
        _count(column[0], starts)
    row: cython.Py_ssize_t
    for row in range(row_count):
        starts[row + 1] += starts[row]
    attributes: cython.int[::1] = np.empty(starts[row_count], np.int32)
    kinds: cython.uchar[::1] = np.empty(starts[row_count], np.uint8)
    payloads: cython.longlong[::1] = np.empty(starts[row_count], np.int64)
    following: cython.longlong[::1] = np.array(starts)
    for column in columns:
        _scatter(column[0], column[1], column[2], column[3], following, attributes, kinds, payloads)
    return np.asarray(starts), np.asarray(attributes), np.asarray(kinds), np.asarray(payloads)


@cython.cfunc
@cython.exceptval(-1)
def _count(rows: cython.const[cython.longlong][::1], starts: cython.longlong[::1]) -> cython.int:
    """Count the entries of each row one place further on, where the sum up to the row before will be."""
    index: cython.Py_ssize_t
    with cython.nogil:
        for index in range(rows.shape[0]):
            starts[rows[index] + 1] += 1
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _scatter(
    rows: cython.const[cython.longlong][::1],
    attributes: cython.const[cython.int][:],
    kinds: cython.const[cython.uchar][:],
    payloads: cython.const[cython.longlong][::1],
    following: cython.longlong[::1],
    entry_attribute: cython.int[::1],
    entry_kind: cython.uchar[::1],
    entry_payload: cython.longlong[::1],
) -> cython.int:
    """Write a column's entries where its rows go on, and move them on."""
    index: cython.Py_ssize_t
    target: cython.longlong
    with cython.nogil:
        for index in range(rows.shape[0]):
            target = following[rows[index]]
            following[rows[index]] = target + 1
            entry_attribute[target] = attributes[index]
            entry_kind[target] = kinds[index]
            entry_payload[target] = payloads[index]
    return 0


def repeats(
    starts: cython.const[cython.longlong][::1], attributes: cython.const[cython.int][::1], count: cython.Py_ssize_t
):
    """Return the rows and places of the entries whose attribute (of ``count``) their row has already."""
    rows: list = []
    entries: list = []
    last: cython.longlong[::1] = np.full(count, -1, np.int64)
    row: cython.Py_ssize_t
    entry: cython.longlong
    for row in range(starts.shape[0] - 1):
        for entry in range(starts[row], starts[row + 1]):
            if last[attributes[entry]] == row:
                rows.append(row)
                entries.append(entry)
            last[attributes[entry]] = row
    return np.array(rows, np.int64), np.array(entries, np.int64)

"""Growing typed arrays, the one way in which all tables do it.

Compiled so that a call never runs Python code nor lets go of the GIL: no other thread and no signal handler can come in
between, and what a table does before and after it grows is one step for everybody else.
"""

import cython
import numpy as np
import pyarrow as pa
from cython.cimports.cpython.buffer import PyBuffer_FillInfo
from cython.cimports.libc.string import memcpy
from cython.cimports.posix.mman import (
    MADV_HUGEPAGE,
    MAP_ANONYMOUS,
    MAP_FAILED,
    MAP_PRIVATE,
    PROT_NONE,
    PROT_READ,
    PROT_WRITE,
    madvise,
    mmap,
    mprotect,
    munmap,
)
from cython.cimports.posix.resource import RLIM_INFINITY, RLIMIT_AS, getrlimit, rlimit

_LARGE = cython.declare(cython.Py_ssize_t, 1 << 20)
_HUGE = cython.declare(
    cython.Py_ssize_t, 1 << 23
)  # from here on, pages of 2 MiB: random visits then find their addresses quickly
_HUGE_PAGE = cython.declare(cython.Py_ssize_t, 1 << 21)
_FOLD = cython.declare(cython.Py_ssize_t, 64)  # as many times as large may what is in huge pages become in its place


@cython.cfunc
@cython.exceptval(check=False)
def _is_limited() -> cython.bint:
    """Return whether addresses themselves are scarce, as ``ulimit -v`` makes them."""
    limit: rlimit
    return getrlimit(RLIMIT_AS, cython.address(limit)) != 0 or limit.rlim_cur != RLIM_INFINITY


@cython.cclass
class _Room:
    """A mapping of its own. Python's ``mmap`` lets go of the GIL when it is freed, in the middle of a change.

    ::

        mapped                                                      mapped + length
        │       start         start + size                                        │
        └───────┬─────────────┬───────────────────────────────────────────────────┘
                │ the array   │ addresses and nothing else, until it grows into them

    A large one has addresses to grow into: nothing is copied then, and no page is found and cleared a second time.
    Nobody can read or write there before, so that it counts neither as memory nor as promised.
    """

    mapped: cython.p_void
    length: cython.Py_ssize_t
    start: cython.p_char
    size: cython.Py_ssize_t

    def __cinit__(self, size: cython.Py_ssize_t):
        if size < _HUGE:
            self.length = size
        else:
            self.length = (size if _is_limited() else _FOLD * size) + _HUGE_PAGE
        # Private: what a forked process writes is its own.
        self.mapped = mmap(cython.NULL, self.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if self.mapped == MAP_FAILED and size >= _HUGE:
            self.length = size + _HUGE_PAGE
            self.mapped = mmap(cython.NULL, self.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if self.mapped == MAP_FAILED:
            raise MemoryError
        self.start = cython.cast(cython.p_char, self.mapped)
        if size >= _HUGE:
            self.start += -cython.cast(cython.size_t, self.mapped) % cython.cast(cython.size_t, _HUGE_PAGE)
            madvise(self.start, self.room(), MADV_HUGEPAGE)
        if not self.grow(size):
            raise MemoryError

    @cython.cfunc
    @cython.exceptval(check=False)
    def room(self) -> cython.Py_ssize_t:
        """Return how large it can become."""
        return self.length - (self.start - cython.cast(cython.p_char, self.mapped))

    @cython.cfunc
    @cython.exceptval(check=False)
    def grow(self, size: cython.Py_ssize_t) -> cython.bint:
        """Become as large, in the same place, and return whether that could be."""
        if size > self.room() or mprotect(self.start, size, PROT_READ | PROT_WRITE) != 0:
            return False
        self.size = size
        return True

    def __getbuffer__(self, buffer: cython.pointer(Py_buffer), flags: cython.int):
        PyBuffer_FillInfo(buffer, self, self.start, self.size, False, flags)

    def __dealloc__(self):
        if self.mapped != MAP_FAILED and self.mapped != cython.NULL:
            munmap(self.mapped, self.length)


@cython.cfunc
def _room_of(array):
    """Return the room that an array is the whole of; None if it is in none."""
    owner = array
    room: _Room
    data: cython.const[cython.uchar][::1]
    while owner is not None and not isinstance(owner, _Room):
        owner = owner.obj if isinstance(owner, memoryview) else getattr(owner, "base", None)
    if owner is None:
        return None
    room, data = owner, array.view(np.uint8)
    # Who had it grow before, and did not keep that, has no more than a part.
    if data.shape[0] != room.size or cython.cast(cython.p_char, cython.address(data[0])) != room.start:
        return None
    return room


# Mappings that a batch has left, from the one that was left first; those of no size are none.
_Mapping = cython.struct(start=cython.p_void, size=cython.Py_ssize_t)
_left = cython.declare(_Mapping[256])
_left_count = cython.declare(cython.int, 0)
_left_bytes = cython.declare(cython.Py_ssize_t, 0)
_MOST_LEFT = cython.declare(cython.int, 256)
_MOST_LEFT_BYTES = cython.declare(cython.Py_ssize_t, 1 << 31)


@cython.cfunc
@cython.exceptval(check=False)
def _taken(number: cython.int) -> _Mapping:
    """Take one of the mappings that were left out of their list."""
    global _left_count, _left_bytes
    mapping: _Mapping = _left[number]
    at: cython.int
    _left_count -= 1
    _left_bytes -= mapping.size
    for at in range(number, _left_count):
        _left[at] = _left[at + 1]
    return mapping


@cython.cfunc
@cython.exceptval(check=False)
def _fitting(size: cython.Py_ssize_t) -> cython.int:
    """Return the number of the smallest mapping that has room, and not much more; -1 if there is none."""
    number: cython.int
    best: cython.int = -1
    for number in range(_left_count):
        if size <= _left[number].size <= 2 * size and (best < 0 or _left[number].size < _left[best].size):
            best = number
    return best


@cython.cclass
class _Lease:
    """A mapping for as long as an array needs it; then it is left to the next one. Nothing here runs Python code."""

    start: cython.p_void
    size: cython.Py_ssize_t

    def __cinit__(self, size: cython.Py_ssize_t):
        number: cython.int = _fitting(size)
        mapping: _Mapping
        if number >= 0:
            mapping = _taken(number)
            self.start, self.size = mapping.start, mapping.size
            return
        self.start = mmap(cython.NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        self.size = size
        if self.start == MAP_FAILED:
            raise MemoryError
        madvise(self.start, size, MADV_HUGEPAGE)

    def __getbuffer__(self, buffer: cython.pointer(Py_buffer), flags: cython.int):
        PyBuffer_FillInfo(buffer, self, self.start, self.size, False, flags)

    def __dealloc__(self):
        global _left_count, _left_bytes
        mapping: _Mapping
        if self.start == MAP_FAILED or self.start == cython.NULL:
            return
        while _left_count and (_left_count == _MOST_LEFT or _left_bytes + self.size > _MOST_LEFT_BYTES):
            mapping = _taken(0)
            munmap(mapping.start, mapping.size)
        if self.size > _MOST_LEFT_BYTES:
            munmap(self.start, self.size)
            return
        _left[_left_count].start = self.start
        _left[_left_count].size = self.size
        _left_count += 1
        _left_bytes += self.size


def grown(array, needed, value=None):
    """Return a one-dimensional array with room for at least ``needed`` elements, and at least twice as many.

    Those that are new are ``value``; where none is given they are not written to, and take no memory yet.

    It begins with those of the old one, in the same place or in a copy. A reader that still holds the old one reads on
    in it; whether it sees what is written to the new one is left open, for each array by itself.

    >>> import numpy as np
    >>> len(grown(np.zeros(100), 101))
    200
    """
    old = np.asarray(array)
    return extended(old, max(needed, 2 * old.size, 16), value)


def extended(array, size, value=None):
    """Return a one-dimensional array with ``size`` elements, at least as many as it has, as ``grown`` does.

    >>> import numpy as np
    >>> extended(np.array([7, 8]), 4, 0).tolist()
    [7, 8, 0, 0]
    """
    old = np.asarray(array)
    new = _enlarged(old, size)
    if value is not None:
        _fill(new[old.size :], value)
    return new


def copied(array, size, value=None):
    """Return an array as ``extended`` does, but a copy in any case: nobody who holds the old one sees what changes.

    For arrays that a reader must have of one moment, all of them or none.

    >>> import numpy as np
    >>> copied(np.array([7, 8]), 4, 0).tolist()
    [7, 8, 0, 0]
    """
    old = np.asarray(array)
    new = roomy(size, old.dtype)
    _copy(old, new)
    if value is not None:
        _fill(new[old.size :], value)
    return new


@cython.cfunc
def _enlarged(old, size):
    """Return an array with ``size`` elements, the first of which are those of the old one."""
    room: _Room = _room_of(old) if old.nbytes >= _HUGE else None
    if room is not None and room.grow(size * old.itemsize):
        return np.frombuffer(room, old.dtype)
    return copied(old, size)


@cython.cfunc
def _copy(old, new):
    """Write an array over the beginning of another. NumPy lets go of the GIL while it copies much."""
    source: cython.const[cython.uchar][::1] = old.view(np.uint8)
    target: cython.uchar[::1] = new.view(np.uint8)
    if source.shape[0]:
        memcpy(cython.address(target[0]), cython.address(source[0]), source.shape[0])


@cython.cfunc
def _fill(array, value):
    """Give all elements a value. NumPy lets go of the GIL while it fills much."""
    target: cython.uchar[::1] = array.view(np.uint8)
    done: cython.Py_ssize_t = array.itemsize
    size: cython.Py_ssize_t = target.shape[0]
    if size == 0:
        return
    array[0] = value
    # As much again as there is, until the end.
    while done < size:
        memcpy(cython.address(target[done]), cython.address(target[0]), min(done, size - done))
        done *= 2


def roomy(size, dtype):
    """Return a new array with room for ``size`` elements, which takes memory only as it is written to.

    The C library keeps large pieces that were freed for later ones, which an array that is replaced again and again by
    one of another size never fits: then as much memory again lies idle. A mapping of its own goes back at once.

    >>> import numpy as np
    >>> roomy(300_000, np.int64).shape, roomy(0, np.int32).dtype
    ((300000,), dtype('int32'))
    """
    count = size * np.dtype(dtype).itemsize
    if count < _LARGE:
        return np.empty(size, dtype)
    return np.frombuffer(_Room(count), dtype)


def filled(size, value, dtype):
    """Return a new array of ``size`` elements that are all ``value``."""
    new = roomy(size, dtype)
    if value != 0 or new.nbytes < _LARGE:  # a mapping is zero as it comes
        _fill(new, value)
    return new


def pooled(size, dtype):
    """Return a new array for what is large and made anew in each batch, in memory that an earlier one had, if it fits.

    The system would have to find and clear every page again, which takes longer than to write the matches of a batch
    into them. At most 2 GiB that nobody uses are kept.

    >>> import numpy as np
    >>> pooled(3, np.int64).shape, pooled(1_000_000, np.int32).shape
    ((3,), (1000000,))
    """
    count = size * np.dtype(dtype).itemsize
    if count < _LARGE:
        return np.empty(size, dtype)
    return np.frombuffer(_Lease(count), dtype, size)


def repeated(starts: cython.longlong[::1]):
    """Return each row's number as often as it has entries, which start where ``starts`` says.

    >>> import numpy as np
    >>> repeated(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    count: cython.Py_ssize_t = starts.shape[0] - 1
    rows = pooled(starts[count], np.int32)
    write_repeated(starts, rows, 0, count)
    return rows


def write_repeated(
    starts: cython.longlong[::1], rows: cython.int[::1], first: cython.Py_ssize_t, last: cython.Py_ssize_t
):
    """Write of what ``repeated`` returns the part of the rows from ``first`` up to, and without, ``last``.

    >>> import numpy as np
    >>> rows = np.zeros(3, np.int32)
    >>> write_repeated(np.array([0, 2, 2, 3]), rows, 1, 3)
    >>> rows.tolist()
    [0, 0, 2]
    """
    row: cython.Py_ssize_t
    position: cython.longlong
    with cython.nogil:
        for row in range(first, last):
            for position in range(starts[row], starts[row + 1]):
                rows[position] = cython.cast(cython.int, row)


def arrow_int32(array):
    """Return an array of 32-bit integers as Arrow's, without a copy."""
    return pa.Array.from_buffers(pa.int32(), len(array), [None, pa.py_buffer(array)])


def arrow_int64(array):
    """Return an array of 64-bit integers as Arrow's, without a copy.

    ``pa.array`` would do the same but first looks whether pandas is there, which can import it: a third of a second.
    """
    return pa.Array.from_buffers(pa.int64(), len(array), [None, pa.py_buffer(array)])

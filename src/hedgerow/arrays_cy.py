"""Growing typed arrays, the one way in which all tables do it.

Compiled so that a call never runs Python code: no other thread and no signal handler can come in between, and what a
table does before and after it grows is one step for everybody else.
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
    PROT_READ,
    PROT_WRITE,
    madvise,
    mmap,
    munmap,
)

_LARGE = cython.declare(cython.Py_ssize_t, 1 << 20)
_HUGE = cython.declare(
    cython.Py_ssize_t, 1 << 23
)  # from here on, pages of 2 MiB: random visits then find their addresses quickly


@cython.cclass
class _Room:
    """A mapping of its own. Python's ``mmap`` lets go of the GIL when it is freed, in the middle of a change."""

    start: cython.p_void
    size: cython.Py_ssize_t

    def __cinit__(self, size: cython.Py_ssize_t):
        # Private: what a forked process writes is its own.
        self.start = mmap(cython.NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        self.size = size
        if self.start == MAP_FAILED:
            raise MemoryError
        if size >= _HUGE:
            madvise(self.start, size, MADV_HUGEPAGE)

    def __getbuffer__(self, buffer: cython.pointer(Py_buffer), flags: cython.int):
        PyBuffer_FillInfo(buffer, self, self.start, self.size, False, flags)

    def __dealloc__(self):
        if self.start != MAP_FAILED and self.start != cython.NULL:
            munmap(self.start, self.size)


def grown(array, needed):
    """Return a copy of a one-dimensional array with room for at least ``needed`` elements, and at least twice as many.

    The old array is left as it is, so that a reader that still holds it sees what it saw.

    >>> import numpy as np
    >>> len(grown(np.zeros(100), 101))
    200
    """
    old = np.asarray(array)
    new = roomy(max(needed, 2 * old.size, 16), old.dtype)
    # NumPy would let go of the GIL while it copies much, and another thread would see a table half grown.
    source: cython.const[cython.uchar][::1] = old.view(np.uint8)
    target: cython.uchar[::1] = new.view(np.uint8)
    if source.shape[0]:
        memcpy(cython.address(target[0]), cython.address(source[0]), source.shape[0])
    return new


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
    new.fill(value)
    return new


def pooled(size, dtype):
    """Return a new array in the memory of Arrow's pool, for what is large and made anew in each batch.

    The pool keeps what is freed for a while, where the C library would give it back at once: the system would have to
    find and clear every page again, which takes longer than to write the matches of a batch into them.
    ``pyarrow.default_memory_pool().release_unused()`` gives it back.

    >>> import numpy as np
    >>> pooled(3, np.int64).shape, pooled(0, np.int32).shape
    ((3,), (0,))
    """
    if size == 0:
        return np.empty(0, dtype)
    return np.frombuffer(pa.allocate_buffer(size * np.dtype(dtype).itemsize), dtype)


def repeated(starts: cython.longlong[::1]):
    """Return each row's number as often as it has entries, which start where ``starts`` says.

    >>> import numpy as np
    >>> repeated(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    count: cython.Py_ssize_t = starts.shape[0] - 1
    total: cython.longlong = starts[count]
    rows: cython.int[::1] = pooled(total, np.int32)
    row: cython.int
    position: cython.longlong
    with cython.nogil:
        for row in range(count):
            for position in range(starts[row], starts[row + 1]):
                rows[position] = row
    return np.asarray(rows)


def arrow_int32(array):
    """Return an array of 32-bit integers as Arrow's, without a copy."""
    return pa.Array.from_buffers(pa.int32(), len(array), [None, pa.py_buffer(array)])


def arrow_int64(array):
    """Return an array of 64-bit integers as Arrow's, without a copy.

    ``pa.array`` would do the same but first looks whether pandas is there, which can import it: a third of a second.
    """
    return pa.Array.from_buffers(pa.int64(), len(array), [None, pa.py_buffer(array)])

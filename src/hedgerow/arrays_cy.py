"""Growing typed arrays, the one way in which all tables do it.

Compiled so that a call never runs Python code: no other thread and no signal handler can come in between, and what a
table does before and after it grows is one step for everybody else.
"""

import mmap

import numpy as np
import pyarrow as pa

_LARGE = 1 << 20


def grown(array, needed):
    """Return a copy of a one-dimensional array with room for at least ``needed`` elements, and at least twice as many.

    The old array is left as it is, so that a reader that still holds it sees what it saw.

    >>> import numpy as np
    >>> len(grown(np.zeros(100), 101))
    200
    """
    old = np.asarray(array)
    new = np.empty(max(needed, 2 * old.size, 16), old.dtype)
    new[: old.size] = old
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
    # Private: what a forked process writes is its own.
    return np.frombuffer(mmap.mmap(-1, count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), dtype)


def filled(size, value, dtype):
    """Return a new array of ``size`` elements that are all ``value``."""
    new = np.empty(size, dtype)
    new.fill(value)
    return new


def arrow_int64(array):
    """Return an array of 64-bit integers as Arrow's, without a copy.

    ``pa.array`` would do the same but first looks whether pandas is there, which can import it: a third of a second.
    """
    return pa.Array.from_buffers(pa.int64(), len(array), [None, pa.py_buffer(array)])

"""Growing typed arrays, the one way in which all tables do it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

__all__ = ["arrow_int64", "filled", "grown"]


def grown(array: Any, needed: int) -> Any:  # noqa: ANN401 - any typed memoryview or array
    """Return a copy of a one-dimensional array with room for at least ``needed`` elements, and at least twice as many.

    The old array is left as it is, so that a reader that still holds it sees what it saw.
    """
    old = np.asarray(array)
    new = np.empty(max(needed, 2 * old.size, 16), old.dtype)
    new[: old.size] = old
    return new


def filled(size: int, value: int, dtype: type) -> Any:  # noqa: ANN401 - becomes a typed memoryview
    """Return a new array of ``size`` elements that are all ``value``."""
    return np.full(size, value, dtype)


def arrow_int64(array: npt.NDArray[np.int64]) -> pa.Array:
    """Return an array of 64-bit integers as Arrow's, without a copy.

    ``pa.array`` would do the same but first looks whether pandas is there, which can import it: a third of a second.
    """
    return pa.Array.from_buffers(pa.int64(), len(array), [None, pa.py_buffer(array)])

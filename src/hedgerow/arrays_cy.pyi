from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

def grown(array: Any, needed: int, value: float | None = None) -> Any:
    """Return a one-dimensional array with room for at least ``needed`` elements, in the same place or a copy."""

def extended(array: Any, size: int, value: float | None = None) -> Any:
    """Return a one-dimensional array with ``size`` elements; those that are new are ``value``."""

def copied(array: Any, size: int, value: float | None = None) -> Any:
    """Return a copy of a one-dimensional array with ``size`` elements; those that are new are ``value``."""

def roomy(size: int, dtype: npt.DTypeLike) -> Any:
    """Return a new array with room for ``size`` elements, which takes memory as it is written to."""

def filled(size: int, value: float, dtype: type) -> Any:
    """Return a new array of ``size`` elements that are all ``value``."""

def pooled(size: int, dtype: npt.DTypeLike) -> Any:
    """Return a new array for what is large and made anew in each batch, in memory that an earlier one had."""

def repeated(starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]: ...
def write_repeated(starts: npt.NDArray[np.int64], rows: npt.NDArray[np.int32], first: int, last: int) -> None: ...
def arrow_int32(array: npt.NDArray[np.int32]) -> pa.Array: ...
def arrow_int64(array: npt.NDArray[np.int64]) -> pa.Array:
    """Return an array of 64-bit integers as Arrow's, without a copy."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hedgerow.symbols_cy import SymbolTable

_Ints: TypeAlias = NDArray[np.int32]
_Kinds: TypeAlias = NDArray[np.uint8]
_Longs: TypeAlias = NDArray[np.int64]

def intern_all(table: SymbolTable, starts: _Longs, text: _Kinds) -> _Longs:
    """Return the number in ``table`` of each of the strings ``text[starts[i]:starts[i + 1]]``, which must be UTF-8."""

def canonical_floats(numbers: NDArray[np.float64]) -> tuple[_Kinds, _Longs]:
    """Return kind and payload of each number: whole 64-bit numbers are INT, the others FLOAT or NAN."""

def merged(columns: Sequence[tuple[Any, Any, Any, Any]], row_count: int) -> tuple[_Longs, _Ints, _Kinds, _Longs]:
    """Return the entries of all columns row by row: starts of the rows, attributes, kinds and payloads."""

def repeats(starts: _Longs, attributes: _Ints, count: int) -> tuple[_Longs, _Longs]:
    """Return the rows and places of the entries whose attribute (of ``count``) their row has already."""

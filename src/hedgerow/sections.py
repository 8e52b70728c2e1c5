"""Named arrays: the form in which whatever is kept in arrays is saved, and restored without a copy.

A part of an index has a pair of methods. ``saved()`` returns its arrays by name, cut to what is used: views, which hold
only while nothing changes. ``restored(arrays)`` makes the part of such arrays again, and goes on in the very arrays it
is given: they may be a mapped file, whose pages are read when they are used and copied when they are written. Parts are
put together by name: ``nested(names=..., strings=...)`` makes ``names.heap``, ``strings.heap`` and so on, ``part``
takes one of them out again, and ``section`` one array, checked.

>>> import numpy as np
>>> arrays = nested(names={"heap": np.arange(3)}, strings={"heap": np.arange(4)})
>>> sorted(arrays)
['names.heap', 'strings.heap']
>>> section(part(arrays, "strings"), "heap", np.int64)
array([0, 1, 2, 3])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hedgerow.errors import CorruptFile

__all__ = [
    "Arrays",
    "loaded_section",
    "nested",
    "numbers",
    "optional_section",
    "part",
    "scalars",
    "section",
    "table_section",
]

Arrays: TypeAlias = Mapping[str, npt.NDArray[Any]]
"""One-dimensional arrays by name."""


def nested(**parts: Arrays) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of all parts, each name behind that of its part and a dot."""
    return {f"{name}.{key}": array for name, arrays in parts.items() for key, array in arrays.items()}


def part(arrays: Arrays, name: str) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of one part, by the names that it gave them."""
    start = f"{name}."
    return {key.removeprefix(start): array for key, array in arrays.items() if key.startswith(start)}


def section(arrays: Arrays, name: str, dtype: npt.DTypeLike, count: int | None = None) -> npt.NDArray[Any]:
    """Return one array; ``CorruptFile`` if it is not there, of another type, or not of ``count`` elements.

    Compiled code does not check what it reads: sizes that belong together must be found to be so before.

    >>> section({}, "heap", np.uint8)
    Traceback (most recent call last):
    ...
    hedgerow.errors.CorruptFile: the section 'heap' is not there
    """
    if name not in arrays:
        raise CorruptFile(f"the section {name!r} is not there")
    array = arrays[name]
    if array.dtype != np.dtype(dtype):
        raise CorruptFile(f"the section {name!r} holds {array.dtype}, not {np.dtype(dtype)}")
    if count is not None and array.size != count:
        raise CorruptFile(f"the section {name!r} has {array.size} elements, not {count}")
    return array


def optional_section(arrays: Arrays, name: str, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
    """Return one array as ``section`` does, or an empty one: what nobody gave, weights say, takes no room."""
    return section(arrays, name, dtype, count if name in arrays and arrays[name].size else None)


def table_section(arrays: Arrays, name: str, used: int) -> npt.NDArray[Any]:
    """Return the slots of a hash table; ``CorruptFile`` unless a power of two, with ``used`` filling half at most."""
    slots = section(arrays, name, np.int32)
    if slots.size & (slots.size - 1) or slots.size < max(2 * used, 1):
        raise CorruptFile(f"the section {name!r} has {slots.size} slots for {used} entries")
    return slots


def loaded_section(arrays: Arrays, name: str, used: int, size: int) -> npt.NDArray[Any]:
    """Return the slots of a hash table, with hashes in them; ``CorruptFile`` unless ``size`` are there and some free.

    The size can be any number and decides where a hash belongs, so it is said elsewhere too.
    """
    slots = section(arrays, name, np.uint64, size)
    if slots.size <= used:
        raise CorruptFile(f"the section {name!r} has {slots.size} slots for {used} entries")
    return slots


def numbers(*values: int) -> npt.NDArray[np.uint64]:
    """Return numbers that are not negative as a section; ``scalars`` reads them again.

    >>> scalars({"counts": numbers(3, 2**64 - 1)}, "counts", 2)
    (3, 18446744073709551615)
    """
    return np.array(values, np.uint64)


def scalars(arrays: Arrays, name: str, count: int) -> tuple[int, ...]:
    """Return the ``count`` numbers of a section that ``numbers`` made."""
    return tuple(map(int, section(arrays, name, np.uint64, count)))

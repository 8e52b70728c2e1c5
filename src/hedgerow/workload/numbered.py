"""Draws that can be looked up by number: whole arrays at once, the same everywhere, none remembered.

A *key* is 64 bits, and stands for a stream of draws of its own: those of SplitMix64 started at the key (Steele, Lea and
Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). It needs additions, multiplications and shifts of
64-bit integers only, so no version of Python or NumPy can change a draw; and the n-th draw costs as much as the first,
so what is drawn about the n-th row of a workload does not depend on the rows before it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Integers", "Keys", "Zipf", "below", "drawn", "fractions", "key_of"]

Keys: TypeAlias = NDArray[np.uint64]
Integers: TypeAlias = NDArray[np.int64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_UNIT = 2.0**-53
_WEIGHT = float(1 << 30)


def key_of(*path: int) -> np.uint64:
    """Return the key at the end of a path: of a seed's stream a draw, of the stream of that another, and so on.

    >>> hex(key_of(0, 0)), hex(key_of(0, 1))
    ('0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4')
    """
    keys = np.array([path[0]], dtype=np.uint64)
    for number in path[1:]:
        keys = drawn(keys, number)
    return np.uint64(keys[0])


def drawn(keys: Keys | np.uint64, numbers: Integers | int) -> Keys:
    """Return a draw of each stream: 64 random bits, which are a key too.

    >>> drawn(key_of(1), np.arange(2)).tolist()
    [10451216379200822465, 13757245211066428519]
    """
    bits: Keys = (np.atleast_1d(np.asarray(numbers)).astype(np.uint64) + np.uint64(1)) * _STEP + keys
    shifted = bits >> np.uint64(30)
    bits ^= shifted
    bits *= _FIRST
    np.right_shift(bits, np.uint64(27), out=shifted)
    bits ^= shifted
    bits *= _SECOND
    np.right_shift(bits, np.uint64(31), out=shifted)
    bits ^= shifted
    return bits


def fractions(keys: Keys) -> NDArray[np.float64]:
    """Return the keys as numbers from 0 up to, and without, 1."""
    return (keys >> np.uint64(11)).astype(np.float64) * _UNIT


def below(keys: Keys, end: int | Integers) -> Integers:
    """Return the keys as integers from 0 up to, and without, ``end``; beyond 2 ** 53 not every one can come."""
    return (fractions(keys) * end).astype(np.int64)


class Zipf:
    """Ranks from 0 on, rank r drawn in proportion to ``1 / (r + 1) ** alpha``; all alike where alpha is 0.

    The proportions are rounded to whole numbers: processors differ in the last bit of a power, hardly ever before it.

    >>> zipf = Zipf(1000, 1.0)
    >>> ranks = zipf.ranks(drawn(key_of(7), np.arange(100_000)))
    >>> np.bincount(ranks)[:4].tolist()
    [13406, 6638, 4450, 3437]
    """

    def __init__(self, count: int, alpha: float) -> None:
        """Sum up the proportions of ``count`` ranks."""
        weights = np.rint(_WEIGHT * np.arange(1, count + 1, dtype=np.float64) ** -alpha).astype(np.int64)
        self._ends = np.cumsum(weights)

    @property
    def ends(self) -> list[int]:
        """The sums of the proportions up to each rank, for ``Draw.rank``."""
        ends: list[int] = self._ends.tolist()
        return ends

    def ranks(self, keys: Keys) -> Integers:
        """Return the rank that each key draws."""
        return np.searchsorted(self._ends, below(keys, int(self._ends[-1])), side="right")

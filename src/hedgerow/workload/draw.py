"""Draws that are the same in every version of Python."""

from __future__ import annotations

from bisect import bisect_right
from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Draw"]

T = TypeVar("T")


class Draw:
    """Draws made of ``random()`` alone, the one method of a seeded ``Random`` whose numbers Python promises to keep.

    >>> draw = Draw(seed=1)
    >>> draw.one("abc"), draw.some(range(10), 2, 4), draw.chance(0.5)
    ('a', [7, 3, 5, 6], False)
    """

    __slots__ = ("random",)

    def __init__(self, seed: int) -> None:
        """Start the sequence of a seed."""
        self.random = Random(seed).random
        """Returns the next number, at least 0 and below 1."""

    def chance(self, probability: float) -> bool:
        """Return True that often."""
        return self.random() < probability

    def one(self, choices: Sequence[T]) -> T:
        """Return one of the choices."""
        return choices[int(self.random() * len(choices))]

    def below(self, end: int) -> int:
        """Return an integer from 0 up to, and without, ``end``."""
        return int(self.random() * end)

    def rank(self, ends: Sequence[int]) -> int:
        """Return a rank from 0 on, each in proportion to its share; ``ends`` are the sums of the shares up to it."""
        return bisect_right(ends, int(self.random() * ends[-1]))

    def some(self, choices: Sequence[T], fewest: int, most: int) -> list[T]:
        """Return between ``fewest`` and ``most`` of the choices, each at most once."""
        random = self.random
        pool = list(choices)
        count = fewest + int(random() * (most - fewest + 1))
        for place in range(count):
            other = place + int(random() * (len(pool) - place))
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:count]

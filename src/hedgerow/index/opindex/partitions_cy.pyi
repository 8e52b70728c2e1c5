from typing import Any, final

import numpy.typing as npt

from hedgerow.sections import Arrays

@final
class Draft:
    """Units that are to go into partitions, with their entries, in the order in which they come."""

    count: int
    def __init__(self, partitions: Partitions, pivots: int) -> None: ...

@final
class Partitions:
    """Predicate lists, sorted. Nothing of them ever changes."""

    pivot_count: int
    list_count: int
    entry_count: int
    counter_count: int
    once_count: int
    def __init__(self) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(arrays: Arrays) -> Partitions: ...
    @property
    def nbytes(self) -> int: ...
    def lists(self) -> list[tuple[int, int, list[list[tuple[int, int, int, int]]]]]: ...
    def entries_by_operation(self) -> dict[int, int]: ...
    @property
    def segment_count(self) -> int: ...
    def units(self) -> list[list[tuple[int, int]]]: ...
    def check(self) -> None: ...

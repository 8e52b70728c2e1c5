from typing import Any, final

import numpy.typing as npt

from hedgerow.sections import Arrays

@final
class Postings:
    """All posting lists."""

    width: int
    least: int
    list_count: int
    key_count: int
    main_lists: int
    tail_count: int
    def __init__(self, width: int = 1, least: int = 0) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(arrays: Arrays) -> Postings: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def entry_count(self) -> int: ...
    def lists(self) -> list[tuple[int, int, int, list[int]]]: ...
    def chain(self, key: int) -> list[int]: ...
    def values(self, number: int) -> list[int]: ...

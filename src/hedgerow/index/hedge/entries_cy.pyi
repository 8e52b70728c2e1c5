from typing import Any, final

import numpy.typing as npt

from hedgerow.sections import Arrays

@final
class Entries:
    """Lists of entries, numbered by the atoms that lead to them."""

    count: int
    def __init__(self) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(arrays: Arrays) -> Entries: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def live(self) -> int: ...
    def told(self, number: int) -> list[tuple[int, list[tuple[str, int]], list[int]]]: ...

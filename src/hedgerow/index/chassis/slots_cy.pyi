from typing import Any, final

import numpy.typing as npt

from hedgerow.sections import Arrays

@final
class Slots:
    """What is known of each slot."""

    has_scored: bool
    has_weights: bool
    has_died: bool
    count: int
    committed: int
    version: int
    greatest: float
    def __init__(self) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(arrays: Arrays, version: int) -> Slots: ...
    @property
    def nbytes(self) -> int: ...
    def forget(self, count: int) -> None: ...
    def delete(self, slot: int) -> None: ...
    def commit(self) -> None: ...

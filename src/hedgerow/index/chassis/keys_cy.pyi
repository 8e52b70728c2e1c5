from typing import Any, final

import numpy.typing as npt

from hedgerow.sections import Arrays

@final
class Keys:
    """Keys by attribute, kind and payload."""

    count: int
    def __init__(self) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(arrays: Arrays) -> Keys: ...
    def told(self, key: int) -> tuple[int, int, int]: ...
    @property
    def nbytes(self) -> int: ...

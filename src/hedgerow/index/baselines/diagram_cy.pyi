from typing import Any, final

import numpy.typing as npt

from hedgerow.sections import Arrays

@final
class Diagram:
    """Nodes that ask for a variable and lead on, each once."""

    def __init__(self) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(arrays: Arrays) -> Diagram: ...
    @property
    def nbytes(self) -> int: ...

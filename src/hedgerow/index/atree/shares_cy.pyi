from typing import final

import numpy as np
import numpy.typing as npt

from hedgerow.index.crew_cy import Crew

SHARE: int
"""Events that are worth a thread."""

@final
class Listed:
    """The slots that one thread has listed, and that have not been written down yet."""

    def __init__(self, room: int) -> None: ...
    def add(self, slots: npt.NDArray[np.int32], count: int) -> int: ...

@final
class Shares:
    """The shares of a batch."""

    first: npt.NDArray[np.int64]
    listed: list[Listed]
    def __init__(
        self, events: int, threads: int, names: npt.NDArray[np.int64] | None = None, expected: float = 0
    ) -> None: ...
    def stop(self) -> None: ...
    def take(self) -> int: ...
    def finish(self, share: int, listed: Listed) -> int: ...
    def write(self, listed: Listed) -> int: ...
    def matches(self, crew: Crew) -> npt.NDArray[np.int64]: ...

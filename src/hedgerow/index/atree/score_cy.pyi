from typing import final

import numpy as np
import numpy.typing as npt

@final
class Scorer:
    """Scores of nodes for one event after the other, or their upper bounds over all events."""

    def __init__(self) -> None: ...

@final
class Best:
    """The best of some slots, with what is needed to score them: root, static weight and bound of each slot."""

    @property
    def scored(self) -> int: ...
    def __init__(
        self,
        scorer: Scorer,
        root: npt.NDArray[np.int32],
        weight: npt.NDArray[np.float64],
        bound: npt.NDArray[np.float32],
        scale: float,
    ) -> None: ...
    def of(self, slots: npt.NDArray[np.int32], n: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]: ...
    def of_all(self, slots: npt.NDArray[np.int32], n: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]: ...

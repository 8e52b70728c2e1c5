from typing import final

import numpy as np
import numpy.typing as npt

from hedgerow.predicate.outcome_cy import Outcomes

@final
class Elements:
    """The elements of the lists of a block."""

    def __init__(self, outcomes: Outcomes, event_string: npt.NDArray[np.int32]) -> None: ...

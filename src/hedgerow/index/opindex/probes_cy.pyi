from typing import final

import numpy as np
import numpy.typing as npt

from hedgerow.index.chassis.literals_cy import Literals
from hedgerow.predicate.outcome_cy import Outcomes

@final
class Probes:
    """The probes of one row after the other."""

    def __init__(self, literals: Literals, operation_of: npt.NDArray[np.uint8], outcomes: Outcomes) -> None: ...

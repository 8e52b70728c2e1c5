from collections.abc import Mapping

from hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from hedgerow.index.labels.leaves_cy import Leaves
from hedgerow.index.labels.options import LEAVES as LEAVES
from hedgerow.index.labels.options import LabelOptions
from hedgerow.index.labels.picture import Drawing
from hedgerow.index.report import Id
from hedgerow.predicate.outcome_cy import Outcomes

class LabelEngine(UnitEngine):
    """The base of both engines, which say how many words the labels of a tree have, and write them."""

    options: LabelOptions
    leaves: Leaves
    def __init__(self, missing: str, options: LabelOptions | None = None) -> None: ...
    def labels(self) -> list[list[tuple[str, str]]]: ...
    def drawing(self, ids: Mapping[int, Id], most: int) -> Drawing: ...
    def figures(self) -> dict[str, str | int]: ...
    def check(self) -> None: ...

class LabelSearcher(UnitSearcher):
    """The base of searches of both engines, which say whether labels that were marked make a unit true."""

    def __init__(self, engine: LabelEngine, outcomes: Outcomes) -> None: ...

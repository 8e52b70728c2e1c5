from hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from hedgerow.predicate.outcome_cy import Outcomes

class PathEngine(UnitEngine):
    """The base of engines of paths: they say in ``add_unit`` which path a conjunction has, and what is left of it."""

    def figures(self) -> dict[str, str | int]: ...

class PathSearcher(UnitSearcher):
    """A search that follows paths."""

    def __init__(self, engine: PathEngine, outcomes: Outcomes, ordered: bool) -> None: ...

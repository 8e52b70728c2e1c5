from hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from hedgerow.predicate.outcome_cy import Outcomes

class ListedEngine(UnitEngine):
    """The base of engines of such lists."""

    def __init__(self, missing: str, dnf: bool) -> None: ...

class ListedSearcher(UnitSearcher):
    """A search of lists."""

    def __init__(self, engine: ListedEngine, outcomes: Outcomes) -> None: ...

class CountingSearcher(ListedSearcher):
    """A search that counts in how many lists a unit is."""

    def __init__(self, engine: ListedEngine, outcomes: Outcomes) -> None: ...

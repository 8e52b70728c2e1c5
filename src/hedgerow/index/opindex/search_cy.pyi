from typing import final

from hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from hedgerow.predicate.outcome_cy import Outcomes

@final
class OpIndexSearch(UnitSearcher):
    """One search. Between two rows all counters are as often as their units must be counted."""

    def __init__(self, engine: UnitEngine, outcomes: Outcomes) -> None: ...

from typing import final

from hedgerow.index.chassis.engine_cy import BaseEngine
from hedgerow.index.chassis.searcher_cy import MarkingSearcher
from hedgerow.predicate.outcome_cy import Outcomes

@final
class HedgeSearch(MarkingSearcher):
    """One search. Between two rows only what holds for an empty event is true."""

    def __init__(self, engine: BaseEngine, outcomes: Outcomes) -> None: ...

from typing import Any

from hedgerow.index.chassis.searcher_cy import Searcher

class ScanRelating(Searcher):
    """One search by relation, for the events that it is given: rows of a batch that has nothing else."""

    def __init__(self, engine: Any, outcomes: Any, questions: Any, events: Any) -> None: ...

from hedgerow.index.chassis.slots_cy import Slots
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.outcome_cy import Outcomes

class Searcher:
    """What every search of a chassis engine has."""

    version: int
    visits: int
    skipped: int
    checked: int
    def __init__(self, graph: Graph, slots: Slots, outcomes: Outcomes, node_limit: int) -> None: ...

class MarkingSearcher(Searcher):
    """A search that finds slots in any order, and some more than once."""

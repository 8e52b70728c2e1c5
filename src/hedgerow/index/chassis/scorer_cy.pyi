from typing import final

from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.outcome_cy import Outcomes

@final
class Scorer:
    """Scores of the first nodes of a graph, for one event after the other."""

    def __init__(self, graph: Graph, outcomes: Outcomes, node_count: int) -> None: ...

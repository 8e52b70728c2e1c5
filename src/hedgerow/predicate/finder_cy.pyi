from typing_extensions import disjoint_base

from hedgerow.language.graph_cy import Graph
from hedgerow.lists_cy import Lists
from hedgerow.predicate.outcome_cy import Outcomes
from hedgerow.predicate.table_cy import PredicateTable

@disjoint_base
class Finder:
    """Literals of a graph, where events lead to them."""

    @property
    def graph(self) -> Graph: ...
    @property
    def lists(self) -> Lists: ...
    @property
    def nbytes(self) -> int: ...
    def __init__(self, graph: Graph, table: PredicateTable) -> None: ...

@disjoint_base
class Found:
    """One search: the literals among the first ``node_count`` nodes that hold for a row."""

    def __init__(self, finder: Finder, outcomes: Outcomes, node_count: int) -> None: ...

from typing import final

from hedgerow.index.chassis.literals_cy import Literals
from hedgerow.index.opindex.pivots_cy import Pivots
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.table_cy import PredicateTable

@final
class Entries:
    """The entries of the unit that is at hand in ``pivots``."""

    def __init__(self, graph: Graph, table: PredicateTable, literals: Literals, pivots: Pivots) -> None: ...

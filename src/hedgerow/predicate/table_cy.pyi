from hedgerow.language.graph_cy import Graph
from hedgerow.symbols_cy import SymbolTable

class PredicateTable:
    """The predicates of a graph with their operands ready for testing."""

    graph: Graph
    count: int
    folded: SymbolTable
    @property
    def nbytes(self) -> int: ...
    def __init__(self, graph: Graph) -> None: ...
    def extend(self) -> None: ...

from typing import Any, final

import numpy.typing as npt

from hedgerow.language.graph_cy import Graph
from hedgerow.sections import Arrays
from hedgerow.symbols_cy import SymbolTable

@final
class PredicateTable:
    """The predicates of a graph with their operands ready for testing."""

    graph: Graph
    count: int
    folded: SymbolTable
    remade: bool
    @property
    def nbytes(self) -> int: ...
    def __init__(self, graph: Graph) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(graph: Graph, arrays: Arrays) -> PredicateTable: ...
    def extend(self) -> None: ...

from typing import Any, final

import numpy.typing as npt

from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.finder_cy import Finder
from hedgerow.predicate.outcome_cy import Outcomes
from hedgerow.predicate.table_cy import PredicateTable
from hedgerow.sections import Arrays

@final
class Literals:
    """What an engine asks for."""

    finder: Finder
    count: int
    def __init__(self, graph: Graph, table: PredicateTable) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    def text(self, number: int) -> str: ...
    def told(self, code: int) -> str: ...
    @staticmethod
    def restored(graph: Graph, table: PredicateTable, arrays: Arrays) -> Literals: ...
    @property
    def nbytes(self) -> int: ...

@final
class Holding:
    """The numbers that hold for one row after the other."""

    def __init__(self, literals: Literals, outcomes: Outcomes) -> None: ...

@final
class ListsView:
    """Lists as one search sees them."""

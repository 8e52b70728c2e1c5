from typing import final

from hedgerow.index.atree.options import ATreeOptions
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.table_cy import PredicateTable

@final
class Parts:
    """The parts of all expressions, as they were written."""

    graph: Graph
    table: PredicateTable
    ready: int
    count: int
    highest: int
    @property
    def nbytes(self) -> int: ...
    def __init__(self, missing: str, options: ATreeOptions) -> None: ...
    def level_of(self, part: int) -> int: ...
    def release(self) -> None: ...

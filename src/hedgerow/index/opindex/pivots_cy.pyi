from typing import Any, final

import numpy.typing as npt

from hedgerow.index.chassis.literals_cy import Literals
from hedgerow.index.opindex.options import OpIndexOptions
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.table_cy import PredicateTable
from hedgerow.sections import Arrays

@final
class Pivots:
    """The pivots that there are, and the clauses of one unit at a time, for which they are chosen."""

    def __init__(self, graph: Graph, table: PredicateTable, literals: Literals, options: OpIndexOptions) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    def restore(self, arrays: Arrays, named: int) -> None: ...
    @property
    def nbytes(self) -> int: ...

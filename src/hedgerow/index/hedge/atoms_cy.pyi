from typing import Any, final

import numpy.typing as npt

from hedgerow.index.chassis.keys_cy import Keys
from hedgerow.index.chassis.literals_cy import Literals
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.table_cy import PredicateTable
from hedgerow.sections import Arrays

@final
class Atoms:
    """The atoms of an index."""

    keys: Keys
    literals: Literals
    line_count: int
    events: int
    def __init__(self, graph: Graph, table: PredicateTable) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(graph: Graph, table: PredicateTable, arrays: Arrays) -> Atoms: ...
    @property
    def nbytes(self) -> int: ...
    def text(self, atom: int) -> str: ...
    def line_text(self, line: int) -> str: ...

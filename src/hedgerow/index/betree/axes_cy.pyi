from typing import Any, final

import numpy.typing as npt

from hedgerow.index.chassis.keys_cy import Keys
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.table_cy import PredicateTable
from hedgerow.sections import Arrays

def sdbm(text: str) -> int: ...

@final
class Axes:
    """The literals of a tree by number."""

    keys: Keys
    count: int
    attribute_count: int
    word_count: int
    def __init__(self, graph: Graph, table: PredicateTable, hashes: bool, bloom_bits: int) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(graph: Graph, table: PredicateTable, hashes: bool, bloom_bits: int, arrays: Arrays) -> Axes: ...
    @property
    def nbytes(self) -> int: ...
    def told(self, literal: int) -> tuple[int, int, int, int, int]: ...

from collections.abc import Mapping
from typing import Any, final

import numpy.typing as npt

from hedgerow.index.chassis.literals_cy import Literals
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.outcome_cy import Outcomes
from hedgerow.predicate.table_cy import PredicateTable

@final
class Leaves:
    """What is labelled. One writer adds, with the GIL held, while searches run; nothing is taken out."""

    literals: Literals
    label_count: int
    negation_count: int
    conjunction_count: int
    nbytes: int
    def __init__(self, graph: Graph, table: PredicateTable) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def restored(graph: Graph, table: PredicateTable, arrays: Mapping[str, npt.NDArray[Any]]) -> Leaves: ...
    def told(self) -> dict[int, str]: ...
    def tell(self, found: dict[int, str], text: str, number: int) -> None: ...

@final
class HoldingLeaves:
    """The labels of the leaves that hold for one row after the other, as bits. Whoever reads the bits cleans them."""

    def __init__(self, leaves: Leaves, outcomes: Outcomes, limit: int) -> None: ...

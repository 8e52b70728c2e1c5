from typing import Any, final

import numpy.typing as npt

from hedgerow.index.chassis.engine_cy import BaseEngine
from hedgerow.index.chassis.searcher_cy import MarkingSearcher
from hedgerow.index.chassis.slots_cy import Slots
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.outcome_cy import Outcomes
from hedgerow.sections import Arrays

@final
class Units:
    """Units by the nodes that they are, and their owners."""

    count: int
    committed: int
    entry_count: int
    def __init__(self) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    def owners(self, unit: int) -> tuple[int, ...]: ...
    @staticmethod
    def restored(arrays: Arrays) -> Units: ...
    @property
    def nbytes(self) -> int: ...

class UnitEngine(BaseEngine):
    """The base of engines of units: clauses of DNFs, or whole expressions."""

    units: Units
    def __init__(self, missing: str, dnf: bool = True) -> None: ...

class UnitSearcher(MarkingSearcher):
    """A search that hits units."""

    def __init__(self, graph: Graph, slots: Slots, outcomes: Outcomes, node_limit: int, units: Units) -> None: ...

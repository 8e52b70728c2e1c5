from collections.abc import Sequence

from typing_extensions import disjoint_base

from hedgerow.errors import HedgerowError
from hedgerow.index.engine import Engine, Tended
from hedgerow.index.ids_cy import IdTable
from hedgerow.language.graph_cy import Graph

@disjoint_base
class WriterLock:
    """One writer at a time; and no change begins within another."""

    def __init__(self) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...
    def tend(self, engine: Tended) -> None:
        """Let an engine put itself in order, unless somebody is writing."""
    def hold(self) -> None:
        """Wait until no other thread is writing, and keep it so."""
    def let_go(self) -> None:
        """End what ``hold`` began."""

def unknown_names(graph: Graph, known: set[str]) -> list[str]:
    """Return the names of a graph that are not known."""

def insert(engine: Engine, ids: IdTable, id: object, graph: Graph, node: int, weight: float) -> None:
    """Insert one expression under a new id."""

def insert_rows(
    engine: Engine,
    ids: IdTable,
    rows: Sequence[object],
    graph: Graph,
    nodes: Sequence[int],
    weights: Sequence[object],
    errors: dict[int, HedgerowError],
) -> None:
    """Insert the rows that have no error yet, visible together; add the errors of those that cannot be.

    The id and the weight of a row that has an error are not looked at.
    """

def update(engine: Engine, ids: IdTable, id: object, graph: Graph, node: int, weight: float) -> None:
    """Put another expression in the place of an id's."""

def delete(engine: Engine, ids: IdTable, id: object) -> None:
    """Take the expression of an id out."""

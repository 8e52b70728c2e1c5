from typing import final

from hedgerow.language.graph_cy import Graph

@final
class Clauses:
    """The clauses of the DNF, or of the CNF, of one simplified expression after another."""

    dnf: bool
    limit: int
    hint: str
    count: int
    def __init__(self, dnf: bool, limit: int = 10_000) -> None: ...
    def made(self, graph: Graph, node: int) -> list[tuple[int, ...]]: ...

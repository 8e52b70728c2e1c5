from typing import final

from hedgerow.language.graph_cy import Graph

@final
class Copier:
    """Copies nodes of one graph into another, each at most once."""

    source: Graph
    target: Graph
    def __init__(self, source: Graph, target: Graph) -> None: ...
    def copy(self, node: int) -> int: ...
    def known(self) -> dict[int, int]: ...
    def prepare(self) -> None: ...

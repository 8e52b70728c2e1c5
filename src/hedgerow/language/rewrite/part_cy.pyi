from typing import final

from hedgerow.language.graph_cy import Graph

@final
class Part:
    """A node and all below it."""

    def __init__(self) -> None: ...

def kinds_below(graph: Graph, node: int) -> int:
    """Return which kinds of nodes an expression is made of: bit ``1 << kind`` for each."""

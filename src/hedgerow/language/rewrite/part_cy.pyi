from typing_extensions import disjoint_base

from hedgerow.language.graph_cy import Graph

@disjoint_base
class Part:
    """A node and all below it."""

    def __init__(self) -> None: ...

def kinds_below(graph: Graph, node: int) -> int:
    """Return which kinds of nodes an expression is made of: bit ``1 << kind`` for each."""

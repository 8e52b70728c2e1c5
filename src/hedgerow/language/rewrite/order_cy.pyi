from typing_extensions import disjoint_base

from hedgerow.language.graph_cy import Graph
from hedgerow.language.rewrite.content_cy import Sorter

@disjoint_base
class Ordering(Sorter):
    """The places of the nodes of one part, by rank."""

    def __init__(self) -> None: ...

def order(graph: Graph, node: int) -> int:
    """Return the node with all operands in canonical order, and each operand of AND and OR once."""

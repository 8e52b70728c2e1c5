from typing_extensions import disjoint_base

from hedgerow.language.graph_cy import Graph
from hedgerow.language.rewrite.content_cy import Sorter

@disjoint_base
class ValueSorter(Sorter):
    """Sorts the values of one predicate."""

def to_literals(graph: Graph, node: int, missing: str) -> int:
    """Return AND and OR over literals that hold exactly when the node is true, under this reading of ``missing``."""

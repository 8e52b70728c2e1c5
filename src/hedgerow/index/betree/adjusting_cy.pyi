from typing import final

from hedgerow.index.betree.tree_cy import Tree

def covered_worth(share: float) -> float: ...

@final
class Adjuster:
    """Knows, of every node, how many records were looked at, and how many of them for nothing."""

    reviews: int
    recycled: int
    def __init__(self, tree: Tree) -> None: ...

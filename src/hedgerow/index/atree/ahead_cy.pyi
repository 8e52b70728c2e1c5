from typing_extensions import disjoint_base

from hedgerow.index.atree.tree_cy import Tree

@disjoint_base
class Ahead:
    """Goes ahead of an importer, over the graph that it takes expressions from."""

    @property
    def nbytes(self) -> int: ...
    def __init__(self, tree: Tree, reading: int) -> None: ...

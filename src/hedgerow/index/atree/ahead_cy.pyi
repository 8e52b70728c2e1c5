from typing import final

from hedgerow.index.atree.tree_cy import Tree

@final
class Ahead:
    """Goes ahead of an importer, over the graph that it takes expressions from."""

    @property
    def nbytes(self) -> int: ...
    def __init__(self, tree: Tree, reading: int) -> None: ...

from typing import final

from hedgerow.index.atree.tree_cy import Tree

@final
class Importer:
    """Takes expressions of other graphs into a tree."""

    @property
    def nbytes(self) -> int: ...
    def __init__(self, tree: Tree, missing: str) -> None: ...
    def forget(self) -> None: ...

from typing_extensions import disjoint_base

from hedgerow.index.atree.tree_cy import Tree

@disjoint_base
class Importer:
    """Takes expressions of other graphs into a tree."""

    @property
    def nbytes(self) -> int: ...
    def __init__(self, tree: Tree, missing: str) -> None: ...
    def forget(self) -> None: ...

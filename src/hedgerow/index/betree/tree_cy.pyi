from typing import final

from hedgerow.index.betree.axes_cy import Axes
from hedgerow.index.betree.gathering_cy import Gathering

@final
class Tree(Gathering):
    """Nodes, partitions and leaves, with the steps that change them."""

    def __init__(self, axes: Axes, capacity: int, least: int, ranked: bool) -> None: ...

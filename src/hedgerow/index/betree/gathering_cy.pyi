from hedgerow.index.betree.axes_cy import Axes
from hedgerow.index.betree.nodes_cy import Nodes

class Gathering(Nodes):
    """Nodes of which what is below them can be brought back."""

    def __init__(self, axes: Axes, capacity: int, least: int, ranked: bool) -> None: ...

from typing import Any

import numpy.typing as npt

from hedgerow.index.betree.axes_cy import Axes
from hedgerow.index.betree.edges_cy import Edges
from hedgerow.index.betree.told import ToldNode, ToldPartition
from hedgerow.sections import Arrays

class Nodes:
    """Nodes, partitions and leaves."""

    axes: Axes
    partition_of: Edges
    bucket_of: Edges
    node_count: int
    partition_count: int
    free_nodes: int
    free_partitions: int
    changes: int
    def __init__(self, axes: Axes, capacity: int, least: int, ranked: bool) -> None: ...
    def saved(self) -> dict[str, npt.NDArray[Any]]: ...
    def restore(self, arrays: Arrays) -> None: ...
    @property
    def bytes_by_part(self) -> dict[str, int]: ...
    def told_node(self, number: int) -> ToldNode: ...
    def told_partition(self, number: int) -> ToldPartition: ...

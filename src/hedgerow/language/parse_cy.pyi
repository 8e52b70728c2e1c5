from typing import final

import numpy as np
import numpy.typing as npt

from hedgerow.errors import HedgerowError
from hedgerow.language.copy_cy import Copier
from hedgerow.language.graph_cy import Graph

@final
class Parser:
    """Parses any number of texts into one graph."""

    graph: Graph
    def __init__(self, graph: Graph) -> None: ...
    def parse(self, text: str) -> int: ...
    def parse_rows(
        self,
        offsets: npt.NDArray[np.int64],
        data: npt.NDArray[np.uint8],
        roots: npt.NDArray[np.int32],
        copier: Copier | None = None,
    ) -> dict[int, HedgerowError]: ...

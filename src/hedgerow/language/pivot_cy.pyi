import numpy as np
import numpy.typing as npt

from hedgerow.language.graph_cy import Graph

def occurrences(graph: Graph, roots: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]: ...
def pivots(
    graph: Graph, roots: npt.NDArray[np.int32], frequency: npt.NDArray[np.int64], missing: str
) -> npt.NDArray[np.int32]: ...

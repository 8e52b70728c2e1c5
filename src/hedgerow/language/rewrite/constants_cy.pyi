from hedgerow.language.graph_cy import Graph

def constants(graph: Graph, node: int) -> int:
    """Return the node with its constants folded."""

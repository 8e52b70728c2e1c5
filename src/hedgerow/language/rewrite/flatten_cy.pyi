from hedgerow.language.graph_cy import Graph

def flatten(graph: Graph, node: int) -> int:
    """Return the node with AND under AND and OR under OR merged, and each operand once."""

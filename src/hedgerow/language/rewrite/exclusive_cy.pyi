from hedgerow.language.graph_cy import Graph

def exclusive(graph: Graph, node: int) -> int:
    """Return the node with every XOR and XNOR written as AND, OR and NOT, in linear space."""

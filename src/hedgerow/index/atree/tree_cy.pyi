from hedgerow.index.atree.options import ATreeOptions
from hedgerow.language.expression import Expression
from hedgerow.language.graph_cy import Graph
from hedgerow.predicate.finder_cy import Finder
from hedgerow.predicate.outcome_cy import Outcomes
from hedgerow.predicate.table_cy import PredicateTable
from typing_extensions import disjoint_base

@disjoint_base
class Tree:
    """The shared structure of all expressions."""

    options: ATreeOptions
    graph: Graph
    table: PredicateTable
    finder: Finder
    node_count: int
    live_count: int
    frees: int
    searches: int
    @property
    def nbytes(self) -> int: ...
    def __init__(self, options: ATreeOptions) -> None: ...
    def operands_of(self, node: int) -> list[int]: ...
    def below(self, node: int) -> list[int]: ...
    def expression(self, node: int) -> Expression: ...
    def score(self, node: int, outcomes: Outcomes) -> float: ...

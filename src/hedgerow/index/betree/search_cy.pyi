from typing import final

from hedgerow.index.betree.options import BETreeOptions
from hedgerow.index.betree.tree_cy import Tree
from hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from hedgerow.predicate.outcome_cy import Outcomes

@final
class BETreeSearch(UnitSearcher):
    """One search. What a row writes is cleaned when the next one begins."""

    def __init__(self, engine: UnitEngine, outcomes: Outcomes, tree: Tree, options: BETreeOptions) -> None: ...

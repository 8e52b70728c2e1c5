from typing import final

from hedgerow.index.atree.tree_cy import Tree
from hedgerow.predicate.outcome_cy import Outcomes

@final
class Scratch:
    """What a search writes into, left to the next one."""

    @property
    def nbytes(self) -> int: ...
    def __init__(self) -> None: ...

@final
class Search:
    """One search: the views it began with, and what it knows of the event at hand."""

    @property
    def scratch(self) -> Scratch: ...
    @property
    def outcomes(self) -> Outcomes: ...
    @property
    def visits(self) -> int: ...
    @property
    def marked(self) -> int: ...
    @property
    def runs(self) -> int: ...
    @property
    def changes(self) -> int: ...
    @property
    def tests(self) -> int: ...
    def __init__(
        self, tree: Tree, outcomes: Outcomes, node_count: int, literal_count: int, slot_count: int
    ) -> None: ...

from collections.abc import Mapping, Sequence
from typing import final

from hedgerow.event.said import Said
from hedgerow.index.betree.adjusting_cy import Adjuster
from hedgerow.index.betree.axes_cy import Axes
from hedgerow.index.betree.options import BETreeOptions
from hedgerow.index.betree.picture import Drawing
from hedgerow.index.betree.tree_cy import Tree
from hedgerow.index.chassis.units_cy import UnitEngine
from hedgerow.index.engine import Matches
from hedgerow.index.questions import Questions
from hedgerow.index.report import Id

@final
class BETreeEngine(UnitEngine):
    """The BE-Tree of conjunctions."""

    options: BETreeOptions
    axes: Axes
    tree: Tree
    adjuster: Adjuster
    def __init__(self, missing: str, options: BETreeOptions | None = None) -> None: ...
    def literal_text(self, literal: int) -> str: ...
    def value_text(self, key: int) -> str: ...
    def end_text(self, lane: int, end: int) -> str: ...
    def owners(self, unit: int) -> tuple[int, ...]: ...
    def related(self, events: Sequence[Mapping[str, Said]], questions: Questions) -> Matches: ...
    def figures(self) -> dict[str, str | int]: ...
    def drawing(self, ids: Mapping[int, Id], most: int) -> Drawing: ...
    def check(self) -> None: ...

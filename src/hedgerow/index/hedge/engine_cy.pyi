from collections.abc import Mapping
from typing import final

from hedgerow.index.chassis.engine_cy import BaseEngine
from hedgerow.index.hedge.options import HedgeOptions
from hedgerow.index.hedge.picture import Drawing
from hedgerow.index.report import Id

@final
class HedgeEngine(BaseEngine):
    """Clauses of tests over atoms."""

    options: HedgeOptions
    restless: bool
    def __init__(self, missing: str, options: HedgeOptions | None = None) -> None: ...
    def tend(self) -> None:
        """File some more expressions by what was learnt."""
    def choose_anew(self) -> None:
        """Have clauses filed anew by what is known by now."""
    @property
    def tended(self) -> int:
        """How many expressions have been filed anew, while that goes on."""
    def figures(self) -> dict[str, str | int]: ...
    def lists(self) -> dict[str, list[int]]: ...
    def drawing(self, ids: Mapping[int, Id], most: int) -> Drawing: ...

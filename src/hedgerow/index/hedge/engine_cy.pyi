from typing import final

from hedgerow.index.chassis.engine_cy import BaseEngine
from hedgerow.index.hedge.options import HedgeOptions

@final
class HedgeEngine(BaseEngine):
    """Clauses of tests over atoms."""

    options: HedgeOptions
    restless: bool
    def __init__(self, missing: str, options: HedgeOptions | None = None) -> None: ...
    def tend(self) -> None:
        """File some more expressions by what was learnt."""
    def figures(self) -> dict[str, str | int]: ...
    def lists(self) -> dict[str, list[int]]: ...

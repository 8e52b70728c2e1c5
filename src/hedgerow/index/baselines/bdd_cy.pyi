from typing import final

from hedgerow.index.chassis.units_cy import UnitEngine

@final
class BDDEngine(UnitEngine):
    """Follows the decision diagram of every expression."""

    def figures(self) -> dict[str, str | int]: ...

from typing import final

from hedgerow.index.chassis.units_cy import UnitEngine

@final
class BoPEngine(UnitEngine):
    """Counts literals, and interprets the byte code of what has enough of them."""

    def byte_code(self, unit: int) -> list[int]: ...
    def least(self, unit: int) -> int: ...

from typing import final

from hedgerow.index.chassis.units_cy import UnitEngine

@final
class BoPEngine(UnitEngine):
    """Counts literals, and interprets the byte code of what has enough of them."""

    def byte_code(self, unit: int) -> list[int | str]: ...
    def operand_text(self, at: int) -> int | str: ...
    def least(self, unit: int) -> int: ...

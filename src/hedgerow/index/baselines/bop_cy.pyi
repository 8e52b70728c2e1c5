from typing import final

from hedgerow.index.baselines.listed_cy import ListedEngine

@final
class BoPEngine(ListedEngine):
    """Counts literals, and interprets the byte code of what has enough of them."""

    def byte_code(self, unit: int) -> list[int | str]: ...
    def operand_text(self, at: int) -> int | str: ...
    def least(self, unit: int) -> int: ...

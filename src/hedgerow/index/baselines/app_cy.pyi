from typing import final

from hedgerow.index.chassis.units_cy import UnitEngine

@final
class APPEngine(UnitEngine):
    """Counts the literals that hold, for the clauses whose access literal does."""

from typing import final

from hedgerow.index.chassis.units_cy import UnitEngine

@final
class CountingEngine(UnitEngine):
    """Counts, for each clause, the literals that hold."""

from typing import final

from hedgerow.index.chassis.units_cy import UnitEngine

@final
class PivotEngine(UnitEngine):
    """Leads from a literal of a clause to the clause."""

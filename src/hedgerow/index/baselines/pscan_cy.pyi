from typing import final

from hedgerow.index.chassis.units_cy import UnitEngine

@final
class PScanEngine(UnitEngine):
    """Evaluates the expressions that an event's lists mention."""

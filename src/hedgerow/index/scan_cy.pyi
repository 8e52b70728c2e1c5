from typing import final

from hedgerow.index.chassis.engine_cy import BaseEngine

@final
class ScanEngine(BaseEngine):
    """Evaluates everything."""

from typing import final

from hedgerow.index.baselines.listed_cy import ListedEngine

@final
class PScanEngine(ListedEngine):
    """Evaluates the expressions that an event's lists mention."""

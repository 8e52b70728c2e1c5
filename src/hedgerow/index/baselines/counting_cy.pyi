from typing import final

from hedgerow.index.baselines.listed_cy import ListedEngine

@final
class CountingEngine(ListedEngine):
    """Counts, for each clause, the literals that hold."""

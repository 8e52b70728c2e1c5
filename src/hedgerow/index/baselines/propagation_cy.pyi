from typing import final

from hedgerow.index.baselines.paths_cy import PathEngine

@final
class PropagationEngine(PathEngine):
    """Checks the clusters whose access holds."""

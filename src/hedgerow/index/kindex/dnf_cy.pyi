from hedgerow.index.kindex.keyed_cy import KeyedEngine
from hedgerow.index.kindex.options import KIndexOptions

class KIndexEngine(KeyedEngine):
    """The k-index for DNF."""

    def __init__(self, missing: str, options: KIndexOptions | None = None) -> None: ...

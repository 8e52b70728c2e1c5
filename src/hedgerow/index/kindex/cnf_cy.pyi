from typing import final

from hedgerow.index.kindex.keyed_cy import KeyedEngine
from hedgerow.index.kindex.options import KIndexOptions

@final
class KIndexCNFEngine(KeyedEngine):
    """The k-index for CNF."""

    def __init__(self, missing: str, options: KIndexOptions | None = None) -> None: ...

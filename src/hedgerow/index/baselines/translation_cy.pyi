from typing import final

from hedgerow.index.kindex.dnf_cy import KIndexEngine

@final
class TranslationEngine(KIndexEngine):
    """A k-index over predicates."""

    def __init__(self, missing: str) -> None: ...

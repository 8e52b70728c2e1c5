from typing import final

from hedgerow.index.kindex.dnf_cy import KIndexEngine

@final
class TranslationEngine(KIndexEngine):
    """A k-index over predicates, with its switches; ranges are never cut into pieces."""

"""Which of the two search structures an A-Tree is, by its options."""

from __future__ import annotations

from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.atree.options import ATreeOptions
from hedgerow.index.atree.unsuppressed_cy import UnsuppressedEngine

__all__ = ["atree_engine"]


def atree_engine(missing: str, options: ATreeOptions | None = None) -> ATreeEngine | UnsuppressedEngine:
    """Return an empty A-Tree; without zero suppression it is another structure, since expressions stay as written.

    >>> type(atree_engine("unknown")).__name__
    'ATreeEngine'
    >>> type(atree_engine("unknown", ATreeOptions(zero_suppression=False))).__name__
    'UnsuppressedEngine'
    """
    if options is None or options.zero_suppression:
        return ATreeEngine(missing, options)
    return UnsuppressedEngine(missing, options)

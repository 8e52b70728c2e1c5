"""The switches of the k-index: what its paper compares, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import KindError
from hedgerow.language.operand import shown

__all__ = ["RANGE_WAYS", "KIndexOptions"]

RANGE_WAYS = ("found", "dyadic")


@dataclass(frozen=True, slots=True, kw_only=True)
class KIndexOptions:
    """How a k-index is built and searched. The default is what is fastest.

    >>> KIndexOptions(ranges="dyadic").ranges
    'dyadic'
    """

    deduplicate: bool = True
    """Whether equal conjunctions of several expressions are held once."""
    ranges: str = "found"
    """How events lead to ``<``, ``<=``, ``>``, ``>=`` and ``BETWEEN`` on numbers and timestamps: each such test is
    ``"found"`` by sorted bounds and has a list of its own, or is cut into ``"dyadic"`` pieces, which are keys as values
    are: an event looks up the pieces that its value lies in, one of each size (Section 2.3 of the paper)."""
    tail: int = 4096
    """Entries that the tail may have whatever the size of the main part; more are merged into it when they are more
    than an eighth of it (Section 6 of the paper)."""
    sweep: bool = True
    """Whether the lists of a size may be read as a whole where there is little to skip between their entries, instead
    of the paper's walk over them; only for conjunctions."""
    prune: bool = True
    """Whether ``top`` skips lists that cannot hold one of the best (Section 5 of the paper)."""

    def __post_init__(self) -> None:
        """Refuse what is no switch and no way."""
        for name in ("deduplicate", "sweep", "prune"):
            if not isinstance(getattr(self, name), bool):
                raise KindError(f"{name} is True or False, not {shown(getattr(self, name))}")
        tail: object = self.tail
        if isinstance(tail, bool) or not isinstance(tail, int) or not 0 <= tail < 1 << 31:
            raise KindError(f"tail is a number of entries, not {shown(tail)}")
        if self.ranges not in RANGE_WAYS:
            raise KindError(f"ranges is one of {', '.join(map(repr, RANGE_WAYS))}, not {shown(self.ranges)}")

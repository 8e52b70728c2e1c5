"""The switches of the labels: what a leaf is."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import KindError
from hedgerow.language.operand import shown

__all__ = ["LEAVES", "LabelOptions"]

LEAVES = ("literals", "conjunctions")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions:
    """How expressions are labelled, for ``dewey`` and ``interval``.

    >>> LabelOptions(leaves="conjunctions").leaves
    'conjunctions'
    """

    leaves: str = "conjunctions"
    """What has a label. ``"conjunctions"``, as in the paper: the literals of an AND together, found by counting those
    that hold; equal conjunctions are counted once. ``"literals"``: each literal by itself."""

    def __post_init__(self) -> None:
        """Refuse what is no kind of leaf."""
        leaves: object = self.leaves
        if not isinstance(leaves, str) or leaves not in LEAVES:
            raise KindError(f"leaves is one of {', '.join(map(repr, LEAVES))}, not {shown(leaves)}")

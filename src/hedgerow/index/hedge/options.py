"""The switches of the hedge."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import KindError
from hedgerow.language.operand import shown

__all__ = ["HedgeOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgeOptions:
    """How expressions are taken, for ``hedge``.

    >>> HedgeOptions(clauses=4).clauses
    4
    """

    clauses: int = 16
    """How many clauses an expression may have; one that has more is kept in an A-Tree beside. 0 keeps all of them
    there."""

    def __post_init__(self) -> None:
        """Refuse what is no number of clauses."""
        clauses: object = self.clauses
        if isinstance(clauses, bool) or not isinstance(clauses, int) or not 0 <= clauses <= 256:
            raise KindError(f"clauses is a number from 0 to 256, not {shown(clauses)}")

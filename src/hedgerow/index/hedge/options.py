"""The switches of the hedge."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.errors import KindError
from hedgerow.language.operand import shown

__all__ = ["HedgeOptions"]

_MOST_CLAUSES = 256
_MOST_EVENTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HedgeOptions:
    """How expressions are taken, for ``hedge``.

    >>> HedgeOptions(clauses=4).clauses
    4
    """

    clauses: int = 16
    """How many clauses an expression may have; one that has more is kept in an A-Tree beside. 0 keeps all of them
    there."""

    after: int = 128
    """After how many events what leads to clauses is chosen anew, by what they had; 0 is never."""

    again: int = 8
    """After how many times as many events it is chosen once more."""

    def __post_init__(self) -> None:
        """Refuse what is no such number."""
        _check("clauses", self.clauses, 0, _MOST_CLAUSES)
        _check("after", self.after, 0, _MOST_EVENTS)
        _check("again", self.again, 1, _MOST_EVENTS)


def _check(name: str, number: object, least: int, most: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
        raise KindError(f"{name} is a number from {least} to {most:,}, not {shown(number)}")

"""What events have that no event can have, remembered until it is known whether a rule asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import EventError
from hedgerow.event.asked import Asked

__all__ = ["Problem", "asked_problems", "check_usable", "shown_name", "taken_problems"]

_SHOWN = 60


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What is wrong with an attribute of some events."""

    attribute: str | None
    """Its name; None if the event as a whole is none."""
    reason: str
    rows: NDArray[np.int64]
    """The events that have it, by their rows in the batch; a column of a bad type may have no value at all."""
    events: NDArray[np.int64]
    """The numbers that these events had when they were encoded."""
    in_column: bool = False
    """Whether it is the column that is wrong, for all events alike."""
    below: bool = False
    """Whether nothing can be known of the attributes in this one, too."""

    def is_asked(self, asked: Asked) -> bool:
        """Return whether a rule may ask for the attribute."""
        if self.attribute is None or self.attribute in asked.names:
            return True
        return self.below and asked.leads_on(self.attribute)

    def error(self, event: int | None = None) -> EventError:
        """Return what to raise; None stands for the one event that there is, or for all."""
        place = "" if event is None else f"event {event}: "
        named = "" if self.attribute is None else f"attribute {shown_name(self.attribute)}: "
        return EventError(f"{place}{named}{self.reason}")


def asked_problems(problems: Sequence[Problem] | None, asked: Asked | None) -> list[Problem]:
    """Return the problems that matter to rules that ask for this (None: for everything)."""
    return [problem for problem in problems or () if asked is None or problem.is_asked(asked)]


def check_usable(problems: Sequence[Problem] | None, asked: Asked | None, *, numbered: bool = True) -> None:
    """Raise the first problem that matters, if there is one."""
    for problem in asked_problems(problems, asked):
        first = numbered and not problem.in_column
        raise problem.error(int(problem.events[0]) if first else None)


def taken_problems(problems: Sequence[Problem] | None, rows: NDArray[np.int64]) -> list[Problem] | None:
    """Return the problems of some events, given by ascending rows."""
    if problems is None:
        return None
    taken = [_taken(problem, rows) for problem in problems]
    return [problem for problem in taken if problem.in_column or len(problem.rows)] or None


def _taken(problem: Problem, rows: NDArray[np.int64]) -> Problem:
    kept = np.isin(problem.rows, rows)
    return replace(problem, rows=np.searchsorted(rows, problem.rows[kept]), events=problem.events[kept])


def shown_name(name: str) -> str:
    """Return a name for a message, cut where it is long."""
    text = ascii(name) if not name.isprintable() else repr(name)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."

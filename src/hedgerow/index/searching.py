"""What readers take of an index, and how events come to a search: with what rules ask for, and without the bad ones.

Events are encoded before the search takes its view of the rules, and a rule that is committed in between may mention an
attribute that was left out: to such a rule it would be missing. So writers say what a rule mentions before it can be
seen (``State.asked``), and a reader looks after its search whether that has grown since the events were encoded. Then,
which is seldom, they are encoded once more, with all that they have, and no rule can come too late for that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import KindError
from hedgerow.event.asked import Asked
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.encode import asked_events, is_read_once, one_event
from hedgerow.event.problems import Problem, asked_problems, check_usable
from hedgerow.index.engine import Engine
from hedgerow.index.ids_cy import IdTable
from hedgerow.index.report import BadEvent, BatchReport
from hedgerow.language.operand import shown

__all__ = ["Found", "State", "found", "found_one", "is_skipping"]

T = TypeVar("T")
R = TypeVar("R")


class State(NamedTuple):
    """What readers take once: the engine, the ids of its slots, and what its rules ask for."""

    engine: Engine
    ids: IdTable
    asked: list[Asked]
    """The first one counts. There is none until it is wanted, so that a file is opened in no time."""

    def mentioned(self) -> Asked:
        """Return the names that rules mention; those of deleted ones may be among them.

        Of two threads that both find none, the first one's counts for both. A writer comes here before it changes
        anything, so what a reader has made before that lacks nothing.
        """
        if not self.asked:
            self.asked.append(Asked(self.engine.attributes()))
        return self.asked[0]

    def is_all(self, asked: Asked, known: int) -> bool:
        """Return whether these are still the names that rules mention, and as many as there were."""
        return self.asked[0] is asked and len(asked.names) == known


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """What a search has found in the good events of a batch."""

    value: T
    count: int
    """How many events there are, bad ones included."""
    good: NDArray[np.int64] | None
    """The rows of the events that were searched; None if none was left out."""
    errors: list[BadEvent] | None
    """What is wrong with the others; None if that would have been raised."""

    def rows(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return rows among the good events as rows among all."""
        return rows if self.good is None else self.good[rows].astype(np.int32)

    def spread(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return a number for each good event as one for each event, 0 for the bad ones."""
        if self.good is None:
            return numbers
        spread = np.zeros(self.count, np.int64)
        spread[self.good] = numbers
        return spread

    def reported(self, result: R) -> R | BatchReport[R]:
        """Return the result as it is, or with the errors if they were asked for."""
        return result if self.errors is None else BatchReport(result, self.errors)


def found_one(state: State, event: Mapping[str, object] | EventBatch, search: Callable[[EventBatch], T]) -> T:
    """Return what a search finds for a single event."""
    cell = state.asked
    asked = cell[0] if cell else state.mentioned()
    names = asked.names
    known = len(names)
    batch = one_event(event, asked)
    if batch.problems is not None:
        check_usable(batch.problems, asked, numbered=False)
    value = search(batch)
    if cell[0] is asked and len(names) == known:  # is_all, without the calls: this is where single events come
        return value
    return found(state, one_event(event), search, "raise").value


def found(state: State, events: object, search: Callable[[EventBatch], T], on_error: str) -> Found[T]:
    """Return what a search finds for the good events of a batch; the bad ones are raised or told of."""
    skip = is_skipping(on_error)
    asked = state.mentioned()
    known = len(asked.names)
    # What can be read just once is encoded whole, for it cannot be encoded once more.
    whole = isinstance(events, EventBatch) or is_read_once(events)
    batch = asked_events(events, None if whole else asked)
    while True:
        problems = asked_problems(batch.problems, asked)
        if problems and not skip:
            check_usable(problems, None)
        good = _good(len(batch), problems)
        value = search(batch if good is None else batch.taken(good))
        if state.is_all(asked, known) or (whole and _are_all(batch, problems, state)):
            return Found(value, len(batch), good, _errors(problems) if skip else None)
        asked = state.mentioned()
        known = len(asked.names)
        if not whole:
            whole, batch = True, asked_events(events, None)


def is_skipping(on_error: object) -> bool:
    """Return whether bad events are left out, or raise for what says neither that nor that they raise."""
    if not isinstance(on_error, str) or on_error not in {"raise", "skip"}:
        raise KindError(f"on_error is 'raise' or 'skip', not {shown(on_error)}")
    return on_error == "skip"


def _are_all(batch: EventBatch, problems: list[Problem], state: State) -> bool:
    """Return whether rules that came meanwhile ask for nothing else that cannot be used."""
    return asked_problems(batch.problems, state.mentioned()) == problems


def _good(count: int, problems: list[Problem]) -> NDArray[np.int64] | None:
    """Return the rows without a problem; None if that is all."""
    if not problems:
        return None
    good = np.ones(count, bool)
    for problem in problems:
        good[problem.rows] = False
    return np.flatnonzero(good)


def _errors(problems: list[Problem]) -> list[BadEvent]:
    """Return the problems event by event."""
    errors = [
        BadEvent(row, problem.attribute, problem.error(event))
        for problem in problems
        for row, event in zip(problem.rows.tolist(), problem.events.tolist(), strict=True)
    ]
    return sorted(errors, key=lambda bad: bad.row)

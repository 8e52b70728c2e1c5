"""Matching by relation: events with sets of values in, slots out, by the engines that know how.

``Index.match`` comes here for every relation but the default, and for events that have sets. The meaning is that of the
oracle, ``language/relate.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from hedgerow.errors import EventError, Unsupported
from hedgerow.event.arrow import is_arrow
from hedgerow.event.asked import Asked
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.encode import asked_events, is_read_once
from hedgerow.event.problems import asked_problems, shown_name
from hedgerow.event.said import Said, collected_said, has_sets
from hedgerow.index.chassis.relating_cy import patterns_of
from hedgerow.index.engine import Matches, engine_factory, engine_names
from hedgerow.index.questions import Questions
from hedgerow.index.report import BadEvent
from hedgerow.index.searching import Found, State, is_skipping
from hedgerow.language.expression import Predicate
from hedgerow.language.graph_cy import Graph
from hedgerow.language.relate import check_able, tests_of
from hedgerow.regions import Region

__all__ = ["Relating", "any_sets", "related"]


@runtime_checkable
class Relating(Protocol):
    """What an engine may have beyond ``Engine``: a search by relation, for events that have sets of values."""

    @property
    def graph(self) -> Graph:
        """The graph whose predicates literals are numbered by."""

    def related(self, events: Sequence[Mapping[str, Said]], questions: Questions) -> Matches:
        """Return the slots that relate to each event, as the questions want it."""


def any_sets(state: State, events: object) -> bool:
    """Return whether some event of a batch has a set of values that is asked for; False if it cannot be read again."""
    if isinstance(events, EventBatch) or is_arrow(events) or is_read_once(events) or not isinstance(events, Iterable):
        return False
    asked = state.mentioned()
    return any(has_sets(event, asked) for event in events)


def related(state: State, name: str, source: object, relation: str, on_error: str) -> Found[Matches]:
    """Return the slots that relate so to each event of a batch; bad events are raised or told of.

    ``name`` is that of the engine. Raises ``Unsupported`` if it has no relations, or the relation no place for a
    pattern that rules have, or for a list that they ask for.
    """
    skip = is_skipping(on_error)
    engine = state.engine
    if not isinstance(engine, Relating):
        able = ", ".join(_able_engines())
        raise Unsupported(f"the engine {name!r} matches events of values, by no other relation; {able} can")
    if is_read_once(source) or not isinstance(source, Iterable):
        # Read here, once, or refused as no events.
        source = list(source) if isinstance(source, Iterator) and not is_arrow(source) else asked_events(source, None)
    while True:
        asked = state.mentioned()
        known = len(asked.names)
        said, errors = _collected(source, asked)
        if errors and not skip:
            raise errors[0].error
        bad = {error.row for error in errors}
        good = [row for row in range(len(said)) if row not in bad]
        events = [said[row] for row in good]
        _check_able(state, engine.graph, events, relation)
        matches = engine.related(events, Questions(engine.graph, relation))
        if state.is_all(asked, known):
            break
    return Found(matches, len(said), np.array(good, np.int64) if bad else None, errors if skip else None)


def _able_engines() -> list[str]:
    return [name for name in engine_names() if isinstance(engine_factory(name)("unknown"), Relating)]


def _collected(source: object, asked: Asked) -> tuple[list[dict[str, Said]], list[BadEvent]]:
    """Return what each event says, and what is wrong with some."""
    said: list[dict[str, Said]] = []
    errors: list[BadEvent] = []
    for row, (event, problems) in enumerate(_rows(source, asked)):
        entries, own = collected_said(event, asked)
        said.append(entries)
        for name, reason in [*problems, *own]:
            place = f"event {row}: " if name is None else f"event {row}: attribute {shown_name(name)}: "
            errors.append(BadEvent(row, name, EventError(f"{place}{reason}")))
    return said, errors


def _rows(source: object, asked: Asked) -> Iterator[tuple[Mapping[str, object], list[tuple[str | None, str]]]]:
    """Yield the events of whatever events come as, with what was found wrong with each before."""
    if isinstance(source, Iterable) and not isinstance(source, (EventBatch, Mapping, str)) and not is_arrow(source):
        for event in source:
            yield event, []
        return
    batch = asked_events(source, None)
    problems: dict[int, list[tuple[str | None, str]]] = {}
    for problem in asked_problems(batch.problems, asked):
        for row in problem.rows.tolist():
            problems.setdefault(row, []).append((problem.attribute, problem.reason))
    for row in range(len(batch)):
        yield batch.row(row), problems.get(row, [])


def _check_able(state: State, graph: Graph, events: Sequence[Mapping[str, Said]], relation: str) -> None:
    """Raise ``Unsupported`` if a rule has a test that has no place in the relation, or on such events.

    Predicates that only deleted rules had are still there, so rules are only looked at if there is any doubt.
    """
    doubtful = {graph.predicate(number).attribute for number in patterns_of(graph, 0)}
    if relation == "satisfied":
        doubtful &= {name for said in events for name in doubtful & said.keys() if _is_endless(said[name])}
    else:
        asked = state.mentioned().names
        lists = {name for said in events for name, entry in said.items() if isinstance(entry, tuple)} & asked
        doubtful |= lists
    if not doubtful:
        return
    tested = _tested(state, doubtful)
    for said in events or [{}]:
        check_able(tested, said, relation)


def _is_endless(entry: Said) -> bool:
    return isinstance(entry, Region) and bool(entry.spans) and entry.points() is None


def _tested(state: State, names: set[str]) -> list[Predicate]:
    """Return the tests that live rules have on some attributes."""
    slots = state.ids.live_slots().tolist()
    tests = (test for slot in slots for test in tests_of(state.engine.expression(slot)) if test.attribute in names)
    return list(dict.fromkeys(tests))

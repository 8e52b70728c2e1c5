"""Events in, whatever they come as: the one door of this room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hedgerow.errors import EventError
from hedgerow.event.arrow import from_arrow, is_arrow
from hedgerow.event.asked import Asked
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.dicts_cy import encode, encode_one
from hedgerow.event.problems import check_usable

__all__ = ["asked_events", "checked", "events", "is_read_once", "one_event"]


def events(source: Any) -> EventBatch:  # noqa: ANN401 - what it may be, the docstring says
    """Encode events, once for any number of matches.

    ``source`` is an iterable of mappings from attribute names to values; an Arrow table, record batch or reader; or
    any object with Arrow's PyCapsule interface, such as a data frame of pandas or polars or a relation of DuckDB.
    Structs and nested mappings become dotted names (``user.age``), maps ``name.key``; the objects themselves are
    present, without a value. What is null is missing. A batch is returned as it is.

    Which attributes count, only the rules know: a value that no event can have is remembered, and an index whose rules
    mention that attribute raises ``EventError``, which says which attribute of which event (counted from 0) is wrong.
    What is no event at all raises it here.

    >>> import hedgerow as hr
    >>> batch = hr.events([{"user": {"age": 20}, "tags": ["nba", "nfl"]}, {"user": {"age": None}}])
    >>> batch
    EventBatch(2 events, 3 attributes, 4 values)
    >>> batch.row(0)
    {'user': {...}, 'tags': ('nba', 'nfl'), 'user.age': 20}
    """
    batch = asked_events(source, None)
    check_usable([problem for problem in batch.problems or () if problem.attribute is None], None)
    return batch


def asked_events(source: Any, asked: Asked | None) -> EventBatch:  # noqa: ANN401 - as above
    """Encode what is asked for of events (None: all of it); a batch is returned as it is.

    >>> asked_events([{"age": 20, "picture": b"..."}], Asked(["age"])).row(0)
    {'age': 20}
    """
    if isinstance(source, EventBatch):
        return _whole(source)
    if is_arrow(source):
        return from_arrow(source, asked)
    if isinstance(source, Mapping):
        raise EventError("this is a single event: put it in a list to make it a batch")
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise EventError(f"events are mappings or rows of columns; a value of type {type(source).__name__} has neither")
    return encode(source, asked)


def is_read_once(source: object) -> bool:
    """Return whether events can be read just once, as those of a generator or a stream can.

    >>> is_read_once(iter([])), is_read_once([])
    (True, False)
    """
    return isinstance(source, Iterator) or (is_arrow(source) and not hasattr(source, "__len__"))


def one_event(event: Mapping[str, Any] | EventBatch, asked: Asked | None = None) -> EventBatch:
    """Encode what is asked for of a single event (None: all of it); or take a batch that has just one.

    >>> one_event({"user": {"age": 20}}).row(0)
    {'user': {...}, 'user.age': 20}
    """
    if not isinstance(event, EventBatch):
        return encode_one(event, asked)
    if len(_whole(event)) != 1:
        raise EventError(f"one event is needed, and this batch has {len(event):,}")
    return event


def checked(batch: EventBatch, asked: Asked | None = None) -> EventBatch:
    """Return a batch as it is; ``EventError`` if it has anything that is asked for (None: anything) and of no use."""
    check_usable(batch.problems, asked)
    return batch


def _whole(batch: EventBatch) -> EventBatch:
    if not batch.is_whole:
        raise EventError("this batch has no arrays: hedgerow.events makes whole ones")
    return batch

"""Events in, whatever they come as: the one door of this room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hedgerow.errors import EventError
from hedgerow.event.arrow import from_arrow, is_arrow
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.dicts_cy import encode, encode_one

__all__ = ["events", "one_event"]


def events(source: Any) -> EventBatch:  # noqa: ANN401 - what it may be, the docstring says
    """Encode events, once for any number of matches.

    ``source`` is an iterable of mappings from attribute names to values; an Arrow table, record batch or reader; or
    any object with Arrow's PyCapsule interface, such as a data frame of pandas or polars or a relation of DuckDB.
    Structs and nested mappings become dotted names (``user.age``), maps ``name.key``; what is null is missing. A batch
    is returned as it is. ``EventError`` says which attribute of which event (counted from 0) is wrong.

    >>> import hedgerow as hr
    >>> batch = hr.events([{"user": {"age": 20}, "tags": ["nba", "nfl"]}, {"user": {"age": None}}])
    >>> batch
    EventBatch(2 events, 2 attributes, 2 values)
    >>> batch.row(0)
    {'tags': ('nba', 'nfl'), 'user.age': 20}
    """
    if isinstance(source, EventBatch):
        return _whole(source)
    if is_arrow(source):
        return from_arrow(source)
    if isinstance(source, Mapping):
        raise EventError("this is a single event: put it in a list to make it a batch")
    if isinstance(source, (str, bytes)) or not isinstance(source, Iterable):
        raise EventError(f"events are mappings or rows of columns; a value of type {type(source).__name__} has neither")
    return encode(source)


def one_event(event: Mapping[str, Any] | EventBatch) -> EventBatch:
    """Encode a single event, a mapping from attribute names to values; or take a batch that has just one.

    >>> one_event({"user": {"age": 20}}).row(0)
    {'user.age': 20}
    """
    if not isinstance(event, EventBatch):
        return encode_one(event)
    if len(_whole(event)) != 1:
        raise EventError(f"one event is needed, and this batch has {len(event):,}")
    return event


def _whole(batch: EventBatch) -> EventBatch:
    if not batch.is_whole:
        raise EventError("this batch has no arrays: hedgerow.events makes whole ones")
    return batch

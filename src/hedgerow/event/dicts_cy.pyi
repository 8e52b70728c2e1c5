from collections.abc import Iterable, Mapping
from typing import Any

from hedgerow.event.batch_cy import EventBatch

def encode(events: Iterable[Mapping[str, Any]]) -> EventBatch:
    """Return a batch of events, each a mapping; EventError names the row (from 0) and the attribute."""

def encode_one(event: Mapping[str, Any]) -> EventBatch:
    """Return a batch of one event, a mapping; EventError names the attribute."""

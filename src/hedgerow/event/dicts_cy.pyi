from collections.abc import Iterable, Mapping
from typing import Any

from hedgerow.event.asked import Asked
from hedgerow.event.batch_cy import EventBatch

def encode(events: Iterable[Mapping[str, Any]], asked: Asked | None = None) -> EventBatch:
    """Return a batch of events, each a mapping, with what is asked for (None: all); it knows what cannot be used."""

def encode_one(event: Mapping[str, Any], asked: Asked | None = None) -> EventBatch:
    """Return a batch of one event, a mapping, with what is asked for (None: all); it knows what cannot be used."""

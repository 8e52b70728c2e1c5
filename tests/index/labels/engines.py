"""What the tests of labels share."""

from __future__ import annotations

import hedgerow as hr
from hedgerow.index.labels.labelled_cy import LabelEngine

ENGINES = ("dewey", "interval")
LEAVES = ("literals", "conjunctions")


def labelled(engine: str, leaves: str = "literals", missing: str = "unknown") -> hr.Index:
    """Return an empty index."""
    return hr.Index(engine, missing=missing, options=hr.LabelOptions(leaves=leaves))


def engine_of(index: hr.Index) -> LabelEngine:
    """Return the engine behind an index."""
    engine = index._state.engine
    assert isinstance(engine, LabelEngine)
    return engine


def labels(index: hr.Index, slot: int = 0) -> dict[str, str]:
    """Return the labels of an expression by their leaves."""
    return dict(engine_of(index).labels()[slot])

"""An event's own weights, laid beside its encoded values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from hedgerow.event.batch_cy import EventBatch
from hedgerow.language.evaluate import value_key
from hedgerow.language.score import CheckedWeights

__all__ = ["bound_weights"]

Weights = npt.NDArray[np.float64]


def bound_weights(batch: EventBatch, weights: CheckedWeights) -> tuple[Weights, Weights]:
    """Return the weight of each entry, and of each element of a list, of the one event in ``batch``."""
    entries: list[float] = []
    elements: list[float] = []
    for name, value in batch.row(0).items():
        given = weights.get(name, 1.0)
        if isinstance(value, tuple):
            elements.extend(_weight(given, element) for element in value)
        entries.append(1.0 if isinstance(value, tuple) else _weight(given, value))
    return np.array(entries, np.float64), np.array(elements, np.float64)


def _weight(given: float | Mapping[tuple[bool, object], float], value: object) -> float:
    if not isinstance(given, Mapping):
        return given
    return 1.0 if value is None else given.get(value_key(value), 1.0)

"""Random events, and how encoded ones are compared with what the oracle sees."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from hedgerow.event.arrow import from_arrow
from hedgerow.event.encode import checked
from hedgerow.values import INT64_MAX, INT64_MIN, OBJECT

if TYPE_CHECKING:
    from hedgerow.event.batch_cy import EventBatch

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
NAMES = st.one_of(st.sampled_from(["a", "b", "é", "a.b"]), TEXTS.filter(bool))
MOMENTS = st.datetimes(timezones=st.sampled_from([None, dt.UTC, dt.timezone(dt.timedelta(hours=-5))])).filter(
    lambda moment: 1 < moment.year < 9999  # so that it has a moment in UTC
)
NUMBERS = st.one_of(st.integers(INT64_MIN, INT64_MAX), st.floats(), st.integers(-9, 9).map(float))
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS, MOMENTS, st.dates())
OF_NUMPY = st.one_of(
    st.floats(width=32).map(np.float32),
    st.floats().map(np.float64),
    st.integers(-128, 127).map(np.int8),
    st.booleans().map(np.bool_),
    TEXTS.map(np.str_),
    st.integers(-(10**15), 10**15).map(lambda moment: np.datetime64(moment, "us")),
    st.lists(st.integers(INT64_MIN, INT64_MAX), max_size=3).map(np.array),
    st.lists(st.floats(), max_size=3).map(np.array),
)
HASHABLES = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), TEXTS)
LISTS = st.one_of(
    st.lists(SCALARS, max_size=4),
    st.lists(SCALARS, max_size=4).map(tuple),
    st.sets(HASHABLES, max_size=4),
    st.frozensets(HASHABLES, max_size=4),
    st.lists(OF_NUMPY, max_size=2),  # an array among them is a list in a list
)
VALUES = st.one_of(SCALARS, LISTS, OF_NUMPY)
EVENTS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    st.dictionaries(NAMES, VALUES, max_size=4),
    lambda events: st.dictionaries(NAMES, st.one_of(VALUES, events), max_size=4),
    max_leaves=8,
)


def leaves(batch: EventBatch, row: int) -> dict[str, Any]:
    """Return an event without the objects that its values are in."""
    return {name: value for name, value in batch.row(row).items() if value is not OBJECT}


def rows(batch: EventBatch) -> list[list[str]]:
    """Return every event of a batch, in a form that can be compared."""
    return [shown(batch.row(row)) for row in range(len(batch))]


def strict(source: Any) -> EventBatch:
    """Return what Arrow's columns give; whatever cannot be used raises, as if a rule asked for it."""
    return checked(from_arrow(source))


def column(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return what a table with one column gives: its value in each event, None where it is missing."""
    batch = strict(pa.table({"x": array}))
    events = [batch.row(row) for row in range(len(batch))]
    assert all(set(event) <= {"x"} for event in events)
    return [event.get("x") for event in events]


def dictionary(indices: list[int | None], values: pa.Array) -> pa.DictionaryArray:
    """Return an array that says its values by their numbers."""
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int16()), values)


def shown(event: dict[str, Any]) -> list[str]:
    """Return what tells two flat events apart: names, values and their exact types, with NaN like NaN, in any order."""
    return sorted(f"{name}={_form(value)}" for name, value in event.items())


def _form(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_form, value))})"
    # The sign of "not a number" is no part of it.
    text = "nan" if isinstance(value, float) and math.isnan(value) else repr(value)
    return f"{type(value).__name__} {text}"

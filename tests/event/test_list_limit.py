"""How long a list in an event may be: as long as one in an expression, in whatever form the event comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import EventError
from hedgerow.event import columns, flatten
from hedgerow.limits import MAX_LIST
from hedgerow.values import OBJECT

LONGEST = f"a list has at most {MAX_LIST:,} values"
ASKED = "x > 0 OR user.tags > 0 OR x.m > 0"


def _matched(source: Any) -> list[int]:
    """Return the rows that a rule on all of these lists matches."""
    index = hr.Index()
    index.insert(1, ASKED)
    rows: list[int] = index.match_batch(source)["event"].to_pylist()
    return rows


def _arrow(*counts: int | None) -> pa.Array:
    """Return lists of small integers, one of each length."""
    ends = np.cumsum([0, *(count or 0 for count in counts)])
    offsets = pa.array(
        [None if count is None else end for count, end in zip([*counts, 0], ends, strict=True)], pa.int64()
    )
    return pa.LargeListArray.from_arrays(offsets, pa.array(np.zeros(ends[-1], np.int8)))


@pytest.mark.parametrize("make", (list, tuple))
def test_a_dict_may_have_a_list_of_just_so_many_elements(make: Callable[[list[int]], Any]) -> None:
    """The longest list is taken and matched; one element more is refused, with the attribute and the row."""
    index = hr.Index()
    index.insert(1, ASKED)
    assert index.match({"x": make([0] * (MAX_LIST - 1) + [1])}) == [1]
    too_long = make([0] * (MAX_LIST + 1))
    with pytest.raises(EventError, match=f"^attribute 'x': {LONGEST}"):
        index.match({"x": too_long})
    with pytest.raises(EventError, match=f"^event 1: attribute 'user.tags': {LONGEST}"):
        index.match_batch([{"x": 1}, {"user": {"tags": too_long}}])
    with pytest.raises(EventError, match=f"^attribute 'x': {LONGEST}"):
        hr.evaluate("x > 0", {"x": too_long})


def test_sets_and_arrays_are_counted_as_lists() -> None:
    """A set, a frozen one and NumPy's array of one element more are refused before they are looked at."""
    for make in (set, frozenset, np.array):
        with pytest.raises(EventError, match=f"^event 0: attribute 'x': {LONGEST}"):
            _matched([{"x": make(range(MAX_LIST + 1))}])


def test_an_arrow_column_may_have_lists_of_just_so_many_elements() -> None:
    """The longest list is taken; one element more is refused, with the attribute and the row, nulls before it."""
    assert len(hr.events(pa.table({"x": _arrow(2, MAX_LIST)}))) == 2
    with pytest.raises(EventError, match=f"^event 2: attribute 'x': {LONGEST}"):
        _matched(pa.table({"x": _arrow(1, None, MAX_LIST + 1)}))
    with pytest.raises(EventError, match=f"^event 1: attribute 'user.tags': {LONGEST}"):
        _matched(pa.table({"user": pa.StructArray.from_arrays([_arrow(3, MAX_LIST + 1)], ["tags"])}))


@pytest.mark.parametrize(
    "shape", (pa.list_(pa.int8()), pa.large_list(pa.int8()), pa.list_view(pa.int8()), pa.list_(pa.int8(), 5))
)
def test_every_kind_of_arrow_list_is_counted(shape: pa.DataType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of fixed size, large ones and views have the same limit, in maps too."""
    column = pa.array([None, [1, 2, 3, 4, 5]], shape)
    monkeypatch.setattr(columns, "MAX_LIST", 5)
    assert hr.events(pa.table({"x": column})).row(1) == {"x": (1, 2, 3, 4, 5)}
    monkeypatch.setattr(columns, "MAX_LIST", 4)
    with pytest.raises(EventError, match=r"^event 1: attribute 'x': a list has at most 4 values"):
        _matched(pa.table({"x": column}))
    mapped = pa.array([[("k", [1])], [("k", [1]), ("m", [1, 2, 3, 4, 5])]], pa.map_(pa.string(), pa.list_(pa.int8())))
    with pytest.raises(EventError, match=r"^event 1: attribute 'x\.m': a list has at most 4 values"):
        _matched(pa.table({"x": mapped}))


def test_lists_in_data_frames_have_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames of pandas and polars come as Arrow's columns, and are refused as these are."""
    monkeypatch.setattr(columns, "MAX_LIST", 2)
    rows = {"x": [[1], [1, 2], [1, 2, 3]]}
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows)):
        assert len(hr.events(frame[:2])) == 2
        with pytest.raises(EventError, match=r"^event 2: attribute 'x': a list has at most 2 values"):
            _matched(frame)


def test_the_oracle_has_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What defines events takes lists of just so many elements, and refuses one more."""
    monkeypatch.setattr(flatten, "MAX_LIST", 3)
    assert flatten.flatten({"a": {"b": {1, 2, 3}}}) == {"a": OBJECT, "a.b": (1, 2, 3)}
    with pytest.raises(EventError, match=r"^attribute 'a\.b': a list has at most 3 values, and this one 4"):
        flatten.flatten({"a": {"b": np.arange(4)}})

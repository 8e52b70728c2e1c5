"""Columns that are odd or broken: read rightly, or refused by name."""

from __future__ import annotations

import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from tests.event.samples import dictionary, leaves, strict


def runs() -> pa.Array:
    """Return 7, 7, 8 as runs."""
    return pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([7, 8]))


@pytest.mark.parametrize("start", (0, 1))
def test_runs_in_a_struct_are_missing_where_it_is_null(start: int) -> None:
    """Runs have no nulls of their own, so Arrow does not hand on those of the struct."""
    mask = pa.array([True, False, False])
    inner = pa.StructArray.from_arrays([runs(), pa.array([1, 2, 3])], ["x", "y"], mask=mask)
    outer = pa.StructArray.from_arrays([inner], ["b"], mask=pa.array([False, False, True]))
    batch = hr.events(pa.table({"a": outer}).slice(start))
    expected = [{}, {"a.b.x": 7, "a.b.y": 2}, {}]
    assert [leaves(batch, row) for row in range(len(batch))] == expected[start:]


@pytest.mark.parametrize("items", (pa.int64(), pa.string_view(), pa.struct({"n": pa.string_view()})))
@pytest.mark.parametrize("offsets", ([0, 1, 1, 2], [0, 1, 2, 3]))
def test_a_map_with_views_as_keys_may_be_null(items: pa.DataType, offsets: list[int]) -> None:
    """Arrow cannot take parts of such arrays; with items that nobody sees, it may have to be refused by name."""
    keys = pa.array(["k", "m", "k"][: offsets[-1]], pa.string_view())
    value = 1 if items == pa.int64() else "x" if items == pa.string_view() else {"n": "x"}
    values = pa.array([value] * offsets[-1], items)
    array = pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys, values, mask=pa.array([False, True, False]))
    try:
        batch = strict(pa.table({"a": array}))
    except hr.EventError as error:
        assert str(error).startswith("attribute 'a': ")
    else:
        names = [sorted(leaves(batch, row)) for row in range(3)]
        last = "a.m" if offsets[-1] == 2 else "a.k"
        end = ".n" if pa.types.is_struct(items) else ""
        assert names == [[f"a.k{end}"], [], [f"{last}{end}"]]


@pytest.mark.parametrize("indices", ([0, 5], [-1, 0], [None, 2]))
@pytest.mark.parametrize("kind", (pa.string(), pa.large_string(), pa.string_view(), pa.int64()))
def test_a_dictionary_whose_indices_lead_nowhere_is_refused(indices: list[int | None], kind: pa.DataType) -> None:
    """An index below zero would be read from the end."""
    values = pa.array([1, 2], pa.int64()).cast(pa.string()).cast(kind)
    array = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), values, safe=False)
    with pytest.raises(hr.EventError, match=r"^attribute 'a': (index|Index) -?\d"):
        index_of("a").match_batch(pa.table({"a": array}))


def index_of(name: str) -> hr.Index:
    """Return an index whose rules mention an attribute."""
    index = hr.Index()
    index.insert(1, hr.attr(name).is_not_null())
    return index


def test_a_dictionary_of_keys_whose_indices_lead_nowhere_is_refused() -> None:
    """As one of values is."""
    keys = pa.DictionaryArray.from_arrays(pa.array([0, -1], pa.int8()), pa.array(["k", "m"]), safe=False)
    array = pa.MapArray.from_arrays(pa.array([0, 2], pa.int32()), keys, pa.array([1, 2]))
    with pytest.raises(hr.EventError, match=r"^attribute 'a': "):
        index_of("a.k").match_batch(pa.table({"a": array}))
    good = pa.MapArray.from_arrays(pa.array([0, 2], pa.int32()), dictionary([0, 1], pa.array(["k", "m"])), keys.indices)
    assert index_of("a.k").count_batch(pa.table({"a": good})).to_pylist() == [1]


@pytest.mark.parametrize(
    ("frame", "name"),
    (
        (pd.DataFrame({"a": [1j], "b": [1]}), "a"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "a"),
        (pd.DataFrame({"a": [1, "x"], "b": [1, 2]}), "a"),
        (pd.DataFrame({"a": [object()]}), "a"),
        (pl.DataFrame({"a": [object()]}), "a"),
    ),
    ids=("complex", "twice", "mixed", "objects", "polars objects"),
)
def test_a_data_frame_that_is_no_table_is_refused_by_name(frame: object, name: str) -> None:
    """Whatever the other library raises."""
    with pytest.raises(hr.EventError, match=re.escape(name)):
        index_of(name).match_batch(frame)

"""Arrow tables: taken apart, cut and put together, the same events as dicts would give."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import EventError
from hedgerow.event import arrow
from hedgerow.event.arrow import from_arrow
from hedgerow.event.dicts_cy import encode
from hedgerow.limits import MAX_NAME_BYTES
from hedgerow.values import INT64_MAX, INT64_MIN
from tests.event.samples import TEXTS, column, dictionary, leaves, rows, strict

ROWS = st.fixed_dictionaries(
    {
        "flag": st.one_of(st.none(), st.booleans()),
        "count": st.one_of(st.none(), st.integers(INT64_MIN, INT64_MAX)),
        "ratio": st.one_of(st.none(), st.floats(), st.integers(-9, 9).map(float)),
        "text": st.one_of(st.none(), TEXTS),
        "when": st.one_of(st.none(), st.datetimes(timezones=st.just(dt.UTC))),
        "day": st.one_of(st.none(), st.dates()),
        "numbers": st.one_of(st.none(), st.lists(st.one_of(st.none(), st.floats()), max_size=3)),
        "texts": st.one_of(st.none(), st.lists(st.one_of(st.none(), TEXTS), max_size=3)),
        "user": st.one_of(
            st.none(),
            st.fixed_dictionaries(
                {
                    "age": st.one_of(st.none(), st.integers(0, 9)),
                    "home": st.one_of(st.none(), st.fixed_dictionaries({"city": st.one_of(st.none(), TEXTS)})),
                }
            ),
        ),
        "map": st.one_of(st.none(), st.dictionaries(TEXTS.filter(bool), st.one_of(st.none(), st.integers(0, 9)))),
    }
)
SCHEMA = pa.schema(
    {
        "flag": pa.bool_(),
        "count": pa.int64(),
        "ratio": pa.float64(),
        "text": pa.string(),
        "when": pa.timestamp("us", "UTC"),
        "day": pa.date32(),
        "numbers": pa.list_(pa.float64()),
        "texts": pa.list_(pa.string()),
        "user": pa.struct({"age": pa.int8(), "home": pa.struct({"city": pa.string()})}),
        "map": pa.map_(pa.string(), pa.int64()),
    }
)


@given(st.lists(ROWS, max_size=8), st.integers(0, 3), st.integers(0, 3))
def test_a_table_gives_the_events_that_its_rows_give(events: list[dict[str, Any]], skipped: int, cut: int) -> None:
    """Whole, sliced, or in chunks, a table is read as the dicts that it was made of."""
    arrays = [pa.array([_written(event[name]) for event in events], SCHEMA.field(name).type) for name in SCHEMA.names]
    table = pa.table(arrays, schema=SCHEMA)
    expected = rows(encode(events))
    assert rows(from_arrow(table)) == expected
    assert rows(from_arrow(table.slice(skipped))) == expected[skipped:]
    assert rows(from_arrow(pa.concat_tables([table.slice(0, cut), table.slice(cut)]))) == expected


def _written(value: Any) -> Any:
    """Return a value as Arrow takes it from Python: the items of a map are pairs."""
    return value if not isinstance(value, dict) or "home" in value else list(value.items())


def test_large_tables_are_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows, lists and strings go on from one block to the next; larger chunks are cut and smaller ones put together."""
    monkeypatch.setattr(arrow, "_BLOCK_ROWS", 10)
    events = [{"a": row, "b": [row, None], "c": f"text{row % 4}", "d": {"e": row or None}} for row in range(97)]
    table = pa.Table.from_pylist(events)
    chunks = [table.slice(0, 1), table.slice(1, 3), table.slice(4, 45), table.slice(49, 0), table.slice(49)]
    expected = rows(encode(events))
    assert rows(from_arrow(table)) == expected
    assert rows(from_arrow(pa.concat_tables(chunks))) == expected
    assert from_arrow(table).string_count == 4


def test_structs_become_dotted_names() -> None:
    """At any depth; a null struct has no fields, whatever lies behind it."""
    inner = pa.StructArray.from_arrays([pa.array([1, 2, 3])], ["c"], mask=pa.array([False, True, False]))
    outer = pa.StructArray.from_arrays(
        [inner, pa.array(["x", "y", "z"])], ["b", "d"], mask=pa.array([False, False, True])
    )
    batch = from_arrow(pa.table({"a": outer}))
    assert [leaves(batch, row) for row in range(3)] == [{"a.b.c": 1, "a.d": "x"}, {"a.d": "y"}, {}]
    assert leaves(from_arrow(pa.table({"a": outer}).slice(1)), 0) == {"a.d": "y"}


@pytest.mark.parametrize(
    "key", (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()))
)
def test_maps_become_dotted_names(key: pa.DataType) -> None:
    """Keys of text, of any layout."""
    if pa.types.is_dictionary(key):
        keys = dictionary([0, 1, 0], pa.array(["k", "m", "never"]))
    else:
        keys = pa.array(["k", "m", "k"], key)
    array = pa.MapArray.from_arrays(pa.array([0, 2, 2, 3], pa.int32()), keys, pa.array([1, None, 3]))
    batch = from_arrow(pa.table({"a": array}))
    assert [leaves(batch, row) for row in range(3)] == [{"a.k": 1}, {}, {"a.k": 3}]
    assert leaves(from_arrow(pa.table({"a": array}).slice(2)), 0) == {"a.k": 3}


def test_keys_of_maps_that_are_not_text_are_written_as_python_writes_them() -> None:
    """Numbers, booleans and dates can be keys."""
    batch = from_arrow(
        pa.table(
            {
                "a": pa.array([[(1, "x"), (-2, "y")]], pa.map_(pa.int32(), pa.string())),
                "b": pa.array([[(True, 1.5)]], pa.map_(pa.bool_(), pa.float64())),
                "c": pa.array([[(dt.date(2026, 1, 1), [1])]], pa.map_(pa.date32(), pa.list_(pa.int8()))),
            }
        )
    )
    assert leaves(batch, 0) == {"a.1": "x", "a.-2": "y", "b.True": 1.5, "c.2026-01-01": (1,)}


def test_maps_and_structs_nest_in_each_other() -> None:
    """A map of structs of maps, with nulls at every level."""
    kind = pa.map_(pa.string(), pa.struct({"n": pa.int64(), "m": pa.map_(pa.string(), pa.string())}))
    values = [
        [("p", {"n": 1, "m": [("q", "x"), ("r", None)]}), ("s", None)],
        None,
        [("s", {"n": None, "m": [("q", "y")]}), ("p", {"n": 3, "m": None})],
    ]
    batch = from_arrow(pa.table({"a": pa.array(values, kind)}))
    assert [leaves(batch, row) for row in range(3)] == [{"a.p.n": 1, "a.p.m.q": "x"}, {}, {"a.s.m.q": "y", "a.p.n": 3}]


def test_a_null_map_may_have_items_that_nobody_sees() -> None:
    """As with lists."""
    keys, items = pa.array(["k", "m"]), pa.array([1, 2])
    array = pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), keys, items, mask=pa.array([True, False]))
    batch = from_arrow(pa.table({"a": array}))
    assert [leaves(batch, 0), leaves(batch, 1)] == [{}, {"a.m": 2}]


def test_a_map_with_a_key_twice_is_an_error() -> None:
    """Arrow does not mind; an event has one value for an attribute."""
    array = pa.array([[("k", 1)], [("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int64()))
    with pytest.raises(EventError, match=r"^event 1: attribute 'a\.k': given twice$"):
        strict(pa.table({"a": array}))
    with pytest.raises(EventError, match=r"^event 0: attribute 'a\.k': given twice$"):
        strict(pa.table({"a.k": [1, None], "a": array}))


def test_a_map_and_a_column_may_share_a_name_in_different_events() -> None:
    """What counts is the event."""
    array = pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64()))
    batch = from_arrow(pa.table({"a.k": [None, 2], "a": array}))
    assert [leaves(batch, 0), leaves(batch, 1)] == [{"a.k": 1}, {"a.k": 2}]


def test_a_map_with_values_or_keys_of_a_bad_type_is_an_error() -> None:
    """Even if it has no item."""
    with pytest.raises(EventError, match=r"^attribute 'x': events have no values of Arrow's type binary"):
        column(pa.array([[]], pa.map_(pa.string(), pa.binary())))
    with pytest.raises(EventError, match=r"^attribute 'x': keys of Arrow's type binary; cast them to string"):
        column(pa.array([[]], pa.map_(pa.binary(), pa.string())))


def test_bad_names_of_columns_are_errors() -> None:
    """Twice the same name, by repetition or by nesting."""
    one = pa.array([1])
    same = pa.StructArray.from_arrays([one, one], ["b", "b"])
    for names, arrays, message in (
        (["a", "a"], [one, one], "attribute 'a': two columns have this name"),
        (["a", "a"], [one, pa.array([{"b": 1}])], "attribute 'a': two columns have this name"),
        (["a"], [same], "attribute 'a.b': two fields of 'a' have this name"),
        (["a", "a.b"], [pa.array([{"b": 1}]), one], "attribute 'a.b': given twice"),
    ):
        with pytest.raises(EventError, match=f"^{message}"):
            strict(pa.RecordBatch.from_arrays(arrays, names))


def test_names_that_no_rule_can_mention_are_left_out() -> None:
    """An empty one, or a very long one."""
    one = pa.array([1])
    for names, arrays in (
        (["", "b"], [one, one]),
        (["a", "b"], [pa.array([{"": 1}]), one]),
        (["a" * (MAX_NAME_BYTES + 1), "b"], [one, one]),
        (["a", "b"], [pa.array([[("", 1)]], pa.map_(pa.string(), pa.int64())), one]),
    ):
        batch = strict(pa.RecordBatch.from_arrays(arrays, names))
        assert {name: value for name, value in leaves(batch, 0).items() if name} == {"b": 1}


def test_no_rows_and_no_columns_are_fine() -> None:
    """A table without rows has no events; rows without columns are events without attributes."""
    assert len(from_arrow(pa.table({"a": pa.array([], pa.list_(pa.string()))}))) == 0
    assert len(from_arrow(pa.table({}))) == 0
    empty = pa.RecordBatch.from_struct_array(pa.array([{}, {}, {}], pa.struct([])))
    assert rows(from_arrow(empty)) == [[], [], []]
    assert rows(from_arrow(empty.slice(1))) == [[], []]


def test_what_speaks_arrow_is_read() -> None:
    """Tables, batches, readers, and arrays of structs, a null one being an event without attributes."""
    events: list[dict[str, Any]] = [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]
    table = pa.Table.from_pylist(events)
    expected = rows(encode(events))
    assert rows(from_arrow(table.to_batches()[0])) == expected
    assert rows(from_arrow(table.to_reader())) == expected
    assert rows(from_arrow(pa.array([None, *events]))) == [[], *expected]
    assert rows(from_arrow(pa.chunked_array([pa.array(events), pa.array(events)]))) == expected * 2


@pytest.mark.parametrize("source", (pa.array([1, 2]), pa.chunked_array([[1, 2]])), ids=("array", "chunked array"))
def test_columns_without_a_name_are_an_error(source: Any) -> None:
    """A single column says nothing about attributes."""
    with pytest.raises(EventError, match=r"^events are rows of named columns"):
        from_arrow(source)


def test_a_batch_outlives_the_table() -> None:
    """What a batch holds is its own."""
    table = pa.table(
        {"a": np.arange(100), "b": [[number] for number in range(100)], "c": [f"t{n}" for n in range(100)]}
    )
    batch = from_arrow(table)
    del table
    assert batch.row(99) == {"a": 99, "b": (99,), "c": "t99"}

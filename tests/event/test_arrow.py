"""Arrow columns: every type, every layout, the same events as dicts would give."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import EventError
from hedgerow.event import arrow
from hedgerow.event.arrow import from_arrow
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.dicts_cy import encode
from hedgerow.limits import MAX_NAME_BYTES
from hedgerow.values import INT64_MAX, INT64_MIN
from tests.event.samples import TEXTS, shown

MOMENT = dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=dt.UTC)


def rows(batch: EventBatch) -> list[list[str]]:
    """Return every event of a batch, in a form that can be compared."""
    return [shown(batch.row(row)) for row in range(len(batch))]


def column(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return what a table with one column gives: its value in each event, None where it is missing."""
    batch = from_arrow(pa.table({"x": array}))
    events = [batch.row(row) for row in range(len(batch))]
    assert all(set(event) <= {"x"} for event in events)
    return [event.get("x") for event in events]


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
    assert len(from_arrow(table).strings) == 4


@pytest.mark.parametrize("kind", (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()))
def test_integers_of_every_width(kind: pa.DataType) -> None:
    """Each width gives the same numbers."""
    assert column(pa.array([1, None, 100], kind)) == [1, None, 100]


def test_unsigned_integers_up_to_what_64_bits_can_say() -> None:
    """A number beyond is an error that names its event."""
    assert column(pa.array([INT64_MAX], pa.uint64())) == [INT64_MAX]
    with pytest.raises(EventError, match="^event 2: attribute 'x': an integer beyond 64 bits$"):
        column(pa.array([1, None, 2**63], pa.uint64()))
    with pytest.raises(EventError, match="^event 3: attribute 'x': an integer beyond 64 bits$"):
        column(pa.array([None, [], [1, None], [2, 2**63]], pa.list_(pa.uint64())))


@pytest.mark.parametrize("kind", (pa.float16(), pa.float32(), pa.float64()))
def test_floats_of_every_width(kind: pa.DataType) -> None:
    """Whole numbers become integers, and what is not a number stays so."""
    values = np.array([1.5, 2.0, np.inf, np.nan], kind.to_pandas_dtype())
    assert [repr(value) for value in column(pa.array(values, kind))] == ["1.5", "2", "inf", "nan"]


@pytest.mark.parametrize("kind", (pa.string(), pa.large_string(), pa.string_view()))
def test_strings_of_every_layout(kind: pa.DataType) -> None:
    """Empty ones, long ones, and slices of them."""
    texts = ["", None, "a", "a longer string than a view holds", "é", "a"]
    assert column(pa.array(texts, kind)) == texts
    assert column(pa.array(texts, kind).slice(2, 3)) == texts[2:5]
    assert column(pa.array([""], kind)) == [""]


@pytest.mark.parametrize(
    ("unit", "expected"),
    (("s", MOMENT.replace(microsecond=0)), ("ms", MOMENT.replace(microsecond=678000)), ("us", MOMENT), ("ns", MOMENT)),
)
@pytest.mark.parametrize("zone", (None, "UTC", "America/New_York"))
def test_timestamps_of_every_unit_and_zone(unit: str, zone: str | None, expected: dt.datetime) -> None:
    """The moment counts, whatever the zone it is shown in; without one it is UTC."""
    values = pa.array([MOMENT, None]).cast(pa.timestamp(unit, zone), safe=False)
    assert column(values) == [expected, None]


def test_timestamps_are_rounded_down() -> None:
    """Nanoseconds before 1970 belong to the microsecond that they are in."""
    expected = dt.datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC)
    assert column(pa.array([-1], pa.timestamp("ns"))) == [expected]


def test_dates_are_their_midnight() -> None:
    """Both of Arrow's types of dates."""
    day = dt.date(1969, 12, 30)
    expected = [dt.datetime(1969, 12, 30, tzinfo=dt.UTC), None]
    assert column(pa.array([day, None], pa.date32())) == expected
    assert column(pa.array([day, None], pa.date64())) == expected


@pytest.mark.parametrize(
    "values",
    (
        pa.array([0, 2**62], pa.timestamp("us")),
        pa.array([0, 2**62], pa.timestamp("s")),
        pa.array([0, -(2**62)], pa.timestamp("ms")),
        pa.array([0, 2**31 - 1], pa.int32()).view(pa.date32()),
        pa.array([0, 2**62], pa.int64()).view(pa.date64()),
    ),
    ids=lambda values: str(values.type),
)
def test_a_timestamp_that_python_has_not_is_an_error(values: pa.Array) -> None:
    """Years run from 1 to 9999, as they do in dicts."""
    with pytest.raises(EventError, match="^event 1: attribute 'x': a timestamp outside the years 1 to 9999$"):
        column(values)


def test_the_first_and_last_timestamps_are_good() -> None:
    """The limits themselves are inside."""
    ends = [dt.datetime.min.replace(tzinfo=dt.UTC), dt.datetime.max.replace(tzinfo=dt.UTC)]
    assert column(pa.array(ends)) == ends


def test_a_column_of_nulls_is_missing() -> None:
    """Arrow's null type has no values at all."""
    assert column(pa.nulls(3)) == [None] * 3
    assert column(pa.array([[None], []], pa.list_(pa.null()))) == [(None,), ()]


def dictionary(indices: list[int | None], values: pa.Array) -> pa.DictionaryArray:
    """Return an array that says its values by their numbers."""
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int16()), values)


@pytest.mark.parametrize(
    "values",
    (
        pa.array(["a", "b"]),
        pa.array(["a", "b"], pa.large_string()),
        pa.array(["a", "b"], pa.string_view()),
        pa.array([1, 2]),
        pa.array([1.5, 2.0]),
        pa.array([MOMENT, MOMENT]),
    ),
    ids=lambda values: str(values.type),
)
def test_dictionaries_of_every_type(values: pa.Array) -> None:
    """A dictionary is read as its values."""
    first, second = (value.as_py() for value in values)
    array = dictionary([1, None, 0, 1], values)
    assert column(array) == [second, None, first, second]
    assert column(array.slice(1, 2)) == [None, first]


def test_dictionaries_with_nulls_repeats_or_more_than_the_rows_need() -> None:
    """A null may be in the dictionary, a value may be there twice or be used by nobody."""
    assert column(dictionary([0, 1, 2, None], pa.array(["a", None, "a"]))) == ["a", None, "a", None]
    assert column(dictionary([2], pa.array(["a", "b", "c"]))) == ["c"]
    assert column(dictionary([], pa.array(["a"]))) == []


def test_chunks_may_have_different_dictionaries() -> None:
    """The same number means another value in another chunk."""
    chunks = pa.chunked_array([dictionary([0, 1], pa.array(["a", "b"])), dictionary([0, 1], pa.array(["c", "a"]))])
    assert column(chunks) == ["a", "b", "c", "a"]


LISTS = (
    pa.list_(pa.int32()),
    pa.large_list(pa.int32()),
    pa.list_(pa.int32(), 2),
    pa.list_view(pa.int32()),
    pa.large_list_view(pa.int32()),
)


@pytest.mark.parametrize("kind", LISTS, ids=str)
def test_lists_of_every_layout(kind: pa.DataType) -> None:
    """Nulls inside a list are kept, a null list is missing."""
    array = pa.array([[1, 2], None, [3, None], [4, 5]], kind)
    assert column(array) == [(1, 2), None, (3, None), (4, 5)]
    assert column(array.slice(1, 2)) == [None, (3, None)]


@pytest.mark.parametrize(
    ("element", "values"),
    (
        (pa.bool_(), [True, None]),
        (pa.string(), ["a", None, ""]),
        (pa.string_view(), ["a", None, "a longer string than a view holds"]),
        (pa.dictionary(pa.int8(), pa.string()), ["a", None, "a"]),
        (pa.timestamp("us", "UTC"), [MOMENT, None]),
        (pa.float64(), [1.5, 2.0, None]),
    ),
    ids=str,
)
def test_lists_of_every_element(element: pa.DataType, values: list[Any]) -> None:
    """What can be a value can be an element."""
    assert column(pa.array([values, None, []], pa.list_(element))) == [tuple(values), None, ()]


def test_a_null_list_may_have_elements_that_nobody_sees() -> None:
    """Arrow lets a null have anything behind it."""
    offsets, values = pa.array([0, 2, 4], pa.int32()), pa.array([1, 2, 3, 4])
    array = pa.ListArray.from_arrays(offsets, values, mask=pa.array([True, False]))
    assert column(array) == [None, (3, 4)]


def test_structs_become_dotted_names() -> None:
    """At any depth; a null struct has no fields, whatever lies behind it."""
    inner = pa.StructArray.from_arrays([pa.array([1, 2, 3])], ["c"], mask=pa.array([False, True, False]))
    outer = pa.StructArray.from_arrays([inner, pa.array(["x", "y", "z"])], ["b", "d"], mask=pa.array([False, False, True]))
    batch = from_arrow(pa.table({"a": outer}))
    assert [batch.row(row) for row in range(3)] == [{"a.b.c": 1, "a.d": "x"}, {"a.d": "y"}, {}]
    assert from_arrow(pa.table({"a": outer}).slice(1)).row(0) == {"a.d": "y"}


@pytest.mark.parametrize("key", (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())))
def test_maps_become_dotted_names(key: pa.DataType) -> None:
    """Keys of text, of any layout."""
    if pa.types.is_dictionary(key):
        keys = dictionary([0, 1, 0], pa.array(["k", "m", "never"]))
    else:
        keys = pa.array(["k", "m", "k"], key)
    array = pa.MapArray.from_arrays(pa.array([0, 2, 2, 3], pa.int32()), keys, pa.array([1, None, 3]))
    batch = from_arrow(pa.table({"a": array}))
    assert [batch.row(row) for row in range(3)] == [{"a.k": 1}, {}, {"a.k": 3}]
    assert from_arrow(pa.table({"a": array}).slice(2)).row(0) == {"a.k": 3}


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
    assert batch.row(0) == {"a.1": "x", "a.-2": "y", "b.True": 1.5, "c.2026-01-01": (1,)}


def test_maps_and_structs_nest_in_each_other() -> None:
    """A map of structs of maps, with nulls at every level."""
    kind = pa.map_(pa.string(), pa.struct({"n": pa.int64(), "m": pa.map_(pa.string(), pa.string())}))
    values = [
        [("p", {"n": 1, "m": [("q", "x"), ("r", None)]}), ("s", None)],
        None,
        [("s", {"n": None, "m": [("q", "y")]}), ("p", {"n": 3, "m": None})],
    ]
    batch = from_arrow(pa.table({"a": pa.array(values, kind)}))
    assert [batch.row(row) for row in range(3)] == [{"a.p.n": 1, "a.p.m.q": "x"}, {}, {"a.s.m.q": "y", "a.p.n": 3}]


def test_a_null_map_may_have_items_that_nobody_sees() -> None:
    """As with lists."""
    keys, items = pa.array(["k", "m"]), pa.array([1, 2])
    array = pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), keys, items, mask=pa.array([True, False]))
    batch = from_arrow(pa.table({"a": array}))
    assert [batch.row(0), batch.row(1)] == [{}, {"a.m": 2}]


def test_a_map_with_a_key_twice_is_an_error() -> None:
    """Arrow does not mind; an event has one value for an attribute."""
    array = pa.array([[("k", 1)], [("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int64()))
    with pytest.raises(EventError, match=r"^event 1: attribute 'a\.k': given twice$"):
        from_arrow(pa.table({"a": array}))
    with pytest.raises(EventError, match=r"^event 0: attribute 'a\.k': given twice$"):
        from_arrow(pa.table({"a.k": [1, None], "a": array}))


def test_a_map_and_a_column_may_share_a_name_in_different_events() -> None:
    """What counts is the event."""
    array = pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64()))
    batch = from_arrow(pa.table({"a.k": [None, 2], "a": array}))
    assert [batch.row(0), batch.row(1)] == [{"a.k": 1}, {"a.k": 2}]


def test_extension_types_are_read_as_what_they_store() -> None:
    """In a column, in a list, and sliced."""
    texts = pa.array(['{"a": 1}', None, "[]"])
    assert column(pa.ExtensionArray.from_storage(pa.json_(), texts).slice(1)) == [None, "[]"]
    numbers = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8()))
    assert column(pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), numbers)) == [(1, 0)]


def test_run_end_encoded_columns_are_read_as_their_values() -> None:
    """One more way to write the same."""
    assert column(pc.run_end_encode(pa.array(["a", "a", None, "b"]))) == ["a", "a", None, "b"]


BAD_TYPES = (
    (pa.array([b"x"]), "binary", "string"),
    (pa.array([b"x"], pa.binary(1)), "fixed_size_binary", "string"),
    (pa.array([b"x"], pa.large_binary()), "large_binary", "string"),
    (pa.array([Decimal("1.5")]), "decimal128", "double or string"),
    (pa.array([dt.time(1)]), "time64", "int64 or string"),
    (pa.array([dt.timedelta(1)]), "duration", "int64"),
    (pa.array([pa.MonthDayNano([1, 2, 3])]), "month_day_nano_interval", "string"),
    (pa.array([[{"a": 1}]]), "list<", "structs, maps and lists of plain values"),
    (pa.array([[[1]]]), "list<", "structs, maps and lists of plain values"),
    (pa.array([[b"x"]]), "list<", "structs, maps and lists of plain values"),
    (pa.array([[[("k", 1)]]], pa.list_(pa.map_(pa.string(), pa.int8()))), "list<", "lists of plain values"),
    (pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), "sparse_union", "plain values"),
    (dictionary([0], pa.array([b"x"])), "binary", "string"),
    (pa.array([b"0123456789abcdef"], pa.uuid()), "fixed_size_binary", "string"),
)


@pytest.mark.parametrize(("array", "kind", "advice"), BAD_TYPES, ids=[str(array.type) for array, _, _ in BAD_TYPES])
def test_a_type_that_events_have_not_is_an_error_that_says_what_to_do(array: pa.Array, kind: str, advice: str) -> None:
    """The message names column, type and cast, whether there are rows or not, and whatever the column is in."""
    expected = f"^attribute '%s': events have no values of Arrow's type {kind}.*; cast the column to .*{advice}$"
    table = pa.table({"x": array})
    for source, name in (
        (table, "x"),
        (table.slice(1), "x"),
        (table.schema.empty_table(), "x"),
        (pa.table({"s": pa.StructArray.from_arrays([array], ["x"])}), "s.x"),
    ):
        with pytest.raises(EventError, match=expected % name.replace(".", r"\.")):
            from_arrow(source)


def test_a_map_with_values_or_keys_of_a_bad_type_is_an_error() -> None:
    """Even if it has no item."""
    with pytest.raises(EventError, match="^attribute 'x': events have no values of Arrow's type binary"):
        column(pa.array([[]], pa.map_(pa.string(), pa.binary())))
    with pytest.raises(EventError, match="^attribute 'x': keys of Arrow's type binary; cast them to string"):
        column(pa.array([[]], pa.map_(pa.binary(), pa.string())))


def test_text_that_is_not_utf8_is_an_error() -> None:
    """Arrow does not look when it takes a buffer from somewhere else."""
    array = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
    with pytest.raises(EventError, match="^attribute 'x': text that is not UTF-8"):
        column(array)
    with pytest.raises(EventError, match="^attribute 'x': a key that is not UTF-8"):
        column(pa.MapArray.from_arrays(pa.array([0, 1], pa.int32()), array, pa.array([1])))


def test_bad_names_of_columns_are_errors() -> None:
    """Twice the same name, by repetition or by nesting; none at all; or a very long one."""
    one = pa.array([1])
    same = pa.StructArray.from_arrays([one, one], ["b", "b"])
    for names, arrays, message in (
        (["a", "a"], [one, one], "attribute 'a': two columns have this name"),
        (["a", "a"], [one, pa.array([{"b": 1}])], "attribute 'a': two columns have this name"),
        (["a"], [same], "attribute 'b': two fields of 'a' have this name"),
        (["a", "a.b"], [pa.array([{"b": 1}]), one], "attribute 'a.b': given twice"),
        ([""], [one], "attribute names are non-empty strings, not an empty one$"),
        (["a"], [pa.array([{"": 1}])], "attribute names are non-empty strings, not an empty one under 'a'"),
        (["a" * (MAX_NAME_BYTES + 1)], [one], "attribute 'aaa.*: the name is longer than 65,536 bytes"),
    ):
        with pytest.raises(EventError, match=f"^{message}"):
            from_arrow(pa.RecordBatch.from_arrays(arrays, names))
    with pytest.raises(EventError, match="not an empty one under 'a'$"):
        from_arrow(pa.table({"a": pa.array([[("", 1)]], pa.map_(pa.string(), pa.int64()))}))


def test_no_rows_and_no_columns_are_fine() -> None:
    """A table without rows has no events; rows without columns are events without attributes."""
    assert len(from_arrow(pa.table({"a": pa.array([], pa.list_(pa.string()))}))) == 0
    assert len(from_arrow(pa.table({}))) == 0
    empty = pa.RecordBatch.from_struct_array(pa.array([{}, {}, {}], pa.struct([])))
    assert rows(from_arrow(empty)) == [[], [], []]
    assert rows(from_arrow(empty.slice(1))) == [[], []]


def test_what_speaks_arrow_is_read() -> None:
    """Tables, batches, readers, and arrays of structs, a null one being an event without attributes."""
    events = [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]
    table = pa.Table.from_pylist(events)
    expected = rows(encode(events))
    assert rows(from_arrow(table.to_batches()[0])) == expected
    assert rows(from_arrow(table.to_reader())) == expected
    assert rows(from_arrow(pa.array([None, *events]))) == [[], *expected]
    assert rows(from_arrow(pa.chunked_array([pa.array(events), pa.array(events)]))) == expected * 2


@pytest.mark.parametrize("source", (pa.array([1, 2]), pa.chunked_array([[1, 2]])), ids=("array", "chunked array"))
def test_columns_without_a_name_are_an_error(source: Any) -> None:
    """A single column says nothing about attributes."""
    with pytest.raises(EventError, match="^events are rows of named columns"):
        from_arrow(source)


def test_a_batch_outlives_the_table() -> None:
    """What a batch holds is its own."""
    table = pa.table({"a": np.arange(100), "b": [[number] for number in range(100)], "c": [f"t{n}" for n in range(100)]})
    batch = from_arrow(table)
    del table
    assert batch.row(99) == {"a": 99, "b": (99,), "c": "t99"}

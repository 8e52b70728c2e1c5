"""Arrow columns: every type and every layout, or an error that says what to do."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hedgerow.errors import EventError
from hedgerow.values import INT64_MAX
from tests.event.samples import column, dictionary, strict

MOMENT = dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=dt.UTC)


@pytest.mark.parametrize("kind", (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()))
def test_integers_of_every_width(kind: pa.DataType) -> None:
    """Each width gives the same numbers."""
    assert column(pa.array([1, None, 100], kind)) == [1, None, 100]


def test_unsigned_integers_up_to_what_64_bits_can_say() -> None:
    """A number beyond is an error that names its event."""
    assert column(pa.array([INT64_MAX], pa.uint64())) == [INT64_MAX]
    with pytest.raises(EventError, match=r"^event 2: attribute 'x': an integer beyond 64 bits$"):
        column(pa.array([1, None, 2**63], pa.uint64()))
    with pytest.raises(EventError, match=r"^event 3: attribute 'x': an integer beyond 64 bits$"):
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
    with pytest.raises(EventError, match=r"^event 1: attribute 'x': a timestamp outside the years 1 to 9999$"):
        column(values)


def test_the_first_and_last_timestamps_are_good() -> None:
    """The limits themselves are inside."""
    ends = [dt.datetime.min.replace(tzinfo=dt.UTC), dt.datetime.max.replace(tzinfo=dt.UTC)]
    assert column(pa.array(ends)) == ends


def test_a_column_of_nulls_is_missing() -> None:
    """Arrow's null type has no values at all."""
    assert column(pa.nulls(3)) == [None] * 3
    assert column(pa.array([[None], []], pa.list_(pa.null()))) == [(None,), ()]


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
        (pa.table({"x": pa.chunked_array([], array.type)}), "x"),
        (pa.table({"s": pa.StructArray.from_arrays([array], ["x"])}), "s.x"),
    ):
        with pytest.raises(EventError, match=expected % name.replace(".", r"\.")):
            strict(source)


def test_text_that_is_not_utf8_is_an_error() -> None:
    """Arrow does not look when it takes a buffer from somewhere else."""
    array = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
    with pytest.raises(EventError, match=r"^event 0: attribute 'x': text that is not UTF-8"):
        column(array)
    with pytest.raises(EventError, match=r"^attribute 'x': a key that is not UTF-8"):
        column(pa.MapArray.from_arrays(pa.array([0, 1], pa.int32()), array, pa.array([1])))

"""Encoding of dicts: the same as flattening, whatever the events are, and quick."""

from __future__ import annotations

import datetime as dt
import gc
import pickle
import threading
from collections import OrderedDict, UserDict
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import EventError
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.dicts_cy import encode, encode_one
from hedgerow.event.encode import checked
from hedgerow.event.flatten import flatten
from hedgerow.event.problems import check_usable
from hedgerow.limits import MAX_NAME_BYTES
from tests.event.samples import EVENTS, leaves, shown


class Word(str):
    """A string by another name."""

    __slots__ = ()


def outcome(event: Any) -> list[str] | str:
    """Return what flattening gives, or what it says is wrong."""
    try:
        return shown(flatten(event))
    except EventError as error:
        return str(error)


def encoded(event: Any) -> list[str] | str:
    """Return what encoding gives, or what it says is wrong."""
    try:
        batch = encode_one(event)
        check_usable(batch.problems, None, numbered=False)
        return shown(batch.row(0))
    except EventError as error:
        return str(error)


@given(EVENTS)
def test_an_encoded_event_is_the_flat_event(event: dict[str, Any]) -> None:
    """Encoding and flattening agree on values, types and errors."""
    assert encoded(event) == outcome(event)


@given(st.lists(EVENTS, max_size=5))
def test_a_row_of_a_batch_is_the_flat_event(events: list[dict[str, Any]]) -> None:
    """The rows of a batch do not mix, and the first bad one is named."""
    outcomes = [outcome(event) for event in events]
    bad = next((row for row, found in enumerate(outcomes) if isinstance(found, str)), None)
    if bad is None:
        batch = encode(events)
        assert [shown(batch.row(row)) for row in range(len(batch))] == outcomes
    else:
        with pytest.raises(EventError) as caught:
            checked(encode(events))
        assert str(caught.value) == f"event {bad}: {outcomes[bad]}"


UNUSUAL: tuple[Any, ...] = (
    {"a": OrderedDict(b=1), "c": 2},
    OrderedDict(a={"b": 1}),
    MappingProxyType({"a": 1}),
    UserDict({"a": UserDict({"b": [1, None]})}),
    {Word("a"): Word("b")},
    {"a": [Word("b"), 1]},
    {"a": np.array([[1, 2]])},
    {"a": np.array(["x", None], object)},
    {"a": np.array("2026-01-01T00:00:00.123456789", "datetime64[ns]")},
    {"a": np.array(["NaT", "2026-01-01"], "datetime64[D]")},
    {"a": pd.Timestamp("2026-01-01", tz="Europe/Berlin"), "b": pd.NaT},
    {"a": [dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.date(2026, 1, 1), 1.5, None]},
    {"a": 2**63},
    {"a": [1, -(2**63) - 1]},
    {"a": b"x"},
    {"a": Decimal(1)},
    {"a": 1j},
    {"a": [[1]]},
    {"a": [{"b": 1}]},
    {"a": "\ud800"},
    {"a": ["x", "\ud800"]},
    {"\ud800": 1},
    {"\ud800": None},
    {"": 1},
    {"a": {"": None}},
    {1: 1},
    {"a": {None: 1}},
    {"a": {"b": 1}, "a.b": 2},
    {"a": {"b": None}, "a.b": 2},
    {"a": {"b": {"c": 1}}, "a.b": {"c": 1}},
    {"a" * (MAX_NAME_BYTES + 1): None},
    {"é" * (MAX_NAME_BYTES // 2): 1, "b": {"é" * (MAX_NAME_BYTES // 2): 1}},
    {"a": {}, "b": {"c": {}}},
    {"a": {"b" * 2000: {"c": 1}}},
    {"a": set(), "b": [], "c": ()},
    None,
    [("a", 1)],
    "a",
)


@pytest.mark.parametrize("event", UNUSUAL, ids=lambda event: repr(event)[:40])
def test_what_is_unusual_or_wrong_is_so_for_both(event: Any) -> None:
    """What the quick way does not know is read as flattening reads it, and what is wrong raises the same error."""
    assert encoded(event) == outcome(event)


def test_an_error_in_a_batch_names_the_event_and_the_attribute() -> None:
    """The number counts from 0, as rows do."""
    with pytest.raises(EventError, match=r"^event 2: attribute 'b\.c': "):
        checked(encode([{"a": 1}, {}, {"b": {"c": b"x"}}]))


def test_an_error_leaves_nothing_behind() -> None:
    """The encoder that met an error does not spoil the next batch."""
    for _ in range(3):
        with pytest.raises(EventError):
            checked(encode([{"a": [1, 2]}, {"b": 1, "c": [1, b"x"]}]))
        assert encode([{"b": [3]}]).row(0) == {"b": (3,)}


def test_a_row_that_is_taken_back_leaves_no_entry() -> None:
    """A row that turns out to need the slow way is not there twice, and neither are its lists."""
    batch = encode([{"a": [1], "b": 2, "c": OrderedDict(d=[3])}, {"a": [4]}])
    assert [leaves(batch, 0), leaves(batch, 1)] == [{"a": (1,), "b": 2, "c.d": (3,)}, {"a": (4,)}]
    assert repr(batch).endswith(", 5 values)")


def test_nesting_is_limited_by_the_name_and_not_by_the_stack() -> None:
    """A thousand levels work, and are read as flattening reads them."""
    event: dict[str, Any] = {"z": 1}
    for _ in range(1000):
        event = {"a": event}
    assert leaves(encode_one(event), 0) == {"a." * 1000 + "z": 1}


def test_a_batch_holds_many_rows_names_strings_and_lists() -> None:
    """Every array grows."""
    events = [{f"name{row}": f"text{row}", "list": list(range(row % 7)), "x": row + 0.5} for row in range(3000)]
    batch = encode(iter(events))
    assert len(batch) == 3000
    assert len(batch.attribute_names) == 3002
    assert batch.string_count == 3000
    assert all(shown(batch.row(row)) == shown(flatten(events[row])) for row in range(0, 3000, 7))
    assert set(batch.attribute_names) == {"x", "list", *[f"name{row}" for row in range(3000)]}


def test_what_a_batch_says_of_itself() -> None:
    """Length, size, names and rows that are not there."""
    batch = encode([{"b": 1, "a": None}, {"b": [True, "x"]}])
    assert isinstance(batch, EventBatch)
    assert len(batch) == 2
    assert batch.attribute_names == ["b", "a"]
    assert 0 < batch.nbytes < 1000
    for row in (-1, 2):
        with pytest.raises(IndexError):
            batch.row(row)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(batch)


def test_no_events_are_a_batch_too() -> None:
    """Neither an empty sequence nor an empty event is an error."""
    assert len(encode([])) == 0
    assert encode([{}, {}]).row(1) == {}


def test_batches_do_not_share_what_they_hold() -> None:
    """Small batches are cut from common blocks, each its own part, and outlive one another in any order."""
    batches = [encode_one({"a": number, "b": f"text{number}", f"c{number}": [number]}) for number in range(500)]
    kept = batches[::7]
    del batches
    gc.collect()
    later = [encode_one({"z": "other"}) for _ in range(500)]
    for batch, number in zip(kept, range(0, 500, 7), strict=True):
        assert batch.row(0) == {"a": number, "b": f"text{number}", f"c{number}": (number,)}
    assert all(batch.row(0) == {"z": "other"} for batch in later)


def test_a_mapping_may_encode_while_it_is_encoded() -> None:
    """The encoder in use is not the one that a mapping gets when it encodes something itself."""

    class Busy(UserDict[str, Any]):
        def items(self) -> Any:
            self.inner = encode_one({"x": "inner", "y": [1]})
            return super().items()

    event = Busy(a="outer", b=[2])
    batch = encode([{"first": 1}, event, {"last": Busy(c=3)}])
    assert [leaves(batch, row) for row in range(3)] == [{"first": 1}, {"a": "outer", "b": (2,)}, {"last.c": 3}]
    assert event.inner.row(0) == {"x": "inner", "y": (1,)}


def test_threads_encode_at_the_same_time() -> None:
    """No thread sees the rows of another."""
    failures: list[int] = []

    def work(seed: int) -> None:
        for number in range(2000):
            event = {"seed": seed, "text": f"{seed}-{number}", "when": dt.date(2026, 1, 1 + number % 28)}
            row = encode_one(event).row(0)
            if row["seed"] != seed or row["text"] != f"{seed}-{number}":
                failures.append(number)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures

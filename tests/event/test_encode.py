"""The door for events: whatever they come as."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.errors import EventError
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.encode import events, one_event
from hedgerow.values import OBJECT
from tests.naming import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROWS: list[dict[str, Any]] = [
    {"age": 20, "name": "Ann", "ratio": 0.5, "tags": ["a", "b"]},
    {"age": 30, "name": None, "ratio": 2.0, "tags": []},
]
EXPECTED = [{"age": 20, "name": "Ann", "ratio": 0.5, "tags": ("a", "b")}, {"age": 30, "ratio": 2, "tags": ()}]


class Stream:
    """Nothing but the stream of the PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the capsule of a table."""
        return pa.Table.from_pylist(ROWS).__arrow_c_stream__(requested_schema)


class Array:
    """Nothing but the array of the PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        """Return the capsules of a record batch."""
        return pa.RecordBatch.from_pylist(ROWS).__arrow_c_array__(requested_schema)


class Rows:
    """An iterable that is no sequence."""

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """Yield the events, as mappings that are no dicts."""
        return (MappingProxyType(row) for row in ROWS)


SOURCES: dict[str, Callable[[], object]] = {
    "list": lambda: ROWS,
    "tuple": lambda: tuple(ROWS),
    "generator": lambda: (row for row in ROWS),
    "iterable": Rows,
    "table": lambda: pa.Table.from_pylist(ROWS),
    "record batch": lambda: pa.RecordBatch.from_pylist(ROWS),
    "reader": lambda: pa.Table.from_pylist(ROWS).to_reader(),
    "stream": Stream,
    "array": Array,
    "pandas": lambda: pd.DataFrame(ROWS),
    "polars": lambda: pl.DataFrame(ROWS),
    "polars categories": lambda: pl.DataFrame(ROWS).cast({"name": pl.Categorical}),
    "polars series": lambda: pl.DataFrame(ROWS).to_struct("events"),
    "duckdb": lambda: duckdb.sql("SELECT unnest([20, 30]) AS age, unnest(['Ann', NULL]) AS name, "
                                 "unnest([0.5::DOUBLE, 2]) AS ratio, unnest([['a', 'b'], []]) AS tags"),
    "events": lambda: events(ROWS),
}  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_events_come_in_many_forms(source: str) -> None:
    """The same rows are the same events, whatever carries them."""
    batch = events(SOURCES[source]())
    assert [batch.row(row) for row in range(len(batch))] == EXPECTED


def test_a_batch_passes_through() -> None:
    """What is encoded is not encoded again."""
    batch = events(ROWS)
    assert events(batch) is batch


def test_a_single_event_is_not_a_batch() -> None:
    """The message says what to do."""
    with pytest.raises(EventError, match="put it in a list"):
        events({"age": 20})


@pytest.mark.parametrize("source", (None, 1, "age", b"age", object()), ids=label)
def test_what_holds_no_events_is_an_error(source: object) -> None:
    """A message, and not an exception from deep inside."""
    with pytest.raises(EventError, match="events are mappings or rows of columns"):
        events(source)


def test_an_element_that_is_no_event_is_an_error() -> None:
    """Its number is in the message."""
    with pytest.raises(EventError, match=r"^event 1: an event maps attribute names to values"):
        events([{}, 1])


def test_an_exception_of_the_source_comes_through() -> None:
    """An iterable that fails is not our error."""

    def failing() -> Iterator[dict[str, Any]]:
        yield {}
        raise OSError

    with pytest.raises(OSError, match=r"^$"):
        events(failing())
    assert len(events([{}])) == 1


def test_one_event_is_a_batch_of_one() -> None:
    """From a mapping, or from a batch that has just one."""
    batch = one_event({"user": {"age": 20}})
    assert len(batch) == 1
    assert batch.row(0) == {"user": OBJECT, "user.age": 20}
    assert one_event(batch) is batch
    with pytest.raises(EventError, match=r"^one event is needed, and this batch has 2$"):
        one_event(events(ROWS))


def test_one_event_that_is_wrong_names_the_attribute_only() -> None:
    """There is no row to count."""
    index = hr.Index()
    index.insert(1, "a = 1")
    with pytest.raises(EventError, match=r"^attribute 'a': "):
        index.match({"a": b"x"})
    with pytest.raises(EventError, match=r"^an event maps attribute names to values"):
        index.match([{}])  # type: ignore[arg-type]


def test_a_batch_made_around_its_constructor_is_refused() -> None:
    """It has no arrays, which nobody may read."""
    hollow = EventBatch.__new__(EventBatch)
    for read in (events, one_event):
        with pytest.raises(EventError, match="no arrays"):
            read(hollow)

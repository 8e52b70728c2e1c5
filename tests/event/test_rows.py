"""Some rows of a batch: which have an attribute, and a batch of those alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.flatten import flatten
from hedgerow.testing import attributes, events
from tests.event.samples import shown

NAMES = st.lists(st.one_of(attributes(), st.just("nobody has this")), max_size=3)
MAP = pa.map_(pa.string(), pa.int64())


def plain(batch: EventBatch) -> list[dict[str, Any]]:
    """Return every event of a batch, flat."""
    return [batch.row(row) for row in range(len(batch))]


def check(batch: EventBatch, flat: list[dict[str, Any]], names: list[str]) -> None:
    """Compare the rows that have any of the names, and the batch of them, with plain Python."""
    wanted = [row for row, event in enumerate(flat) if set(names) & set(event)]
    rows = batch.rows_with(names)
    assert rows.tolist() == wanted
    taken = batch.taken(rows)
    assert len(taken) == len(wanted)
    assert [shown(event) for event in plain(taken)] == [shown(flat[row]) for row in wanted]
    again = taken.taken(np.arange(len(taken))[::2])
    assert [shown(event) for event in plain(again)] == [shown(flat[row]) for row in wanted[::2]]


@given(st.lists(events(), max_size=6), NAMES)
def test_rows_of_mappings(given_events: list[dict[str, Any]], names: list[str]) -> None:
    """Nulls are no attributes, nested ones are known by their whole names, lists go along."""
    check(hr.events(given_events), [flatten(event) for event in given_events], names)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Draw a table with a column of each sort: numbers, lists, maps and structs, with nulls anywhere."""
    count = draw(st.integers(0, 6))
    number = st.one_of(st.none(), st.integers(-2, 2))
    text = st.one_of(st.none(), st.text("ab", max_size=2))
    pair = st.tuples(st.sampled_from("xy"), number)
    columns = {
        "a": (number, pa.int64()),
        "b": (st.one_of(st.none(), st.lists(text, max_size=3)), pa.list_(pa.string())),
        "c": (st.one_of(st.none(), st.lists(pair, max_size=2, unique_by=lambda one: one[0])), MAP),
        "user": (st.one_of(st.none(), st.fixed_dictionaries({"age": number})), pa.struct({"age": pa.int64()})),
    }
    drawn = {
        name: (draw(st.lists(cell, min_size=count, max_size=count)), kind) for name, (cell, kind) in columns.items()
    }
    return pa.table({name: pa.array(cells, kind) for name, (cells, kind) in drawn.items()})


@given(tables(), st.lists(st.sampled_from(["a", "b", "c", "c.x", "user.age", "user", "zz"]), max_size=3), st.booleans())
def test_rows_of_arrow(table: pa.Table, names: list[str], sliced: bool) -> None:
    """Columns of lists, maps and structs, whole or from a slice of a table, give the same rows."""
    table = table.slice(1) if sliced else table
    batch = hr.events(table)
    check(batch, plain(batch), names)


@given(st.lists(events(), max_size=6), st.data())
def test_a_taken_batch_matches_as_its_events_do(given_events: list[dict[str, Any]], data: st.DataObject) -> None:
    """An index finds for some rows of a batch what it finds for these events alone."""
    index = hr.Index()
    texts = ["a > 0", "b IS NULL", "c ANY OF (1, 'a')", "user.age IS NOT NULL", "NOT (`odd name` = 1)"]
    index.insert_many(enumerate(texts))
    rows = sorted(data.draw(st.sets(st.integers(0, max(0, len(given_events) - 1)))) if given_events else ())
    taken = hr.events(given_events).taken(np.array(rows, np.int64))
    assert index.match_batch(taken) == index.match_batch([given_events[row] for row in rows])


def test_a_row_that_is_not_there_cannot_be_taken() -> None:
    """Numbers beyond the batch are an IndexError, not what happens to be in memory there."""
    with pytest.raises(IndexError):
        hr.events([{"a": 1}]).taken(np.array([1]))

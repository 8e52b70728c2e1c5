"""The door: what people do with an index, beyond what the contract asks of every engine."""

from __future__ import annotations

import datetime as dt
import io
import pickle
import threading
import time
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.index import api
from hedgerow.index.engine import register_engine
from hedgerow.progress import Progress

RULES = {"id": [1, 2, 3], "expression": ["a = 1", "a >", "a = 1 OR b = 2"]}


@pytest.mark.parametrize(
    "rows",
    (
        pa.table(RULES),
        pa.table(RULES).to_batches()[0],
        pd.DataFrame(RULES),
        pl.DataFrame(RULES),
        pa.table({"expression": pa.array(RULES["expression"]).dictionary_encode(), "id": RULES["id"]}),
        pa.table({"id": RULES["id"], "expression": pa.array(RULES["expression"], pa.string_view())}),
        list(zip(*RULES.values(), strict=True)),
        iter(list(zip(*RULES.values(), strict=True))),
    ),
    ids=["table", "batch", "pandas", "polars", "dictionary", "view", "list", "iterator"],
)
def test_rules_come_in_any_form(rows: object) -> None:
    """Arrow, pandas, polars, tuples: the good rows are taken and the bad one is reported."""
    index = hr.Index()
    report = index.insert_many(rows)
    assert (report.inserted, list(index)) == (2, [1, 3])
    [bad] = report.rejected
    assert (bad.row, bad.id, bad.expression, type(bad.error)) == (1, 2, "a >", hr.ParseError)
    assert index.match({"a": 1}) == [1, 3]
    assert "2 inserted, 1 rejected" in str(report)
    assert "row 1, id 2: line 1, column 4" in str(report)


def test_rules_come_from_duckdb() -> None:
    """A DuckDB result has the Arrow interface too."""
    index = hr.Index()
    rules = duckdb.sql("SELECT 'r' || i AS id, 'a = ' || i AS expression, i / 2 AS weight FROM range(5) t(i)")
    assert index.insert_many(rules).inserted == 5
    assert index.top({"a": 3}, 1) == [hr.Scored("r3", 1.5)]


def test_rows_with_nulls_are_reported() -> None:
    """A null id or expression is a bad row; a null weight is none."""
    index = hr.Index()
    table = pa.table({"id": [1, None, 3], "expression": ["a", "a", None], "weight": [None, 1.0, 1.0]})
    report = index.insert_many(table)
    assert [(bad.row, type(bad.error)) for bad in report.rejected] == [(1, hr.InvalidId), (2, hr.ParseError)]
    assert index.top({"a": True}, 1) == [hr.Scored(1, 0.0)]


@pytest.mark.parametrize(
    ("table", "complaint"),
    (
        ({"id": [1]}, "'expression' is needed"),
        ({"key": [1], "expression": ["a"]}, "'id' is needed; the table has 'key', 'expression'"),
        ({"id": [1], "expression": [5]}, "of type int64"),
    ),
)
def test_tables_with_other_columns_are_refused(table: dict[str, list[object]], complaint: str) -> None:
    """A table without the columns that rules have raises before any row is read."""
    with pytest.raises(hr.SchemaError, match=complaint):
        hr.Index().insert_many(pa.table(table))


@pytest.mark.parametrize("rows", (5, "a = 1", None))
def test_what_is_no_table_and_no_iterable_is_refused(rows: object) -> None:
    """Something that holds no rows raises."""
    with pytest.raises(hr.KindError, match="rows are"):
        hr.Index().insert_many(rows)


def test_a_slice_of_a_long_table_is_loaded_in_order() -> None:
    """Chunks, slices and offsets keep rows together; row numbers count from the slice's start."""
    count = 10_000
    texts = ["a ==" if number == 7000 else f"a = {number % 10}" for number in range(count)]
    table = pa.concat_tables([pa.table({"id": [-1], "expression": ["zzz ="]})] * 2)
    table = pa.concat_tables([table, pa.table({"id": range(count), "expression": texts})]).slice(2)
    index = hr.Index()
    report = index.insert_many(table)
    assert [bad.row for bad in report.rejected] == [7000]
    assert index.match({"a": 3}) == list(range(3, count, 10))


def test_long_texts_make_small_chunks() -> None:
    """Rows of a megabyte each are loaded like any others."""
    texts = [f"a = '{'x' * 1_000_000}' OR b = {number}" for number in range(12)]
    index = hr.Index()
    assert index.insert_many(pa.table({"id": range(12), "expression": texts})).inserted == 12
    assert index.match({"b": 11}) == [11]


@pytest.mark.parametrize("weight", (float("nan"), float("inf"), "1", True, 1j))
def test_a_weight_is_a_finite_number(weight: Any) -> None:
    """Other weights are refused, and nothing has changed."""
    index = hr.Index()
    with pytest.raises(hr.ExpressionError, match="a weight is a finite number"):
        index.insert(1, "a", weight)
    assert len(index) == 0
    index.insert(1, "a", np.float32(1.5))  # type: ignore[arg-type]
    assert index.top({"a": True}, 1) == [hr.Scored(1, 1.5)]


@pytest.mark.parametrize("n", (-1, 1.5, True, None))
def test_top_wants_a_number_of_matches(n: Any) -> None:
    """Anything else than a whole number is refused."""
    with pytest.raises(hr.KindError, match="n is a number of matches"):
        hr.Index().top({}, n)


def test_an_unknown_engine_or_reading_is_named_with_what_there_is() -> None:
    """The error lists what could have been meant."""
    with pytest.raises(hr.KindError, match=r"no engine is called 'btree'; there are .*scan"):
        hr.Index("btree")
    with pytest.raises(hr.KindError, match="unknown"):
        hr.Index(missing="maybe")


def test_what_is_no_expression_is_refused() -> None:
    """Only text and Expression objects are expressions."""
    index = hr.Index()
    with pytest.raises(hr.ExpressionError, match="not int"):
        index.insert(1, 5)  # type: ignore[arg-type]
    assert len(index) == 0


def test_an_attribute_by_itself_reads_as_true() -> None:
    """What stands between & and | may also stand alone."""
    index = hr.Index()
    index.insert(1, hr.attr("vip"))
    assert index.expression(1) == hr.parse("vip")
    assert hr.evaluate(hr.attr("vip"), {"vip": True}) is True


def test_a_dict_of_rules_is_taken() -> None:
    """Ids and expressions may come as a dict."""
    index = hr.Index()
    assert index.insert_many({"x": "a = 1", "y": hr.attr("a") == 2}).inserted == 2
    assert index.match({"a": 2}) == ["y"]


def test_an_index_cannot_be_pickled_and_says_so() -> None:
    """The error says what to do instead."""
    with pytest.raises(TypeError, match="save it, and open the file"):
        pickle.dumps(hr.Index())


def test_a_report_of_a_huge_bad_rule_is_short() -> None:
    """Neither the report nor the error repeats a text of a megabyte."""
    report = hr.Index().insert_many([(1, "a = '" + "x" * 1_000_000)])
    assert len(repr(report)) < 2000
    assert len(str(report)) < 2000


def test_an_empty_index_matches_nothing_and_still_has_columns() -> None:
    """No expressions, or no events, give empty results of the right shape."""
    index = hr.Index()
    assert index.match({"a": 1}) == []
    assert index.match_batch([{}, {}]).column_names == ["event", "id"]
    assert index.count_batch([]).to_pylist() == []
    assert index.top({}, 3) == []
    index.insert("x", "TRUE")
    assert index.match_batch([]).num_rows == 0
    assert index.match({}) == ["x"]


def test_events_come_in_any_form() -> None:
    """Dicts, Arrow with structs, lists and nulls, pandas and polars give the same matches."""
    index = hr.Index()
    index.insert("old", "user.age > 30")
    index.insert("tag", "tags ANY OF ('x') AND NOT user.age > 30")
    index.insert("none", "user.age IS NULL")
    events: list[dict[str, Any]] = [
        {"user": {"age": 40}, "tags": ["x"]},
        {"user": {"age": 20}, "tags": ["y", "x"]},
        {"user": {"age": None}, "tags": None},
    ]
    expected = {"event": [0, 1, 2], "id": ["old", "tag", "none"]}
    forms = [events, hr.events(events), pa.Table.from_pylist(events), pl.DataFrame(events)]
    for form in [*forms, pa.RecordBatch.from_pylist(events)]:
        assert index.match_batch(form).to_pydict() == expected
    frame = pd.DataFrame({"user": [event["user"] for event in events]})
    assert index.match_batch(frame).to_pydict() == {"event": [0, 2], "id": ["old", "none"]}


def test_bad_events_raise_and_name_the_attribute() -> None:
    """An event that is none raises EventError, in a batch with its number."""
    index = hr.Index()
    index.insert(1, "a = 1")
    with pytest.raises(hr.EventError, match="'a'"):
        index.match({"a": b"x"})
    with pytest.raises(hr.EventError, match=r"event 1: .*'a'"):
        index.match_batch([{}, {"a": object()}])
    with pytest.raises(hr.EventError, match="list"):
        index.match_batch({"a": 1})


def test_iteration_is_over_the_ids_there_were() -> None:
    """Changing the index while iterating over its ids is allowed."""
    index = hr.Index()
    index.insert_many((number, "a") for number in range(10))
    for id_ in index:
        index.delete(id_)
    assert len(index) == 0


def test_an_update_counts_as_a_new_insertion() -> None:
    """The updated expression moves to the end of the order and loses its old weight."""
    index = hr.Index()
    index.insert(1, "a", 5.0)
    index.insert(2, "a")
    index.update(1, "a")
    assert index.match({"a": True}) == [2, 1]
    assert index.top({"a": True}, 2) == [hr.Scored(2, 0.0), hr.Scored(1, 0.0)]


def test_expressions_come_back_as_they_were_inserted() -> None:
    """The scan keeps what it was given, also what cannot be written out in full after rewriting."""
    index = hr.Index("scan")
    chain = hr.Xor(*[hr.attr(f"a{number}").eq(value=True) for number in range(1000)])
    index.insert("chain", chain)
    index.insert("time", hr.attr("t") >= dt.date(2026, 1, 1))
    assert index.expression("chain") == chain
    assert str(index.expression("time")) == "t >= TIMESTAMP '2026-01-01T00:00:00Z'"
    assert index.match({f"a{number}": number == 500 for number in range(1000)}) == ["chain"]


def test_a_long_search_lets_other_threads_run() -> None:
    """The compiled search releases the GIL: another thread makes progress while it runs."""
    index = hr.Index("scan")
    index.insert_many((number, f"a{number} = 1 AND b{number} = 2") for number in range(20_000))
    events = hr.events([{"a1": 1}] * 300)
    ticks: list[float] = []
    searching = threading.Event()
    searching.set()

    def tick() -> None:
        while searching.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.monotonic()
    index.count_batch(events)
    end = time.monotonic()
    searching.clear()
    ticker.join()
    assert sum(begin < moment < end for moment in ticks) >= 5


class Refusing:
    """An engine that refuses every insert."""

    def __init__(self, _missing: str) -> None:
        """Hold nothing."""

    def insert(self, *_: object) -> None:
        """Refuse."""
        message = "this engine holds nothing; use engine='scan'"
        raise hr.Unsupported(message)

    def commit(self) -> None:
        """Do nothing."""

    def attributes(self) -> list[str]:
        """Mention nothing."""
        return []


@pytest.fixture
def _refusing() -> Iterator[None]:
    from hedgerow.index.engine import _FACTORIES  # noqa: PLC0415 - to take it out again

    register_engine("refusing", Refusing)  # type: ignore[arg-type]
    yield
    del _FACTORIES["refusing"]


@pytest.mark.usefixtures("_refusing")
def test_what_an_engine_refuses_is_reported_and_nothing_is_kept() -> None:
    """An engine's own error reaches the caller, and the id stays free."""
    index = hr.Index("refusing")
    with pytest.raises(NotImplementedError, match="use engine='scan'"):
        index.insert(1, "a")
    assert [type(bad.error) for bad in index.insert_many([(1, "a"), (2, "b")]).rejected] == [hr.Unsupported] * 2
    assert len(index) == 0


def test_progress_is_shown_on_a_terminal_only() -> None:
    """A line is written over itself when asked for, and nothing where the output is no terminal."""
    stream = io.StringIO()
    quiet = Progress("loading", 10, stream=stream)
    quiet._next = 0.0
    quiet.advance(5)
    quiet.close()
    assert stream.getvalue() == ""
    shown = Progress("loading", 10, wanted=True, stream=stream)
    shown._next = 0.0
    shown.advance(5)
    shown.close()
    assert stream.getvalue().startswith("\rloading: 5 rows  [###############               ]  50%")
    assert stream.getvalue().endswith("rows/s \n")


def test_the_repr_says_what_it_is() -> None:
    """Engine, reading and size."""
    index = hr.Index(missing="false")
    index.insert(1, "a")
    assert repr(index) == "<Index engine='atree' missing='false', expressions: 1>"
    assert (index.engine, index.missing) == ("atree", "false")
    stats = index.stats()
    assert (stats.engine, stats.expressions, stats.predicates) == ("atree", 1, 1)


@pytest.mark.parametrize("threads", (1, 2, 3, 7))
def test_rows_of_very_many_matches(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads share them: no row is left out, wherever the matches are."""
    monkeypatch.setattr(api, "_WORTH_THREADS", 10)
    index = hr.Index()
    for number in range(12):
        index.insert(number, f"a >= {number}")
    for values in ([11] * 9, [-1, -1, 11, -1], [11, -1, -1], list(range(-1, 12)), [5, 11, 3, 11]):
        matches = index.match_batch([{"a": value} for value in values], threads=threads)
        expected = [(row, id) for row, value in enumerate(values) for id in range(value + 1)]
        assert list(zip(matches["event"].to_pylist(), matches["id"].to_pylist(), strict=True)) == expected

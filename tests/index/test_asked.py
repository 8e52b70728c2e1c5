"""What no rule mentions is never looked at; where rules mention it, a bad value is an error with a name, or skipped."""

from __future__ import annotations

import datetime as dt
import sys
import threading
import uuid
from collections import OrderedDict
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow import testing
from hedgerow.event.asked import Asked
from hedgerow.event.flatten import flatten
from hedgerow.index.engine import engine_names
from hedgerow.ruleset import build, open_rules
from tests.naming import label

ENGINES = engine_names()
BAD: tuple[Any, ...] = (
    b"x",
    Decimal(1),
    uuid.UUID(int=1),
    2**70,
    object(),
    [{"a": 1}],
    [[1]],
    [b"x"],
    dt.timedelta(1),
    np.timedelta64(5, "ns"),
    1j,
    "\ud800",
)


def index_of(engine: str = "atree", *rules: str, missing: str = "unknown") -> hr.Index:
    """Return an index of rules."""
    index = hr.Index(engine, missing=missing)
    index.insert_many(enumerate(rules))
    return index


@pytest.mark.parametrize("bad", BAD, ids=label)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_no_rule_mentions_may_be_anything(engine: str, bad: Any) -> None:
    """In the event, in an object that rules mention something else of, and under odd names; by every way to match."""
    index = index_of(engine, "user.age > 18", "junk.b IS NULL", "flat.name = 'x'")
    event: Any = {"user": {"age": 20, "bad": bad}, "bad": bad, "flat.name": "x", "flat": {"bad": bad}, 5: bad, "": bad}
    events: list[Any] = [event, OrderedDict(event), {**event, "user": OrderedDict(age=20, bad=bad)}]
    for one in events:
        assert index.match(one) == [0, 1, 2]
        assert [scored.id for scored in index.top(one, 5)] == [0, 1, 2]
        assert index.explain(0, one).value is True
    for source in (events, iter(events), hr.events(events)):
        assert index.count_batch(source).to_pylist() == [3, 3, 3]
    assert index.top_batch(events, 1).num_rows == 3
    assert [hr.evaluate(rule, event) for rule in ("user.age > 18", "flat.name = 'x'")] == [True, True]


@pytest.mark.parametrize("bad", BAD, ids=label)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_rules_mention_stays_an_error_with_a_name(engine: str, bad: Any) -> None:
    """Whichever way it is asked for; the oracle says the same."""
    index = index_of(engine, "user.bad IS NOT NULL", "a = 1")
    event: dict[str, Any] = {"user": {"bad": bad}, "a": 1}
    with pytest.raises(hr.EventError, match=r"^attribute 'user\.bad': ") as caught:
        index.match(event)
    with pytest.raises(hr.EventError) as said:
        hr.evaluate("user.bad IS NOT NULL", event)
    assert str(said.value) == str(caught.value)
    for source in ([{}, event], iter([{}, event]), hr.events([{}, event])):
        with pytest.raises(hr.EventError, match=r"^event 1: attribute 'user\.bad': "):
            index.match_batch(source)
    with pytest.raises(hr.EventError):
        index.explain(0, event)
    with pytest.raises(hr.EventError):
        index.top(event, 1)


COLUMNS: dict[str, pa.Array] = {
    "bytes": pa.array([b"x", b"y"]),
    "decimals": pa.array([Decimal(1), None]),
    "objects": pa.array([[{"a": 1}], []]),
    "uuids": pa.array([b"0123456789abcdef", None], pa.uuid()),
    "huge": pa.array([2**64 - 1, 1], pa.uint64()),
    "indices": pa.DictionaryArray.from_arrays(pa.array([0, 9], pa.int8()), pa.array(["x"]), safe=False),
    "map": pa.array([[("k", b"x")], None], pa.map_(pa.string(), pa.binary())),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("engine", ENGINES)
def test_a_bad_column_matters_only_to_rules_that_mention_it(engine: str, name: str) -> None:
    """As a column, and as a field of a struct; in a table, a reader and a batch that was encoded before."""
    bad = COLUMNS[name]
    attribute = f"{name}.k" if name == "map" else name
    table = pa.table({"a": [1, 1], name: bad, "s": pa.StructArray.from_arrays([bad, pa.array([1, 1])], [name, "good"])})
    good = index_of(engine, "a = 1", "s.good = 1")
    for source in (table, table.to_reader(), table.to_batches()[0], hr.events(table)):
        assert good.count_batch(source).to_pylist() == [2, 2]
    for path in (attribute, f"s.{attribute}"):
        for source in (table, table.to_reader(), hr.events(table)):
            with pytest.raises(hr.EventError, match=rf"attribute '{path.removesuffix('.k')}"):
                index_of(engine, "a = 1", f"{path} IS NOT NULL").match_batch(source)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_without_any_column_that_rules_mention_are_events(engine: str) -> None:
    """They have nothing, which is what some rules ask for."""
    table = pa.table({"a": [1, 2, 3]})
    index = index_of(engine, "z IS NULL")
    for source in (table, table.to_reader(), table.to_batches()[0], table.to_pandas(), pl.from_arrow(table)):
        assert index.count_batch(source).to_pylist() == [1, 1, 1]
    assert index.count_batch(pa.table({"a": pa.array([], pa.binary())})).to_pylist() == []


def frames() -> Iterator[Any]:
    """Yield data frames with columns that have no form in Arrow."""
    yield pd.DataFrame({"a": [1, 2], "bad": [1j, 2j]})
    yield pd.DataFrame({"a": [1, 2], "bad": [1, "x"]})
    yield pd.DataFrame({"a": [1, 2], "bad": [object(), uuid.UUID(int=1)]})
    yield pd.DataFrame([[1, 2, 3], [2, 3, 4]], columns=["a", "bad", "bad"])
    yield pl.DataFrame({"a": [1, 2], "bad": [object(), object()]})


@pytest.mark.parametrize("frame", list(frames()), ids=("complex", "mixed", "objects", "twice", "polars"))
@pytest.mark.parametrize("engine", ENGINES)
def test_a_bad_column_of_a_frame_matters_only_to_rules_that_mention_it(engine: str, frame: Any) -> None:
    """Although a frame is made into a table as a whole."""
    for source in (frame, hr.events(frame)):
        assert index_of(engine, "a = 1").count_batch(source).to_pylist() == [1, 0]
        assert index_of(engine, "z IS NULL").count_batch(source).to_pylist() == [1, 1]
        with pytest.raises(hr.EventError, match="attribute 'bad': "):
            index_of(engine, "a = 1", "bad IS NULL").match_batch(source)


def test_the_index_of_a_frame_is_a_column_as_before() -> None:
    """It is handed on under its name."""
    frame = pd.DataFrame({"a": [1, 2], "bad": [1j, 2j]}, index=pd.Index(["x", "y"], name="id"))
    assert index_of("scan", "id = 'y'").count_batch(frame).to_pylist() == [0, 1]
    assert index_of("scan", "id = 'y' AND a = 2").count_batch(frame).to_pylist() == [0, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_what_decides_nothing_is_mentioned_all_the_same(engine: str) -> None:
    """A part that a normal form drops is in the rule, and its attribute among those of the index."""
    index = index_of(engine, "a = 0 OR TRUE")
    assert index.attributes == ["a"]
    assert index.match_batch([{"a": b"x"}, {}], on_error="skip").result.to_pydict() == {"event": [1], "id": [0]}


@given(st.lists(testing.expressions(), min_size=1, max_size=4), st.lists(testing.events(), max_size=4), st.data())
def test_matches_with_junk_are_those_that_the_oracle_finds(
    rules: list[hr.Expression], events: list[dict[str, Any]], data: st.DataObject
) -> None:
    """Junk under any name matters only to the rules that mention it, and skipped events are those that it is in."""
    engine = data.draw(st.sampled_from(ENGINES))
    names = st.one_of(testing.attributes(), st.sampled_from(["junk", "user.junk"]))
    given_events = [{**event, data.draw(names): data.draw(st.sampled_from([b"x", 2**70, 1]))} for event in events]
    index = hr.Index(engine)
    index.insert_many(enumerate(rules))
    asked = Asked(index.attributes)
    rows, bad = [], []
    for row, event in enumerate(given_events):
        try:
            flatten(event, asked)
        except hr.EventError:
            bad.append(row)
        else:
            rows += [(row, id_) for id_, rule in enumerate(rules) if hr.evaluate(rule, event) is True]
    for source in (given_events, hr.events(given_events)):
        report = index.match_batch(source, on_error="skip")
        assert [(found["event"], found["id"]) for found in report.result.to_pylist()] == rows
        assert sorted({error.row for error in report.errors}) == bad
    if bad:
        with pytest.raises(hr.EventError):
            index.match_batch(given_events)


@pytest.mark.parametrize("engine", ENGINES)
def test_bad_events_are_skipped_and_told_of(engine: str) -> None:
    """They have no match and count 0; each attribute that is wrong is in the errors."""
    index = index_of(engine, "a = 1", "b = 2", "c IS NULL")
    events: list[Any] = [{"a": 1}, {"a": b"x", "b": [[]]}, {"b": 2, "d": b"x"}, 7, {"a": 2**70}]
    for source in (events, iter(events)):
        report = index.match_batch(source, on_error="skip")
        assert report.result.to_pydict() == {"event": [0, 0, 2, 2], "id": [0, 2, 1, 2]}
        assert [(bad.row, bad.attribute) for bad in report.errors] == [(1, "a"), (1, "b"), (3, None), (4, "a")]
        assert str(report.errors[3].error) == "event 4: attribute 'a': an integer beyond 64 bits"
        assert str(report).startswith("3 skipped\nevent 1: attribute 'a': ")
    counted = index.count_batch(events, on_error="skip", threads=2)
    assert counted.result.to_pylist() == [2, 0, 2, 0, 0]
    assert counted.errors[0].row == 1
    best = index.top_batch(events, 1, on_error="skip")
    assert best.result.to_pydict() == {"event": [0, 2], "id": [0, 1], "score": [0.0, 0.0]}
    assert len(best.errors) == 4
    nothing = index.match_batch([{"a": 1}], on_error="skip")
    assert (nothing.result.num_rows, nothing.errors) == (2, [])
    for wrong in ("ignore", None, 1):
        with pytest.raises(hr.KindError, match="on_error is 'raise' or 'skip'"):
            index.match_batch(events, on_error=wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize("engine", ENGINES)
def test_bad_values_of_columns_are_skipped_one_by_one(engine: str) -> None:
    """A bad value costs its own event; a column of a bad type those in which it has a value."""
    index = index_of(engine, "a IS NOT NULL", "x = 1")
    text = pa.Array.from_buffers(
        pa.string(), 3, [None, pa.array([0, 1, 2, 3], pa.int32()).buffers()[1], pa.py_buffer(b"a\xffb")]
    )
    for column, good in (
        (pa.array([1, 2**64 - 1, 3], pa.uint64()), [0, 2]),
        (pa.array([[1], [2**64 - 1, 2], None], pa.list_(pa.uint64())), [0, 2]),
        (pa.array([b"x", None, b"y"]), [1]),
        (pa.array([dt.datetime(2026, 1, 1), None, None], pa.timestamp("s")).cast(pa.int64()), [0, 1, 2]),  # noqa: DTZ001 - any
        (text, [0, 2]),
        (pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), text), [0, 2]),
    ):
        report = index.match_batch(pa.table({"a": column, "x": [1, 1, 1]}), on_error="skip")
        found = [row["event"] for row in report.result.to_pylist() if row["id"] == 1]
        assert found == good
        assert sorted({bad.row for bad in report.errors}) == sorted({0, 1, 2} - set(good))
        assert {bad.attribute for bad in report.errors} <= {"a"}


def test_a_batch_knows_what_is_wrong_with_the_events_that_are_taken_of_it() -> None:
    """And names them by the numbers that they had."""
    batch = hr.events([{"a": 1}, {"a": b"x"}, {"a": 2}, {"a": b"y"}])
    index = index_of("scan", "a IS NOT NULL")
    assert index.count_batch(batch.taken(np.array([0, 2]))).to_pylist() == [1, 1]
    taken = batch.taken(np.array([2, 3]))
    with pytest.raises(hr.EventError, match=r"^event 3: "):
        index.match_batch(taken)
    assert [bad.row for bad in index.match_batch(taken, on_error="skip").errors] == [1]


def test_rule_sets_do_not_look_at_what_no_rule_mentions(tmp_path: Any) -> None:
    """Each shard has rules of its own."""
    build({1: "a = 1", 2: "b = 2"}, tmp_path)
    rules = open_rules(tmp_path)
    assert rules.match({"a": 1, "c": b"x"}) == [1]
    assert rules.match_batch([{"b": 2, "c": [{}]}]).to_pydict() == {"event": [0], "id": [2]}
    with pytest.raises(hr.EventError, match="attribute 'b'"):
        rules.match_batch([{"a": 1}, {"b": b"x"}])


def test_what_was_not_inserted_is_not_asked_for() -> None:
    """A rule that was refused mentions nothing; neither does one that is gone when the index is cleared."""
    index = index_of("atree", "a = 1")
    with pytest.raises(hr.DuplicateId):
        index.insert(0, "b = 1")
    assert index.insert_many([(0, "c = 1"), (5, "d = 1"), (6, "e >> 1")]).inserted == 1
    assert index.match({"a": 1, "b": b"x", "c": b"x", "e": b"x"}) == [0]
    with pytest.raises(hr.EventError):
        index.match({"a": 1, "d": b"x"})
    index.clear()
    assert index.match({"a": b"x", "d": b"x"}) == []


def test_an_opened_and_a_compacted_index_know_what_they_ask_for(tmp_path: Any) -> None:
    """Also when the first thing that comes is a change."""
    index_of("atree", "a IS NULL").save(tmp_path / "index")
    opened = hr.open(tmp_path / "index", mode="r+")
    opened.insert(1, "b IS NULL")
    assert opened.match({"b": 1, "c": b"x"}) == [0]
    with pytest.raises(hr.EventError, match="'a'"):
        opened.match({"a": b"x"})
    index = hr.Index()
    index.insert(-1, "b = 1")
    index.insert_many((number, f"old{number % 7} = 1") for number in range(9000))
    for number in range(9000):
        index.delete(number)
    assert index.match({"b": 1, "old3": 1}) == [-1]
    assert index.match({"b": 1, "new": b"x"}) == [-1]


def test_names_of_many_levels_are_found() -> None:
    """However deep, nested in any way."""
    for levels in (1, 2, 15, 16, 17, 18, 40):
        name = ".".join("x" * levels)
        nested: Any = 1
        for _ in range(levels):
            nested = {"x": nested, "junk": b"x", "other": {"x": b"x"}}
        for engine in ENGINES:
            index = index_of(engine, f"{name} = 1", f"{name} IS NULL")
            assert index.match(nested) == [0]
            assert index.match({name: 1, "junk": b"x"}) == [0]


class Late(dict[str, Any]):
    """An event during whose encoding another rule is committed."""

    def __init__(self, index: hr.Index, *args: Any) -> None:
        """Take an event, and an index that is to get a rule."""
        super().__init__(*args)
        self.index = index

    def items(self) -> Any:
        """Return the items, after a new rule has come that mentions one of them."""
        if "late" not in self.index:
            self.index.insert("late", "new IS NULL")
        return super().items()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_rule_that_comes_between_encoding_and_search_sees_its_attribute(engine: str) -> None:
    """Its attribute was not asked for when the events were encoded; to the rule it is not missing all the same."""
    for match in (
        lambda index, event: index.match(event),
        lambda index, event: index.match_batch([event])["id"].to_pylist(),
        lambda index, event: index.match_batch(iter([event]))["id"].to_pylist(),
        lambda index, event: [scored.id for scored in index.top(event, 9)],
        lambda index, event: index.top_batch([event], 9)["id"].to_pylist(),
        lambda index, event: ["first"] * index.count_batch([event]).to_pylist()[0],
    ):
        index = hr.Index(engine)
        index.insert("first", "a = 1")
        assert match(index, Late(index, {"new": 1, "a": 1})) == ["first"]
        bad = hr.Index(engine)
        bad.insert("first", "a = 1")
        with pytest.raises(hr.EventError, match="attribute 'new'"):
            match(bad, Late(bad, {"a": 1, "new": b"x"}))


@pytest.mark.parametrize("engine", ENGINES)
def test_readers_beside_a_writer_of_new_attributes_find_nothing_missing(engine: str) -> None:
    """The event has every attribute, so no rule that asks for absence may ever match."""
    event = {f"a{number}": 1 for number in range(400)}
    index, stop, found = hr.Index(engine), threading.Event(), []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def read() -> None:
        while not stop.is_set():
            found.extend(index.match(event))
            found.extend(index.match_batch([event, event])["id"].to_pylist())

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(400):
        index.insert(number, f"a{number} IS NULL")
    stop.set()
    for reader in readers:
        reader.join()
    sys.setswitchinterval(interval)
    assert found == []
    assert len(index.match({})) == 400

"""Objects are present, without a value: from mappings, structs, maps and data frames, with every engine."""

from __future__ import annotations

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.index.engine import engine_names

RULES = {
    "present": "user IS NOT NULL",
    "missing": "user IS NULL",
    "full": "user IS NOT EMPTY",
    "empty": "user IS EMPTY",
    "equal": "user = 1",
    "unequal": "user != 1",
    "not": "NOT user = 1",
    "weak": "user WEAK NOT IN (1)",
    "home": "user.home IS NOT NULL",
    "age": "user.age > 18",
}
EVENTS: list[dict[str, Any]] = [
    {"user": {"age": 20, "home": {"city": "Oslo"}}},
    {"user": {"age": None, "home": None}},
    {"user": None},
]


def expected(events: list[Any], missing: str) -> list[list[str]]:
    """Return what the oracle says of each event."""
    return [
        [id_ for id_, rule in RULES.items() if hr.evaluate(rule, event, missing=missing) is True] for event in events
    ]


def found(index: hr.Index, events: Any, count: int) -> list[list[str]]:
    """Return the matches of a batch, event by event."""
    matches: list[list[str]] = [[] for _ in range(count)]
    for row in index.match_batch(events).to_pylist():
        matches[row["event"]].append(row["id"])
    return matches


@pytest.mark.parametrize("missing", ("unknown", "false"))
@pytest.mark.parametrize("engine", engine_names())
def test_every_source_of_objects_gives_what_the_oracle_says(engine: str, missing: str) -> None:
    """As dicts, Arrow structs, and data frames; each alone and all together."""
    index = hr.Index(engine, missing=missing)
    index.insert_many(RULES)
    table = pa.Table.from_pylist(EVENTS)
    wanted = expected(EVENTS, missing)
    for source in (EVENTS, table, table.slice(0).to_reader(), pl.from_arrow(table), pd.DataFrame(EVENTS)):
        assert found(index, source, len(EVENTS)) == wanted
    assert [index.match(event) for event in EVENTS] == wanted
    assert "present" in wanted[0]
    assert "missing" in wanted[2]


@pytest.mark.parametrize("engine", engine_names())
def test_a_map_is_an_object(engine: str) -> None:
    """Also an empty one; a null one is missing."""
    index = hr.Index(engine)
    index.insert_many(RULES)
    maps = pa.table({"user": pa.array([[("age", 20)], [], None], pa.map_(pa.string(), pa.int64()))})
    assert found(index, maps, 3) == expected([{"user": {"age": 20}}, {"user": {}}, {}], "unknown")


@given(st.recursive(st.none(), lambda inner: st.dictionaries(st.sampled_from(["user", "home", "age"]), inner)))
def test_any_nesting_is_as_the_oracle_has_it(event: dict[str, Any] | None) -> None:
    """Objects in objects, empty or not."""
    for engine in engine_names():
        index = hr.Index(engine)
        index.insert_many(RULES)
        assert index.match({"user": event}) == expected([{"user": event}], "unknown")[0]


def test_an_object_is_explained_as_one() -> None:
    """And scores nothing."""
    assert "(user is an object)" in str(hr.explain("user = 1", {"user": {"age": 1}}))
    index = hr.Index()
    index.insert(1, "user IS NOT NULL", weight=2.0)
    assert index.top({"user": {"age": 1}}, 1, weights={"user": {1: 3.0}}) == [(1, 2.0)]

"""The session that all tests of this folder share, and a small ad exchange for it to work on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import hedgerow as hr
from hedgerow import spark as hs
from hedgerow.workload.exchange import campaigns, visits

CAMPAIGNS, VISITS = 300, 400

Row = tuple[str, str, float]
RULES = "id string, expression string, weight double"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Start Spark once; a task that fails is tried again, as on a cluster."""
    folder = Path(__file__).parents[2]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    session = hs.session("local[2,3]", spark__sql__shuffle__partitions="2", spark__default__parallelism="2")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def rows() -> list[Row]:
    """Return campaigns, by id: the first of equals is then the one with the smaller id, as a rule set has it."""
    return sorted(campaigns(CAMPAIGNS))


@pytest.fixture(scope="session")
def visit_rows() -> list[dict[str, Any]]:
    """Return visits as dicts."""
    return list(visits(VISITS))


@pytest.fixture(scope="session")
def rules(spark: SparkSession, rows: list[Row]) -> DataFrame:
    """Return the campaigns as a DataFrame."""
    return spark.createDataFrame(rows, RULES)


@pytest.fixture(scope="session")
def events(spark: SparkSession, visit_rows: list[dict[str, Any]]) -> DataFrame:
    """Return the visits as a DataFrame with a key, in two partitions."""
    return spark.createDataFrame(visit_table(visit_rows)).repartition(2).cache()


@pytest.fixture(scope="session")
def index(rows: list[Row]) -> hr.Index:
    """Return what every result is compared with."""
    index = hr.Index()
    assert not index.insert_many(rows).rejected
    return index


@pytest.fixture(scope="session")
def expected(index: hr.Index, visit_rows: list[dict[str, Any]]) -> set[tuple[int, object]]:
    """Return all matches: the number of the visit, and the campaign."""
    return {(number, id) for number, visit in enumerate(visit_rows) for id in index.match(visit)}


@pytest.fixture(scope="session")
def exchange(
    rows: list[Row], events: DataFrame, expected: set[tuple[int, object]]
) -> tuple[list[Row], DataFrame, set[tuple[int, object]]]:
    """Return campaigns, visits, and which match."""
    return rows, events, expected


@pytest.fixture(scope="session")
def built(rules: DataFrame, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a rule set of three shards that no test changes."""
    path = str(tmp_path_factory.mktemp("rules") / "built")
    hs.build(rules, path, shards=3, progress=False)
    return path


def visit_table(rows: list[dict[str, Any]]) -> pa.Table:
    """Return visits as a table: structs, lists, and a map."""
    plain = [{"visit": number, **visit, "seen": None} for number, visit in enumerate(rows)]
    table = pa.Table.from_pylist(plain).drop_columns("seen")
    seen = pa.array([list(visit["seen"].items()) for visit in rows], pa.map_(pa.string(), pa.int32()))
    return table.append_column("seen", seen)


def pairs(matches: DataFrame) -> set[tuple[int, object]]:
    """Return the matches of a DataFrame, each of which must be there once."""
    found = [(row.visit, row.rule_id) for row in matches.collect()]
    assert len(found) == len(set(found))
    return set(found)

"""Rules and events of the command's tests, in files of every format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import csv, parquet

import hedgerow as hr
from hedgerow.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

RULES = (
    (30, "age > 20 AND vip", 1.5),
    (10, "user.state = 'CA' OR tags ANY OF ('nba', 'nfl')", 0.0),
    (20, "NOT vip", 2.0),
    (40, "prefs.colour = 'red'", 0.5),
    (50, "age BETWEEN 5 AND 60", 2.0),
)

FLAT: tuple[dict[str, object], ...] = (
    {"name": "ann", "age": 30, "vip": True, "score": 1.5},
    {"name": "bob", "age": 10, "vip": False, "score": None},
    {"name": "", "age": None, "vip": None, "score": -2.0},
    {"name": "dee", "age": 70, "vip": True, "score": 0.25},
)

NESTED: tuple[dict[str, object], ...] = (
    {
        "name": "ann",
        "age": 30,
        "vip": True,
        "user": {"state": "NY", "id": 1},
        "tags": ["nba"],
        "prefs": [("colour", "red")],
    },
    {"name": "bob", "age": 10, "vip": False, "user": {"state": "CA", "id": 2}, "tags": [], "prefs": None},
    {"name": "cid", "age": None, "vip": None, "user": None, "tags": None, "prefs": [("size", "XL")]},
    {"name": "dee", "age": 70, "vip": True, "user": {"state": None, "id": 4}, "tags": ["x", None, "nfl"], "prefs": []},
)

_NESTED_SCHEMA = pa.schema(
    {
        "name": pa.string(),
        "age": pa.int64(),
        "vip": pa.bool_(),
        "user": pa.struct({"state": pa.string(), "id": pa.int32()}),
        "tags": pa.list_(pa.string()),
        "prefs": pa.map_(pa.string(), pa.string()),
    }
)

COLUMNAR = (".parquet", ".arrow", ".feather", ".stream.arrow")
LINES = (".jsonl", ".ndjson", ".json")


def flat_events() -> pa.Table:
    """Return events without lists and the like, such as CSV can hold."""
    return pa.Table.from_pylist(list(FLAT))


def nested_events() -> pa.Table:
    """Return events with structs, lists and maps."""
    return pa.Table.from_pylist(list(NESTED), _NESTED_SCHEMA)


def rules_table(ids: pa.DataType | None = None) -> pa.Table:
    """Return the rules, with ids of a type."""
    numbers, texts, weights = zip(*RULES, strict=True)
    given = pa.array(numbers, pa.int64()).cast(ids or pa.int64())
    return pa.table({"id": given, "expression": list(texts), "weight": list(weights)})


def written(path: Path, table: pa.Table) -> Path:
    """Write a table in the format that the name asks for; ``.stream.arrow`` is an Arrow stream."""
    if path.name.endswith(".stream.arrow"):
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    elif path.suffix in {".arrow", ".feather"}:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    elif path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=3)
    elif path.suffix == ".csv":
        csv.write_csv(table, path)
    else:
        path.write_text("".join(f"{json.dumps(plain(row))}\n" for row in table.to_pylist()))
    return path


def plain(row: dict[str, object]) -> dict[str, object]:
    """Return a row as JSON has it: maps are objects."""
    return {name: dict(value) if name == "prefs" and value is not None else value for name, value in row.items()}  # type: ignore[call-overload]


def read(path: Path) -> list[dict[str, object]]:
    """Return the rows of a file that a command has written; what is null in JSON lines is None here, too."""
    if path.suffix == ".parquet":
        return parquet.read_table(path).to_pylist()  # type: ignore[no-any-return]  # Arrow has no types
    if path.suffix in {".arrow", ".feather"}:
        return pa.ipc.open_file(path).read_all().to_pylist()  # type: ignore[no-any-return]  # as above
    if path.suffix == ".csv":
        return csv.read_csv(path, convert_options=csv.ConvertOptions(strings_can_be_null=True)).to_pylist()  # type: ignore[no-any-return]  # as above
    return [json.loads(line) for line in path.read_text().splitlines()]


def expected(events: Sequence[dict[str, object]], missing: str = "unknown") -> list[dict[str, object]]:
    """Return the rows that a match of the rules gives, by the oracle."""
    return [
        {"event": number, "rule_id": id}
        for number, event in enumerate(events)
        for id, text, _ in sorted(RULES)
        if hr.evaluate(text, plain(event), missing=missing) is True
    ]


def run(*words: object) -> int:
    """Run a command and return its exit code."""
    try:
        return main([str(word) for word in words])
    except SystemExit as stopped:
        assert isinstance(stopped.code, int)
        return stopped.code


def quietly(*words: object) -> None:
    """Run a command that goes well."""
    assert run(*words, "--quiet") == 0


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that a command has said, on standard error."""
    output, error = capsys.readouterr()
    assert output == ""
    assert error.count("\n") == 1, error
    return error.strip()


def facts(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """Return what a command has said with ``--json``."""
    output = capsys.readouterr().out
    assert output.count("\n") == 1
    said: dict[str, object] = json.loads(output)
    return said

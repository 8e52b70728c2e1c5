"""Rules and changes in all forms: each row is in the version or among the rejected, and no row spoils another."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow import ruleset
from hedgerow.errors import HedgerowError, KindError, SchemaError

TEXTS = ["a = 1", "b = 2", "a = = 1"]
BEYOND = 2**63


def table(ids: pa.Array | list[Any], texts: pa.Array | list[Any] = TEXTS, **more: Any) -> pa.Table:
    """Return a table of rules."""
    return pa.table({"id": ids, "expression": texts, **more})


def rejected(report: ruleset.BuildReport | ruleset.ChangeReport) -> list[tuple[Any, str]]:
    """Return the id and the name of the error of what was refused."""
    return [(row["id"], row["error"].partition(":")[0]) for row in report.rejected.to_pylist()]


FORMS: dict[str, Any] = {
    "tuples": [(1, TEXTS[0]), (2, TEXTS[1]), (3, TEXTS[2])],
    "lists": [[1, TEXTS[0], 0.0], [2, TEXTS[1], None], [3, TEXTS[2], 1]],
    "a generator": None,
    "a dict": dict(enumerate(TEXTS, 1)),
    "objects": [(1, hr.parse(TEXTS[0])), (2, hr.attr("b") == 2), (3, TEXTS[2])],
    "numbers of NumPy": [
        (np.int32(1), np.str_(TEXTS[0]), np.float32(1)),
        (np.uint8(2), TEXTS[1]),
        (np.int64(3), TEXTS[2]),
    ],
    "a table": table([1, 2, 3]),
    "a batch": pa.record_batch({"expression": TEXTS, "more": [1, 2, 3], "id": [1, 2, 3]}),
    "a reader": None,
    "many chunks": pa.concat_tables([table([1], TEXTS[:1]), table([2, 3], TEXTS[1:])]),
    "pandas": pd.DataFrame({"id": [1, 2, 3], "expression": TEXTS, "weight": [1, 2, 3]}, index=[7, 8, 9]),
    "polars": pl.DataFrame({"id": [1, 2, 3], "expression": TEXTS}),
    "int8": table(pa.array([1, 2, 3], pa.int8())),
    "uint64": table(pa.array([1, 2, 3], pa.uint64())),
    "uint8": table(pa.array([1, 2, 3], pa.uint8())),
    "dictionaries": table(pa.array([1, 2, 3]).dictionary_encode(), pa.array(TEXTS).dictionary_encode()),
    "large strings": table([1, 2, 3], pa.array(TEXTS, pa.large_string())),
    "string views": table([1, 2, 3], pa.array(TEXTS, pa.string_view())),
    "decimals": table([1, 2, 3], weight=pa.array([1, 2, 3], pa.decimal128(5, 1))),
    "whole weights": table([1, 2, 3], weight=pa.array([2**62 + 1, None, 3])),
    "no weights": table([1, 2, 3], weight=pa.nulls(3)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("partition", ("size", "attribute"))
def test_rules_come_in_many_forms(tmp_path: Path, form: str, partition: str) -> None:
    """What ``Index.insert_many`` takes, and the same of it."""
    given = FORMS[form]
    if form == "a generator":
        given = (row for row in FORMS["tuples"])
    elif form == "a reader":
        given = FORMS["a table"].to_reader()
    report = ruleset.build(given, tmp_path, partition=partition, shards=2)
    assert report.rules == 2
    assert rejected(report) == [(3, "ParseError")]
    assert report.rejected["offset"].to_pylist() == [4]
    rules = ruleset.open_rules(tmp_path)
    assert sorted(rules.match({"a": 1, "b": 2})) == [1, 2]
    assert [rules.expression(id) for id in (1, 2)] == TEXTS[:2]


@pytest.mark.parametrize(
    "kind", (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())), ids=str
)
def test_ids_may_be_strings_of_any_sort(tmp_path: Path, kind: pa.DataType) -> None:
    """They come back as plain strings; changes may have another sort."""
    report = ruleset.build(table(pa.array(["é", "b", "c"], kind)), tmp_path, shards=3)
    assert rejected(report) == [("c", "ParseError")]
    changed = ruleset.apply_changes(tmp_path, pa.table({"op": ["delete", "delete"], "id": pa.array(["b", "x"], kind)}))
    assert (changed.applied, rejected(changed)) == (1, [("x", "UnknownId")])
    rules = ruleset.open_rules(tmp_path)
    assert rules.match_batch([{"a": 1, "b": 2}]).to_pydict() == {"event": [0], "id": ["é"]}
    assert rules.id_type == pa.string()


@pytest.mark.parametrize("kind", (pa.int8(), pa.int16(), pa.int32(), pa.int64()), ids=str)
def test_ids_keep_their_width(tmp_path: Path, kind: pa.DataType) -> None:
    """Results have the type that the rules had; a change whose id does not fit is refused alone."""
    ruleset.build(table(pa.array([1, 2, 3], kind)), tmp_path)
    report = ruleset.apply_changes(tmp_path, [("insert", 2**40, "a = 1"), ("insert", 100, "a = 1")])
    assert ruleset.open_rules(tmp_path).match_batch([{"a": 1}]).schema.field("id").type == kind
    assert rejected(report) == ([] if kind == pa.int64() else [(None, "InvalidId")])
    assert 100 in ruleset.open_rules(tmp_path)


@pytest.mark.parametrize(
    "rules",
    (
        pa.table({"id": [1]}),
        pa.table({"expression": ["a"]}),
        pa.table({}),
        pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array(["a"])], ["id", "id", "expression"]),
        pa.Table.from_arrays(
            [pa.array([1]), pa.array(["a"]), pa.nulls(1), pa.nulls(1)], ["id", "expression", "weight", "weight"]
        ),
        table([1.0], ["a"]),
        table([True], ["a"]),
        table([dt.date(2026, 1, 1)], ["a"]),
        table([b"x"], ["a"]),
        table([1], [5]),
        table([1], [b"a"]),
        table([1], [["a"]]),
        table([1], ["a"], weight=["1"]),
        table([1], ["a"], weight=[True]),
        table(
            pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]),
            ["a"],
        ),
        pd.DataFrame({"id": [1, "x"], "expression": ["a", "b"]}),
        pd.DataFrame({"id": [1, 2], "expression": ["a", 5]}),
    ),
    ids=range(17),
)
def test_columns_of_other_types_are_a_schema_error(tmp_path: Path, rules: Any) -> None:
    """No row of such a table is meant as it is, so nothing is made of it."""
    with pytest.raises(SchemaError):
        ruleset.build(rules, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("rules", (5, "text", b"bytes", None))
def test_what_is_no_rows_at_all_is_a_kind_error(tmp_path: Path, rules: Any) -> None:
    """Neither rules nor changes."""
    with pytest.raises(KindError, match="are a table or"):
        ruleset.build(rules, tmp_path)
    ruleset.build([(1, "a")], tmp_path)
    with pytest.raises(KindError, match="are a table or"):
        ruleset.apply_changes(tmp_path, rules)


ODD_ROWS: list[Any] = [
    (1, "a = 1"),
    (BEYOND, "a = 1"),
    (-BEYOND - 1, "a = 1"),
    ("x", "a = 1"),
    (None, "a = 1"),
    (2.0, "a = 1"),
    (True, "a = 1"),
    (2, None),
    (3, 5),
    (4, "\ud800"),
    ("\ud800", "a = 1"),
    (5, "a = 1", "heavy"),
    (6, "a = 1", float("nan")),
    (7, "a = 1", 10**400),
    (8, "a = 1", True),
    (1, "a = 2"),
    (9,),
    (),
    (10, "a", 1.0, 2),
    "ab",
    None,
    (11, "a ="),
    (12, "a = 1", float("inf")),
    (13, ""),
    (14, "`" + "n" * 5000 + "` = 1"),
    (15, "a = 1", 2),
]


@pytest.mark.parametrize("shards", (1, 3))
@pytest.mark.parametrize("partition", ("size", "attribute"))
def test_every_row_is_in_the_version_or_rejected(tmp_path: Path, shards: int, partition: str) -> None:
    """However odd it is, it spoils no other; what was said is told as far as it can be."""
    report = ruleset.build(ODD_ROWS, tmp_path, shards=shards, partition=partition)
    assert report.rules + report.rejected.num_rows == len(ODD_ROWS)
    assert sorted(ruleset.open_rules(tmp_path).match({"a": 1})) == [1, 15]
    assert {id for id, _ in rejected(report) if id is not None} == {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
    names = {name for _, name in rejected(report)}
    assert names == {"InvalidId", "ExpressionError", "KindError", "DuplicateId", "ParseError", "LimitError"}
    assert str(report).startswith(f"{tmp_path}: version 1, 2 rules, 24 rejected, ")


def test_every_change_is_made_or_rejected(tmp_path: Path) -> None:
    """The same of changes; deletes need no expression, and nobody reads one that they have."""
    ruleset.build([(1, "a = 1"), (2, "a = 1"), (3, "a = 1")], tmp_path)
    odd: list[Any] = [("insert", *row) for row in ODD_ROWS if isinstance(row, tuple)]
    odd += [
        ("delete", 2, "a = = 1"),
        ("delete", 3, 77),
        ("UPDATE", 1, "b"),
        (None, 1, "b"),
        (["insert"], 1, "b"),
        "no",
        5,
        (),
    ]
    report = ruleset.apply_changes(tmp_path, odd)
    assert report.applied + report.rejected.num_rows == len(odd)
    assert report.applied == 3
    assert sorted(ruleset.open_rules(tmp_path).match({"a": 1})) == [1, 15]
    assert str(report) == f"{tmp_path}: version 2, 2 rules, 3 changes, {len(odd) - 3} rejected"


def test_null_ids_and_ids_beyond_64_bits_are_rejected_alone(tmp_path: Path) -> None:
    """In a table too, and among changes in their order."""
    ids = pa.array([2**64 - 1, 5, None, 5, BEYOND, 6], pa.uint64())
    texts = ["a", "a", "a", "b", None, "a"]
    for partition in ("size", "attribute"):
        report = ruleset.build(table(ids, texts), tmp_path, shards=2, partition=partition)
        assert sorted(rejected(report), key=str) == [(5, "DuplicateId"), *[(None, "InvalidId")] * 3]
        assert sorted(ruleset.open_rules(tmp_path).match({"a": True})) == [5, 6]
    ops = ["insert", "delete", "insert", "insert", "upsert", "upsert"]
    changed = ruleset.apply_changes(tmp_path, table(ids, texts, op=ops))
    assert rejected(changed) == [(None, "InvalidId")] * 3
    assert (changed.applied, changed.rejected["expression"].to_pylist()) == (3, ["a", "a", None])
    assert ruleset.open_rules(tmp_path).expression(5) == "b"


def test_of_equal_ids_the_first_counts(tmp_path: Path) -> None:
    """Wherever the rows stand, and also if the first is bad."""
    rows = [(1, "a = 1"), (2, "b = ="), (1, "b = 1"), (2, "b = 1"), (1, "c = 1")]
    for shards in (1, 5):
        report = ruleset.build(rows, tmp_path, shards=shards, partition="attribute")
        assert sorted(rejected(report)) == [
            (1, "DuplicateId"),
            (1, "DuplicateId"),
            (2, "DuplicateId"),
            (2, "ParseError"),
        ]
        assert ruleset.open_rules(tmp_path).expression(1) == "a = 1"


@pytest.mark.parametrize(
    ("rules", "kind"),
    (
        ([], pa.int64()),
        ({}, pa.int64()),
        (pa.table({"id": [], "expression": []}), pa.int64()),
        (table(pa.array([], pa.string()), pa.array([], pa.string())), pa.string()),
        ([("x", "a = = 1")], pa.string()),
        ([(None, "a")], pa.int64()),
        (table([None], ["a"]), pa.int64()),
    ),
    ids=range(7),
)
def test_a_version_may_have_no_rules(tmp_path: Path, rules: Any, kind: pa.DataType) -> None:
    """It matches nothing, takes changes, and can be built anew."""
    report = ruleset.build(rules, tmp_path, partition="attribute")
    assert (report.rules, report.shards, report.bytes) == (0, 0, 0)
    opened = ruleset.open_rules(tmp_path)
    assert opened.match_batch([{"a": True}]).schema == pa.schema({"event": pa.int32(), "id": kind})
    assert opened.top_batch([{"a": True}], 3).num_rows == len(opened) == len(list(opened.rows())) == 0
    id = "x" if kind == pa.string() else 1
    ruleset.apply_changes(tmp_path, [("insert", id, "a")])
    assert ruleset.open_rules(tmp_path).match({"a": True}) == [id]
    ruleset.apply_changes(tmp_path, [("delete", id)])
    assert ruleset.open_rules(tmp_path).match({"a": True}) == []


@pytest.mark.parametrize(
    "options",
    (
        {"partition": "colour"},
        {"shards": 0},
        {"shards": -1},
        {"shards": 5000},
        {"shard_bytes": 0},
        {"on_error": "ignore"},
        {"missing": "maybe"},
    ),
    ids=str,
)
def test_options_that_have_no_meaning_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    """Before anything is written."""
    with pytest.raises(HedgerowError):
        ruleset.build([(1, "a")], tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_changes_of_another_kind_are_refused(tmp_path: Path) -> None:
    """A number is not the text of it: a table is a SchemaError, a row is rejected; so is an unknown ``on_error``."""
    ruleset.build([("1", "a"), ("2", "a")], tmp_path)
    with pytest.raises(SchemaError, match="of type string, and those of the changes of type int64"):
        ruleset.apply_changes(tmp_path, pa.table({"op": ["delete"], "id": [1]}))
    for wrong in ({"op": ["delete"]}, {"id": ["1"]}, {"op": [1], "id": ["1"]}, {"op": ["delete"], "id": [1.0]}):
        with pytest.raises(SchemaError):
            ruleset.apply_changes(tmp_path, pa.table(wrong))
    assert ruleset.apply_changes(tmp_path, pa.table({"op": [], "id": []})).applied == 0
    assert rejected(ruleset.apply_changes(tmp_path, pa.table({"op": ["delete"], "id": [None]}))) == [
        (None, "InvalidId")
    ]
    assert rejected(ruleset.apply_changes(tmp_path, [("delete", 1), ("delete", "1")])) == [(None, "InvalidId")]
    with pytest.raises(KindError, match="on_error is one of"):
        ruleset.apply_changes(tmp_path, [], on_error="ignore")
    assert ruleset.open_rules(tmp_path).match({"a": True}) == ["2"]


def test_changes_come_in_many_forms(tmp_path: Path) -> None:
    """Frames and readers, with more columns than are needed and with fewer."""
    ruleset.build([(1, "a"), (2, "a"), (3, "a"), (4, "a")], tmp_path)
    frame = pd.DataFrame({"id": [1, 5], "op": ["delete", "insert"], "expression": [None, "a"], "other": [1, 2]})
    forms = [frame, pl.DataFrame({"op": ["delete"], "id": [2]}), pa.table({"op": ["delete"], "id": [3]}).to_reader()]
    assert [ruleset.apply_changes(tmp_path, form).applied for form in forms] == [2, 1, 1]
    ruleset.apply_changes(tmp_path, iter([["update", 4, hr.attr("b").holds(), 2.5]]))
    assert ruleset.open_rules(tmp_path).match({"a": True, "b": True}) == [4, 5]
    assert ruleset.open_rules(tmp_path).top_batch([{"b": True}], 1)["score"].to_pylist() == [2.5]


def test_a_huge_expression_is_a_rule_like_any_other(tmp_path: Path) -> None:
    """Megabytes of text, tens of thousands of levels: built, changed, built anew and read back."""
    wide = "a IN (" + ", ".join(map(str, range(300_000))) + ")"
    deep = "NOT " * 50_000 + "a = 1"
    ruleset.build([(1, wide), (2, deep), (3, "a = = " + wide)], tmp_path, partition="attribute", shards=2)
    ruleset.apply_changes(tmp_path, [("upsert", 4, wide)])
    rules = ruleset.open_rules(tmp_path)
    assert sorted(rules.match({"a": 1})) == [1, 2, 4]
    assert rules.expression(4) == wide

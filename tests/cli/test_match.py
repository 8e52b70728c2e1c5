"""``hedgerow match``: the same rows from every kind of rules and every format of events, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import hedgerow as hr
from hedgerow import ruleset
from hedgerow.cli import match, matching, tables
from hedgerow.cli.files import TABLES
from hedgerow.cli.match import gathered
from hedgerow.cli.matching import Job, Matching, Pace
from hedgerow.cli.opening import Rules
from hedgerow.workload.exchange import campaigns, visits
from tests.cli.samples import (
    COLUMNAR,
    FLAT,
    LINES,
    NESTED,
    RULES,
    complaint,
    expected,
    facts,
    flat_events,
    nested_events,
    quietly,
    read,
    rules_table,
    run,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Return a rule file."""
    return written(tmp_path / "rules.parquet", rules_table())


def matched(rules: Path, events: object, out: Path, *options: object) -> list[dict[str, object]]:
    """Return the rows of a match."""
    quietly("match", "--rules", rules, "--events", events, "--out", out, *options)
    return read(out)


@pytest.mark.parametrize("suffix", (*COLUMNAR, *LINES))
def test_nested_events_match_from_every_format_that_has_them(suffix: str, rules: Path, tmp_path: Path) -> None:
    """Structs, lists and maps."""
    events = written(tmp_path / f"events{suffix}", nested_events())
    rows = matched(rules, events, tmp_path / "out.parquet")
    assert rows == expected(NESTED)
    assert {row["rule_id"] for row in rows} == {id for id, _, _ in RULES}


@pytest.mark.parametrize("suffix", (*COLUMNAR, *LINES, ".csv"))
def test_flat_events_match_from_every_format(suffix: str, rules: Path, tmp_path: Path) -> None:
    """CSV too, where an empty cell is missing and an empty string is not."""
    events = written(tmp_path / f"events{suffix}", flat_events())
    assert matched(rules, events, tmp_path / "out.parquet") == expected(FLAT)


@pytest.mark.parametrize("suffix", TABLES)
def test_results_go_into_every_format(suffix: str, rules: Path, tmp_path: Path) -> None:
    """The same rows."""
    events = written(tmp_path / "events.parquet", nested_events())
    assert matched(rules, events, tmp_path / f"out{suffix}") == expected(NESTED)


@pytest.mark.parametrize("kind", ("rules.csv", "rules.jsonl", "rules.stream.arrow", "index.hedgerow", "set", "sharded"))
def test_rules_come_as_a_file_as_an_index_and_as_a_rule_set(kind: str, tmp_path: Path) -> None:
    """The same rows from each."""
    path = tmp_path / kind
    if kind == "index.hedgerow":
        index = hr.Index()
        index.insert_many(sorted(RULES))
        index.save(path)
    elif kind == "set":
        ruleset.build(rules_table(), path)
    elif kind == "sharded":
        ruleset.build(rules_table(), path, shards=3, partition="attribute")
        ruleset.apply_changes(
            path, [("delete", 10), ("insert", 10, RULES[1][1]), ("insert", 99, "vip"), ("delete", 99)]
        )
    else:
        written(path, rules_table())
    events = written(tmp_path / "events.jsonl", nested_events())
    rows = matched(path, events, tmp_path / "out.parquet")
    assert sorted(rows, key=lambda row: (str(row["event"]), str(row["rule_id"]))) == expected(NESTED)
    best = matched(path, events, tmp_path / "out.parquet", "--top", 2)
    assert [(row["event"], row["rule_id"], row["score"]) for row in best] == [
        (0, 50, 2.0),
        (0, 30, 1.5),
        (1, 20, 2.0),
        (1, 50, 2.0),
        (3, 30, 1.5),
        (3, 10, 0.0),
    ]


def test_an_older_version_can_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As long as it is there."""
    ruleset.build([(1, "age > 20")], tmp_path / "rules")
    ruleset.apply_changes(tmp_path / "rules", [("insert", 2, "age > 60")])
    events = written(tmp_path / "events.csv", flat_events())
    out = tmp_path / "out.csv"
    assert [row["rule_id"] for row in matched(tmp_path / "rules", events, out)] == [1, 1, 2]
    assert [row["rule_id"] for row in matched(tmp_path / "rules", events, out, "--version", 1)] == [1, 1]
    assert run("match", "--rules", tmp_path / "rules", "--events", events, "--out", out, "--version", 7) == 1
    assert complaint(capsys).endswith("version 7 is not there; there are 1 to 2")


@pytest.mark.parametrize("ids", (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.string()), ids=str)
@pytest.mark.parametrize("built", (False, True))
def test_ids_keep_their_type(ids: pa.DataType, built: bool, tmp_path: Path) -> None:
    """From a rule file as from a rule set."""
    rules = written(tmp_path / "rules.parquet", rules_table(ids))
    if built:
        quietly("build", "--rules", rules, "--out", tmp_path / "rules")
        rules = tmp_path / "rules"
    events = written(tmp_path / "events.parquet", nested_events())
    matched(rules, events, tmp_path / "out.parquet")
    table = parquet.read_table(tmp_path / "out.parquet")
    assert table.schema.field("rule_id").type == ids
    assert table["rule_id"].cast(pa.string()).to_pylist() == [str(row["rule_id"]) for row in expected(NESTED)]


@pytest.mark.parametrize("suffix", (*COLUMNAR, *LINES))
def test_keys_are_columns_of_the_events_or_fields_of_them(suffix: str, rules: Path, tmp_path: Path) -> None:
    """Under the names that were given, in that order."""
    events = written(tmp_path / f"events{suffix}", nested_events())
    rows = matched(rules, events, tmp_path / "out.parquet", "--key", "user.id", "name")
    assert rows == [
        {"user.id": user["id"] if (user := event["user"]) else None, "name": event["name"], "rule_id": row["rule_id"]}
        for row in expected(NESTED)
        for event in [NESTED[row["event"]]]  # type: ignore[call-overload]
    ]


def test_a_key_keeps_its_type_and_its_nesting(rules: Path, tmp_path: Path) -> None:
    """Where the format has such a thing; a dictionary is only a way to write text."""
    table = nested_events().append_column("small", pa.array([1, 2, 3, 4], pa.uint8()))
    table = table.append_column("word", pa.array(["a", "b", "a", "b"]).dictionary_encode())
    events = written(tmp_path / "events.parquet", table)
    matched(rules, events, tmp_path / "out.parquet", "--key", "small", "tags", "word")
    schema = parquet.read_schema(tmp_path / "out.parquet")
    assert [field.type for field in schema] == [pa.uint8(), pa.list_(pa.string()), pa.string(), pa.int64()]


def test_left_gives_every_event_a_row(rules: Path, tmp_path: Path) -> None:
    """With nulls where nothing matches, in the order of the events."""
    events = written(tmp_path / "events.parquet", nested_events())
    rows = matched(rules, events, tmp_path / "out.parquet", "--how", "left", "--key", "name")
    assert [row["name"] for row in rows] == ["ann"] * 4 + ["bob"] * 3 + ["cid"] + ["dee"] * 2
    assert [row["rule_id"] for row in rows if row["name"] == "cid"] == [None]
    best = matched(rules, events, tmp_path / "out.csv", "--how", "left", "--top", 1)
    assert [(row["event"], row["rule_id"], row["score"]) for row in best] == [
        (0, 50, 2),
        (1, 20, 2),
        (2, None, None),
        (3, 30, 1.5),
    ]


def test_missing_is_for_rule_files(rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rule set knows already."""
    events = written(tmp_path / "events.parquet", nested_events())
    out = tmp_path / "out.parquet"
    assert matched(rules, events, out, "--missing", "false") == expected(NESTED, "false") != expected(NESTED)
    quietly("build", "--rules", rules, "--out", tmp_path / "rules", "--missing", "false")
    assert matched(tmp_path / "rules", events, out) == expected(NESTED, "false")
    assert run("match", "--rules", tmp_path / "rules", "--events", events, "--out", out, "--missing", "false") == 2
    assert "--missing is for a rule file" in complaint(capsys)


@pytest.mark.parametrize("suffix", (".parquet", ".csv", ".jsonl", ".arrow"))
def test_a_folder_and_a_pattern_are_their_files_by_name(suffix: str, rules: Path, tmp_path: Path) -> None:
    """Events are numbered through all of them; what begins with a dot or an underscore is none of them."""
    folder = tmp_path / "events"
    folder.mkdir()
    for number in (2, 0, 1):
        written(folder / f"part-{number}{suffix}", flat_events().slice(number, 1 + number // 2))
    (folder / "_SUCCESS").touch()
    (folder / ".part-0.crc").touch()
    assert matched(rules, folder, tmp_path / "out.parquet") == expected(FLAT)
    assert matched(rules, folder / "part-?.*", tmp_path / "out.parquet") == expected(FLAT)


def test_files_may_have_different_columns(rules: Path, tmp_path: Path) -> None:
    """An event has what it has; only the keys are in all files, as the first has them."""
    folder = tmp_path / "events"
    folder.mkdir()
    written(folder / "1.parquet", pa.table({"n": pa.array([1], pa.int64()), "age": pa.array([30], pa.int8())}))
    written(folder / "2.parquet", pa.table({"n": pa.array([2], pa.int32()), "vip": [False]}))
    assert matched(rules, folder, tmp_path / "out.csv", "--key", "n") == [
        {"n": 1, "rule_id": 50},
        {"n": 2, "rule_id": 20},
    ]


def test_columns_that_no_rule_asks_for_are_not_read(rules: Path, tmp_path: Path) -> None:
    """So they may be of a type that no event has."""
    strange = pa.array([b"\x00", None, b"\xff", b""], pa.binary())
    events = written(tmp_path / "events.parquet", nested_events().append_column("strange", strange))
    assert matched(rules, events, tmp_path / "out.parquet") == expected(NESTED)


@pytest.mark.parametrize("suffix", (".parquet", ".arrow", ".jsonl"))
def test_fields_that_no_rule_asks_for_are_not_looked_at(suffix: str, tmp_path: Path) -> None:
    """In a struct as beside it; a key may have them, all the same."""
    rules = tmp_path / "rules.txt"
    rules.write_text("user.home.state = 'CA' OR user.age > 60\nother.thing = 1\nuser.home IS NULL\nother IS NULL\n")
    visited = [{"page": 1}, {"page": 2}]
    users = [
        {"age": 70, "visits": visited, "home": {"state": "NY", "visits": visited}},
        {"age": 7, "visits": [], "home": {"state": "CA", "visits": None}},
        None,
        {"age": 1, "visits": None, "home": None},
    ]
    table = pa.table({"user": users, "other": [{"visits": visited}] * 4})
    events = written(tmp_path / f"events{suffix}", table)
    assert matched(rules, events, tmp_path / "out.parquet") == [
        {"event": 0, "rule_id": 1},
        {"event": 1, "rule_id": 1},
        {"event": 2, "rule_id": 3},
        {"event": 3, "rule_id": 3},
    ]
    rows = matched(rules, events, tmp_path / "out.parquet", "--key", "user.visits")
    assert [row["user.visits"] for row in rows] == [visited, [], None, None]


def test_events_without_any_asked_column_are_events(tmp_path: Path) -> None:
    """They have nothing that a rule asks for, and that may be what it asks for."""
    rules = tmp_path / "rules.txt"
    rules.write_text("nothing IS NULL\nnothing = 1\n")
    for suffix in (".parquet", ".arrow", ".csv", ".jsonl"):
        events = written(tmp_path / f"events{suffix}", flat_events())
        assert [row["event"] for row in matched(rules, events, tmp_path / "out.csv")] == [0, 1, 2, 3]


@pytest.mark.parametrize("built", (False, True))
def test_it_finds_what_the_library_finds(built: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readable rules and events with all that the language has; blocks are small, so that there are many."""
    monkeypatch.setattr(tables, "ROWS", 50)
    monkeypatch.setattr(matching, "_MATCHES", 500)
    rules, events = list(campaigns(400)), list(visits(300))
    ids, texts, bids = zip(*rules, strict=True)
    path = written(tmp_path / "rules.parquet", pa.table({"id": ids, "expression": texts, "weight": bids}))
    if built:
        quietly("build", "--rules", path, "--out", tmp_path / "rules", "--shards", 3, "--partition", "attribute")
        path = tmp_path / "rules"
    source = written(tmp_path / "events.parquet", pa.Table.from_pylist(events))
    index = hr.Index()
    index.insert_many(sorted(rules))
    rows = matched(path, source, tmp_path / "out.parquet", "--threads", 2)
    pairs = index.match_batch(events)
    assert {(row["event"], row["rule_id"]) for row in rows} == set(
        zip(pairs["event"].to_pylist(), pairs["id"].to_pylist(), strict=True)
    )
    assert len(rows) == pairs.num_rows > 300
    best = matched(path, source, tmp_path / "out.parquet", "--top", 3)
    assert best == [
        {"event": number, "rule_id": id, "score": score}
        for number, event in enumerate(events)
        for id, score in index.top(event, 3)
    ]


def test_few_events_are_taken_at_once_where_many_rules_match() -> None:
    """And as many as a block has where few do; the number of events does not matter."""
    pace = Pace()
    sizes = []
    for _ in range(6):
        pace.note(pace.events, pace.events * 3)
        sizes.append(pace.events)
    assert sizes == [1024, 4096, 8192, 8192, 8192, 8192]
    pace.note(8192, 8192 * 100_000)
    assert pace.events == 10
    pace.note(10, 10 * 10_000_000)
    assert pace.events == 1


def test_memory_does_not_grow_with_the_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By construction: no more than a block is read before its matches are written, and no step finds too many."""
    monkeypatch.setattr(tables, "ROWS", 100)
    monkeypatch.setattr(matching, "_MATCHES", 1000)
    monkeypatch.setattr(matching, "_WRITTEN", 64)
    index = hr.Index()
    index.insert_many((number, "a >= 0") for number in range(20))
    files = [written(tmp_path / f"{number}.parquet", pa.table({"a": list(range(1000))})) for number in range(3)]
    blocks: list[int] = []
    read_blocks = tables.blocks

    def counted(*given: object) -> Iterator[tables.Block]:
        for block in read_blocks(*given):  # type: ignore[arg-type]
            blocks.append(len(block))
            yield block

    monkeypatch.setattr(matching, "blocks", counted)
    work = Matching(Rules(index, None, ("a",)), Job())
    rows = ahead = 0
    for batch in work.batches(files):
        assert batch.num_rows <= 64
        rows += batch.num_rows
        ahead = max(ahead, sum(blocks) - rows // 20)
    assert (work.events, work.matches, rows) == (3000, 60_000, 60_000)
    assert max(blocks) == 100
    assert ahead <= 101


def test_small_results_of_many_steps_are_written_together(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row group for each block would make a file that is slow to read."""
    monkeypatch.setattr(tables, "ROWS", 2)
    events = written(tmp_path / "events.jsonl", pa.table({"age": [30] * 40}))
    matched(rules, events, tmp_path / "out.parquet")
    assert parquet.read_metadata(tmp_path / "out.parquet").num_row_groups == 1


@given(st.lists(st.integers(0, 7), max_size=40))
def test_batches_that_are_put_together_have_the_same_rows(sizes: list[int]) -> None:
    """In their order; few are left small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match, "_GATHERED", 10)
        patch.setattr(match, "_WAITING", 3)
        numbers = iter(range(sum(sizes)))
        batches = [pa.record_batch({"n": pa.array([next(numbers) for _ in range(size)], pa.int64())}) for size in sizes]
        united = list(gathered(batches))
    assert [number for batch in united for number in batch["n"].to_pylist()] == list(range(sum(sizes)))
    assert all(batch.num_rows >= 10 for batch in united[:-1])


def test_it_says_what_it_did(rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a line, as JSON, or not at all."""
    events = written(tmp_path / "events.parquet", nested_events())
    out = tmp_path / "out.csv"
    words = ("match", "--rules", rules, "--events", events, "--out", out)
    assert run(*words) == 0
    assert capsys.readouterr() == (f"4 events, 9 matches, 0.0 MB: {out}\n", "")
    assert run(*words, "--json") == 0
    said = facts(capsys)
    assert said.pop("seconds")
    assert said == {
        "events": 4,
        "matches": 9,
        "rules": 5,
        "version": None,
        "out": str(out),
        "bytes": out.stat().st_size,
    }
    quietly(*words)
    assert capsys.readouterr() == ("", "")


def test_bad_rules_of_a_file_are_left_out_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or nothing is done."""
    rules = tmp_path / "rules.csv"
    rules.write_text("id,expression\n3,age > 20\n1,age >\n3,TRUE\n")
    events = written(tmp_path / "events.csv", flat_events())
    words = ("match", "--rules", rules, "--events", events, "--out", tmp_path / "out.csv", "--quiet")
    assert run(*words) == 0
    assert [line.partition(": ")[2] for line in capsys.readouterr().err.splitlines()] == [
        f"{rules}: row 1, id 1: line 1, column 6: expected a value, found the end",
        f"{rules}: row 2, id 3: the id 3 is taken",
    ]
    assert [row["event"] for row in read(tmp_path / "out.csv")] == [0, 3]
    (tmp_path / "out.csv").unlink()
    assert run(*words, "--on-error", "fail") == 1
    assert complaint(capsys).startswith("hedgerow match: 2 of the rules are bad, and nothing was done. ")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("suffix", TABLES)
def test_no_events_are_a_file_all_the_same(suffix: str, rules: Path, tmp_path: Path) -> None:
    """With the columns, where the format has them."""
    events = written(tmp_path / f"events{suffix}", flat_events().slice(0, 0))
    assert matched(rules, events, tmp_path / "out.parquet", "--top", 1) == []
    if suffix not in LINES:
        matched(rules, events, tmp_path / "out.parquet", "--key", "name")
    assert parquet.read_schema(tmp_path / "out.parquet").names[-1] in {"score", "rule_id"}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    (
        (
            "e.jsonl",
            '{"age": 1}\n\n{"age": \n',
            "line 3: not JSON: Expecting value at column 8; one line has one object",
        ),
        ("e.jsonl", "[1]\n", "line 1: a list, where an object is wanted; one line has one object"),
        ("e.jsonl", b'{"a": "\xff"}\n', "line 1: not UTF-8; one line has one object"),
        (
            "e.jsonl",
            '{"age": 3}\n\n{"age": 99999999999999999999}\n',
            "line 3: attribute 'age': an integer beyond 64 bits",
        ),
        ("e.jsonl", "[" * 100_000, "line 1: nested too deeply; one line has one object"),
        ("e.csv", "", "cannot be read: Empty CSV file"),
        (
            "e.csv",
            "a,b\n1,2\n1,2,3\n",
            "cannot be read: CSV parse error: Expected 2 columns, got 3: 1,2,3; text with a",
        ),
        ("e.parquet", "", "cannot be read: Parquet file size is 0 bytes"),
        ("e.parquet", "no parquet at all", "cannot be read: Parquet magic bytes not found in footer."),
        ("e.arrow", "", "cannot be read: Tried reading schema message, was null or length 0"),
        ("e.arrow", "ARROW1 but no more", "cannot be read: "),
    ),
)
def test_a_bad_file_of_events_is_told_in_one_line(  # noqa: PLR0917 - fixtures
    name: str, content: str | bytes, reason: str, rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its name and, where it applies, the line; nothing is written."""
    events = tmp_path / name
    events.write_bytes(content if isinstance(content, bytes) else content.encode())
    out = tmp_path / "out.csv"
    assert run("match", "--rules", rules, "--events", events, "--out", out) == 1
    assert complaint(capsys).startswith(f"hedgerow match: {events}: {reason}")
    assert sorted(tmp_path.iterdir()) == [events, rules]


def test_a_bad_event_is_told_with_its_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counted from 0 in the whole file, as the column 'event' does."""
    rules = tmp_path / "rules.txt"
    rules.write_text("big = 1\n")
    big = pa.array([1] * 10_000 + [2**63], pa.uint64())
    events = written(tmp_path / "events.parquet", pa.table({"big": big}))
    assert run("match", "--rules", rules, "--events", events, "--out", tmp_path / "out.csv") == 1
    assert complaint(capsys) == f"hedgerow match: {events}: row 10000: attribute 'big': an integer beyond 64 bits"
    decimals = pa.table({"big": pa.array([1, 2]).cast(pa.decimal128(20))})
    written(events, decimals)
    assert run("match", "--rules", rules, "--events", events, "--out", tmp_path / "out.csv") == 1
    assert f"{events}: attribute 'big': events have no values of Arrow's type decimal128(20, 0)" in complaint(capsys)


@pytest.mark.parametrize(
    ("options", "code", "reason"),
    (
        (["--key", "nope"], 1, "has no column 'nope'"),
        (["--key", "user.nope"], 1, "has no column 'user.nope'"),
        (["--key", "rule_id"], 2, "--key rule_id: the result would have two columns of that name"),
        (["--key", "age", "age"], 2, "--key age: the result would have two columns of that name"),
        (["--key", "tags"], 2, "the key 'tags' is of type list<"),
        (["--top", "0"], 2, "argument --top: it is to be 1 or more"),
        (["--top", "many"], 2, "argument --top: 'many' is not a whole number"),
        (["--how", "outer"], 2, "argument --how: invalid choice: 'outer'"),
        (["--version", "1"], 2, "--version is for a rule set"),
        (["--threads", "1000"], 2, "threads is a number from 1 to 256"),
        (["--quiet", "--json"], 2, "not allowed with argument --quiet"),
        (["--spark"], 2, "--spark needs --key"),
        (["--master", "local"], 2, "--master is for --spark"),
    ),
)
def test_a_wrong_option_is_told_in_one_line(  # noqa: PLR0917 - fixtures
    options: list[str], code: int, reason: str, rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing is written."""
    events = written(tmp_path / "events.parquet", nested_events())
    assert run("match", "--rules", rules, "--events", events, "--out", tmp_path / "out.csv", *options) == code
    assert reason in complaint(capsys)
    assert sorted(tmp_path.iterdir()) == [events, rules]


def test_names_of_files_that_make_no_sense_are_told(
    rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is not there, is of no format, or of several."""
    events = written(tmp_path / "events.csv", flat_events())
    empty, mixed, full, other = (tmp_path / name for name in ("empty", "mixed", "full.csv", "events.xlsx"))
    for folder in (empty, mixed, full):
        folder.mkdir()
    other.touch()
    written(mixed / "1.csv", flat_events())
    written(mixed / "2.parquet", flat_events())
    good = {"rules": rules, "events": events, "out": tmp_path / "out.csv"}
    for change, code, reason in (
        ({"events": tmp_path / "no.csv"}, 1, "no.csv: there is no such file"),
        ({"events": tmp_path / "no*.csv"}, 1, "no*.csv: no file has such a name"),
        ({"events": empty}, 1, "empty: there are no files in this folder"),
        ({"events": mixed}, 2, "mixed: these are files of several formats: .csv, .parquet"),
        ({"events": other}, 2, "ends in one of .parquet"),
        ({"rules": tmp_path / "nope"}, 1, "nope: there is no such file"),
        ({"rules": other}, 2, "ends in one of .parquet"),
        ({"rules": empty}, 1, "empty: no rule set is there; build one first"),
        ({"rules": tmp_path / "no.hedgerow"}, 1, "no.hedgerow: there is no such file"),
        ({"out": tmp_path / "out.txt"}, 2, "ends in one of .parquet"),
        ({"out": tmp_path / "no" / "out.csv"}, 1, "there is no folder"),
        ({"out": full}, 1, "it is there, and is not a file"),
    ):
        words = [word for name, value in {**good, **change}.items() for word in (f"--{name}", value)]
        assert run("match", *words) == code, change
        assert reason in complaint(capsys)


def test_the_key_of_json_lines_has_one_type(rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That of the first; one that differs is told with its line, and so is a key that no event has."""
    events = tmp_path / "events.jsonl"
    out = tmp_path / "out.parquet"
    for rows, reason in (
        (['{"k": 1}', '{"k": "x"}'], "line 2: 'k' is 'x', and those before are of type int64"),
        (['{"k": "x"}', "{}", '{"k": 1}'], "line 3: 'k' is 1, and those before are of type string"),
        (['{"k": 1}'] * 9000 + ['{"k": 1.5}'], "line 9001: 'k' is 1.5, and those before are of type int64"),
        (["{}", "{}"], "none of the first 2 events has the key 'k'"),
        (['{"k": 99999999999999999999}'], "line 1: 'k' is 99999999999999999999"),
    ):
        events.write_text("\n".join(rows))
        assert run("match", "--rules", rules, "--events", events, "--out", out, "--key", "k") == 1
        assert f"{events}: {reason}" in complaint(capsys)


def test_a_key_that_changes_its_type_between_files_is_told(
    rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the name of the file."""
    first = written(tmp_path / "e1.parquet", pa.table({"k": [1], "vip": [True]}))
    second = written(tmp_path / "e2.parquet", pa.table({"k": ["x"], "vip": [True]}))
    words = ("--events", tmp_path / "e*.parquet", "--out", tmp_path / "out.csv", "--key", "k")
    assert run("match", "--rules", rules, *words) == 1
    assert complaint(capsys).endswith(f"{second}: the key 'k' is of type string here, and of type int64 before")
    assert first.exists()


def test_timestamps_go_through_every_format(tmp_path: Path) -> None:
    """JSON has no timestamps, so there they are text, in the results as in the events."""
    rules = tmp_path / "rules.txt"
    rules.write_text("at > TIMESTAMP '2026-01-01T00:00:00Z'\n")
    at = pa.array(["2025-12-31T12:00:00", "2026-06-01T12:30:00"]).cast(pa.timestamp("us"))
    for suffix in (".parquet", ".arrow", ".csv"):
        events = written(tmp_path / f"events{suffix}", pa.table({"at": at}))
        out = tmp_path / "out.jsonl"
        assert matched(rules, events, out, "--key", "at") == [{"at": "2026-06-01T12:30:00", "rule_id": 1}]
    lines = tmp_path / "events.jsonl"
    lines.write_text('{"at": "2026-06-01T12:30:00"}\n')
    assert matched(rules, lines, tmp_path / "out.jsonl") == []


def test_progress_is_shown_on_a_terminal(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a bar, where the files say how many rows there are."""
    monkeypatch.setattr("hedgerow.progress._PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for suffix, bar in ((".parquet", "matching: 4 rows  [####"), (".jsonl", "matching: 4 rows  ")):
        events = written(tmp_path / f"events{suffix}", flat_events())
        assert run("match", "--rules", rules, "--events", events, "--out", tmp_path / "out.csv") == 0
        assert bar in capsys.readouterr().err


def test_it_works_as_a_program_of_its_own(rules: Path, tmp_path: Path) -> None:
    """As people start it."""
    events = written(tmp_path / "events.jsonl", nested_events())
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "hedgerow.cli.main", "match", "--rules", rules, "--events", events, "--out", out]
    done = subprocess.run([*map(str, command), "--json"], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert json.loads(done.stdout)["matches"] == 9
    assert read(out) == expected(NESTED)

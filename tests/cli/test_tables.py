"""What a file's cells mean: CSV by all its cells, JSON lines as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.cli import csv_kinds
from hedgerow.cli.asked import top_names
from hedgerow.cli.csv_kinds import KINDS, wider
from hedgerow.cli.tables import Columns, Objects, blocks, files_of
from tests.cli.samples import COLUMNAR, nested_events, written

if TYPE_CHECKING:
    from pathlib import Path


def csv_table(path: Path, text: str) -> pa.Table:
    """Return what is read from CSV."""
    path.write_text(text)
    return pa.Table.from_batches([block.batch for block in blocks(path) if isinstance(block, Columns)])


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    (
        (["1", "", "-20"], pa.int64(), [1, None, -20]),
        (["1", "0.5", "1e3"], pa.float64(), [1.0, 0.5, 1000.0]),
        (["true", "False", ""], pa.bool_(), [True, False, None]),
        (["1", "true"], pa.string(), ["1", "true"]),
        (["007", "8"], pa.string(), ["007", "8"]),
        (["9223372036854775807", "-9223372036854775808"], pa.int64(), [2**63 - 1, -(2**63)]),
        (["9223372036854775808"], pa.string(), ["9223372036854775808"]),
        (["0x1F"], pa.string(), ["0x1F"]),
        (["NA", "null"], pa.string(), ["NA", "null"]),
        (["", '""'], pa.string(), [None, ""]),
        (["", ""], pa.null(), [None, None]),
        (["2026-02-30"], pa.string(), ["2026-02-30"]),
        (["2026-01-31T12:00:00Z", "2026-01-31T12:00:00"], pa.string(), ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00"]),
        (['"a\nb"', "c"], pa.string(), ["a\nb", "c"]),
    ),
)
def test_a_column_is_of_the_narrowest_kind_that_fits_all_its_cells(
    cells: list[str], kind: pa.DataType, values: list[object], tmp_path: Path
) -> None:
    """What would not be written the same way again is text."""
    table = csv_table(tmp_path / "a.csv", "".join(f"{cell},x\n" for cell in ["c", *cells]))
    assert table["c"].type == kind
    assert table["c"].to_pylist() == values


@pytest.mark.parametrize(
    ("cells", "kind"),
    (
        (["2026-01-31"], pa.date32()),
        (["2026-01-31", "2026-01-31 12:00"], pa.timestamp("us")),
        (["2026-01-31T12:00:00.25"], pa.timestamp("us")),
        (["2026-01-31T12:00:00Z", "2026-01-31T12:00:00+02:00"], pa.timestamp("us", "UTC")),
    ),
)
def test_dates_and_times_are_moments(cells: list[str], kind: pa.DataType, tmp_path: Path) -> None:
    """A rule can compare them with a TIMESTAMP."""
    assert csv_table(tmp_path / "a.csv", "\n".join(["c", *cells]))["c"].type == kind


def test_a_cell_far_down_counts_as_the_first_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow's own reader would stop at it."""
    monkeypatch.setattr(csv_kinds, "_BLOCK", 1000)
    lines = [f"{number},,1" for number in range(5000)]
    table = csv_table(tmp_path / "a.csv", "\n".join(["a,b,c", *lines, "1.5,7,x"]))
    assert [str(field.type) for field in table.schema] == ["double", "int64", "string"]
    assert table.num_rows == 5001
    assert table.slice(5000).to_pylist() == [{"a": 1.5, "b": 7, "c": "x"}]


CELLS = (
    ("", "1", "-7", "2.5", "1e9"),
    ("", "2026-01-31", "2026-01-31 10:00", "2026-01-31T10:00:00Z"),
    ("", "1", "true", "x", "010", "2026-01-31"),
)


@given(st.sampled_from(CELLS).flatmap(lambda cells: st.lists(st.sampled_from(cells), max_size=6)), st.data())
def test_it_does_not_matter_how_cells_are_cut_into_blocks(cells: list[str], data: st.DataObject) -> None:
    """The kind is the same, in whatever order and in whatever parts they come."""
    texts = [cell or None for cell in cells]
    at_once = wider(pa.null(), pa.array(texts, pa.string()))
    by_one = pa.null()
    for text in data.draw(st.permutations(texts)):
        by_one = wider(by_one, pa.array([text], pa.string()))
    assert at_once == by_one
    assert at_once in {*KINDS, pa.null(), pa.string()}


@pytest.mark.parametrize("suffix", COLUMNAR)
def test_only_wanted_columns_are_read(suffix: str, tmp_path: Path) -> None:
    """And a file without rows has its columns, too."""
    path = written(tmp_path / f"events{suffix}", nested_events())
    read = list(blocks(path, {"age", "prefs"}.__contains__))
    assert {tuple(block.batch.schema.names) for block in read if isinstance(block, Columns)} == {("age", "prefs")}
    assert sum(map(len, read)) == 4
    written(path, nested_events().slice(0, 0))
    (empty,) = blocks(path)
    assert isinstance(empty, Columns)
    assert empty.batch.schema.names == nested_events().column_names


def test_json_lines_keep_what_is_written_there(tmp_path: Path) -> None:
    """Text that looks like a moment is text, and a value may be of another kind in another event."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": "2026-01-31"}\r\n\r\n  \n{"a": 1, "b": [1, "x"]}\n{"a": null}')
    (block,) = blocks(path)
    assert isinstance(block, Objects)
    assert block.rows == [{"a": "2026-01-31"}, {"a": 1, "b": [1, "x"]}, {"a": None}]
    assert block.lines == [1, 4, 5]
    assert block.place(1) == f"{path}: line 4"


def test_long_lines_make_small_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in memory at once is bounded by bytes, not only by rows."""
    monkeypatch.setattr("hedgerow.cli.tables._BYTES", 1000)
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "' + "x" * 600 + '"}\n' + "")
    path.write_text(path.read_text() * 10)
    assert [len(block) for block in blocks(path)] == [2, 2, 2, 2, 2, 0]


def test_attributes_may_be_in_a_column_of_the_beginning_of_their_name() -> None:
    """A dot in a name is a dot or a field."""
    assert top_names(["a.b.c", "a.d", "e"]) == {"a", "a.b", "a.b.c", "a.d", "e"}


def test_a_name_with_brackets_that_is_there_is_a_file(tmp_path: Path) -> None:
    """It is not taken for a pattern."""
    path = tmp_path / "events[1].csv"
    path.touch()
    assert files_of(str(path)) == [path]

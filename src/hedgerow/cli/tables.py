"""Rows from files, block by block: whatever the size of the files, only some rows are in memory.

A block is what ``hedgerow.events`` takes, and knows from where it came: ``Columns`` of an Arrow batch (Parquet, Arrow,
CSV) or ``Objects`` (JSON lines).
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from hedgerow.cli.csv_kinds import csv_batches
from hedgerow.cli.files import JSON_LINES, TABLES, suffix_of
from hedgerow.cli.json_lines import Row, object_rows
from hedgerow.errors import FileError, KindError, MissingFile

__all__ = [
    "Block",
    "Columns",
    "Kinds",
    "Objects",
    "blocks",
    "check_there",
    "files_of",
    "reading",
    "row_total",
    "rows_of",
    "value_of",
]

ROWS = 8192
"""Rows of a block, at most: enough that a search of all of them at once pays."""
_BYTES = 16 << 20
_MAGIC = b"ARROW1"
_TOO_MANY_CELLS = "CSV parse error: Expected"

Wanted: TypeAlias = Callable[[str], bool]
Kinds: TypeAlias = Mapping[str, Sequence[pa.DataType]]


@dataclass(frozen=True, slots=True)
class Columns:
    """Some rows as columns."""

    file: Path
    batch: pa.RecordBatch
    first: int = 0
    """The number of the first row in its file, from 0."""

    def __len__(self) -> int:
        """Return how many rows there are."""
        return int(self.batch.num_rows)

    def sliced(self, start: int, length: int) -> Columns:
        """Return some of the rows."""
        return replace(self, batch=self.batch.slice(start, length), first=self.first + start)

    def events(self) -> pa.RecordBatch:
        """Return what ``hedgerow.events`` takes."""
        return self.batch

    def place(self, row: int) -> str:
        """Return where a row stands, in words."""
        return f"{self.file}: row {self.first + row}"

    def column(self, name: str) -> pa.Array:
        """Return a column, or a field of one (``user.id``)."""
        names = self.batch.schema.names
        if names.count(name) == 1:
            return _decoded(self.batch.column(name))
        head, _, rest = name.partition(".")
        if rest and names.count(head) == 1 and pa.types.is_struct(self.batch.column(head).type):
            try:
                return _decoded(pc.struct_field(self.batch.column(head), rest.split(".")))
            except pa.ArrowInvalid:
                pass
        raise FileError(f"{self.file}: has no column {name!r}")


@dataclass(frozen=True, slots=True)
class Objects:
    """Some rows as objects."""

    file: Path
    rows: list[Row]
    lines: list[int]
    """The number of the line of each, from 1."""

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def sliced(self, start: int, length: int) -> Objects:
        """Return some of the rows."""
        return Objects(self.file, self.rows[start : start + length], self.lines[start : start + length])

    def events(self) -> list[Row]:
        """Return what ``hedgerow.events`` takes."""
        return self.rows

    def place(self, row: int) -> str:
        """Return where a row stands, in words."""
        return f"{self.file}: line {self.lines[row]}"

    def column(self, name: str, kind: pa.DataType | None = None) -> pa.Array:
        """Return what each object has under a name, or under names in each other (``user.id``)."""
        values = [value_of(row, name) for row in self.rows]
        try:
            return _array(values, kind)
        except (pa.ArrowException, OverflowError):
            raise FileError(self._misfit(name, values, kind)) from None

    def _misfit(self, name: str, values: list[object], kind: pa.DataType | None) -> str:
        """Return which value is not as those before it."""
        for row, value in enumerate(values):
            try:
                found = _array([value], kind).type
            except (pa.ArrowException, OverflowError):
                before = "" if kind is None else f", and those before are of type {kind}"
                return f"{self.place(row)}: {name!r} is {value!r}{before}"
            kind = kind or (None if pa.types.is_null(found) else found)
        return f"{self.file}: {name!r} has values that do not go together"


def _array(values: list[object], kind: pa.DataType | None) -> pa.Array:
    """Return values of JSON as an array, perhaps of a type, but never changed to be of it."""
    if kind is not None and pa.types.is_nested(kind):
        return pa.array(values, kind)
    found = pa.array(values)
    if kind is None or found.type == kind:
        return found
    if pa.types.is_null(found.type) or (pa.types.is_integer(found.type) and pa.types.is_floating(kind)):
        return found.cast(kind)
    raise pa.ArrowTypeError(f"{found.type} is not {kind}")


Block: TypeAlias = Columns | Objects


def value_of(row: Row, name: str) -> object:
    """Return what an object has under a name, or under names in each other.

    >>> value_of({"user": {"id": 7}}, "user.id")
    7
    """
    if name in row:
        return row[name]
    value: object = row
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def files_of(given: str) -> list[Path]:
    """Return the files that a name stands for, all of one format: a file, those of a folder, or those of a pattern."""
    path = Path(given)
    if path.is_dir():
        found = [entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith((".", "_"))]
        nothing = "there are no files in this folder"
    elif path.exists() or not glob.has_magic(given):
        check_there(path)
        found, nothing = [path], ""
    else:
        found = [Path(name) for name in glob.glob(given, recursive=True) if Path(name).is_file()]  # noqa: PTH207 - of a whole path
        nothing = "no file has such a name"
    if not found:
        raise MissingFile(f"{given}: {nothing}")
    endings = {_format_of(suffix_of(file, TABLES)) for file in found}
    if len(endings) > 1:
        raise KindError(f"{given}: these are files of several formats: {', '.join(sorted(endings))}")
    return sorted(found)


def check_there(file: Path) -> None:
    """Refuse a file that is not there; what its name ends in does not matter then."""
    if not file.exists():
        raise MissingFile(f"{file}: there is no such file")


def _format_of(suffix: str) -> str:
    """Return one ending for all that mean the same."""
    return JSON_LINES[0] if suffix in JSON_LINES else {".feather": ".arrow"}.get(suffix, suffix)


def row_total(files: Sequence[Path]) -> int | None:
    """Return how many rows there are, where the files say so."""
    if any(file.suffix.lower() != ".parquet" for file in files):
        return None
    total = 0
    for file in files:
        with reading(file):
            total += parquet.read_metadata(file).num_rows
    return total


def blocks(file: Path, wanted: Wanted = lambda _: True, kinds: Kinds | None = None) -> Iterator[Block]:
    """Yield the rows of a file, with the wanted columns at least; one block at least, if it has no row."""
    with reading(file):
        if suffix_of(file, TABLES) in JSON_LINES:
            yield from _object_blocks(file, wanted)
            return
        first = 0
        for batch in _batches(file, wanted, kinds or {}):
            for start in range(0, max(batch.num_rows, 1), ROWS):
                yield Columns(file, batch.slice(start, ROWS), first + start)
            first += batch.num_rows


def rows_of(file: Path, kinds: Kinds) -> pa.Table:
    """Return all rows of a file that is not JSON lines, with the columns that ``kinds`` names."""
    read = [block.batch for block in blocks(file, kinds.__contains__, kinds) if isinstance(block, Columns)]
    with reading(file):
        return pa.Table.from_batches(read)


def _batches(file: Path, wanted: Wanted, kinds: Kinds) -> Iterator[pa.RecordBatch]:
    suffix = file.suffix.lower()
    if suffix == ".csv":
        yield from csv_batches(file, wanted, kinds)
    elif suffix == ".parquet":
        with parquet.ParquetFile(file) as opened:
            chosen = [name for name in opened.schema_arrow.names if wanted(name)]
            yield from opened.iter_batches(ROWS, columns=chosen)
            yield _none(opened.schema_arrow, chosen)
    else:
        yield from _arrow_batches(file, wanted)


def _arrow_batches(file: Path, wanted: Wanted) -> Iterator[pa.RecordBatch]:
    """Yield the batches of an Arrow file or of an Arrow stream, which end in the same way."""
    with file.open("rb") as start:
        is_file = start.read(len(_MAGIC)) == _MAGIC
    with pa.memory_map(str(file)) as source:
        reader = pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)
        names = reader.schema.names
        chosen = [number for number, name in enumerate(names) if wanted(name)]
        every = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
        for batch in every:
            yield batch.select(chosen)
        yield _none(reader.schema, chosen)


def _none(schema: pa.Schema, chosen: Sequence[str] | Sequence[int]) -> pa.RecordBatch:
    """Return no rows: where a file has none, its columns are known all the same."""
    fields = [schema.field(name) for name in chosen]
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in fields], schema=pa.schema(fields))


def _object_blocks(file: Path, wanted: Wanted) -> Iterator[Objects]:
    rows: list[Row] = []
    lines: list[int] = []
    size = 0
    for line, row, length in object_rows(file):
        rows.append({name: value for name, value in row.items() if wanted(name)})
        lines.append(line)
        size += length
        if len(rows) == ROWS or size > _BYTES:
            yield Objects(file, rows, lines)
            rows, lines, size = [], [], 0
    yield Objects(file, rows, lines)


def _decoded(array: pa.Array) -> pa.Array:
    """Return an array whose type is the same in every batch, and that every format can hold."""
    if pa.types.is_dictionary(array.type):
        return _decoded(array.dictionary_decode())
    return array.cast(pa.string()) if pa.types.is_string_view(array.type) else array


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Let what goes wrong with a file become one line that names it."""
    try:
        yield
    except FileError:
        raise
    except FileNotFoundError as error:
        raise MissingFile(f"{file}: there is no such file") from error
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error).partition("\n")[0]
        hint = "; text with a comma in it belongs in double quotes" if _TOO_MANY_CELLS in reason else ""
        raise FileError(f"{file}: cannot be read: {reason}{hint}") from error

"""Tables to files, batch by batch, in the format that the name of the file asks for."""

from __future__ import annotations

import datetime as dt
import json
import os
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Protocol, Self

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from hedgerow.errors import FileError, KindError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["FORMATS", "JSON_LINES", "TABLES", "Writer", "checked_output", "json_line", "opened_writer", "suffix_of"]

JSON_LINES = (".jsonl", ".ndjson", ".json")


class Writer(Protocol):
    """What Arrow's own writers have."""

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Write some more rows."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(self, *exception: object) -> None:
        """Write what the format wants at its end."""


class _Lines:
    """Writes a text line for each row."""

    def __init__(self, file: IO[bytes], _schema: pa.Schema) -> None:
        self._file = file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave the file to whoever opened it."""

    def write_batch(self, batch: pa.RecordBatch) -> None:
        self._file.writelines(f"{line}\n".encode() for line in self.lines(batch))

    def lines(self, batch: pa.RecordBatch) -> Iterator[str]:
        """Yield the expressions."""
        yield from batch["expression"].to_pylist()


class _JsonLines(_Lines):
    """Writes an object for each row, without what is null: an event has few of a thousand columns."""

    def lines(self, batch: pa.RecordBatch) -> Iterator[str]:
        rows: list[dict[str, object]] = [{} for _ in range(batch.num_rows)]
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            present = pc.indices_nonzero(column.is_valid()).to_pylist()
            for row, value in zip(present, column.drop_null().to_pylist(), strict=True):
                rows[row][name] = value
        return map(json_line, rows)


def json_line(row: object) -> str:
    """Return a row as JSON; what JSON has no form for, as text.

    >>> json_line({"id": 7, "at": dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)})
    '{"id": 7, "at": "2026-01-31T12:00:00+00:00"}'
    """
    return json.dumps(row, default=_as_text)


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else str(value)


def _parquet(file: IO[bytes], schema: pa.Schema) -> Writer:
    return parquet.ParquetWriter(file, schema, compression="zstd")  # type: ignore[no-any-return]  # comes without types


FORMATS: Mapping[str, Callable[[IO[bytes], pa.Schema], Writer]] = {
    ".parquet": _parquet,
    ".arrow": pa.ipc.new_file,
    ".feather": pa.ipc.new_file,
    ".csv": csv.CSVWriter,
    **dict.fromkeys(JSON_LINES, _JsonLines),
    ".txt": _Lines,
}
"""By ending of the file's name. ``.txt`` has expressions only, one a line."""

TABLES = tuple(suffix for suffix in FORMATS if suffix != ".txt")
"""The endings of files that can have any columns."""


def suffix_of(path: Path, allowed: Iterable[str] = FORMATS) -> str:
    """Return the ending that says the format; ``KindError`` if it says none of those allowed."""
    suffix = path.suffix.lower()
    if suffix not in allowed:
        raise KindError(f"the name of the file ends in one of {' '.join(allowed)}, which '{path}' does not")
    return suffix


def checked_output(path: Path, allowed: Iterable[str] = TABLES) -> None:
    """Refuse a file that cannot be written, before hours of work for it."""
    suffix_of(path, allowed)
    if path.exists() and not path.is_file():
        raise FileError(f"cannot write '{path}': it is there, and is not a file")
    if not path.parent.is_dir():
        raise FileError(f"cannot write '{path}': there is no folder '{path.parent}'")


@contextmanager
def opened_writer(path: Path, schema: pa.Schema) -> Iterator[Writer]:
    """Open a file for writing; it appears, or takes the place of an old one, only when all is written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> batch = pa.record_batch({"id": [1, 2], "expression": ["age > 20", None]})
    >>> with TemporaryDirectory() as folder:
    ...     with opened_writer(Path(folder, "rules.jsonl"), batch.schema) as writer:
    ...         writer.write_batch(batch)
    ...     print(Path(folder, "rules.jsonl").read_text().strip())
    {"id": 1, "expression": "age > 20"}
    {"id": 2}
    """
    make = FORMATS[suffix_of(path)]
    if path.exists() and not path.is_file():
        raise FileExistsError(f"cannot write '{path}': it is there, and is not a file")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file, make(file, schema) as writer:
            yield writer
        part.replace(path)
    except FileError:  # of a file that was read meanwhile
        raise
    except OSError as error:  # which names the part, a file that nobody has heard of
        raise OSError(f"cannot write '{path}': {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)

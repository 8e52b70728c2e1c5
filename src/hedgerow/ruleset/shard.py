"""One shard: the index file of some rules, and the rules themselves beside it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from hedgerow.errors import FileError, HedgerowError, ParseError
from hedgerow.index.api import Index
from hedgerow.index.report import Rejected
from hedgerow.language.expression import Expression
from hedgerow.language.operand import shown
from hedgerow.ruleset.manifest import Hidden, Shard, id_type
from hedgerow.ruleset.place import Place, digest_of

__all__ = [
    "ROW_COLUMNS",
    "fits",
    "hidden_ids",
    "read_rows",
    "rejected_schema",
    "rejected_table",
    "row_schema",
    "write_hidden",
    "write_shard",
]

ROW_COLUMNS = ("id", "expression", "weight")

_ROWS_AT_ONCE = 1 << 16


def row_schema(kind: str) -> pa.Schema:
    """Return the columns of rules whose ids are of a type of this name."""
    return pa.schema({"id": id_type(kind), "expression": pa.string(), "weight": pa.float64()})


def rejected_schema(kind: str) -> pa.Schema:
    """Return the columns of rules that were refused."""
    return pa.schema({"id": id_type(kind), "expression": pa.string(), "error": pa.string(), "offset": pa.int32()})


def write_shard(
    place: Place,
    rows: pa.Table,
    kind: str,
    missing: str,
    pivots: Sequence[str] | None = None,
    *,
    engine: str = "atree",
) -> tuple[Shard | None, pa.Table]:
    """Build and write the shard of some rules; return it (None if no rule was good) and the rules that were refused.

    Rules go in by their ids, smallest first, so that what comes first among equals does not depend on how rules were
    spread over shards. Of rows with the same id, the first is taken.
    """
    ordered = _ordered(rows)
    index = Index(engine, missing)
    report = index.insert_many(ordered, progress=False)
    refused = rejected_table(report.rejected, kind)
    if not report.inserted:
        return None, refused
    taken = np.ones(ordered.num_rows, bool)
    taken[[bad.row for bad in report.rejected]] = False
    return _written(place, index, ordered.filter(pa.array(taken)), kind, pivots), refused


def _ordered(rows: pa.Table) -> pa.Table:
    # Arrow puts a column together to take rows of it, and a column of strings holds 2 GB.
    texts = rows["expression"].cast(pa.large_string())
    rows = rows.set_column(rows.schema.get_field_index("expression"), "expression", texts)
    return rows.take(pc.sort_indices(rows["id"])) if rows.num_rows else rows


def _written(place: Place, index: Index, rows: pa.Table, kind: str, pivots: Sequence[str] | None) -> Shard:
    name = f"shards/{secrets.token_hex(16)}"
    try:
        with place.writing(f"{name}.hedgerow") as file:
            index.save(file)
            size, digest = file.stat().st_size, digest_of(file)
        with place.writing(f"{name}.parquet") as file:
            _write_rows(rows, kind, str(file))
            rows_digest = digest_of(file)
    except BaseException:
        with contextlib.suppress(FileError):  # the error that led here is the one to tell
            place.remove(f"{name}.hedgerow")
        raise
    return Shard(
        file=f"{name}.hedgerow",
        digest=digest,
        bytes=size,
        rows=f"{name}.parquet",
        rows_digest=rows_digest,
        expressions=len(index),
        attributes=tuple(index.attributes),
        pivots=None if pivots is None else tuple(pivots),
    )


def _write_rows(rows: pa.Table, kind: str, file: str) -> None:
    try:
        parquet.write_table(_as_rows(rows, kind), file, compression="zstd")
    except OSError as error:
        raise FileError(f"{file}: cannot be saved: {error}") from error


def _as_rows(rows: pa.Table, kind: str) -> pa.Table:
    if "weight" not in rows.column_names:
        rows = rows.append_column("weight", pa.nulls(rows.num_rows, pa.float64()))
    chosen = rows.select(ROW_COLUMNS)
    # In pieces, since a column of strings holds 2 GB.
    pieces = pa.Table.from_batches(chosen.to_batches(max_chunksize=_ROWS_AT_ONCE), chosen.schema)
    plain = pieces.cast(row_schema(kind))
    return plain.set_column(2, "weight", plain["weight"].fill_null(0.0))


def read_rows(place: Place, shard: Shard) -> pa.Table:
    """Return the rules of a shard that count, as they were given."""
    with pa.memory_map(str(place.verified(shard.rows, shard.rows_digest)), "rb") as file:
        rows = parquet.read_table(file)
    hidden = hidden_ids(place, shard)
    return rows if hidden is None else rows.filter(pc.invert(pc.is_in(rows["id"], value_set=hidden)))


def write_hidden(place: Place, ids: pa.Array) -> Hidden:
    """Write the ids that are hidden in a shard."""
    name = f"shards/{secrets.token_hex(16)}.arrow"
    with place.writing(name) as file:
        try:
            with pa.ipc.new_file(str(file), pa.schema({"id": ids.type})) as writer:
                writer.write_batch(pa.record_batch({"id": ids}))
        except OSError as error:
            raise FileError(f"{name}: cannot be saved: {error}") from error
        digest = digest_of(file)
    return Hidden(name, digest, len(ids))


def hidden_ids(place: Place, shard: Shard) -> pa.Array | None:
    """Return the ids that are hidden in a shard; None if there are none."""
    if shard.hidden is None:
        return None
    with pa.memory_map(str(place.verified(shard.hidden.file, shard.hidden.digest)), "rb") as file:
        return pa.ipc.open_file(file).read_all()["id"].combine_chunks()


def rejected_table(rejected: Sequence[Rejected], kind: str) -> pa.Table:
    """Return rules that were refused as rows: id, expression, what was wrong (one line) and where in the text."""
    wanted = id_type(kind)
    columns = {
        "id": pa.array([_id_or_none(bad.id, wanted) for bad in rejected], wanted),
        "expression": pa.array([_said(bad.expression) for bad in rejected], pa.string()),
        "error": pa.array([error_line(bad.error) for bad in rejected], pa.string()),
        "offset": pa.array([_offset(bad.error) for bad in rejected], pa.int32()),
    }
    return pa.table(columns, schema=rejected_schema(kind))


def error_line(error: HedgerowError) -> str:
    """Return an error in one line, with its name.

    >>> error_line(ParseError("age >> 3", 5, "'>'", "a value"))
    "ParseError: line 1, column 6: expected a value, found '>'"
    """
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _offset(error: HedgerowError) -> int | None:
    return error.offset if isinstance(error, ParseError) else None


def _said(expression: object) -> str | None:
    """Return what was given for an expression, whatever it is, as text that can be stored."""
    if expression is None:
        return None
    text = str(expression) if isinstance(expression, (str, Expression)) else shown(expression)
    return text.encode(errors="replace").decode()


def _id_or_none(id: object, kind: pa.DataType) -> object:
    """Return the id of a rule that was refused, unless that is what was wrong with it."""
    return id if fits(id, kind) else None


def fits(id: object, kind: pa.DataType) -> bool:
    """Return whether an id can be of a type.

    >>> fits("a", pa.string()), fits("a", pa.int64()), fits(200, pa.int8()), fits(True, pa.int8())
    (True, False, False, False)
    """
    if isinstance(id, bool) or not isinstance(id, str if pa.types.is_string(kind) else int):
        return False
    try:
        pa.scalar(id, kind)
    except (pa.ArrowException, OverflowError, UnicodeError):
        return False
    return True

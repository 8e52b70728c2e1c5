"""One shard: the index file of some rules, and the rules themselves beside it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from hedgerow.errors import FileError, HedgerowError, ParseError, SchemaError
from hedgerow.index.api import Index
from hedgerow.index.report import Rejected
from hedgerow.ruleset.manifest import Hidden, Shard, id_type
from hedgerow.ruleset.place import Place, digest_of

__all__ = [
    "ROW_COLUMNS",
    "hidden_ids",
    "read_rows",
    "rejected_schema",
    "rejected_table",
    "row_schema",
    "write_hidden",
    "write_shard",
]

ROW_COLUMNS = ("id", "expression", "weight")


def row_schema(kind: str) -> pa.Schema:
    """Return the columns of rules whose ids are of a type of this name."""
    return pa.schema({"id": id_type(kind), "expression": pa.string(), "weight": pa.float64()})


def rejected_schema(kind: str) -> pa.Schema:
    """Return the columns of rules that were refused."""
    return pa.schema({"id": id_type(kind), "expression": pa.string(), "error": pa.string(), "offset": pa.int32()})


def write_shard(
    place: Place, rows: pa.Table, kind: str, missing: str, pivots: Sequence[str] | None = None
) -> tuple[Shard | None, pa.Table]:
    """Build and write the shard of some rules; return it (None if no rule was good) and the rules that were refused.

    Rules go in by their ids, smallest first, so that what comes first among equals does not depend on how rules were
    spread over shards. Of rows with the same id, the first is taken.
    """
    ordered = rows.take(pc.sort_indices(rows["id"])) if rows.num_rows else rows
    index = Index(missing=missing)
    report = index.insert_many(ordered, progress=False)
    refused = rejected_table(report.rejected, kind)
    if not report.inserted:
        return None, refused
    taken = np.ones(ordered.num_rows, bool)
    taken[[bad.row for bad in report.rejected]] = False
    return _written(place, index, ordered.filter(pa.array(taken)), kind, pivots), refused


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
        rows = rows.append_column("weight", pa.repeat(pa.scalar(0.0), rows.num_rows))
    return rows.select(ROW_COLUMNS).cast(row_schema(kind))


def read_rows(place: Place, shard: Shard) -> pa.Table:
    """Return the rules of a shard that count, as they were given."""
    with pa.memory_map(str(place.fetched(shard.rows, shard.rows_digest)), "rb") as file:
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
    with pa.memory_map(str(place.fetched(shard.hidden.file, shard.hidden.digest)), "rb") as file:
        return pa.ipc.open_file(file).read_all()["id"].combine_chunks()


def rejected_table(rejected: Sequence[Rejected], kind: str) -> pa.Table:
    """Return rules that were refused as rows: id, expression, what was wrong (one line) and where in the text."""
    wanted = id_type(kind)
    columns = {
        "id": pa.array([_id_or_none(bad.id, wanted) for bad in rejected], wanted),
        "expression": pa.array(
            [None if bad.expression is None else str(bad.expression) for bad in rejected], pa.string()
        ),
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


def _id_or_none(id: object, kind: pa.DataType) -> object:
    fits = isinstance(id, str) if pa.types.is_string(kind) else isinstance(id, int) and not isinstance(id, bool)
    return id if fits else None


def checked_rows(rows: pa.Table) -> pa.Table:
    """Return the columns of rules; ``SchemaError`` if one is missing."""
    missing = [name for name in ("id", "expression") if name not in rows.column_names]
    if missing:
        names = ", ".join(map(repr, rows.column_names))
        raise SchemaError(f"rules have the columns 'id' and 'expression', and perhaps 'weight'; these have {names}")
    return rows.select([name for name in ROW_COLUMNS if name in rows.column_names])

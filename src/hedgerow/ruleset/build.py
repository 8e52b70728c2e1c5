"""Building a rule set in this process. ``hedgerow.spark`` builds the same on many."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from hedgerow.errors import BadRules, FileError, KindError
from hedgerow.index.catalogue import checked_engine
from hedgerow.language.evaluate import check_missing
from hedgerow.language.operand import shown
from hedgerow.progress import Progress
from hedgerow.ruleset.given import given_rules, kind_of_ids
from hedgerow.ruleset.manifest import Manifest, Shard
from hedgerow.ruleset.place import Place, PlaceName, placed
from hedgerow.ruleset.routing import Partition, partitioned_by_attribute
from hedgerow.ruleset.shard import rejected_schema, rejected_table, write_shard
from hedgerow.ruleset.sizing import SHARD_BYTES, checked_shards, compressibility, shard_count
from hedgerow.ruleset.versions import abandon, commit, current, exists

__all__ = ["BuildReport", "build", "checked_on_error", "checked_options", "committed", "refuse_bad_rules"]

PARTITIONS = ("size", "attribute")
_ON_ERROR = ("report", "fail")
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What became of the rules: every one is in the version or among ``rejected``."""

    path: str
    version: int
    rules: int
    rejected: pa.Table
    """Rules that were refused: ``id``, ``expression``, ``error`` and ``offset``, where in the text."""
    shards: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        """Return a summary in one line."""
        return summary(self, self.rejected.num_rows)


class Built(Protocol):
    """What a report of a build has, whoever made it."""

    @property
    def path(self) -> str:
        """Where the rule set is."""

    @property
    def version(self) -> int:
        """The version that was made."""

    @property
    def rules(self) -> int:
        """How many rules it has."""

    @property
    def shards(self) -> int:
        """In how many shards."""

    @property
    def bytes(self) -> int:
        """How large their index files are."""

    @property
    def seconds(self) -> float:
        """How long it took."""


def summary(report: Built, rejected: int) -> str:
    """Return what a report says in one line."""
    shape = f"{report.shards} shard{'s' * (report.shards != 1)}, {report.bytes / 1e6:,.1f} MB, {report.seconds:.1f} s"
    counts = f"{report.rules:,} rules, {rejected:,} rejected"
    return f"{report.path}: version {report.version}, {counts}, {shape}"


def build(
    rules: object,
    path: PlaceName,
    *,
    missing: str = "unknown",
    shards: int | None = None,
    shard_bytes: int = SHARD_BYTES,
    partition: str = "size",
    on_error: str = "report",
    progress: bool | None = None,
    parent: Manifest | None = None,
    engine: str = "atree",
) -> BuildReport:
    """Build a rule set of these rules in a folder, as its next version, which has no other rules.

    ``rules`` are what ``Index.insert_many`` takes. Of rows with the same id the first counts, be it good or bad.
    ``shards`` is how many there are to be; by default as many as keep each within ``shard_bytes``.
    ``partition="attribute"`` puts rules together that need the same attribute, so that events without it need not be
    looked up there. With ``on_error="fail"`` one bad rule is ``BadRules``, and no version is made. ``engine`` is that
    of all index files (``hedgerow.engines()``); what it refuses as too large for it is a bad rule. The new version
    follows ``parent``, by default the newest; ``VersionConflict`` if another does already.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = build([("a", "age < 30"), ("b", "age <")], folder)
    >>> report.rules, report.rejected.to_pylist()
    (1, [{'id': 'b', 'expression': 'age <', 'error': 'ParseError: line 1, ...', 'offset': 5}])
    """
    started = time.perf_counter()
    checked_options(missing, shards, shard_bytes, partition, on_error, engine)
    place = placed(path)
    if parent is None and exists(place):
        parent = current(place)
    rows, malformed = given_rules(rules)
    kind = kind_of_ids(rows)
    rows, repeated = _unique(rows)
    parts = _parts(rows, missing, shards, shard_bytes, partition)
    bar = Progress("building", rows.num_rows, wanted=progress)
    written, bad = _written(place, parts, bar, partial(write_shard, kind=kind, missing=missing, engine=engine))
    rejected = pa.concat_tables([rejected_table(malformed, kind), repeated.cast(rejected_schema(kind)), *bad])
    if on_error == "fail":
        refuse_bad_rules(place, written, rejected.num_rows, rejected.slice(0, _SHOWN).to_pylist())
    manifest = committed(
        place,
        parent,
        written,
        kind=kind,
        missing=missing,
        partition=partition,
        shard_bytes=shard_bytes,
        engine=engine,
    )
    seconds = time.perf_counter() - started
    return BuildReport(
        place.root, manifest.version, manifest.expressions, rejected, len(written), manifest.size, seconds
    )


def _written(
    place: Place,
    parts: Iterable[tuple[pa.Table, Sequence[str] | None]],
    bar: Progress,
    write: Callable[..., tuple[Shard | None, pa.Table]],
) -> tuple[list[Shard], list[pa.Table]]:
    """Write a shard for each part; return them, and the rules that were refused. All of them are there, or none."""
    written: list[Shard] = []
    refused: list[pa.Table] = []
    try:
        for part, pivots in parts:
            shard, bad = write(place, part, pivots=pivots)
            written += [shard] if shard else []
            refused.append(bad)
            bar.advance(part.num_rows)
    except BaseException:
        remove_shards(place, written)
        raise
    finally:
        bar.close()
    return written, refused


def committed(
    place: Place,
    parent: Manifest | None,
    shards: Sequence[Shard],
    *,
    kind: str,
    missing: str,
    partition: str,
    shard_bytes: int,
    engine: str,
    token: str | None = None,
) -> Manifest:
    """Make a version of these shards, after ``parent``; what was written for it goes if another was faster."""
    manifest = Manifest(
        version=parent.version + 1 if parent else 1,
        missing=missing,
        id_type=kind,
        shards=tuple(shards),
        partition=partition,
        shard_bytes=shard_bytes,
        engine=engine,
        tokens=parent.tokens if parent else (),
    )
    try:
        return commit(place, manifest, token or secrets.token_hex(8))
    except BaseException:
        abandon(place, manifest.version, manifest.files)
        raise


def remove_shards(place: Place, shards: Sequence[Shard]) -> None:
    """Remove the files of shards that became part of no version, as far as they can be."""
    for shard in shards:
        for name in (shard.file, shard.rows):
            with contextlib.suppress(FileError):
                place.remove(name)


def refuse_bad_rules(place: Place, written: Sequence[Shard], count: int, first: Sequence[dict[str, object]]) -> None:
    """Raise ``BadRules`` if there are any, and leave nothing behind."""
    if not count:
        return
    remove_shards(place, written)
    told = "; ".join(f"{bad['id']!r}: {bad['error']}" for bad in first)
    raise BadRules(f"{count:,} of the rules are bad, and no version was made. {told}")


def checked_options(  # noqa: PLR0917 - all that builds have in common
    missing: str, shards: int | None, shard_bytes: int, partition: str, on_error: str, engine: str
) -> None:
    """Raise ``KindError`` for an option that has no meaning."""
    check_missing(missing)
    checked_engine(engine)
    checked_shards(shards, shard_bytes)
    if partition not in PARTITIONS:
        raise KindError(f"partition is one of {', '.join(PARTITIONS)}, not {partition!r}")
    checked_on_error(on_error)


def checked_on_error(on_error: str) -> None:
    """Raise ``KindError`` for a way to take errors that there is not."""
    if on_error not in _ON_ERROR:
        raise KindError(f"on_error is one of {', '.join(_ON_ERROR)}, not {on_error!r}")


def _parts(
    rows: pa.Table, missing: str, shards: int | None, shard_bytes: int, partition: str
) -> Iterator[tuple[pa.Table, Sequence[str] | None]]:
    """Yield the rules of each shard, and the attributes one of which its events must have."""
    if not rows.num_rows:
        return
    count = shards or _fitting(rows["expression"], shard_bytes)
    if partition == "attribute":
        division: Partition = partitioned_by_attribute(rows["expression"], missing, count)
        for number, pivots in enumerate(division.pivots):
            yield rows.filter(pa.array(division.shard == number)), pivots
    elif count == 1:
        yield rows, None
    else:
        shard = shards_of_ids(rows["id"], count)
        for number in range(count):
            yield rows.filter(pa.array(shard == number)), None


def _fitting(texts: pa.ChunkedArray, shard_bytes: int) -> int:
    """Return how many shards keep each within its budget."""
    characters = int(pc.sum(pc.binary_length(texts)).as_py() or 0)
    return shard_count(len(texts), characters, shard_bytes, compressibility(texts))


def shards_of_ids(ids: pa.ChunkedArray, count: int) -> npt.NDArray[np.int64]:
    """Return a shard for each id, the same for the same id always; rows without one go to the first."""
    if pa.types.is_integer(ids.type):
        numbers = ids.cast(pa.int64()).fill_null(0).to_numpy().astype(np.uint64)
        mixed = (numbers * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33)
        shards: npt.NDArray[np.int64] = (mixed % np.uint64(count)).astype(np.int64)
        return shards
    digests = (0 if id is None else xxhash.xxh3_64_intdigest(id.encode()) % count for id in ids.to_pylist())
    return np.fromiter(digests, np.int64, len(ids))


def _unique(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the rows whose ids did not come before, and the others as rejected."""
    first = pa.table({"id": rows["id"], "row": np.arange(rows.num_rows)}).group_by("id").aggregate([("row", "min")])
    taken = np.zeros(rows.num_rows, bool)
    taken[first["row_min"].to_numpy()] = True
    taken |= pc.is_null(rows["id"]).to_numpy()  # they are refused for another reason
    again = rows.filter(pa.array(~taken))
    error = [f"DuplicateId: the id {shown(id)} is taken" for id in again["id"].to_pylist()]
    columns = {
        "id": again["id"],
        "expression": again["expression"],
        "error": pa.array(error, pa.string()),
        "offset": pa.nulls(again.num_rows, pa.int32()),
    }
    return rows.filter(pa.array(taken)), pa.table(columns)

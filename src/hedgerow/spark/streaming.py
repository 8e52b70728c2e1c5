"""``stream``: the events of a stream, matched against rules that change while it runs.

Each micro-batch is matched against one version of the rules, the newest when it began. Before anything is read, that
version is written down in the checkpoint under the number of the batch (``versions.pin``); a batch that is tried again,
after a crash at whatever moment, finds it there and gives the same rows. What a batch gives is written under its
number too, in the place of what an earlier try may have left. So every event is in the result once, matched against
the version that its rows name. The version is noted beside the rules as well, so that ``expire`` leaves it there.

A stream is its checkpoint: that has a name, made once, and the folder of results belongs to that name. Whoever starts
over with a new checkpoint needs a new folder too.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.streaming.query import StreamingQuery

from hedgerow.errors import KindError
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.versions import current, manifest_of, pin, pinned
from hedgerow.spark.columns import event_columns
from hedgerow.spark.matching import match_version
from hedgerow.spark.schemas import VERSION, result_schema

__all__ = ["stream"]

Write = Callable[[DataFrame, int], None]

PINS = "versions"
_NAME = "name"
_OWNER = "_hedgerow_stream"


def stream(
    events: DataFrame,
    path: str,
    key: str | Sequence[str],
    *,
    checkpoint: str,
    out: str | None = None,
    write: Write | None = None,
    top: int | None = None,
    how: str = "inner",
    trigger: dict[str, Any] | None = None,
) -> StreamingQuery:
    """Match a stream of events against the rule set at a path, and return the running query.

    ``events`` is a streaming DataFrame of any source. Rows are those of ``match``, with a column ``version``: the
    version of the rules that they were matched against. ``out`` is a folder that gets a folder of Parquet files for
    each batch, ``batch=0``, ``batch=1``, ...; ``spark.read.parquet(out)`` reads all of them. Or ``write`` is called
    with the rows of a batch and its number, and must see to it that a batch that comes again replaces what it wrote
    before. ``checkpoint`` is the folder where Spark notes how far it came, as a path that this process can write (with
    a scheme where Spark's default is not the local disk); ``out`` belongs to one checkpoint. ``trigger`` is what
    ``DataStreamWriter.trigger`` takes: ``{"processingTime": "1 second"}``, or ``{"availableNow": True}`` to end when
    all is read.

    ``apply_changes`` makes a new version; the next batch takes it, and nothing has to be restarted.
    """
    if (out is None) == (write is None):
        raise KindError("a stream needs out, a folder to write to, or write, a function that writes; and not both")
    place = Place(path)
    manifest = current(place)
    # What is wrong with the columns is told now, and not by the first batch.
    result_schema(event_columns(events.schema, manifest.attributes, key).keys, manifest, top)
    name = stream_name(checkpoint)
    if out is not None:
        _claim(out, name)
    matched = _matcher(place.root, checkpoint, key, write or _writer(str(out)), top=top, how=how)
    writer = events.writeStream.foreachBatch(matched).option("checkpointLocation", checkpoint)
    if trigger is not None:
        writer = writer.trigger(**trigger)
    return writer.start()


def stream_name(checkpoint: str) -> str:
    """Return the name of the stream that a checkpoint belongs to; a new one gets one."""
    place = notes_of(checkpoint)
    place.create(_NAME, secrets.token_hex(8).encode())
    return place.read(_NAME).decode()


def notes_of(checkpoint: str) -> Place:
    """Return where a stream notes what it has to know again after a crash: a folder in its checkpoint."""
    return Place(f"{checkpoint.rstrip('/')}/hedgerow")


def _claim(out: str, name: str) -> None:
    """Let a folder of results belong to a stream; ``KindError`` if it is another's."""
    place = Place(out)
    if not place.create(_OWNER, name.encode()) and place.read(_OWNER).decode() != name:
        raise KindError(
            f"{out} has the results of a stream with another checkpoint: choose another folder, or remove it"
        )


def _matcher(
    root: str, checkpoint: str, key: str | Sequence[str], write: Write, *, top: int | None, how: str
) -> Callable[[DataFrame, int], None]:
    def matched(batch: DataFrame, number: int) -> None:
        place, notes = Place(root), notes_of(checkpoint)
        version = pinned(notes, PINS, number)
        manifest = current(place) if version is None else manifest_of(place, version)
        # What is wrong with the columns is told before the version is noted: the next try may find a better one.
        rows = match_version(batch, root, manifest, key, top=top, how=how)
        if version is None:
            pin(place, stream_name(checkpoint), number, manifest.version)
            pin(notes, PINS, number, manifest.version)
        write(rows.withColumn(VERSION, F.lit(manifest.version).cast("long")), number)

    return matched


def _writer(out: str) -> Write:
    folder = out.rstrip("/")

    def write(rows: DataFrame, number: int) -> None:
        rows.write.mode("overwrite").parquet(f"{folder}/batch={number}")

    return write

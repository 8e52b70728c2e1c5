"""``hedgerow match``: which rules match which events, as a file of rows."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from hedgerow.cli import on_spark
from hedgerow.cli.files import TABLES, checked_output, opened_writer
from hedgerow.cli.matching import Job, Matching, checked_keys
from hedgerow.cli.opening import add_rules, opened_rules
from hedgerow.cli.options import add_parser, add_spark, add_tone, count, counted, tell, wants_spark
from hedgerow.cli.tables import files_of, row_total
from hedgerow.errors import KindError
from hedgerow.progress import Progress

__all__ = ["add", "run"]

_GATHERED = 1 << 17
_WAITING = 1000

_EXAMPLES = """\
examples:
  hedgerow match --rules rules.csv --events events.jsonl --out matches.csv
  hedgerow match --rules rules/ --events 'events/*.parquet' --key user_id day --out matches.parquet
  hedgerow match --rules rules.hedgerow --events events.csv --top 3 --how left --out best.jsonl

A row of the result has the key of the event, rule_id, and with --top the score. Without --key the key is the number of
the event, from 0, in a column 'event'. Events are read bit by bit, so they may be larger than memory.
"""


def add(commands: Any) -> None:  # noqa: ANN401 - argparse has no public name for it
    """Tell argparse the options of the command."""
    parser = add_parser(
        commands, "match", "find the rules that match events", "Find the rules that match events.", _EXAMPLES
    )
    add_rules(parser)
    parser.add_argument("--events", required=True, metavar="E", help="a file, a folder or a pattern of files")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="O", help=f"ends in {' '.join(TABLES)}; on Spark a folder"
    )
    parser.add_argument(
        "--key", nargs="+", action="extend", metavar="NAME", help="columns of the event to put in the result"
    )
    parser.add_argument(
        "--top", type=count, metavar="N", help="only the best N matches of each event, with their scores"
    )
    parser.add_argument(
        "--how", choices=("inner", "left"), default="inner", help="left: a row for an event without matches, too"
    )
    parser.add_argument(
        "--on-error",
        choices=("report", "fail"),
        default="report",
        help="bad rules of a rule file: leave them out (default), or do nothing",
    )
    parser.add_argument("--threads", type=count, metavar="N", help="how many (default: one for each core)")
    add_spark(parser)
    add_tone(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Write the matches."""
    keys = checked_keys(options.key)
    if wants_spark(options):
        on_spark.match(options, keys)
        return
    started = time.perf_counter()
    checked_output(options.out)
    files = files_of(options.events)
    if options.out.resolve() in {file.resolve() for file in (*files, Path(options.rules))}:
        raise KindError(f"--out is '{options.out}', which is read: the matches go to another file")
    rules = opened_rules(options)
    threads = options.threads or min(len(os.sched_getaffinity(0)), 16)
    job = Job(keys, options.top, options.how == "left", threads)
    matching = Matching(rules, job)
    progress = Progress("matching", row_total(files), wanted=False if options.quiet else None)
    try:
        _write(options.out, matching, files, progress)
    finally:
        progress.close()  # an error gets a line of its own
    size, seconds = options.out.stat().st_size, time.perf_counter() - started
    counts = f"{counted(matching.events, 'event')}, {counted(matching.matches, 'match')}"
    tell(
        options,
        f"{counts}, {size / 1e6:,.1f} MB: {options.out}",
        events=matching.events,
        matches=matching.matches,
        rules=len(rules.held),
        version=rules.version,
        out=str(options.out),
        bytes=size,
        seconds=round(seconds, 3),
    )


def _write(out: Path, matching: Matching, files: Sequence[Path], progress: Progress) -> None:
    batches = matching.batches(files)
    schema = next(batches).schema
    _check_flat(out, schema)
    with opened_writer(out, schema) as writer:
        for batch in gathered(_watched(batches, matching, progress)):
            writer.write_batch(batch)


def _watched(batches: Iterable[pa.RecordBatch], matching: Matching, progress: Progress) -> Iterator[pa.RecordBatch]:
    done = 0
    for batch in batches:
        progress.advance(matching.events - done)
        done = matching.events
        yield batch


def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield small batches put together: a Parquet file of a thousand row groups would be slow to read."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting += [batch] if batch.num_rows else []
        rows += batch.num_rows
        if rows >= _GATHERED:
            yield from _united(waiting)
            waiting, rows = [], 0
        elif len(waiting) >= _WAITING:  # even a batch of one row takes room
            waiting = _united(waiting)
    yield from _united(waiting)


def _united(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    united: list[pa.RecordBatch] = pa.Table.from_batches(batches).combine_chunks().to_batches() if batches else []
    return united


def _check_flat(out: Path, schema: pa.Schema) -> None:
    for field in schema:
        if out.suffix.lower() == ".csv" and pa.types.is_nested(field.type):
            raise KindError(
                f"the key {field.name!r} is of type {field.type}, for which CSV has no form: name another --out"
            )

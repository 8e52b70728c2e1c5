"""The same commands on Spark. Whoever has no Spark does not come here further than one line."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from hedgerow import ruleset
from hedgerow.cli.files import JSON_LINES
from hedgerow.cli.opening import check_options, is_index, is_rule_set
from hedgerow.cli.options import complain, counted, tell, tell_rejected
from hedgerow.cli.rule_files import read_rules
from hedgerow.cli.tables import files_of
from hedgerow.errors import FileError, KindError, Unsupported
from hedgerow.index.catalogue import DEFAULT

__all__ = ["apply", "build", "match", "stream"]


def match(options: argparse.Namespace, keys: Sequence[str]) -> None:
    """Do ``hedgerow match``."""
    check_options(options)
    if is_index(options.rules):
        raise KindError("--spark takes a rule file or the folder of a rule set, and no saved index")
    _check_keys(keys)
    started = time.perf_counter()
    with _spark(options) as (spark, session), TemporaryDirectory(prefix="hedgerow-") as folder:
        rules = options.rules if is_rule_set(options.rules) else _built(spark, session, options, folder)
        observation = spark.observation()
        found = spark.match(
            _read(session, options.events),
            rules,
            list(keys),
            top=options.top,
            how=options.how,
            version=options.version,
            observation=observation,
        )
        with spark.watched(session, "matching", wanted=False if options.quiet else None):
            _write(found, options.out)
        seen = spark.metrics_of(observation)
    events, matches = (0, 0) if seen is None else (seen.events, seen.matches)
    tell(
        options,
        f"{counted(events, 'event')}, {counted(matches, 'match')}: {options.out}",
        events=events,
        matches=matches,
        out=str(options.out),
        seconds=round(time.perf_counter() - started, 3),
    )


def _built(spark: Any, session: Any, options: argparse.Namespace, folder: str) -> str:  # noqa: ANN401 - as below
    """Build a rule set of a rule file for this one job, tell of bad rules, and return where it is."""
    rules = session.createDataFrame(read_rules(Path(options.rules)).table)
    missing = options.missing or "unknown"
    engine = options.engine or DEFAULT
    report = spark.build(rules, folder, missing=missing, on_error=options.on_error, progress=False, engine=engine)
    if report.rejected_count:
        bad = report.rejected.toArrow().to_pylist()
        complain(options, [f"left out: id {row['id']!r}: {row['error']}" for row in bad], len(bad))
    return str(report.path)


def build(options: argparse.Namespace) -> None:
    """Do ``hedgerow build``."""
    with _spark(options) as (spark, session):
        if _spark_reads(options.rules):
            rules = _read(session, options.rules)
        else:
            rules = session.createDataFrame(read_rules(Path(options.rules)).table)
        report = spark.build(
            rules,
            options.out,
            missing=options.missing,
            shards=options.shards,
            partition=options.partition,
            on_error=options.on_error,
            engine=options.engine or DEFAULT,
            progress=False if options.quiet else None,
        )
        if report.rejected_count or options.rejected is not None:
            tell_rejected(options, report.rejected.toArrow())
    tell(
        options,
        str(report),
        path=report.path,
        version=report.version,
        rules=report.rules,
        rejected=report.rejected_count,
        shards=report.shards,
        bytes=report.bytes,
        seconds=round(report.seconds, 3),
    )


def apply(options: argparse.Namespace) -> Callable[..., ruleset.ChangeReport]:
    """Return what does ``hedgerow apply``: where all has to be built anew, the executors do it."""

    def applied(path: str, changes: pa.Table, *, on_error: str) -> ruleset.ChangeReport:
        with _spark(options) as (spark, session):
            report: ruleset.ChangeReport = spark.apply_changes(
                path, session.createDataFrame(changes), on_error=on_error
            )
            return report

    return applied


def stream(options: argparse.Namespace, keys: Sequence[str]) -> None:
    """Do ``hedgerow stream``, until it is interrupted or, with ``--once``, all that is there is done."""
    _check_keys(keys)
    if options.checkpoint is None:
        raise KindError("--spark needs --checkpoint, a folder in which a stream notes how far it came")
    with _spark(options) as (spark, session):
        known = _read(session, options.events)  # a stream does not find out for itself which columns there are
        source = session.readStream.schema(known.schema).format(_format(options.events)).options(**_OPTIONS)
        query = spark.stream(
            source.load(options.events),
            options.rules,
            list(keys),
            out=options.out,
            checkpoint=options.checkpoint,
            top=options.top,
            how=options.how,
            trigger={"availableNow": True} if options.once else None,
        )
        try:
            query.awaitTermination()
        finally:
            query.stop()


_OPTIONS = {"header": "true"}


def _check_keys(keys: Sequence[str]) -> None:
    """Refuse to do without a key: events on many machines have no numbers."""
    if not keys:
        raise KindError("--spark needs --key: the rows of a data frame have no numbers")


@contextmanager
def _spark(options: argparse.Namespace) -> Iterator[tuple[Any, Any]]:
    """Yield ``hedgerow.spark`` and a session; what Spark raises becomes one line."""
    try:
        spark = import_module("hedgerow.spark")  # whoever does not use Spark does not need it
    except ImportError as error:
        raise Unsupported(f"--spark needs Spark: install hedgerow[spark] ({error})") from error
    try:
        yield spark, spark.session(options.master)
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in {"pyspark", "py4j"}:
            raise
        raise FileError(f"Spark: {str(error).strip().partition(chr(10))[0]}") from error


def _spark_reads(given: str) -> bool:
    return is_rule_set(given) or Path(given).suffix.lower() in {".parquet", ".csv", *JSON_LINES}


def _format(given: str) -> str:
    """Return Spark's name of the format of the files that a name stands for."""
    suffix = Path(given).suffix.lower() if "://" in given else files_of(given)[0].suffix.lower()
    if suffix in JSON_LINES:
        return "json"
    if suffix in {".csv", ".parquet"}:
        return suffix[1:]
    raise KindError(f"Spark reads .parquet, .csv and {' '.join(JSON_LINES)}, and not '{given}'")


def _read(session: Any, given: str) -> Any:  # noqa: ANN401 - Spark comes without types
    # A line that is no event would else be one without attributes.
    return session.read.format(_format(given)).options(**_OPTIONS, inferSchema="true", mode="FAILFAST").load(given)


def _write(frame: Any, out: Path) -> None:  # noqa: ANN401 - as above
    suffix = out.suffix.lower()
    name = "json" if suffix in JSON_LINES else "csv" if suffix == ".csv" else "parquet"
    if out.exists():
        raise FileError(f"cannot write '{out}': it is there, and Spark makes a new folder")
    frame.write.format(name).options(**_OPTIONS).save(str(out))

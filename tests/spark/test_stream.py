"""Streams: each event is matched once, against the version that its rows name, while rules change and things die."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

import hedgerow as hr
from hedgerow import ruleset
from hedgerow import spark as hs
from hedgerow.ruleset.versions import pin
from hedgerow.spark.streaming import PINS, notes_of
from tests.spark.streams import SCHEMA

ONCE = {"availableNow": True}


def write_events(folder: Path, number: int, count: int = 20) -> None:
    """Write a file of events, all at once, as a source of files wants it."""
    (folder / "in").mkdir(exist_ok=True)
    lines = [json.dumps({"k": 1000 * number + row, "a": row % 5}) for row in range(count)]
    part = folder / f"part-{number}"
    part.write_text("\n".join(lines))
    part.rename(folder / "in" / f"{number:04d}.json")


def started(spark: SparkSession, folder: Path, **options: object) -> None:
    """Run a stream over all files that there are."""
    events = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", "1").json(str(folder / "in"))
    given = {"out": str(folder / "out"), "trigger": ONCE, **options}
    query = hs.stream(events, str(folder / "rules"), "k", checkpoint=str(folder / "checkpoint"), **given)  # type: ignore[arg-type]
    query.awaitTermination()


def running(spark: SparkSession, folder: Path) -> StreamingQuery:
    """Start a stream that waits for more files."""
    events = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", "1").json(str(folder / "in"))
    paths = {"out": str(folder / "out"), "checkpoint": str(folder / "checkpoint")}
    return hs.stream(events, str(folder / "rules"), "k", **paths, trigger={"processingTime": "0 seconds"})  # type: ignore[arg-type]


def result(spark: SparkSession, folder: Path) -> list[tuple[int, int, int]]:
    """Return what a stream wrote: event, rule, version, sorted."""
    rows = spark.read.parquet(str(folder / "out")).collect()
    return sorted((row.k, row.rule_id, row.version) for row in rows)


def wanted(folder: Path, files: int, versions: dict[int, int]) -> list[tuple[int, int, int]]:
    """Return what must come of it, given the version that each file was matched against."""
    found = []
    for number in range(files):
        rules = ruleset.open_rules(folder / "rules", versions[number])
        for line in (folder / "in" / f"{number:04d}.json").read_text().splitlines():
            event = json.loads(line)
            found += [(event["k"], int(id), rules.version) for id in rules.match({"a": event["a"]})]
    return sorted(found)


def versions_of(rows: list[tuple[int, int, int]]) -> dict[int, int]:
    """Return the version of each file; all rows of one have the same."""
    seen: dict[int, set[int]] = {}
    for key, _, version in rows:
        seen.setdefault(key // 1000, set()).add(version)
    assert all(len(found) == 1 for found in seen.values())
    return {number: min(found) for number, found in seen.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with rules, each of which matches some event of every file."""
    ruleset.build([(number, f"a = {number}") for number in range(5)], tmp_path / "rules")
    return tmp_path


def test_rules_change_while_a_stream_runs(spark: SparkSession, folder: Path) -> None:
    """The next batch takes the new version, without a restart; every row names its version."""
    write_events(folder, 0)
    query = running(spark, folder)
    try:
        for number in range(1, 4):
            query.processAllAvailable()
            changes = spark.createDataFrame([("upsert", number, "a >= 0")], "op string, id int, expression string")
            assert hs.apply_changes(str(folder / "rules"), changes).version == number + 1
            write_events(folder, number)
        query.processAllAvailable()
    finally:
        query.stop()
    assert result(spark, folder) == wanted(folder, 4, {number: number + 1 for number in range(4)})


def test_a_batch_that_comes_again_gets_the_version_it_had(spark: SparkSession, folder: Path) -> None:
    """The version was noted before anything was read, and what a first try wrote is replaced."""
    write_events(folder, 0)
    pin(notes_of(str(folder / "checkpoint")), PINS, 0, 1)  # as one that died has left it
    ruleset.apply_changes(folder / "rules", [("delete", 1)])
    left = folder / "out" / "batch=0"
    left.mkdir(parents=True)
    (left / "part-of-the-dead.parquet").write_bytes(b"half")
    started(spark, folder)
    assert result(spark, folder) == wanted(folder, 1, {0: 1})


def test_a_version_that_is_gone_is_named(spark: SparkSession, folder: Path) -> None:
    """The stream fails with the reason, and goes on when it is back."""
    write_events(folder, 0)
    pin(notes_of(str(folder / "checkpoint")), PINS, 0, 7)
    with pytest.raises(Exception, match="version 7 is not there"):
        started(spark, folder)
    for _ in range(6):
        ruleset.apply_changes(folder / "rules", [("upsert", 9, "a = 1")])
    started(spark, folder)
    assert result(spark, folder) == wanted(folder, 1, {0: 7})


def test_a_rule_that_the_events_cannot_answer_stops_a_stream_until_it_is_gone(
    spark: SparkSession, folder: Path
) -> None:
    """It is named, and the batch is not bound to that version."""
    write_events(folder, 0)
    events = spark.readStream.schema(SCHEMA).json(str(folder / "in")).selectExpr("*", "1.5BD AS price")
    paths = {"out": str(folder / "out"), "checkpoint": str(folder / "checkpoint")}

    def run() -> None:
        hs.stream(events, str(folder / "rules"), "k", **paths, trigger=ONCE).awaitTermination()  # type: ignore[arg-type]

    run()
    write_events(folder, 1)
    query = hs.stream(events, str(folder / "rules"), "k", **paths, trigger={"processingTime": "0 seconds"})  # type: ignore[arg-type]
    query.processAllAvailable()
    ruleset.apply_changes(folder / "rules", [("insert", 77, "price > 1")])
    write_events(folder, 2)
    with pytest.raises(Exception, match="'price'"):
        query.awaitTermination()
    ruleset.apply_changes(folder / "rules", [("delete", 77)])
    run()
    assert result(spark, folder) == wanted(folder, 3, {0: 1, 1: 1, 2: 3})


def test_results_belong_to_one_checkpoint_which_can_be_started_over(spark: SparkSession, folder: Path) -> None:
    """With a new folder, and against the newest version."""
    write_events(folder, 0)
    started(spark, folder)
    ruleset.apply_changes(folder / "rules", [("delete", 1)])
    shutil.rmtree(folder / "checkpoint")
    with pytest.raises(hr.KindError, match="another checkpoint"):
        started(spark, folder)
    shutil.rmtree(folder / "out")
    started(spark, folder)
    assert result(spark, folder) == wanted(folder, 1, {0: 2})


def test_own_writers_and_wrong_questions(spark: SparkSession, folder: Path) -> None:
    """``write`` gets the rows and the number of each batch; what is wrong is told before the stream runs."""
    write_events(folder, 0)
    target = str(folder / "mine")

    def write(rows: DataFrame, number: int) -> None:
        rows.write.mode("overwrite").json(f"{target}/{number}")

    started(spark, folder, out=None, write=write, top=1)
    assert spark.read.json(f"{target}/*").count() == 20
    events = spark.readStream.schema(SCHEMA).json(str(folder / "in"))
    with pytest.raises(hr.KindError, match="and not both"):
        hs.stream(events, str(folder / "rules"), "k", checkpoint="c")
    with pytest.raises(hr.SchemaError, match="no column 'key'"):
        hs.stream(events, str(folder / "rules"), "key", checkpoint="c", out="o")


def test_everything_is_there_once_after_kills(spark: SparkSession, folder: Path) -> None:
    """Kill -9 of the driver, and of workers, at any moment, while rules change; another driver goes on.

    The last one is that of the other tests, which is up already.
    """
    deaths, files = ((5, 9, 13), 16) if hypothesis.settings.get_current_profile_name() == "deep" else ((4,), 7)
    write_events(folder, 0)
    first = 1
    for last in deaths:
        _until_killed(folder, first, last)
        first = last + 1
    query = running(spark, folder)
    try:
        for number in range(first, files):
            _next(folder, number)
            query.processAllAvailable()
    finally:
        query.stop()
    rows = result(spark, folder)
    assert len(rows) == len(set(rows))
    assert rows == wanted(folder, files, versions_of(rows))
    assert len(set(versions_of(rows).values())) > 2


def _until_killed(folder: Path, first: int, last: int) -> None:
    """Let a driver have these files; kill its workers when it has done one, and itself in the midst of the others."""
    program = _started(folder)
    try:
        done = _batches(folder)
        for number in range(first, last + 1):
            _next(folder, number)
            if number == first + 1:
                _wait(lambda: _batches(folder) > done, program)
                _kill_workers(program)
        _wait(lambda: _batches(folder) >= last - 1, program)
    finally:
        _killed(program)


def _next(folder: Path, number: int) -> None:
    ruleset.apply_changes(folder / "rules", [("upsert", number % 5, f"a = {number % 3}")])
    write_events(folder, number)


def _started(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.spark.streams", str(folder)]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)  # noqa: S603 - our own


def _batches(folder: Path) -> int:
    commits = folder / "checkpoint" / "commits"
    return len([path for path in commits.iterdir() if path.name.isdecimal()]) if commits.exists() else 0


def _wait(done: Callable[[], bool], program: subprocess.Popen[bytes], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert program.poll() is None, "the stream ended by itself"
        assert time.monotonic() < end
        time.sleep(0.02)


def _killed(program: subprocess.Popen[bytes]) -> None:
    """Kill the driver and all that belongs to it."""
    with contextlib.suppress(ProcessLookupError):  # it has ended by itself, which the test tells
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()


def _kill_workers(program: subprocess.Popen[bytes]) -> None:
    """Kill the Python workers of a session; Spark starts others, and tries what they were doing again."""
    for path in Path("/proc").iterdir():
        if path.name.isdecimal() and _is_worker(path, program.pid):
            os.kill(int(path.name), signal.SIGKILL)


def _is_worker(path: Path, group: int) -> bool:
    try:
        command = (path / "cmdline").read_bytes()
        # The fields after the name, which may have spaces: state, parent, group.
        return b"pyspark.daemon" in command and int((path / "stat").read_text().rpartition(")")[2].split()[2]) == group
    except (OSError, ValueError):
        return False

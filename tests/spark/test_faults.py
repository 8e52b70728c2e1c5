"""What breaks gives a named error or a right result, and the last good version stays usable."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import hedgerow as hr
from hedgerow import ruleset
from hedgerow import spark as hs
from tests.spark.conftest import pairs


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of half a megabyte, where that is allowed."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:  # noqa: S603 - our own
        pytest.skip("mounting a small disk is not allowed here")
    yield folder
    subprocess.run([str(shutil.which("umount")), "-l", str(folder)], check=True)  # noqa: S603 - as above


def test_a_full_disk_while_building(spark: SparkSession, tiny_disk: Path) -> None:
    """The build says so, nothing of it is left, and the version before it still matches."""
    few = spark.createDataFrame([(1, "a = 1")], "id int, expression string")
    hs.build(few, str(tiny_disk), progress=False)
    before = {file.name for file in (tiny_disk / "shards").iterdir()}
    text = "concat('b = ''', sha2(string(id), 256), '''')"
    many = spark.range(40_000).selectExpr("CAST(id AS INT) AS id", f"{text} AS expression")
    with pytest.raises(Exception, match=r"cannot be saved|No space left"):
        hs.build(many, str(tiny_disk), progress=False)
    assert {file.name for file in (tiny_disk / "shards").iterdir()} == before
    assert ruleset.open_rules(tiny_disk).match({"a": 1}) == [1]
    assert ruleset.open_rules(tiny_disk).version == 1


def test_a_worker_that_is_killed_in_the_middle_of_a_task(
    built: str, events: DataFrame, expected: set[tuple[int, object]], tmp_path: Path
) -> None:
    """Spark tries the task again, and every match is there once."""
    marker = str(tmp_path / "killed")

    def dying(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if not os.path.exists(marker):  # noqa: PTH110 - sent to a worker as it is
                with open(marker, "w"):  # noqa: PTH123 - as above
                    os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    frail = events.mapInArrow(dying, events.schema)
    assert pairs(hs.match(frail, built, "visit")) == expected
    assert Path(marker).exists()


def test_workers_that_are_killed_from_outside(built: str, events: DataFrame, expected: set[tuple[int, object]]) -> None:
    """Whatever they were doing."""
    killed = []

    def killing() -> None:
        time.sleep(0.3)
        for path in Path("/proc").iterdir():
            try:
                command = (path / "cmdline").read_bytes()
                parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
                inner = Path("/proc", parent, "cmdline").read_bytes()
                if b"pyspark.daemon" in command and b"pyspark.daemon" in inner:
                    os.kill(int(path.name), signal.SIGKILL)
                    killed.append(path.name)
                    return
            except (OSError, ValueError, IndexError):
                continue

    killer = threading.Thread(target=killing)
    killer.start()
    try:
        assert pairs(hs.match(events, built, "visit")) == expected
    finally:
        killer.join()
    assert killed


def test_a_shard_that_vanished_or_was_damaged(spark: SparkSession, tmp_path: Path) -> None:
    """The job fails with the name of what is wrong, and an older version goes on working."""
    events = spark.createDataFrame([(1, 1)], "k int, a int")
    ruleset.build([(1, "a = 1")], tmp_path)
    ruleset.build([(2, "a = 1")], tmp_path)
    shard = tmp_path / ruleset.open_rules(tmp_path).manifest.shards[0].file
    content = shard.read_bytes()
    shard.unlink()
    with pytest.raises(Exception, match="files of version 2 are gone"):
        hs.match(events, str(tmp_path), "k").collect()
    shard.write_bytes(content[:-1000])
    with pytest.raises(Exception, match="CorruptFile"):
        hs.match(events, str(tmp_path), "k").collect()
    assert [row.rule_id for row in hs.match(events, str(tmp_path), "k", version=1).collect()] == [1]
    shard.write_bytes(content)
    assert [row.rule_id for row in hs.match(events, str(tmp_path), "k").collect()] == [2]


def test_a_path_that_cannot_be_written(spark: SparkSession, tmp_path: Path) -> None:
    """It is named."""
    (tmp_path / "file").write_text("in the way")
    rules = spark.createDataFrame([(1, "a = 1")], "id int, expression string")
    with pytest.raises(Exception, match=r"[Nn]ot a directory|cannot be|Parent path is not"):
        hs.build(rules, str(tmp_path / "file" / "rules"), progress=False)
    with pytest.raises(hr.FileError, match="no such kind of place"):
        hs.build(rules, "nowhere://rules", progress=False)

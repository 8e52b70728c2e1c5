"""What the Python workers of a local Spark hold in memory, as Linux counts it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import SparkSession

# Settings that end up in the environment of workers, and make no difference to a job that does not fail.
SETTINGS = (
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled",
    "spark.sql.execution.pyspark.udf.faulthandler.enabled",
)

_PROCESSES = Path("/proc")
_DAEMON = b"pyspark.daemon"


class Held(NamedTuple):
    """Bytes of one worker. What several processes map counts in ``proportional`` by its share, and not in the others.

    What only this one maps of a file is in ``private``; what it has written to, which is its own for good, in
    ``dirty``.
    """

    proportional: int
    private: int
    dirty: int

    def __str__(self) -> str:
        """Return it in words."""
        return "PSS {:,.1f} MB, private {:,.1f}, written {:,.1f}".format(*(size / 1e6 for size in self))


@contextlib.contextmanager
def other_workers(spark: SparkSession, *settings: str) -> Iterator[None]:
    """Let jobs run in workers that no job without these settings has used: Spark keeps workers by environment."""
    before = {setting: str(spark.conf.get(setting)) for setting in settings}
    for setting, value in before.items():
        spark.conf.set(setting, "false" if value == "true" else "true")
    try:
        yield
    finally:
        for setting, value in before.items():
            spark.conf.set(setting, value)


def workers() -> dict[int, Held]:
    """Return what each Python worker of this process's Spark holds."""
    parents = dict(_parents())
    daemons = {process for process in _descendants(parents) if _DAEMON in _read(process, "cmdline")}
    return {process: held(process) for process in daemons if parents[process] in daemons}


def most(each: Iterable[Held]) -> Held:
    """Return the most that any of some workers holds, of each kind."""
    return Held(*map(max, zip(*each, strict=True)))


def held(process: int) -> Held:
    """Return what one process holds."""
    lines = [line.split() for line in _read(process, "smaps_rollup").splitlines()[1:]]
    sizes = {words[0].rstrip(b":"): 1024 * int(words[1]) for words in lines}
    dirty = sizes.get(b"Private_Dirty", 0)
    return Held(sizes.get(b"Pss", 0), sizes.get(b"Private_Clean", 0) + dirty, dirty)


def _parents() -> Iterator[tuple[int, int]]:
    """Yield every process and its parent."""
    for folder in _PROCESSES.iterdir():
        # The name, in parentheses, may have anything in it; the state and the parent follow.
        after = _read(int(folder.name), "stat").rpartition(b")")[2].split() if folder.name.isdecimal() else []
        if after:
            yield int(folder.name), int(after[1])


def _descendants(parents: dict[int, int]) -> Iterator[int]:
    for process in parents:
        above = process
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() != process:
            yield process


def _read(process: int, name: str) -> bytes:
    try:
        return (_PROCESSES / str(process) / name).read_bytes()
    except OSError:  # it has ended meanwhile, or is none of ours
        return b""

"""A progress bar for a Spark job, on a terminal: how many of its tasks are done.

Classic Spark is asked by a thread (``statusTracker``); a Spark Connect server tells (``registerProgressHandler``).
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

__all__ = ["watched"]

_INTERVAL = 0.3
_PATIENCE = 1.0
_BAR = 30


@contextlib.contextmanager
def watched(spark: SparkSession, label: str, *, wanted: bool | None = None) -> Iterator[None]:
    """Show the progress of the jobs that this thread runs; ``wanted`` None means: if stderr is a terminal."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield
        return
    line = _Line(label)
    watch = _watched_connect if hasattr(spark, "registerProgressHandler") and _is_connect(spark) else _watched_classic
    with watch(spark, line):
        yield
    line.close()


def _is_connect(spark: Any) -> bool:  # noqa: ANN401 - one of two classes that share no base with what is asked here
    return "connect" in type(spark).__module__


class _Line:
    """One line that is written over itself."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._began = time.monotonic()
        self._shown = False

    def show(self, done: int, total: int, running: int) -> None:
        seconds = time.monotonic() - self._began
        if seconds < _PATIENCE or not total:
            return
        filled = min(_BAR, _BAR * done // total)
        bar = "#" * filled + " " * (_BAR - filled)
        text = (
            f"{self._label}: {done} of {total} tasks  [{bar}] {done / total:4.0%}, {running} running, {seconds:,.0f} s"
        )
        sys.stderr.write(f"\r{text:<100}")
        sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\n")
            sys.stderr.flush()


@contextlib.contextmanager
def _watched_classic(spark: SparkSession, line: _Line) -> Iterator[None]:
    tracker = spark.sparkContext.statusTracker()
    over = threading.Event()

    def poll() -> None:
        while not over.wait(_INTERVAL):
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            known = [stage for stage in stages if stage is not None]
            total = sum(stage.numTasks for stage in known)
            line.show(sum(stage.numCompletedTasks for stage in known), total, sum(s.numActiveTasks for s in known))

    thread = threading.Thread(target=poll, name="hedgerow-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def _watched_connect(spark: Any, line: _Line) -> Iterator[None]:  # noqa: ANN401 - as above
    def told(stages: Any, inflight_tasks: int, **_: object) -> None:  # noqa: ANN401 - a list of records
        total = sum(stage.num_tasks for stage in stages)
        line.show(sum(stage.num_completed_tasks for stage in stages), total, inflight_tasks)

    spark.registerProgressHandler(told)
    try:
        yield
    finally:
        spark.removeProgressHandler(told)

"""What the Python workers of a local Spark hold in memory, as Linux counts it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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


def workers_memory() -> list[Held]:
    """Return what each Python worker of this process's Spark holds."""
    parents = dict(_parents())
    daemons = {process for process in _descendants(parents) if _DAEMON in _read(process, "cmdline")}
    return [held(process) for process in sorted(daemons) if parents[process] in daemons]


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

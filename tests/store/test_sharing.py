"""Processes that open one file share its pages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow as hr

SMAPS = Path("/proc/self/smaps")

# Opens a file, matches, and says how much of its mapping it shares; then the same after a change.
OPENING = """
import re, sys
import hedgerow as hr
from tests.store.test_sharing import shares

index = hr.open(sys.argv[1], sys.argv[2])
print(len(index.match({"a7": 7, "b": 7})), *shares(sys.argv[1]))
"""


def shares(path: str) -> tuple[int, int, int]:
    """Return how many kilobytes of a file this process has mapped, shares with others, and has copies of."""
    found = {"Rss": 0, "Shared_Clean": 0, "Shared_Dirty": 0, "Anonymous": 0}
    here = False
    for line in SMAPS.read_text(encoding="utf-8").splitlines():
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            here = line.endswith(path)
        elif here:
            key, value, *_ = line.replace(":", "").split()
            found[key] = found.get(key, 0) + (int(value) if value.isdigit() else 0)
    return found["Rss"], found["Shared_Clean"] + found["Shared_Dirty"], found["Anonymous"]


@pytest.mark.skipif(not SMAPS.exists(), reason="the kernel does not tell")
@pytest.mark.parametrize("mode", ("r", "r+"))
def test_two_processes_share_the_pages_of_a_file(tmp_path: Path, mode: str) -> None:
    """What both have read is in memory once, and matching copies none of it."""
    path = str(tmp_path / "index")
    index = hr.Index()
    index.insert_many((number, f"a{number % 100} = {number} AND b = {number % 50}") for number in range(20_000))
    index.save(path)
    opened = hr.open(path)
    assert opened.match({"a7": 7, "b": 7}) == [7]
    command = [sys.executable, "-c", OPENING, path, mode]
    said = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - our own
    matches, mapped, shared, copied = map(int, said.stdout.split())
    size = Path(path).stat().st_size // 1024
    assert matches == 1
    assert mapped > 0.9 * size > 1000
    assert shared > 0.9 * mapped
    assert copied == 0
    assert shares(path)[2] == 0

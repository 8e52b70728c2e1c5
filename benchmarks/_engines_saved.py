"""The figures of ``benchmarks.engines`` as JSON, a file for each workload: what ``tools.plots`` draws.

A file says what was measured, and on what kind of machine, but not which machine or where its files are.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks._engines import Subject
from tools import sources

Figure = str | int | float | None

ARGUMENTS = ("expressions", "events", "sample", "turns")
PROCESSOR = Path("/proc/cpuinfo")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
MEASURED = ("src", "benchmarks", "setup.py")  # a commit says what was measured if these are as it has them


def save(
    folder: Path, arguments: Mapping[str, int], machine: Mapping[str, Figure], subjects: Sequence[Subject]
) -> Path:
    """Write what was measured of the engines of one workload, and return the file."""
    source, whole = subjects[0].given, min(subjects, key=lambda subject: len(subject.refused))
    told = {
        "workload": source.workload.name,
        "arguments": {name: arguments[name] for name in ARGUMENTS},
        "machine": dict(machine),
        "expressions": source.expressions,
        "predicates_per_expression": rounded(source.predicates / source.expressions),
        "matches_per_event": rounded(whole.matches),
        "engines": {subject.engine: row_of(subject) for subject in subjects},
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{source.workload.name}.json"
    path.write_text(json.dumps(told, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return path


def row_of(subject: Subject) -> dict[str, Figure]:
    """Return the figures of an engine: those of its row in the table, in the same units."""
    return {
        "events": len(subject.events),
        "build_us_per_predicate": rounded(subject.build),
        "build_cpu_us_per_predicate": rounded(subject.cpu),
        "bytes": subject.bytes_beside,
        "bytes_per_expression": rounded(subject.bytes_beside / max(1, len(subject.index))),
        "refused": len(subject.refused),
        "match_us": rounded(subject.match),
        "match_batch_us": rounded(subject.time("match_batch")),
        "count_batch_us": rounded(subject.time("count_batch")),
        "visits": rounded(subject.visits),
        "matches": rounded(subject.matches),
    }


def rounded(figure: float | None) -> float | None:
    """Return a figure without the digits that no clock has."""
    return None if figure is None else round(float(figure), 3)


def machine_facts() -> dict[str, Figure]:
    """Return what of the machine and of the code matters to the figures; None is what cannot be known here."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor(),
        "l3_kib": l3_kib(),
        "python": platform.python_version(),
        "commit": commit(),
    }


def processor() -> str | None:
    """Return what the processor calls itself."""
    found = re.search(r"^model name\s*:\s*(.+)$", text_of(PROCESSOR), re.MULTILINE)
    return found[1].strip() if found else None


def l3_kib() -> int | None:
    """Return the size of the third-level cache."""
    for cache in sorted(CACHES.glob("index*")):
        size = re.fullmatch(r"(\d+)K", text_of(cache / "size").strip())
        if size and text_of(cache / "level").strip() == "3":
            return int(size[1])
    return None


def text_of(path: Path) -> str:
    """Return what a file of the system says; nothing if there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def commit() -> str | None:
    """Return the commit that is measured, with ``+`` if what is measured was edited since."""
    program = shutil.which("git")
    found = git(program, "rev-parse", "--short", "HEAD") if program else None
    if found is None or found.returncode:
        return None
    edited = git(program, "diff", "--quiet", "HEAD", "--", *MEASURED).returncode
    return found.stdout.strip() + ("+" if edited else "")


def git(program: str | None, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of Git on this project."""
    return subprocess.run(  # noqa: S603 - found on the path
        [str(program), *words], cwd=sources.ROOT, capture_output=True, text=True, check=False
    )

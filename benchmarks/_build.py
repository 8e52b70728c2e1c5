"""Building an index from generated text, in a process that has done nothing else: its time, and what it comes to hold.

``python -m benchmarks._build SHAPE EXPRESSIONS`` prints a ``Built`` as JSON. Text is generated a batch at a time and
dropped, so it is neither in the time nor in the memory.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

import hedgerow as hr
from hedgerow.workload.abe import PRESETS, AbeParameters, abe_expression_batches
from tools import sources

SHAPES = ("equality", "mixed")
ENGINE = "atree"
PREDICATES = 16  # in each expression


class Built(NamedTuple):
    """What a build took: seconds in ``insert_many``, bytes that became resident, and ``stats().bytes``."""

    expressions: int
    seconds: float
    resident: int
    counted: int

    @property
    def microseconds(self) -> float:
        """Microseconds that a predicate took."""
        return 1e6 * self.seconds / (PREDICATES * self.expressions)


def parameters_of(shape: str, expressions: int) -> AbeParameters:
    """Return the workload of this shape; a smaller one has a smaller pool, so that it shares as many subexpressions."""
    return dataclasses.replace(PRESETS[f"{shape}-1m"], expressions=expressions, pool=expressions)


def built_apart(shape: str, expressions: int) -> Built:
    """Build an index in a process of its own."""
    command = [sys.executable, "-m", "benchmarks._build", shape, str(expressions)]
    # The package as this process has it: the checked build is found by the path alone.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(  # noqa: S603 - our own
        command, stdout=subprocess.PIPE, check=True, cwd=sources.ROOT, env=environment
    )
    return Built(**json.loads(done.stdout))


def inserted(index: hr.Index, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Insert batches of rows, and yield each when it is in."""
    for batch in batches:
        report = index.insert_many(batch, progress=False)
        assert not report.rejected, str(report)
        yield batch


def measured(parameters: AbeParameters) -> Built:
    """Build an index here."""
    warm = dataclasses.replace(parameters, expressions=min(parameters.expressions, 10_000))
    for _ in inserted(hr.Index(ENGINE), abe_expression_batches(warm)):
        pass
    before = resident()
    index, seconds = hr.Index(ENGINE), 0.0
    for batch in abe_expression_batches(parameters):
        start = time.perf_counter()
        for _ in inserted(index, [batch]):
            pass
        seconds += time.perf_counter() - start
        del batch
    return Built(parameters.expressions, seconds, resident() - before, index.stats().bytes)


def resident() -> int:
    """Return the bytes of this process that are in memory, without what Arrow keeps for later."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(json.dumps(measured(parameters_of(sys.argv[1], int(sys.argv[2])))._asdict()))

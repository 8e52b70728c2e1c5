"""Everything works in Spark Connect too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.workload.exchange import campaigns, visits


def test_all_of_it_in_spark_connect(tmp_path: Path) -> None:
    """Build, match, observe, ask by SQL, change and stream: the same results as from the index."""
    pytest.importorskip("grpc")
    command = [sys.executable, "-m", "tests.spark.connected", str(tmp_path)]
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}
    # The options of the JVM may stay (tests/conftest.py): what else there is would lead to the session of the others.
    clean = ours | {name: os.environ[name] for name in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=clean)  # noqa: S603
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout.rpartition("RESULT ")[2])
    index = hr.Index()
    index.insert_many(campaigns(60), progress=False)
    found = sorted([number, str(id)] for number, visit in enumerate(visits(50)) for id in index.match(visit))
    assert result["connected"]
    assert (result["rules"], result["rejected"], result["version"]) == (60, ["bad"], 2)
    assert result["matches"] == found
    assert result["observed"] == result["sql"] == len(found)
    assert result["best"] == len({number for number, _ in found})
    assert result["streamed"] == [[7, None, 2]]

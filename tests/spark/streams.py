"""A program that streams, for tests that kill it: ``python -m tests.spark.streams FOLDER``.

It matches the files of ``FOLDER/in`` one a batch against the rules at ``FOLDER/rules``, slowly enough to be caught in
the middle of a batch, and ends when ``FOLDER/enough`` is there and all files are done.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from hedgerow import spark as hs

SCHEMA = "k int, a int"


def main(folder: Path) -> None:
    """Stream until it is enough."""
    spark = hs.session("local[2,3]", spark__sql__shuffle__partitions="2")
    events = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", "1").json(str(folder / "in"))
    query = hs.stream(
        events,
        str(folder / "rules"),
        "k",
        out=str(folder / "out"),
        checkpoint=str(folder / "checkpoint"),
        trigger={"processingTime": "0 seconds"},
    )
    while not (folder / "enough").exists():
        if not query.isActive:
            sys.exit(str(query.exception()))
        time.sleep(0.1)
    query.processAllAvailable()
    query.stop()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

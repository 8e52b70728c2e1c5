"""A program that streams, for tests that kill it: ``python -m tests.spark.streams FOLDER``.

It matches the files of ``FOLDER/in`` one a batch against the rules at ``FOLDER/rules``, slowly enough to be caught in
the middle of a batch, and does not end by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

from hedgerow import spark as hs

SCHEMA = "k int, a int"


def main(folder: Path) -> None:
    """Stream until killed."""
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
    query.awaitTermination()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

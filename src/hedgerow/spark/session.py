"""A local Spark, with nothing to configure but Java."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

__all__ = ["session"]

_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",  # else a machine whose name does not resolve cannot start
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{Path(__file__).with_name('quiet.properties')}",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
}


def session(master: str | None = None, *, app: str = "hedgerow", **config: str) -> SparkSession:
    """Return the Spark session that there is, or start one: ``local[*]`` unless a ``master`` is named.

    ``master`` may be the address of a Spark Connect server (``sc://host:15002``). ``config`` are settings of Spark,
    with ``__`` for each dot: ``session(spark__sql__shuffle__partitions="4")``.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers need the Python that has hedgerow
    builder = SparkSession.builder.appName(app)
    if master is not None and master.startswith("sc://"):
        return builder.remote(master).getOrCreate()
    master = master or "local[*]"
    settings = {**(_LOCAL if master.startswith("local") else {}), **_dotted(config)}
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.master(master).getOrCreate()


def _dotted(config: dict[str, str]) -> dict[str, str]:
    return {name.replace("__", "."): value for name, value in config.items()}

"""Rules on Spark: tables and streams of events, matched where they are.

::

    rules ── build ──> a rule set: shards in a folder, under versions  <── apply_changes
                            │ mapped into memory by every Python worker of an executor
    events ── select ── mapInArrow ──> event key, rule id, score
    (only the columns that rules mention)

``matching`` is the job in the drawing, ``worker`` what runs in it on the executors, ``columns`` what is read of an
event. ``building`` makes a rule set on the executors, ``changing`` changes it, ``streaming`` runs the job on a stream
while rules change, ``functions`` puts it into SQL. ``progress`` draws a bar, ``observing`` adds up what a job did,
``session`` starts a local Spark. Nothing here uses a ``SparkContext`` or an RDD, so all of it runs in Spark Connect.

The only room that imports pyspark (the extra ``hedgerow[spark]``). May import all others but ``cli``.
"""

from hedgerow.spark.building import SparkBuildReport, build
from hedgerow.spark.changing import apply_changes
from hedgerow.spark.functions import register
from hedgerow.spark.matching import match
from hedgerow.spark.observing import MatchMetrics, metrics_of, observation
from hedgerow.spark.progress import watched
from hedgerow.spark.session import session
from hedgerow.spark.streaming import stream

__all__ = [
    "MatchMetrics",
    "SparkBuildReport",
    "apply_changes",
    "build",
    "match",
    "metrics_of",
    "observation",
    "register",
    "session",
    "stream",
    "watched",
]

"""What a matching job did, added up by Spark itself: an ``Observation`` works in every mode, and while Spark runs."""

from __future__ import annotations

from dataclasses import dataclass

from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

__all__ = ["METRICS", "MatchMetrics", "metrics_of", "observation", "observed"]

METRICS = ("events", "matches", "candidates", "looked_up", "matching_ns", "reading_ns")
"""What a worker tells, in this order, in a row that is no match."""


@dataclass(frozen=True, slots=True)
class MatchMetrics:
    """What a matching job did. Times are summed over all tasks, so they can exceed the time on the clock."""

    events: int
    matches: int
    candidates: int
    """Nodes of the indexes that were visited."""
    looked_up: int
    """Events times the shards that they were looked up in."""
    matching_seconds: float
    reading_seconds: float
    """How long workers waited for events: Spark reads, and decodes, meanwhile."""

    def __str__(self) -> str:
        """Return it in one line."""
        times = f"matching {self.matching_seconds:.1f} s, reading {self.reading_seconds:.1f} s"
        return f"{self.events:,} events, {self.matches:,} matches, {self.candidates:,} candidates, {times}"


def observation() -> Observation:
    """Return a new observation, to give to ``match``."""
    return Observation()


def observed(matches: DataFrame, observer: Observation) -> DataFrame:
    """Let an observation add up the rows of metrics, and leave them out."""
    told = F.split(F.col("metrics"), ",")
    sums = [_sum(told, number).alias(name) for number, name in enumerate(METRICS)]
    return matches.observe(observer, *sums).filter(F.col("metrics").isNull()).drop("metrics")


def _sum(told: Column, number: int) -> Column:
    return F.sum(told.getItem(number).cast("long"))


def metrics_of(observer: Observation) -> MatchMetrics | None:
    """Return what an observation that was given to ``match`` saw, once the job has run; it waits until then.

    None if Spark has nothing to tell: when a job turns out to have no result, its adaptive planner may put an empty one
    in the place of the whole plan, with what was observed.
    """
    try:
        seen = {name: value or 0 for name, value in observer.get.items()}
    except Py4JJavaError:  # how a classic session says it; a connected one returns nothing
        return None
    if not seen:
        return None
    events, matches, candidates, looked_up, matching, reading = (int(seen.get(name, 0)) for name in METRICS)
    return MatchMetrics(events, matches, candidates, looked_up, matching / 1e9, reading / 1e9)

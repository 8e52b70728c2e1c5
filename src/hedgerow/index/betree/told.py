"""What a tree tells of itself, for pictures, figures and checks: copies, which say what was so when they were made."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ToldBucket", "ToldNode", "ToldPartition", "ToldRecord"]


class ToldRecord(NamedTuple):
    """A unit in a leaf."""

    unit: int
    bloom: int
    checked: tuple[int, ...]
    """Literals that are tested for an event."""
    known: tuple[int, ...]
    """Literals that hold for any event that comes here."""


class ToldBucket(NamedTuple):
    """What a node is a bucket of."""

    partition: int
    """-1 for the root."""
    up: int
    """The bucket that it is a half of, or -1."""
    low: int
    high: int
    halves: tuple[int, ...]


class ToldNode(NamedTuple):
    """A c-node."""

    number: int
    bucket: ToldBucket
    capacity: int
    partitions: tuple[int, ...]
    records: tuple[ToldRecord, ...]


class ToldPartition(NamedTuple):
    """A p-node."""

    number: int
    attribute: str
    lane: int
    axis: int
    node: int
    buckets: tuple[int, ...]
    """The top bucket of a line, or all buckets by value."""
    score: float

"""How many shards there are to be.

One, as long as one is not too large: every event is looked up in every shard. A shard is built in one task, opened as
one file, and should stay in memory while a block of events goes through it, so it has a budget, ``SHARD_BYTES``. Rules
do not know how large an index they will make; their text does, roughly (``benchmarks/spark.py`` prints how roughly).
"""

from __future__ import annotations

from hedgerow.errors import KindError

__all__ = ["SHARD_BYTES", "checked_shards", "estimated_bytes", "shard_count"]

SHARD_BYTES = 256 << 20
"""How large the index file of a shard should be, at most: 256 MiB."""

MAX_SHARDS = 4096

_BYTES_A_RULE = 64
_BYTES_A_CHARACTER = 0.75


def estimated_bytes(rules: int, characters: int) -> int:
    """Return about how many bytes the index of so many rules, with so many characters of text, will have."""
    return int(rules * _BYTES_A_RULE + characters * _BYTES_A_CHARACTER)


def shard_count(rules: int, characters: int, shard_bytes: int) -> int:
    """Return how many shards keep each within its budget.

    >>> shard_count(1_000_000, 300_000_000, SHARD_BYTES), shard_count(20_000_000, 6_000_000_000, SHARD_BYTES)
    (2, 22)
    """
    return min(MAX_SHARDS, max(1, -(-estimated_bytes(rules, characters) // shard_bytes)))


def checked_shards(shards: int | None, shard_bytes: int) -> tuple[int | None, int]:
    """Return the two, or raise ``KindError``."""
    if shards is not None and not 1 <= shards <= MAX_SHARDS:
        raise KindError(f"shards is a number from 1 to {MAX_SHARDS:,}, not {shards!r}")
    if shard_bytes < 1:
        raise KindError(f"shard_bytes is a number of bytes, not {shard_bytes!r}")
    return shards, shard_bytes

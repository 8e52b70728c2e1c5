"""How many shards there are to be.

One, as long as one is not too large: every event is looked up in every shard. A shard is built in one task, opened as
one file, and should stay in memory while a block of events goes through it, so it has a budget, ``SHARD_BYTES``.

Rules do not know how large an index they will make, since an index holds what they share once. Nor does the length of
their texts: a long list of strings that is in every rule costs next to nothing. But what a compressor cannot find twice
an index cannot share either, so what is left of the texts when they are compressed tells most of it.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from hedgerow.errors import KindError

__all__ = ["SHARD_BYTES", "checked_shards", "compressibility", "estimated_bytes", "shard_count"]

SHARD_BYTES = 256 << 20
"""How large the index file of a shard should be, at most: 256 MiB."""

MAX_SHARDS = 4096

# Measured on campaigns and on the A-Tree paper's workloads, at 100,000 rules (docs/rulesets.md has the figures). The
# more rules there are, the more of each is there already: an index grows with the power of 0.85 of their number.
_BYTES_A_RULE = 26
_BYTES_A_COMPRESSED = 4.1
_GROWTH = 0.85
_MEASURED_AT = 100_000
_USUAL_RATIO = 0.25

_ROWS_AT_ONCE = 4096
_SAMPLES = 64


def compressibility(texts: pa.ChunkedArray) -> float:
    """Return what part of the rules' texts is left when they are compressed, by a sample spread over all of them."""
    codec = pa.Codec("zstd", compression_level=1)
    before = after = 0
    count = min(_SAMPLES, -(-len(texts) // _ROWS_AT_ONCE))
    for start in np.linspace(0, max(0, len(texts) - _ROWS_AT_ONCE), count).astype(np.int64).tolist():
        said = texts.slice(start, _ROWS_AT_ONCE).cast(pa.large_string()).combine_chunks()
        _, offsets, data = said.buffers()
        ends = np.frombuffer(offsets, np.int64)[[said.offset, said.offset + len(said)]]
        length = int(ends[1] - ends[0])
        if length:
            before += length
            after += codec.compress(data.slice(int(ends[0]), length)).size
    return after / before if before else _USUAL_RATIO


def estimated_bytes(rules: int, characters: int, ratio: float = _USUAL_RATIO) -> int:
    """Return about how many bytes the index of so many rules, with so many characters of text, will have.

    ``ratio`` is their ``compressibility``; without it the estimate may be off by a factor of two.

    >>> [estimated_bytes(rules, 270 * rules, 0.15) // 1_000_000 for rules in (100_000, 1_000_000)]
    [19, 135]
    """
    apart = rules * _BYTES_A_RULE + characters * ratio * _BYTES_A_COMPRESSED
    return int(apart * math.pow(_MEASURED_AT / max(1, rules), 1 - _GROWTH))


def shard_count(rules: int, characters: int, shard_bytes: int, ratio: float = _USUAL_RATIO) -> int:
    """Return how many shards keep each within its budget; apart, they share less than one would.

    >>> shard_count(1_000_000, 270_000_000, SHARD_BYTES), shard_count(20_000_000, 5_400_000_000, SHARD_BYTES)
    (1, 16)
    """
    budgets = estimated_bytes(rules, characters, ratio) / shard_bytes
    return min(MAX_SHARDS, max(1, math.ceil(math.pow(budgets, 1 / _GROWTH))))


def checked_shards(shards: int | None, shard_bytes: int) -> tuple[int | None, int]:
    """Return the two, or raise ``KindError``."""
    if shards is not None and not 1 <= shards <= MAX_SHARDS:
        raise KindError(f"shards is a number from 1 to {MAX_SHARDS:,}, not {shards!r}")
    if shard_bytes < 1:
        raise KindError(f"shard_bytes is a number of bytes, not {shard_bytes!r}")
    return shards, shard_bytes

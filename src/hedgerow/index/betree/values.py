"""Keys and ends of lines as people write the values that they stand for."""

from __future__ import annotations

import struct

from hedgerow.language.format import format_value
from hedgerow.language.graph_cy import Graph
from hedgerow.values import INT64_MAX, INT64_MIN, Kind, Value, timestamp

__all__ = ["end_text", "value_text"]

_BOOLEANS, _NUMBERS, _STRINGS, _TIMES = range(4)
"""The families of kinds, in the order of ``family_of`` in ``predicate/keys.pxd``."""


def value_text(graph: Graph, kind: int, payload: int) -> str:
    """Return a value of a graph, told by kind and payload.

    >>> value_text(Graph(), Kind.INT, 7)
    '7'
    """
    value: Value = payload
    if kind == Kind.STRING:
        value = graph.strings[payload]
    elif kind == Kind.FLOAT:
        value = _float_of(payload)
    elif kind == Kind.TIMESTAMP:
        value = timestamp(payload)
    elif kind == Kind.BOOL:
        value = bool(payload)
    return format_value(value)


def end_text(family: int, end: int) -> str:
    """Return an end of a line; of a string, its first eight bytes.

    >>> end_text(1, 0x4008000000000000), end_text(1, INT64_MIN)
    ('3', 'the least')
    """
    if end in {INT64_MIN, INT64_MAX}:
        return "the least" if end == INT64_MIN else "the greatest"
    if family == _NUMBERS:
        number = _float_of(end if end >= 0 else end ^ INT64_MAX)
        return f"{number:g}"
    if family == _STRINGS:
        start = ((end & (1 << 64) - 1) ^ (1 << 63)).to_bytes(8, "big").rstrip(b"\0\xff")
        return format_value(start.decode(errors="replace"))
    return format_value(bool(end) if family == _BOOLEANS else timestamp(end)) if _is_told(family, end) else str(end)


def _is_told(family: int, end: int) -> bool:
    """Return whether an end is a value that can be written: the middle of a line of times may be before all of them."""
    if family == _BOOLEANS:
        return end in {0, 1}
    try:
        timestamp(end)
    except (OverflowError, ValueError):
        return False
    return family == _TIMES


def _float_of(bits: int) -> float:
    number: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return number

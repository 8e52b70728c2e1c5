"""What of events rules ask for. All else is not looked at: it costs nothing, and may be of any type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import pyarrow as pa

from hedgerow.cli.json_lines import Row

__all__ = ["Names", "asked_columns", "asked_of", "top_names"]

Names: TypeAlias = set[str]
"""Attributes with the beginnings of their names, as ``top_names`` makes them."""
_Named: TypeAlias = list[tuple[str, pa.Array]]


def top_names(attributes: Sequence[str]) -> Names:
    """Return the columns and fields that attributes can be in: ``user.age`` may be one, or a field of ``user``.

    >>> sorted(top_names(["age", "user.home.city"]))
    ['age', 'user', 'user.home', 'user.home.city']
    """
    parts = [name.split(".") for name in attributes]
    return {".".join(some[:length]) for some in parts for length in range(1, len(some) + 1)}


def asked_of(row: Row, names: Names, path: str = "") -> Row:
    """Return of an object, and of the objects in it, what has one of these names.

    >>> asked_of({"user": {"age": 20, "visits": [{"bad": 1}]}, "other": 1}, top_names(["user.age"]))
    {'user': {'age': 20}}
    """
    return {
        name: asked_of(value, names, f"{path}{name}.") if isinstance(value, dict) else value
        for name, value in row.items()
        if f"{path}{name}" in names
    }


def asked_columns(batch: pa.RecordBatch, names: Names) -> pa.RecordBatch:
    """Return of a batch, and of the structs in it, what has one of these names."""
    kept = _asked(zip(batch.schema.names, batch.columns, strict=True), names, "")
    if not kept:
        return batch.select([])  # rows that have nothing
    return pa.RecordBatch.from_arrays([array for _, array in kept], [name for name, _ in kept])


def _asked(columns: Iterable[tuple[str, pa.Array]], names: Names, path: str) -> _Named:
    kept: _Named = []
    for name, array in columns:
        if f"{path}{name}" not in names:
            continue
        if not pa.types.is_struct(array.type):
            kept.append((name, array))
            continue
        parts = zip((field.name for field in array.type), array.flatten(), strict=True)
        fields = _asked(parts, names, f"{path}{name}.")
        if fields:
            kept.append((name, pa.StructArray.from_arrays([part for _, part in fields], [part for part, _ in fields])))
    return kept

"""Which columns of files rules ask for. All others are not read: they cost nothing, and may be of any type."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["top_names"]


def top_names(attributes: Sequence[str]) -> set[str]:
    """Return the columns and fields that attributes can be in: ``user.age`` may be one, or a field of ``user``.

    >>> sorted(top_names(["age", "user.home.city"]))
    ['age', 'user', 'user.home', 'user.home.city']
    """
    parts = [name.split(".") for name in attributes]
    return {".".join(some[:length]) for some in parts for length in range(1, len(some) + 1)}

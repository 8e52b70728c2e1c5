"""What an index is when it is saved, and who writes it.

Layers point down: ``store`` knows ``Index``, and ``Index`` must not know ``store``. So ``Index.save`` hands over a
``SavedIndex`` to a writer, which ``store`` registers when hedgerow is imported, as engines register themselves.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from hedgerow.errors import KindError
from hedgerow.language.operand import shown
from hedgerow.sections import Arrays

__all__ = ["FilePath", "SavedIndex", "Writer", "checked_mode", "register_writer", "write"]

FilePath: TypeAlias = str | os.PathLike[str]


class SavedIndex(NamedTuple):
    """An index in arrays: those of its engine (``engine.root``, ...) and of its ids (``ids.table``, ...)."""

    engine: str
    missing: str
    arrays: Arrays


Writer: TypeAlias = Callable[[FilePath, SavedIndex], None]

_WRITERS: list[Writer] = []


def register_writer(writer: Writer) -> None:
    """Make ``Index.save`` use this function."""
    _WRITERS[:] = [writer]


def write(path: FilePath, saved: SavedIndex) -> None:
    """Have an index written."""
    _WRITERS[0](path, saved)


def checked_mode(mode: object) -> str:
    """Return a mode of opening; ``KindError`` for what is none.

    >>> checked_mode("w")
    Traceback (most recent call last):
    ...
    hedgerow.errors.KindError: a mode is 'r', to read, or 'r+', to take changes too; not 'w'
    """
    if not isinstance(mode, str) or mode not in {"r", "r+"}:
        raise KindError(f"a mode is 'r', to read, or 'r+', to take changes too; not {shown(mode)}")
    return mode

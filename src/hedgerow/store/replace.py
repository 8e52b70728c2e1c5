"""Putting a new file in the place of an old one, so that there is always one of the two, and never a part of one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from hedgerow.errors import FileError
from hedgerow.index.saving import FilePath

__all__ = ["replace_file"]


def replace_file(path: FilePath, pieces: Iterable[bytes | memoryview]) -> None:
    """Write the pieces to a file of this name, in the place of one that is there.

    They go to a temporary file beside it, which takes the name when all of it is on the disk. On an error the temporary
    file is removed; a process that is killed leaves it behind (``.hedgerow-*.tmp``), and nothing else.
    """
    _check_place(path)
    try:
        # A link stays a link: what it points to is replaced.
        target = Path(os.path.realpath(path))
        # Opened before anything is written: what the system refuses, it refuses while the old file is there.
        folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _write_beside(target, pieces)
            # The new name must get to the disk too: until then a crash of the machine may bring the old file back.
            os.fsync(folder)
        finally:
            os.close(folder)
    except (OSError, ValueError) as error:
        raise FileError(f"{os.fspath(path)}: cannot be saved: {error}") from error


def _check_place(path: FilePath) -> None:
    """Refuse what a file must not take the place of: a device, say, which root could replace."""
    if not os.fspath(path):
        raise FileError("'': cannot be saved: the name of a file is not empty")
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 - a path may be a string with a null
        raise FileError(f"{os.fspath(path)}: cannot be saved: it is there, and is not a file")


def _write_beside(target: Path, pieces: Iterable[bytes | memoryview]) -> None:
    # Not named after the target, whose name may already be as long as a name can be.
    temporary = target.parent / f".hedgerow-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        try:
            _keep_permissions(descriptor, target)
            for piece in pieces:
                _write_all(descriptor, piece)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _write_all(descriptor: int, piece: bytes | memoryview) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _keep_permissions(descriptor: int, target: Path) -> None:
    """Let the new file be as private as the old one was."""
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return
    os.fchmod(descriptor, mode)

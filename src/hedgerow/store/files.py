"""Indexes and their files: ``hr.open``, and the writer behind ``Index.save``.

A file is a container (see ``container.py``) with the arrays of the engine and of the ids. Its version covers all of
that. When the meaning of a section changes, ``container.VERSION`` goes up, and ``_UPGRADES`` gets a function (of
``upgrades.py``) that brings what an older file holds to the next version: restorers only ever see the newest.
"""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable

from hedgerow.errors import CorruptFile, FileError, KindError, UnknownVersion, Unsupported
from hedgerow.index.api import Index
from hedgerow.index.engine import engine_restorer
from hedgerow.index.saving import FilePath, SavedIndex, checked_mode, register_writer
from hedgerow.store.container import VERSION, Container, read_container, write_container
from hedgerow.store.upgrades import from_version_1, from_version_2, from_version_3, from_version_4

__all__ = ["open", "write_index"]

_UPGRADES: dict[int, Callable[[Container], Container]] = {
    1: from_version_1,
    2: from_version_2,
    3: from_version_3,
    4: from_version_4,
}
"""For each older version, how its contents become those of the next one."""


def open(path: FilePath, mode: str = "r", *, verify: bool = True) -> Index:  # noqa: A001 - as people know it from files
    """Open an index that ``Index.save`` has written, by mapping its file into memory.

    With ``mode="r"`` it can be searched, and a change raises ``ReadOnly``. With ``mode="r+"`` it takes changes too;
    they stay in this process until it is saved again. Processes that open the same file share its pages.

    ``verify`` reads all of the file once to find out whether it is what was saved. ``verify=False`` opens without that,
    whatever the size; then a file that was changed may give wrong results or crash the process. Open only files that
    come from where your rules come from: checksums find accidents, not a file that was made to harm.

    Raises ``FileError``, or what is below it: ``MissingFile``, ``CorruptFile``, ``UnknownVersion``.

    >>> import tempfile, hedgerow as hr
    >>> index = hr.Index()
    >>> index.insert("young", "age < 30")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index.save(f"{folder}/rules.hedgerow")
    ...     opened = hr.open(f"{folder}/rules.hedgerow")
    >>> opened
    <Index engine='atree' missing='unknown' mode='r', expressions: 1>
    >>> opened.match({"age": 20})
    ['young']
    """
    checked_mode(mode)
    container = _upgraded(read_container(path, verify=verify))
    try:
        return Index._restored(_saved_index(container), mode)  # noqa: SLF001 - the one caller it is made for
    except FileError as error:
        raise type(error)(f"{os.fspath(path)}: {error}") from error


def _upgraded(container: Container) -> Container:
    while container.version < VERSION:
        container = _UPGRADES[container.version](container)
    return container


def _saved_index(container: Container) -> SavedIndex:
    engine, missing = container.header.get("engine"), container.header.get("missing")
    if not isinstance(engine, str) or missing not in {"unknown", "false"}:
        raise CorruptFile("the header does not tell of an index")
    try:
        engine_restorer(engine)
    except (KindError, Unsupported) as error:
        raise UnknownVersion(f"{error}; import the module that registers the engine first") from error
    return SavedIndex(engine, missing, container.arrays)


def write_index(path: FilePath, saved: SavedIndex) -> None:
    """Write an index to a file of this name, in the place of one that is there."""
    header = {"library": _library_version(), "engine": saved.engine, "missing": saved.missing}
    write_container(path, header, saved.arrays)


def _library_version() -> str:
    """Return what people want to know of a file that troubles them; nothing depends on it."""
    try:
        return importlib.metadata.version("hedgerow")
    except importlib.metadata.PackageNotFoundError:  # a copy of the sources that was never installed
        return "unknown"


register_writer(write_index)

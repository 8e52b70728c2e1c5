"""Folders, on this machine or on a remote store, with just what rule sets need of them.

A name with a scheme (``s3://bucket/rules``, ``hdfs://...``, ``gs://...``) is opened by Arrow's file systems; all else
is a path of this machine. Index files are mapped into memory, which a remote store cannot do: ``fetched`` copies them
to this machine once, under a name made of their checksum, so that all processes and all versions share the copies.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias
from urllib.parse import unquote

import pyarrow as pa
import xxhash
from pyarrow import fs

from hedgerow.errors import CorruptFile, FileError, KindError, MissingFile
from hedgerow.store.replace import replace_file

__all__ = ["Place", "PlaceName", "digest_of", "placed"]

PlaceName: TypeAlias = "str | os.PathLike[str] | Place"
"""What names a folder."""

_CHUNK = 1 << 24
_FORGOTTEN = 24 * 3600.0
"""Seconds after which a local copy that nobody opened is removed."""

_FILE_URI = re.compile(r"file:(//(localhost)?)?(?=/[^/])")
"""How a path of this machine begins as a URI; Hadoop writes one slash where others write three."""

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}


class Place:
    """A folder. Names in it are relative, with ``/`` between their parts.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Place(folder)
    ...     place.create("versions/1.json", b"one"), place.create("versions/1.json", b"two")
    ...     place.names("versions"), place.read("versions/1.json")
    (True, False)
    (['1.json'], b'one')
    """

    def __init__(self, root: str | os.PathLike[str], filesystem: fs.FileSystem | None = None) -> None:
        """Name a folder; ``filesystem`` is for a store that has no scheme of its own."""
        self.root = os.fspath(root)
        if not self.root:
            raise KindError("a rule set is in a folder, and a folder has a name")
        try:
            self._filesystem, self._path = (filesystem, self.root) if filesystem else _resolved(self.root)
        except (pa.ArrowException, OSError) as error:
            raise FileError(f"{self.root}: no such kind of place: {error}") from error
        self.is_local = isinstance(self._filesystem, fs.LocalFileSystem)

    def __repr__(self) -> str:
        """Return the name."""
        return f"Place({self.root!r})"

    def path(self, name: str) -> str:
        """Return the whole path of a name, as the file system of the place has it."""
        return f"{self._path.rstrip('/')}/{name}"

    def for_spark(self, name: str) -> str:
        """Return the path of a name as Spark takes it, which reads a bare path by its own default file system."""
        return f"file://{self.path(name)}" if self.is_local else f"{self.root.rstrip('/')}/{name}"

    def read(self, name: str) -> bytes:
        """Return what a small file holds; ``MissingFile`` if it is not there."""
        with self._errors(name, "read"), self._filesystem.open_input_stream(self.path(name)) as file:
            return bytes(file.read())

    def names(self, folder: str) -> list[str]:
        """Return the names of the files in a folder, sorted; none if it is not there."""
        selector = fs.FileSelector(self.path(folder), allow_not_found=True)
        with self._errors(folder, "read"):
            found = self._filesystem.get_file_info(selector)
        return sorted(entry.base_name for entry in found if entry.type == fs.FileType.File)

    def age(self, name: str) -> float:
        """Return how many seconds ago a file was written; 0 if that is not known."""
        with self._errors(name, "read"):
            changed = self._filesystem.get_file_info(self.path(name)).mtime_ns
        return 0.0 if changed is None else max(0.0, time.time() - changed / 1e9)

    def write(self, name: str, content: bytes) -> None:
        """Write a small file, in the place of one that is there."""
        if self.is_local:
            self._make_folder(name)
            replace_file(self.path(name), [content])
        else:
            self._upload(name, io.BytesIO(content))

    def create(self, name: str, content: bytes) -> bool:
        """Write a small file, all of it at once, unless there is one: return whether it was written.

        On this machine, of two who try, one wins. Remote stores have no such thing that Arrow could use: there, one who
        looks before the other has written may write too, so let one writer at a time work on a remote rule set.
        """
        if not self.is_local:
            if self.exists(name):
                return False
            self.write(name, content)
            return True
        self._make_folder(name)
        with self._errors(name, "written"):
            return _created(Path(self.path(name)), content)

    def exists(self, name: str) -> bool:
        """Return whether there is a file of this name."""
        with self._errors(name, "read"):
            return bool(self._filesystem.get_file_info(self.path(name)).type == fs.FileType.File)

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with contextlib.suppress(FileNotFoundError), self._errors(name, "removed"):
            self._filesystem.delete_file(self.path(name))

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """Yield a path of this machine to write a large file to; then it is in the place under its name.

        If it could not be written, nothing of it is left.
        """
        if self.is_local:
            self._make_folder(name)
            target = Path(self.path(name))
            try:
                yield target
                with self._errors(name, "written"):
                    # All of it must be on the disk before a version names it.
                    _sync(target)
                    _sync(target.parent)
            except BaseException:
                with contextlib.suppress(OSError):
                    target.unlink(missing_ok=True)
                raise
            return
        with tempfile.TemporaryDirectory(prefix="hedgerow-") as folder:
            part = Path(folder, Path(name).name)
            yield part
            with part.open("rb") as source:
                self._upload(name, source)

    def _upload(self, name: str, source: BinaryIO) -> None:
        """Write a file to a remote store; nothing of it is left if that fails."""
        try:
            with self._errors(name, "written"), self._output(name) as file:
                shutil.copyfileobj(source, file, _CHUNK)
        except BaseException:
            with contextlib.suppress(FileError):
                self.remove(name)
            raise

    def _output(self, name: str) -> pa.NativeFile:
        try:
            return self._filesystem.open_output_stream(self.path(name))
        except FileNotFoundError:  # a store that has real folders
            self._filesystem.create_dir(self.path(name).rpartition("/")[0], recursive=True)
            return self._filesystem.open_output_stream(self.path(name))

    def fetched(self, name: str, digest: str) -> Path:
        """Return a path of this machine where a file can be mapped: the file, or a copy of it."""
        if self.is_local:
            return Path(self.path(name))
        folder = _cache_folder()
        copy = folder / f"{digest}{Path(name).suffix}"
        try:
            os.utime(copy)  # from now on it is not forgotten
        except FileNotFoundError:
            _remove_forgotten(folder)
            self._copy(name, digest, copy)
        return copy

    def verified(self, name: str, digest: str) -> Path:
        """Return the same, of a file that does not check itself: ``CorruptFile`` if it is not what was written."""
        path = self.fetched(name, digest)
        with self._errors(name, "read"):
            found = digest_of(path)
        if found != digest:
            raise CorruptFile(f"{path}: not what was written there")
        return path

    def _copy(self, name: str, digest: str, copy: Path) -> None:
        part = copy.with_name(f"{copy.name}.{secrets.token_hex(8)}.part")
        try:
            with (
                self._errors(name, "read"),
                self._filesystem.open_input_stream(self.path(name)) as source,
                part.open("wb") as file,
            ):
                shutil.copyfileobj(source, file, _CHUNK)
            if digest_of(part) != digest:
                raise CorruptFile(f"{self.path(name)}: not what was written there")
            part.replace(copy)
        finally:
            part.unlink(missing_ok=True)

    def _make_folder(self, name: str) -> None:
        with self._errors(name, "written"):
            Path(self.path(name)).parent.mkdir(parents=True, exist_ok=True)

    @contextlib.contextmanager
    def _errors(self, name: str, what: str) -> Iterator[None]:
        """Let what the system says become an error of ours that names the file."""
        try:
            yield
        except FileNotFoundError as error:
            if what == "written":  # there is no place to write it to
                raise FileError(f"{self.path(name)}: cannot be written: {error}") from error
            raise MissingFile(f"{self.path(name)}: not there") from error
        except (OSError, pa.ArrowException) as error:
            raise FileError(f"{self.path(name)}: cannot be {what}: {error}") from error


def digest_of(path: Path) -> str:
    """Return the checksum of a whole file."""
    digest = xxhash.xxh3_128()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _resolved(root: str) -> tuple[fs.FileSystem, str]:
    local = _FILE_URI.match(root)
    if local or "://" not in root:
        path = unquote(root[local.end() :]) if local else root
        return fs.LocalFileSystem(), os.path.abspath(path)  # noqa: PTH100 - it need not exist
    uri = root.replace("s3a://", "s3://", 1)  # Hadoop's name for it
    filesystem, path = fs.FileSystem.from_uri(uri)
    return filesystem, path


def _created(target: Path, content: bytes) -> bool:
    part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, target)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return _created_in_place(target, content)
    finally:
        part.unlink(missing_ok=True)
    _sync(target.parent)
    return True


def _created_in_place(target: Path, content: bytes) -> bool:
    """Do the same where a file cannot have two names; a reader may see a part of it, which its checksum tells."""
    try:
        with target.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        return False
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return True


def _sync(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _cache_folder() -> Path:
    folder = Path(tempfile.gettempdir(), f"hedgerow-cache-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():  # whoever made it could put other files in it
        raise FileError(f"{folder}: belongs to another user")
    return folder


def _remove_forgotten(folder: Path) -> None:
    """Remove copies that nobody has opened for a day; a process that still has one mapped keeps what it mapped."""
    oldest = time.time() - _FORGOTTEN
    for copy in folder.iterdir():
        with contextlib.suppress(OSError):
            if copy.stat().st_mtime < oldest:
                copy.unlink()


def placed(path: str | os.PathLike[str] | Place) -> Place:
    """Return the place that a path names."""
    return path if isinstance(path, Place) else Place(path)

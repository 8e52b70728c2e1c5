"""One file of named arrays, checked to the last byte and mapped into memory.

::

    0   prelude    64 bytes: magic, version, byte order, sizes, checksums       the same in every version
    64  header     JSON, filled up with spaces: what is in the file, and a table of its sections
    ... section    the raw array, filled up with zeros to a multiple of 64 bytes
    ... section    ...

The prelude has the checksum of the header and its own; the header has that of each section with its filling. Sections
follow each other without a gap, and the prelude says how long the file is: there is no byte that nothing vouches for.
Checksums (XXH3, 64 bits) find accidents. Whoever can write the file can also write checksums, so they are no protection
against a file that was made to harm.

Numbers of the prelude are little-endian; sections are as the machine has them that wrote them, and the prelude says
how.
"""

from __future__ import annotations

import json
import mmap
import os
import stat
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import xxhash

from hedgerow.errors import CorruptFile, FileError, MissingFile, UnknownVersion
from hedgerow.index.saving import FilePath
from hedgerow.sections import Arrays
from hedgerow.store.replace import replace_file

__all__ = ["VERSION", "Container", "read_container", "write_container"]

VERSION = 5
"""The version of the format that is written. A change of what any section means is a new version."""

_MAGIC = b"hedgerow"
# Magic, version, byte order, bytes of the header, bytes of the file, checksum of the header, reserved.
_PRELUDE = struct.Struct("<8sIIQQQ16s")
_CHECKSUM = struct.Struct("<Q")
_PRELUDE_BYTES = _PRELUDE.size + _CHECKSUM.size
_ALIGNMENT = 64
_RESERVED = bytes(16)
_BYTE_ORDERS = {"little": 1, "big": 2}

Bytes: TypeAlias = npt.NDArray[np.uint8]


class Container(NamedTuple):
    """What a file holds: its version, what it says about itself, and its arrays, which are views of one mapping."""

    version: int
    header: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


class _Section(NamedTuple):
    """A line of the header's table."""

    name: str
    dtype: str
    elements: int
    offset: int
    checksum: str

    @property
    def nbytes(self) -> int:
        """Return how long the array is."""
        return self.elements * np.dtype(self.dtype).itemsize

    @property
    def end(self) -> int:
        """Return where the filling ends, and the next section begins."""
        return _aligned(self.offset + self.nbytes)


# Writing


def write_container(path: FilePath, header: Mapping[str, object], arrays: Arrays) -> None:
    """Write arrays to a file of this name, in the place of one that is there; on any error that one stays as it is.

    ``header`` is what JSON can hold. ``FileError`` if the system refuses.
    """
    flat = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    # Checksums have a fixed width, so the header is as long with these as it will be with the right ones.
    blank = [_Section(name, array.dtype.str, array.size, sys.maxsize, "0" * 16) for name, array in flat.items()]
    room = len(_header_bytes(header, blank))
    sections = list(_placed(flat, _PRELUDE_BYTES + room))
    table = _header_bytes(header, sections, room)
    end = sections[-1].end if sections else _PRELUDE_BYTES + room
    replace_file(path, _pieces(_prelude_bytes(table, end), table, flat))


def _placed(arrays: Arrays, offset: int) -> Iterator[_Section]:
    for name, array in arrays.items():
        digest = xxhash.xxh3_64(array.data)
        digest.update(_filling(array.nbytes))
        section = _Section(name, array.dtype.str, array.size, offset, digest.hexdigest())
        yield section
        offset = section.end


def _pieces(prelude: bytes, header: bytes, arrays: Arrays) -> Iterator[bytes | memoryview]:
    yield prelude + header
    for array in arrays.values():
        yield array.data.cast("B") if array.size else b""
        yield _filling(array.nbytes)


def _header_bytes(header: Mapping[str, object], sections: list[_Section], room: int = 0) -> bytes:
    text = json.dumps({**header, "sections": sections}, separators=(",", ":")).encode()
    return text.ljust(_aligned(max(len(text), room)))


def _prelude_bytes(header: bytes, end: int) -> bytes:
    order = _BYTE_ORDERS[sys.byteorder]
    checksum = xxhash.xxh3_64_intdigest(header)
    prelude = _PRELUDE.pack(_MAGIC, VERSION, order, len(header), end, checksum, _RESERVED)
    return prelude + _CHECKSUM.pack(xxhash.xxh3_64_intdigest(prelude))


def _aligned(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT


def _filling(length: int) -> bytes:
    return bytes(_aligned(length) - length)


# Reading


def read_container(path: FilePath, *, verify: bool = True) -> Container:
    """Map a file into memory and return what it holds.

    The mapping is copy-on-write: processes share the pages that they only read, and what one writes to its arrays is
    seen by nobody else and reaches no file. Without ``verify`` the sections themselves are not read, and a file that
    was changed in one of them is not noticed; all else is checked in any case.
    """
    shown = os.fspath(path)
    whole = _mapped(path, shown)
    prelude = _checked_prelude(whole, shown)
    return _READERS[prelude.version](whole, prelude, shown, verify)


class _Prelude(NamedTuple):
    """What the first 64 bytes say."""

    version: int
    header: Bytes
    end: int


def _mapped(path: FilePath, shown: str) -> Bytes:
    try:
        # Without waiting: somebody may pass the name of a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError as error:
        raise MissingFile(f"{shown}: there is no such file") from error
    except (OSError, ValueError) as error:
        raise FileError(f"{shown}: cannot be opened: {error}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise FileError(f"{shown}: is no file but a {'folder' if stat.S_ISDIR(status.st_mode) else 'device'}")
        size = status.st_size
        if size < _PRELUDE_BYTES:
            raise CorruptFile(f"{shown}: {size} bytes are no file of an index")
        return np.frombuffer(mmap.mmap(descriptor, size, access=mmap.ACCESS_COPY), np.uint8)
    except OSError as error:
        raise FileError(f"{shown}: cannot be mapped into memory: {error}") from error
    finally:
        os.close(descriptor)


def _checked_prelude(whole: Bytes, shown: str) -> _Prelude:
    first = whole[:_PRELUDE_BYTES].tobytes()
    magic, version, order, length, end, checksum, _ = _PRELUDE.unpack_from(first)
    if magic != _MAGIC:
        raise CorruptFile(f"{shown}: is no file of an index: it does not begin with {_MAGIC!r}")
    if _CHECKSUM.unpack_from(first, _PRELUDE.size)[0] != xxhash.xxh3_64_intdigest(first[: _PRELUDE.size]):
        raise CorruptFile(f"{shown}: was changed after it was saved: the prelude")
    if version not in _READERS:
        raise UnknownVersion(
            f"{shown}: has version {version}, and this hedgerow reads versions up to {VERSION}: "
            "open it with a newer one, or save it anew with this one"
        )
    if order != _BYTE_ORDERS[sys.byteorder]:
        raise UnknownVersion(f"{shown}: was saved on a machine of the other byte order: save it anew on one like this")
    if whole.size != end:
        raise CorruptFile(f"{shown}: has {whole.size} bytes of {end}: it was cut, or something was added")
    header = whole[_PRELUDE_BYTES : _PRELUDE_BYTES + length]
    if header.size != length or xxhash.xxh3_64_intdigest(header.data) != checksum:
        raise CorruptFile(f"{shown}: was changed after it was saved: the header")
    return _Prelude(version, header, end)


def _read_version_1(whole: Bytes, prelude: _Prelude, shown: str, verify: bool) -> Container:  # noqa: FBT001 - private
    try:
        header = json.loads(prelude.header.tobytes())
        sections = [_Section(*fields) for fields in header.pop("sections")]
        arrays = {line.name: whole[line.offset : line.offset + line.nbytes].view(line.dtype) for line in sections}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CorruptFile(f"{shown}: the header is none of version 1: {error}") from error
    _check_that_they_fill(sections, _PRELUDE_BYTES + prelude.header.size, prelude.end, shown)
    if verify:
        _check_sums(whole, sections, shown)
    return Container(prelude.version, header, arrays)


def _check_that_they_fill(sections: list[_Section], start: int, end: int, shown: str) -> None:
    """Check that sections follow each other from the header to the end: then their checksums cover all of it."""
    for section in sections:
        if section.offset != start or section.end > end:
            raise CorruptFile(f"{shown}: the section {section.name!r} is not where it should be")
        start = section.end
    if start != end:
        raise CorruptFile(f"{shown}: sections end at {start}, and the file at {end}")


def _check_sums(whole: Bytes, sections: list[_Section], shown: str) -> None:
    for section in sections:
        if xxhash.xxh3_64_hexdigest(whole[section.offset : section.end].data) != section.checksum:
            raise CorruptFile(f"{shown}: was changed after it was saved: the section {section.name!r}")


_READERS: dict[int, Callable[[Bytes, _Prelude, str, bool], Container]] = {
    1: _read_version_1,
    2: _read_version_1,
    3: _read_version_1,
    4: _read_version_1,
    5: _read_version_1,
}
"""How each version is read; a new one comes with a line here, and the old ones stay."""

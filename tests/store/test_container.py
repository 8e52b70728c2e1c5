"""The format: what is written comes back, and a file that is not what was written is refused, whatever was changed."""

from __future__ import annotations

import functools
import os
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import CorruptFile, FileError, UnknownVersion
from hedgerow.store.container import VERSION, read_container, write_container

ARRAYS: dict[str, np.ndarray[Any, Any]] = {
    "letters": np.frombuffer(b"hedge", np.uint8),
    "nothing": np.empty(0, np.float64),
    "numbers": np.arange(16, dtype=np.int64),
    "last": np.array([0.5], np.float64),
}
HEADER = {"engine": "none", "größe": [1, None]}
TYPES = ("u1", "i4", "i8", "u8", "f8")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a small file."""
    path = tmp_path / "file"
    write_container(path, HEADER, ARRAYS)
    return path


def test_what_is_written_comes_back(path: Path) -> None:
    """Names, order, types, values and the header are the same, and a view of one mapping each."""
    container = read_container(path)
    assert (container.version, container.header) == (VERSION, HEADER)
    assert list(container.arrays) == list(ARRAYS)
    for name, array in container.arrays.items():
        assert array.dtype == ARRAYS[name].dtype
        assert array.tolist() == ARRAYS[name].tolist()
        assert array.flags.writeable
        assert not array.flags.owndata
        assert array.size == 0 or array.ctypes.data % 64 == 0


@given(st.dictionaries(st.text(max_size=5), st.tuples(st.sampled_from(TYPES), st.integers(0, 70)), max_size=6))
def test_any_arrays_come_back(shapes: dict[str, tuple[str, int]]) -> None:
    """Any names, also none, and any sizes, also 0."""
    arrays = {name: np.arange(size).astype(dtype) for name, (dtype, size) in shapes.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        write_container(path, {}, arrays)
        assert path.stat().st_size % 64 == 0
        read = read_container(path).arrays
    assert {name: array.tolist() for name, array in read.items()} == {n: a.tolist() for n, a in arrays.items()}


def test_what_is_written_to_an_array_reaches_no_file(path: Path) -> None:
    """The mapping is copy-on-write, and each opening has its own."""
    before = path.read_bytes()
    first, second = read_container(path), read_container(path)
    first.arrays["numbers"][:] = 7
    assert second.arrays["numbers"].tolist() == list(range(16))
    assert path.read_bytes() == before


def test_a_flipped_bit_is_found_wherever_it_is(path: Path, tmp_path: Path) -> None:
    """There is no byte that no check covers: prelude, header, sections, filling."""
    whole, other = bytearray(path.read_bytes()), tmp_path / "other"
    # All bits of the prelude, which is read before any checksum; one of each byte behind it.
    bits = [(position, bit) for position in range(64) for bit in range(8)]
    for position, bit in bits + [(position, position % 8) for position in range(64, len(whole))]:
        whole[position] ^= 1 << bit
        other.write_bytes(whole)
        with pytest.raises(CorruptFile, match="other: "):
            read_container(other)
        whole[position] ^= 1 << bit


def test_every_truncation_is_found(path: Path, tmp_path: Path) -> None:
    """A file that was cut anywhere is refused."""
    whole, other = path.read_bytes(), tmp_path / "other"
    for length in range(len(whole)):
        other.write_bytes(whole[:length])
        with pytest.raises(CorruptFile, match="other: "):
            read_container(other)


@pytest.mark.parametrize("added", (b"\0", b"x" * 64, bytes(4096)))
def test_bytes_behind_the_end_are_found(path: Path, added: bytes) -> None:
    """Nothing may follow the last section."""
    path.write_bytes(path.read_bytes() + added)
    with pytest.raises(CorruptFile, match="it was cut, or something was added"):
        read_container(path)


def test_without_verifying_only_the_sections_are_trusted(path: Path) -> None:
    """Then a change in a section is not noticed; one in the header is, and so is a cut."""
    whole = bytearray(path.read_bytes())
    whole[-64] ^= 1
    path.write_bytes(whole)
    read_container(path, verify=False)
    for broken in (whole[:-1], whole[:70] + b"?" + whole[71:]):
        path.write_bytes(broken)
        with pytest.raises(CorruptFile):
            read_container(path, verify=False)


def test_a_message_names_the_section(path: Path) -> None:
    """Whoever reads it learns what was hit."""
    whole = bytearray(path.read_bytes())
    whole[-64] ^= 1
    path.write_bytes(whole)
    with pytest.raises(CorruptFile, match="was changed after it was saved: the section 'last'"):
        read_container(path)


def put(checksum: bytes, whole: bytearray) -> None:
    """Write the checksum of the header into the prelude."""
    whole[32:40] = checksum


def resealed(path: Path, change: Callable[[bytearray], object]) -> None:
    """Change the prelude of a file and make its checksum right again, as another hedgerow might have written it."""
    whole = bytearray(path.read_bytes())
    change(whole)
    struct.pack_into("<Q", whole, 56, xxhash.xxh3_64_intdigest(bytes(whole[:56])))
    path.write_bytes(whole)


@pytest.mark.parametrize("version", (0, VERSION + 1, 2**32 - 1))
def test_another_version_is_unknown(path: Path, version: int) -> None:
    """It is refused with what to do, and not taken for damage."""
    resealed(path, lambda whole: struct.pack_into("<I", whole, 8, version))
    with pytest.raises(
        UnknownVersion, match=f"has version {version}, and this hedgerow reads versions up to {VERSION}"
    ):
        read_container(path)


def test_another_byte_order_is_unknown(path: Path) -> None:
    """Arrays of such a machine would read as other numbers."""
    resealed(path, lambda whole: struct.pack_into("<I", whole, 12, 3 - whole[12]))
    with pytest.raises(UnknownVersion, match="the other byte order"):
        read_container(path)


@pytest.mark.parametrize("content", (b"", b"x", b"hedgerow", b"PAR1" * 100, bytes(64), b"hedgerow" * 100))
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    """What never was a file of an index is one that was changed."""
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(CorruptFile):
        read_container(path)


def test_a_header_that_is_whole_but_none_is_refused(tmp_path: Path) -> None:
    """Checksums are right, and still nothing is believed: sections must fill the file."""
    path = tmp_path / "file"
    write_container(path, HEADER, ARRAYS)
    whole = path.read_bytes()
    length = struct.unpack_from("<Q", whole, 16)[0]
    good = whole[64 : 64 + length]
    changed = (
        good.replace(b"letters", b"letter\xff"),
        good.replace(b'"sections"', b'"sektions"'),
        good.replace(b'"<i8",16', b'"<i8",17').replace(b'">i8",16', b'">i8",17'),
        good.replace(b'"<i8"', b'"|O8"').replace(b'">i8"', b'"|O8"'),
        b"[]".ljust(length),
        b"{".ljust(length),
    )
    for header in changed:
        assert (header != good, len(header)) == (True, length)
        path.write_bytes(whole[:64] + header + whole[64 + length :])
        checksum = struct.pack("<Q", xxhash.xxh3_64_intdigest(header))
        resealed(path, functools.partial(put, checksum))
        with pytest.raises(CorruptFile):
            read_container(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A folder, a pipe, a name that cannot be: each is a FileError."""
    os.mkfifo(tmp_path / "pipe")
    for path, said in (
        (tmp_path, "is no file but a folder"),
        (tmp_path / "pipe", "device"),
        ("a\0b", "cannot be opened"),
    ):
        with pytest.raises(FileError, match=said):
            read_container(path)
    with pytest.raises(FileError, match="cannot be opened") as caught:
        read_container(tmp_path / ("x" * 300))
    assert isinstance(caught.value.__cause__, OSError)

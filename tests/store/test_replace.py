"""A file is replaced as a whole or not at all, whatever happens on the way."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.store import replace

RULES = 3000

# A process that saves a large index over a small one, and is killed on its way.
SAVING = """
import os, signal, sys
import hedgerow as hr
from hedgerow.store import replace

def killing(module, name, calls):
    real = getattr(module, name)
    left = [calls]
    def counted(*args, **options):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)
    setattr(module, name, counted)

path, name, calls = sys.argv[1:]
index = hr.Index()
index.insert_many((number, f"a = {number}") for number in range(3000))
killing(replace if name.startswith("_") else replace.os, name, int(calls))
index.save(path)
"""


def small_index() -> hr.Index:
    """Return an index of one expression."""
    index = hr.Index()
    index.insert("old", "a = 1")
    return index


def large_index() -> hr.Index:
    """Return an index whose file has some 300 KB."""
    index = hr.Index()
    index.insert_many((number, f"a = {number}") for number in range(RULES))
    return index


def names(folder: Path) -> list[str]:
    """Return what is in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("name", "calls"), (("_write_all", 0), ("_write_all", 40), ("write", 7), ("fsync", 0)))
def test_a_process_that_is_killed_leaves_the_old_file(tmp_path: Path, name: str, calls: int) -> None:
    """Before the new file is complete the name is that of the old one."""
    path = tmp_path / "index"
    small_index().save(path)
    before = path.read_bytes()
    died = subprocess.run([sys.executable, "-c", SAVING, path, name, str(calls)], check=False)  # noqa: S603 - our own
    assert died.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    assert hr.open(path).match({"a": 1}) == ["old"]
    assert len(list(tmp_path.glob(".hedgerow-*.tmp"))) == 1
    large_index().save(path)
    assert len(hr.open(path)) == RULES


def test_a_process_that_is_killed_later_leaves_the_new_file(tmp_path: Path) -> None:
    """When the name is being brought to the disk, it is that of the new one."""
    path = tmp_path / "index"
    small_index().save(path)
    died = subprocess.run([sys.executable, "-c", SAVING, path, "fsync", "1"], check=False)  # noqa: S603 - our own
    assert died.returncode == -signal.SIGKILL
    assert hr.open(path).match({"a": 1}) == [1]
    assert names(tmp_path) == ["index"]


@pytest.mark.parametrize("calls", (0, 1, 5, 60))
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    """Whichever write fails, the error has its cause, and no temporary file is left."""
    path, real, done = tmp_path / "index", os.write, []

    def write(descriptor: int, data: memoryview) -> int:
        done.append(descriptor)
        if len(done) > calls:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    small_index().save(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        with pytest.raises(hr.FileError, match=r"index: cannot be saved: .*No space left") as caught:
            large_index().save(path)
    assert isinstance(caught.value.__cause__, OSError)
    assert names(tmp_path) == ["index"]
    assert hr.open(path).match({"a": 1}) == ["old"]


def test_a_limit_of_the_system_leaves_the_old_file(tmp_path: Path) -> None:
    """The same with a system that really refuses to write on, after a write of a part."""
    path = tmp_path / "index"
    small_index().save(path)
    large = large_index()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(hr.FileError, match="File too large"):
            large.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(tmp_path) == ["index"]
    assert hr.open(path).match({"a": 1}) == ["old"]


def test_a_failing_array_leaves_the_old_file(tmp_path: Path) -> None:
    """An error that is no one of the system's, and an interrupt, also leave no temporary file."""
    path = tmp_path / "index"
    for error in (RuntimeError, KeyboardInterrupt):

        def pieces(error: type[BaseException] = error) -> object:
            yield b"half"
            raise error

        path.write_bytes(b"old")
        with pytest.raises(error):
            replace.replace_file(path, pieces())  # type: ignore[arg-type]  # a generator, whatever it is called
        assert (path.read_bytes(), names(tmp_path)) == (b"old", ["index"])


def test_short_writes_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that takes a part of what it is given is followed by others."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:1000]))
    large_index().save(tmp_path / "index")
    assert len(hr.open(tmp_path / "index")) == RULES


def test_the_folder_must_be_there(tmp_path: Path) -> None:
    """It is not made."""
    with pytest.raises(hr.FileError, match="cannot be saved"):
        small_index().save(tmp_path / "no" / "index")


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    """Neither by an index nor by a temporary file beside it."""
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(hr.FileError, match="cannot be saved"):
        small_index().save(folder)
    assert names(tmp_path) == ["folder"]


def test_a_new_file_is_as_private_as_the_old_one(tmp_path: Path) -> None:
    """A first one is as the process's mask says."""
    path = tmp_path / "index"
    small_index().save(path)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o600)
    small_index().save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it points to is replaced."""
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to("target")
    small_index().save(link)
    assert link.is_symlink()
    assert hr.open(target).match({"a": 1}) == ["old"]


def test_names_may_be_long_and_strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of any characters, as long as the system takes it; relative, as a string or as a path."""
    monkeypatch.chdir(tmp_path)
    for name in ("x" * 255, "größe 日本\n", os.fsdecode(b"\xff"), ".hidden"):
        small_index().save(name)
        assert hr.open(Path(name)).match({"a": 1}) == hr.open(tmp_path / name).match({"a": 1}) == ["old"]


def test_what_is_no_file_is_never_replaced(tmp_path: Path) -> None:
    """A pipe, a device or a folder stays what it is, also if a link leads to it."""
    pipe, folder, link = tmp_path / "pipe", tmp_path / "folder", tmp_path / "link"
    os.mkfifo(pipe)
    folder.mkdir()
    link.symlink_to(pipe)
    refused: list[Path | str] = [pipe, folder, link, str(pipe), *_device(tmp_path)]
    for path in refused:
        with pytest.raises(hr.FileError, match="cannot be saved: it is there, and is not a file"):
            small_index().save(path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert not list(tmp_path.glob(".hedgerow-*.tmp"))


def _device(folder: Path) -> list[Path]:
    """Return a device like the one that forgets all, where this process may make one."""
    path = folder / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        return []
    return [path]


def test_an_empty_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be the folder that the process is in, or the one above."""
    monkeypatch.chdir(tmp_path)
    for path in ("", Path()):
        with pytest.raises(hr.FileError, match="cannot be saved"):
            small_index().save(path)
    assert names(tmp_path) == []

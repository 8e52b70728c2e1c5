"""Folders by any name, here and on a remote store; copies of remote files are shared and checked."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from hedgerow import ruleset
from hedgerow.errors import CorruptFile, FileError, KindError, MissingFile, MissingVersion, VersionConflict
from hedgerow.ruleset.changes import compact
from hedgerow.ruleset.place import Place, digest_of
from hedgerow.ruleset.versions import current, pin, pinned
from tests.ruleset.places import MATCHES, files, matched, needed, remote, small


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of local copies, which is empty."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "temporary" / f"hedgerow-cache-{os.getuid()}"


@pytest.mark.parametrize("name", ("rules", "mit Leerzeichen", "größe 日本", "a%20b", "100%", "a#b?c"))
def test_a_folder_has_many_names(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A string, a path, relative or not; as a URI, with one slash or three."""
    folder = tmp_path / name
    small(folder)
    monkeypatch.chdir(tmp_path)
    for form in (folder, str(folder), name, Path(name), f"./{name}", f"{folder}/"):
        assert matched(form) == MATCHES
    encoded = str(folder).replace("%", "%25")
    for prefix in ("file:", "file://", "file://localhost"):
        assert matched(prefix + encoded) == MATCHES
    assert files(tmp_path) == {f"{name}/{one}" for one in needed(folder)}


def test_a_relative_name_means_the_folder_of_that_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place stays where it is, wherever the process goes."""
    monkeypatch.chdir(tmp_path)
    place = Place("rules")
    small(place)
    monkeypatch.chdir("/")
    assert matched(place) == MATCHES
    assert repr(place) == "Place('rules')"


@pytest.mark.parametrize("name", ("nosuch://bucket/rules", "file://elsewhere/rules", "s4://x"))
def test_an_unknown_scheme_is_an_error(name: str) -> None:
    """It is a FileError that names the place, for whoever asks."""
    with pytest.raises(FileError, match=name):
        ruleset.build([(1, "a")], name)
    with pytest.raises(FileError, match=name):
        ruleset.open_rules(name)


def test_no_name_is_no_folder() -> None:
    """Not the working folder, which is what the system would make of it."""
    with pytest.raises(KindError, match="a folder has a name"):
        ruleset.build([(1, "a")], "")


def test_a_remote_rule_set_is_like_any_other(tmp_path: Path, cache: Path) -> None:
    """Build, change, compact, expire and pin without one file that is mapped where it is."""
    place = remote(tmp_path / "store")
    (tmp_path / "store").mkdir()
    assert not place.is_local
    small(place)
    assert matched(place) == MATCHES
    assert matched(place, 1) == MATCHES
    compact(place)
    pin(place, "clicks", 1, 2)
    assert pinned(place, "clicks", 1) == 2
    assert ruleset.expire(place, keep=1) == [1]
    rules = ruleset.open_rules(place)
    assert (rules.version, rules.expression(100)) == (3, "c = 1")
    with pytest.raises(VersionConflict):
        ruleset.build([(1, "a")], place, parent=ruleset.open_rules(place, 2).manifest)
    with pytest.raises(MissingVersion, match="version 9 is not there"):
        ruleset.open_rules(place, 9)
    # The same files, seen as a folder of this machine.
    assert matched(tmp_path / "store" / "rules") == MATCHES
    assert not list(cache.parent.glob("hedgerow-[!c]*"))


def test_copies_are_shared_by_their_checksums(tmp_path: Path, cache: Path) -> None:
    """Who opens a version again, or another that has the same files, copies nothing."""
    place = remote(tmp_path)
    small(place)
    ruleset.open_rules(place)
    copies = {path.name: path.stat().st_ino for path in cache.iterdir()}
    assert {f"{shard.digest}.hedgerow" for shard in current(place).all_shards} <= set(copies)
    assert all(digest_of(path) == path.stem for path in cache.iterdir())
    for version in (2, 1):
        ruleset.open_rules(remote(tmp_path), version)
    assert {path.name: path.stat().st_ino for path in cache.iterdir()} == copies


def test_a_download_that_is_not_what_was_written_is_refused(tmp_path: Path, cache: Path) -> None:
    """Nothing of it stays among the copies."""
    place = remote(tmp_path)
    small(place)
    for path in cache.iterdir():
        path.unlink()
    (index, *_) = current(place).shards
    stored = tmp_path / "rules" / index.file
    whole = stored.read_bytes()
    stored.write_bytes(whole[:-1])
    with pytest.raises(CorruptFile, match="not what was written there"):
        ruleset.open_rules(place)
    assert not list(cache.iterdir())
    stored.unlink()
    with pytest.raises(MissingVersion, match="version 2 are gone"):
        ruleset.open_rules(place)
    stored.write_bytes(whole)
    assert matched(place) == MATCHES


def test_copies_that_nobody_opens_go(tmp_path: Path, cache: Path) -> None:
    """After a day, when another is made; those that were opened since stay, and so does what is mapped."""
    place = remote(tmp_path)
    small(place)
    rules = ruleset.open_rules(place)
    (old, *_) = cache.glob("*.hedgerow")
    (cache / "left.part").write_bytes(b"...")
    for path in cache.iterdir():
        os.utime(path, (1, 1))
    ruleset.build([(1, "a = 3")], remote(tmp_path, "other"))
    ruleset.open_rules(remote(tmp_path, "other"))
    assert not old.exists()
    assert len(list(cache.iterdir())) == 1
    assert len(rules.match({"a": 3, "b": 30})) == len(MATCHES)
    assert matched(place) == MATCHES


def test_copies_in_a_folder_of_somebody_else_are_not_trusted(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever made the folder could put other files in it."""
    place = remote(tmp_path)
    small(place)
    name = cache.name
    monkeypatch.setattr(os, "getuid", lambda: 4242)
    cache.rename(cache.with_name(name.rpartition("-")[0] + "-4242"))
    with pytest.raises(FileError, match="belongs to another user"):
        ruleset.open_rules(place)


def test_an_upload_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a half of a file nor those that were written before it."""
    place = remote(tmp_path)
    small(place)
    before = files(tmp_path / "rules")
    sizes: list[int] = []

    def full(source: object, target: object, _: int) -> None:
        sizes.append(1)
        target.write(source.read(10))  # type: ignore[attr-defined]  # they are files
        if len(sizes) > 2:
            raise OSError(28, "No space left on device")
        target.write(source.read())  # type: ignore[attr-defined]  # as above

    monkeypatch.setattr("hedgerow.ruleset.place.shutil.copyfileobj", full)
    with pytest.raises(FileError, match=r"cannot be written.*No space left"):
        ruleset.build([(number, "a") for number in range(50)], place, shards=2)
    assert files(tmp_path / "rules") == before


def test_a_file_is_created_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a file cannot have two names, and where the disk is full."""
    place = Place(tmp_path)
    assert place.create("x/1", b"one")
    assert not place.create("x/1", b"two")

    def no_links(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    assert place.create("x/2", b"one")
    assert not place.create("x/2", b"two")
    assert [place.read(f"x/{number}") for number in (1, 2)] == [b"one", b"one"]
    assert place.names("x") == ["1", "2"]
    assert place.names("nothing") == []
    with pytest.raises(MissingFile, match="not there"):
        place.read("x/3")
    place.remove("x/3")
    assert (place.exists("x/1"), place.exists("x/3"), place.exists("x")) == (True, False, False)
    assert 0 <= place.age("x/1") < 1000
    assert place.age("x/3") == 0.0

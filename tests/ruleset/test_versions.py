"""Which versions stay: those that are young, that streams have pinned, and the files that they need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hedgerow import ruleset
from hedgerow.errors import CorruptFile, KindError
from hedgerow.ruleset.changes import compact
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.versions import pin, pinned
from tests.ruleset.places import EVENT, MATCHES, files, matched, needed, small

STREAMS = ("clicks", "a/b", "..", "mit Leerzeichen und ü", "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of six versions: the fifth was built anew, so that the first four have files of their own."""
    small(tmp_path)
    ruleset.apply_changes(tmp_path, [("delete", 39)])
    ruleset.apply_changes(tmp_path, [("insert", 200, "c = 2")])
    compact(tmp_path)
    ruleset.apply_changes(tmp_path, [("insert", 201, "c = 2")])
    return tmp_path


def grow_old(folder: Path) -> None:
    """Let a day pass."""
    for name in files(folder):
        os.utime(folder / name, (1, 1))


def test_old_versions_go_and_so_do_their_files(folder: Path) -> None:
    """Of files that nobody needs, those that are old; what stays is whole."""
    before = files(folder)
    assert ruleset.expire(folder) == []
    assert files(folder) == before
    assert ruleset.expire(folder, keep=2) == [1, 2, 3, 4]
    assert ruleset.versions(folder) == [5, 6]
    # A writer may be about to name what is young.
    assert {name for name in before if name.startswith("shards/")} <= files(folder)
    grow_old(folder)
    assert ruleset.expire(folder, keep=2) == []
    assert files(folder) == needed(folder)
    assert matched(folder) == matched(folder, 5) == MATCHES


def test_who_has_a_version_open_keeps_it(folder: Path) -> None:
    """Its files may go; what is mapped stays mapped."""
    rules = ruleset.open_rules(folder, 2)
    grow_old(folder)
    ruleset.expire(folder, keep=1)
    assert sorted(rules.match(EVENT)) == MATCHES
    assert len(files(folder)) == len(needed(folder))


def test_young_files_of_others_are_left_alone(folder: Path) -> None:
    """A writer that has not finished finds its files; what a writer left long ago goes, wherever it is."""
    young = {
        "shards/new.hedgerow",
        "shards/.hedgerow-1.tmp",
        "versions/.0000000007.json.1.tmp",
        "streams/.hedgerow-2.tmp",
    }
    grow_old(folder)
    (folder / "streams").mkdir()
    for name in young:
        (folder / name).write_bytes(b"...")
    ruleset.expire(folder)
    assert files(folder) == needed(folder) | young
    grow_old(folder)
    ruleset.expire(folder)
    assert files(folder) == needed(folder)


def test_a_stream_keeps_what_it_pinned_and_all_after(folder: Path) -> None:
    """A batch that is tried again must find its version."""
    place = Place(folder)
    pin(place, "clicks", 17, 4)
    pin(place, "clicks", 18, 5)
    pin(place, "views", 3, 6)
    grow_old(folder)
    assert ruleset.expire(folder, keep=1) == [1, 2, 3]
    assert matched(folder, 4) == matched(folder, 6) == MATCHES
    pin(place, "clicks", 19, 6)
    pin(place, "clicks", 20, 6)
    assert ruleset.expire(folder, keep=1) == [4]
    (folder / "streams" / "clicks.json").unlink()
    assert ruleset.expire(folder, keep=1) == [5]


@pytest.mark.parametrize("stream", STREAMS)
def test_a_pin_is_found_again(folder: Path, stream: str) -> None:
    """Whatever the stream is called; the last three are kept, in the order in which they were pinned."""
    place = Place(folder)
    assert pinned(place, stream, 0) is None
    for batch, version in ((97, 2), (98, 2), (99, 3), (99, 4), (0, 5)):
        pin(place, stream, batch, version)
        assert pinned(place, stream, batch) == version
    assert [pinned(place, stream, batch) for batch in (97, 98, 99, 0)] == [None, 2, 4, 5]
    assert ruleset.expire(folder, keep=1) == [1]
    assert {name for name in files(folder) if "versions" in name or "streams" in name} >= {"versions/0000000002.json"}
    assert len([name for name in files(folder) if name.startswith("streams/")]) == 1


@pytest.mark.parametrize("text", ("[]", "x", '{"a": 1}', '{"1": null}', "3", ""))
def test_a_damaged_pin_is_named(folder: Path, text: str) -> None:
    """Nobody knows what the stream needs, so nothing expires."""
    (folder / "streams").mkdir()
    (folder / "streams" / "clicks.json").write_text(text, encoding="utf-8")
    with pytest.raises(CorruptFile, match="not the record of a stream"):
        pinned(Place(folder), "clicks", 1)
    with pytest.raises(CorruptFile, match="not the record of a stream"):
        ruleset.expire(folder, keep=1)
    assert len(ruleset.versions(folder)) == 6


def test_nothing_expires_if_a_version_cannot_be_read(folder: Path) -> None:
    """Nobody knows what it needs."""
    (folder / "versions" / "0000000005.json").write_text("{", encoding="utf-8")
    before = files(folder)
    grow_old(folder)
    with pytest.raises(CorruptFile):
        ruleset.expire(folder, keep=2)
    assert files(folder) == before


def test_one_version_always_stays(folder: Path, tmp_path: Path) -> None:
    """To keep none would be to remove the rule set."""
    for keep in (0, -1):
        with pytest.raises(KindError, match="keep is a number of versions from 1"):
            ruleset.expire(folder, keep=keep)
    assert ruleset.expire(str(folder), keep=1) == [1, 2, 3, 4, 5]
    assert ruleset.expire(tmp_path / "nothing") == []
    assert ruleset.versions(tmp_path / "nothing") == []

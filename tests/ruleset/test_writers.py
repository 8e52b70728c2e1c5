"""Several writers at once: each change is made exactly once, versions have no gaps, and losers leave nothing."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hedgerow import ruleset
from hedgerow.errors import VersionConflict
from hedgerow.ruleset import changes
from hedgerow.ruleset.changes import compact
from hedgerow.ruleset.place import Place
from hedgerow.ruleset.versions import commit, current
from tests.ruleset.places import files, needed, small

WRITERS = """
import os, sys
import hedgerow.ruleset as ruleset

def write(folder, writer):
    for number in range(5):
        ruleset.apply_changes(folder, [("insert", writer * 100 + number, "a = 1"), ("upsert", 5, "a = 1")])

children = []
for writer in range(1, 4):
    child = os.fork()
    if not child:
        write(sys.argv[1], writer)
        os._exit(0)
    children.append(child)
sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
"""


def test_threads_that_write_all_come_to_their_turn(tmp_path: Path) -> None:
    """Every change is made exactly once, and each call made one version."""
    ruleset.build([(0, "true")], tmp_path)

    def write(writer: int) -> list[int]:
        rows = [[("insert", 1000 * writer + number, "true"), ("delete", 7)] for number in range(5)]
        return [ruleset.apply_changes(tmp_path, row).version for row in rows]

    with ThreadPoolExecutor(6) as pool:
        made = [version for found in pool.map(write, range(1, 7)) for version in found]
    assert sorted(made) == list(range(2, 32))
    assert ruleset.versions(tmp_path) == list(range(1, 32))
    wanted = [0, *(1000 * writer + number for writer in range(1, 7) for number in range(5))]
    assert sorted(ruleset.open_rules(tmp_path).match({})) == wanted
    assert files(tmp_path) == needed(tmp_path)


def test_processes_that_write_all_come_to_their_turn(tmp_path: Path) -> None:
    """The same, of processes that know nothing of each other."""
    ruleset.build([(5, "b = 1")], tmp_path)
    subprocess.run([sys.executable, "-c", WRITERS, str(tmp_path)], check=True)  # noqa: S603 - a script of our own
    assert ruleset.versions(tmp_path) == list(range(1, 17))
    wanted = [5, *(writer * 100 + number for writer in range(1, 4) for number in range(5))]
    assert sorted(ruleset.open_rules(tmp_path).match({"a": 1})) == wanted
    assert files(tmp_path) == needed(tmp_path)


def test_of_builds_at_once_one_wins(tmp_path: Path) -> None:
    """The others get VersionConflict, and leave no files."""
    small(tmp_path)
    parent = current(Place(tmp_path))

    def build(number: int) -> int | None:
        try:
            return ruleset.build([(number, "true")], tmp_path, parent=parent).version
        except VersionConflict:
            return None

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(build, range(4)))
    assert made.count(3) == 1
    assert made.count(None) == 3
    assert ruleset.open_rules(tmp_path).match({}) == [made.index(3)]
    assert files(tmp_path) == needed(tmp_path)


def test_a_build_beside_changes_does_not_lose_them_silently(tmp_path: Path) -> None:
    """A build whose parent was overtaken is a conflict, not a version that undoes what came between."""
    small(tmp_path)
    parent = current(Place(tmp_path))
    ruleset.apply_changes(tmp_path, [("delete", 3)])
    with pytest.raises(VersionConflict, match="another writer has made version 3; nothing was changed, try again"):
        ruleset.build([(1, "true")], tmp_path, parent=parent)
    assert compact(tmp_path, parent) == 3
    assert files(tmp_path) == needed(tmp_path)


def test_a_number_that_expired_is_not_free(tmp_path: Path) -> None:
    """A writer that slept while others made versions and let them expire must not commit into the past."""
    small(tmp_path)
    place = Place(tmp_path)
    slept = current(place)
    for number in (5, 6, 7):
        ruleset.apply_changes(tmp_path, [("delete", number)])
    assert ruleset.expire(tmp_path, keep=1) == [1, 2, 3, 4]
    with pytest.raises(VersionConflict):
        commit(place, slept.next(), "late")
    assert ruleset.versions(tmp_path) == [5]


def test_changes_give_up_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is always overtaken is told so, and leaves nothing."""
    small(tmp_path)
    before = files(tmp_path)

    def overtaken(*_: object) -> None:
        raise VersionConflict("another writer was faster")

    monkeypatch.setattr(changes, "commit", overtaken)
    monkeypatch.setattr(changes, "_TRIES", 3)
    with pytest.raises(VersionConflict):
        ruleset.apply_changes(tmp_path, [("delete", 3), ("update", 8, "true")])
    assert files(tmp_path) == before


def test_the_same_token_counts_once(tmp_path: Path) -> None:
    """Changes that come again are not made again, also after others, a build and a compaction."""
    small(tmp_path)
    change = [("delete", 3), ("insert", 300, "true")]
    first = ruleset.apply_changes(tmp_path, change, token="batch 7")  # noqa: S106 - a name, not a secret
    assert (first.version, first.applied) == (3, 2)
    again = ruleset.apply_changes(tmp_path, change, token="batch 7")  # noqa: S106 - as above
    assert (again.version, again.applied, again.rejected.num_rows) == (3, 0, 0)
    ruleset.apply_changes(tmp_path, [("delete", 300)])
    compact(tmp_path)
    ruleset.build([(1, "true")], tmp_path)
    assert ruleset.apply_changes(tmp_path, change, token="batch 7").applied == 0  # noqa: S106 - as above
    assert ruleset.apply_changes(tmp_path, change[1:], token="batch 8").applied == 1  # noqa: S106 - as above
    assert sorted(ruleset.open_rules(tmp_path).match({})) == [1, 300]


def test_only_so_many_tokens_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The latest stay: a manifest does not grow without end."""
    monkeypatch.setattr(sys.modules["hedgerow.ruleset.versions"], "_TOKENS", 3)
    ruleset.build([(0, "true")], tmp_path)
    for number in range(5):
        ruleset.apply_changes(tmp_path, [("insert", number + 1, "true")], token=f"t{number}")
    assert current(Place(tmp_path)).tokens == ("t2", "t3", "t4")


def test_changes_that_are_all_refused_make_no_version(tmp_path: Path) -> None:
    """There is nothing new to see; no changes at all are no version either."""
    small(tmp_path)
    before = files(tmp_path)
    report = ruleset.apply_changes(tmp_path, [("delete", 77), ("insert", 5, "a"), ("insert", 500, "a =")])
    assert (report.version, report.applied, report.rejected["id"].to_pylist()) == (2, 0, [77, 5, 500])
    assert ruleset.apply_changes(tmp_path, []).version == 2
    assert files(tmp_path) == before

"""Folders of rule sets for tests: small ones, remote ones, and what is in them."""

from __future__ import annotations

from pathlib import Path

from pyarrow import fs

from hedgerow import ruleset
from hedgerow.index.report import Id
from hedgerow.ruleset.place import Place, PlaceName

RULES = [(number, f"a = {number % 5} AND b > {number}") for number in range(40)]
EVENT = {"a": 3, "b": 30}
MATCHES = [3, 8, 13, 18, 23, 28]


def small(folder: Path | Place, shards: int = 2) -> None:
    """Build a small rule set, as version 1, and change it, as version 2: all kinds of files are there."""
    ruleset.build(RULES, folder, shards=shards)
    ruleset.apply_changes(folder, [*(("delete", id) for id in (0, 1, 2, 4)), ("insert", 100, "c = 1")])


def remote(folder: Path, name: str = "rules") -> Place:
    """Return a place in a folder that counts as a remote store: it is reached by Arrow alone."""
    return Place(name, fs.SubTreeFileSystem(str(folder), fs.LocalFileSystem()))


def files(folder: Path) -> set[str]:
    """Return the names of all files in a folder and below it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def needed(folder: Path) -> set[str]:
    """Return the names of the files that the versions of a rule set consist of."""
    numbers = ruleset.versions(folder)
    manifests = [ruleset.open_rules(folder, number).manifest for number in numbers]
    names = {f"versions/{number:010d}.json" for number in numbers}
    return names.union(*(manifest.files for manifest in manifests))


def matched(folder: PlaceName, version: int | None = None) -> list[Id]:
    """Return what a version of a small rule set finds for the event, sorted."""
    return sorted(ruleset.open_rules(folder, version).match(EVENT))

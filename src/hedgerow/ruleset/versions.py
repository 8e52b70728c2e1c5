"""Which versions a rule set has, how one is added, and which can go."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import quote, unquote

from hedgerow.errors import CorruptFile, FileError, KindError, MissingVersion, VersionConflict
from hedgerow.ruleset.manifest import Manifest
from hedgerow.ruleset.place import Place, PlaceName, placed

__all__ = ["abandon", "commit", "current", "exists", "expire", "manifest_of", "pin", "pinned", "versions"]

_FOLDER = "versions"
_STREAMS = "streams"
_TOKENS = 200
_PINS = 3
_UNFINISHED = 24 * 3600.0
"""Seconds after which a file that no version names is taken for what a failed writer left behind."""


_MANIFEST = re.compile(r"([0-9]{10,})\.json")


def versions(path: PlaceName) -> list[int]:
    """Return the numbers of the versions that there are, ascending."""
    found = map(_MANIFEST.fullmatch, placed(path).names(_FOLDER))
    return sorted(int(name[1]) for name in found if name)


def exists(place: Place) -> bool:
    """Return whether there is a rule set."""
    return bool(versions(place))


def manifest_of(place: Place, version: int) -> Manifest:
    """Return what a version consists of; ``MissingVersion`` if there is no such version, or no longer."""
    try:
        return Manifest.from_json(place.read(_name(version)), place.path(_name(version)))
    except FileNotFoundError as error:
        there = versions(place)
        if not there:
            raise MissingVersion(f"{place.root}: no rule set is there; build one first") from error
        raise MissingVersion(
            f"{place.root}: version {version} is not there; there are {there[0]} to {there[-1]}"
        ) from error


def current(place: Place) -> Manifest:
    """Return the newest version; ``MissingVersion`` if there is none."""
    there = versions(place)
    return manifest_of(place, there[-1] if there else 0)


def commit(place: Place, manifest: Manifest, token: str) -> Manifest:
    """Make a version the newest; ``VersionConflict`` if another writer has made one of that number meanwhile."""
    named = replace(manifest, tokens=(*manifest.tokens, token)[-_TOKENS:])
    # That nobody has this number is not enough: others may have made it, gone on, and let it expire.
    follows = max(versions(place), default=0) == named.version - 1
    if not follows or not place.create(_name(named.version), named.to_json()):
        raise VersionConflict(
            f"{place.root}: another writer has made version {named.version}; nothing was changed, try again"
        )
    return named


def abandon(place: Place, version: int, files: Iterable[str]) -> None:
    """Remove files that were made for a version, but not those that the version of that number names.

    An error may come after the version was made after all, for instance when a signal arrives: then they stay. What
    cannot be removed now is left to ``expire``; the error that led here is the one to tell.
    """
    try:
        kept = manifest_of(place, version).files
    except MissingVersion:
        kept = set()
    except FileError:
        return
    for name in set(files) - kept:
        with contextlib.suppress(FileError):
            place.remove(name)


def pin(place: Place, stream: str, batch: int, version: int) -> None:
    """Note which version a batch of a stream is matched against, before it is: it gets the same when tried again."""
    # In the order in which they were pinned: a stream that starts again counts its batches from 0.
    others = [(number, taken) for number, taken in _pins(place, stream).items() if number != batch]
    kept = [*others, (batch, version)][-_PINS:]
    place.write(_stream_name(stream), json.dumps({str(number): taken for number, taken in kept}).encode())


def pinned(place: Place, stream: str, batch: int) -> int | None:
    """Return the version that a batch of a stream was to be matched against, if it was ever begun."""
    return _pins(place, stream).get(batch)


def expire(path: PlaceName, keep: int = 10) -> list[int]:
    """Remove all but the newest ``keep`` versions, and files that no version needs; return the removed versions.

    Versions that streams have pinned stay, and so do all after them. Files that are younger than a day stay too: a
    writer may be about to name them.
    """
    if keep < 1:
        raise KindError(f"keep is a number of versions from 1, not {keep!r}")
    place = placed(path)
    there = versions(place)
    oldest = min(_versions_of_streams(place), default=there[-1] if there else 0)
    gone = [version for version in there[:-keep] if version < oldest]
    # All are read before one is removed: if one cannot be, nobody knows what it needs.
    needed = {name for version in there[len(gone) :] for name in manifest_of(place, version).files}
    for version in gone:
        place.remove(_name(version))
    for name in _left_behind(place):
        if name not in needed and place.age(name) > _UNFINISHED:
            place.remove(name)
    return gone


def _left_behind(place: Place) -> list[str]:
    """Return the names of files that a version may no longer need, or that a writer may not have finished."""
    records = [f"{folder}/{name}" for folder in (_FOLDER, _STREAMS) for name in place.names(folder)]
    return [f"shards/{name}" for name in place.names("shards")] + [name for name in records if name.endswith(".tmp")]


def _versions_of_streams(place: Place) -> list[int]:
    names = [unquote(name.removesuffix(".json")) for name in place.names(_STREAMS) if name.endswith(".json")]
    return [min(pins.values()) for name in names if (pins := _pins(place, name))]


def _pins(place: Place, stream: str) -> dict[int, int]:
    name = _stream_name(stream)
    try:
        return {int(batch): int(version) for batch, version in json.loads(place.read(name)).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError) as error:
        raise CorruptFile(f"{place.path(name)}: not the record of a stream") from error


def _name(version: int) -> str:
    return f"{_FOLDER}/{version:010d}.json"


def _stream_name(stream: str) -> str:
    return f"{_STREAMS}/{quote(stream, safe='')}.json"  # a stream may be called anything

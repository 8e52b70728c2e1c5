"""Which versions a rule set has, how one is added, and which can go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from hedgerow.errors import FileError, MissingVersion, VersionConflict
from hedgerow.ruleset.manifest import Manifest
from hedgerow.ruleset.place import Place

__all__ = ["commit", "current", "exists", "expire", "manifest_of", "pin", "pinned", "versions"]

_FOLDER = "versions"
_STREAMS = "streams"
_TOKENS = 200
_PINS = 3
_UNFINISHED = 24 * 3600.0
"""Seconds after which a file that no version names is taken for what a failed writer left behind."""


def versions(place: Place) -> list[int]:
    """Return the numbers of the versions that there are, ascending."""
    names = place.names(_FOLDER)
    return sorted(int(name.removesuffix(".json")) for name in names if name.removesuffix(".json").isdecimal())


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
    if not place.create(_name(named.version), named.to_json()):
        raise VersionConflict(
            f"{place.root}: another writer has made version {named.version}; nothing was changed, try again"
        )
    return named


def pin(place: Place, stream: str, batch: int, version: int) -> None:
    """Note which version a batch of a stream is matched against, before it is: it gets the same when tried again."""
    pins = _pins(place, stream)
    kept = dict(sorted({**pins, batch: version}.items())[-_PINS:])
    place.write(_stream_name(stream), json.dumps({str(key): value for key, value in kept.items()}).encode())


def pinned(place: Place, stream: str, batch: int) -> int | None:
    """Return the version that a batch of a stream was to be matched against, if it was ever begun."""
    return _pins(place, stream).get(batch)


def expire(place: Place, keep: int = 10) -> list[int]:
    """Remove all but the newest ``keep`` versions, and files that no version needs; return the removed versions.

    A version that a stream took last stays, and so do all after it. Files that are younger than a day stay too: a
    writer may be about to name them.
    """
    there = versions(place)
    oldest = min(_versions_of_streams(place), default=there[-1] if there else 0)
    gone = [version for version in there[: -max(1, keep)] if version < oldest]
    for version in gone:
        place.remove(_name(version))
    needed = {name for version in there if version not in gone for name in manifest_of(place, version).files}
    for name in place.names("shards"):
        if f"shards/{name}" not in needed and place.age(f"shards/{name}") > _UNFINISHED:
            place.remove(f"shards/{name}")
    return gone


def _versions_of_streams(place: Place) -> list[int]:
    names = [name.removesuffix(".json") for name in place.names(_STREAMS) if name.endswith(".json")]
    return [max(pins.values()) for name in names if (pins := _pins(place, name))]


def _pins(place: Place, stream: str) -> dict[int, int]:
    try:
        content: Mapping[str, int] = json.loads(place.read(_stream_name(stream)))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise FileError(f"{place.path(_stream_name(stream))}: not the record of a stream") from error
    return {int(batch): version for batch, version in content.items()}


def _name(version: int) -> str:
    return f"{_FOLDER}/{version:010d}.json"


def _stream_name(stream: str) -> str:
    return f"{_STREAMS}/{stream}.json"

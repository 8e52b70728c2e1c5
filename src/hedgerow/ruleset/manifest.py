"""The record of one version of a rule set: what it consists of, as JSON with a checksum."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import pyarrow as pa
import xxhash

from hedgerow.errors import CorruptFile, SchemaError, UnknownVersion

__all__ = ["FORMAT", "Hidden", "Manifest", "Shard", "id_type", "id_type_name", "shard_from"]

FORMAT = 2
"""Goes up when a manifest means something that an older hedgerow would not understand."""

_READ = (1, 2)  # one of format 1 has no engine: it is the A-Tree

_ID_TYPES: dict[str, pa.DataType] = {
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "string": pa.string(),
}


@dataclass(frozen=True, slots=True)
class Hidden:
    """The ids of a shard that count no more, in a file of their own."""

    file: str
    digest: str
    count: int


@dataclass(frozen=True, slots=True)
class Shard:
    """An index file and the rows that it was built from."""

    file: str
    digest: str
    bytes: int
    rows: str
    rows_digest: str
    expressions: int
    attributes: tuple[str, ...]
    """What its expressions mention, sorted."""
    pivots: tuple[str, ...] | None = None
    """Attributes one of which an event must have to match any of its expressions; None if that is not known."""
    hidden: Hidden | None = None

    @property
    def live(self) -> int:
        """How many of its expressions count."""
        return self.expressions - (self.hidden.count if self.hidden else 0)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One version of a rule set.

    >>> Manifest.from_json(Manifest(version=3, missing="unknown", id_type="string").to_json()).version
    3
    """

    version: int
    missing: str
    id_type: str
    """The type of the ids as they were given: a name of ``_ID_TYPES``."""
    shards: tuple[Shard, ...] = ()
    changes: Shard | None = None
    """What was inserted or updated after the shards were built."""
    partition: str = "size"
    """How rules came to their shards: ``"size"`` or ``"attribute"``."""
    shard_bytes: int = 0
    """How large a shard was to be when they were built."""
    engine: str = "atree"
    """That of all its index files."""
    tokens: tuple[str, ...] = field(default=())
    """Names of the latest commits, so that one that is tried again is not made twice; the last is this version's."""

    @property
    def all_shards(self) -> tuple[Shard, ...]:
        """The shards, and that of the changes."""
        return (*self.shards, *([self.changes] if self.changes else []))

    @property
    def expressions(self) -> int:
        """How many rules there are."""
        return sum(shard.live for shard in self.all_shards)

    @property
    def size(self) -> int:
        """Bytes of the index files."""
        return sum(shard.bytes for shard in self.all_shards)

    @property
    def attributes(self) -> list[str]:
        """What any rule mentions, sorted."""
        return sorted({name for shard in self.all_shards for name in shard.attributes})

    @property
    def files(self) -> set[str]:
        """The names of all files that this version needs."""
        own = {name for shard in self.all_shards for name in (shard.file, shard.rows)}
        return own | {shard.hidden.file for shard in self.all_shards if shard.hidden}

    def to_json(self) -> bytes:
        """Return it as text with a checksum."""
        content = {"format": FORMAT, **asdict(self)}
        return json.dumps({**content, "digest": _digest(content)}, indent=1).encode()

    @classmethod
    def from_json(cls, text: bytes, name: str = "manifest") -> Self:
        """Return what ``to_json`` wrote; ``CorruptFile`` if it was changed, ``UnknownVersion`` if it is newer."""
        try:
            content: dict[str, Any] = json.loads(text)
            digest, version = content.pop("digest"), content["format"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CorruptFile(f"{name}: not the record of a rule set") from error
        if version not in _READ:
            raise UnknownVersion(f"{name}: of format {version}; this hedgerow reads formats up to {FORMAT}")
        if digest != _digest(content):
            raise CorruptFile(f"{name}: not what was written there")
        del content["format"]
        try:
            shards = tuple(shard_from(shard) for shard in content.pop("shards"))
            changes = content.pop("changes")
            tokens = tuple(content.pop("tokens"))
            return cls(shards=shards, changes=shard_from(changes) if changes else None, tokens=tokens, **content)
        except (KeyError, TypeError) as error:
            raise CorruptFile(f"{name}: not what this format holds: {error}") from error

    def next(self, **changes: Any) -> Manifest:  # noqa: ANN401 - fields of many types
        """Return the next version, with these fields changed."""
        return replace(self, version=self.version + 1, **changes)


def shard_from(content: dict[str, Any]) -> Shard:
    """Return a shard of what ``dataclasses.asdict`` made of it, by way of JSON."""
    hidden, pivots = content.pop("hidden"), content.pop("pivots")
    attributes = tuple(content.pop("attributes"))
    return Shard(
        **content,
        attributes=attributes,
        pivots=None if pivots is None else tuple(pivots),
        hidden=Hidden(**hidden) if hidden else None,
    )


def _digest(content: dict[str, Any]) -> str:
    return xxhash.xxh3_128(json.dumps(content, sort_keys=True).encode()).hexdigest()


def id_type(name: str) -> pa.DataType:
    """Return the Arrow type of ids by its name in a manifest."""
    return _ID_TYPES[name]


def id_type_name(kind: pa.DataType) -> str:
    """Return the name of a type of ids; ``SchemaError`` if no id can have it.

    >>> id_type_name(pa.large_string()), id_type_name(pa.int32())
    ('string', 'int32')
    """
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return "string"
    for name, known in _ID_TYPES.items():
        if kind == known:
            return name
    if pa.types.is_unsigned_integer(kind):
        return "int64"
    raise SchemaError(f"ids are integers or strings, and a column of type {kind} has neither")

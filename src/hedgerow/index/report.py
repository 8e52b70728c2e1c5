"""The records that an index hands out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from hedgerow.errors import HedgerowError

__all__ = ["Id", "IndexStats", "InsertReport", "Rejected", "Scored"]

Id: TypeAlias = int | str
_SHOWN = 5


class Scored(NamedTuple):
    """One of the best matches."""

    id: Id
    score: float


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that ``insert_many`` did not take: where it stood, what it said, and why."""

    row: int
    id: object
    expression: object = field(repr=False)
    error: HedgerowError


@dataclass(frozen=True, slots=True)
class InsertReport:
    """What became of the rows given to ``insert_many``: every row is in one of the two."""

    inserted: int = 0
    rejected: list[Rejected] = field(default_factory=list)

    def __str__(self) -> str:
        """Return a summary with the first rejected rows."""
        lines = [f"{self.inserted:,} inserted, {len(self.rejected):,} rejected"]
        lines += [f"row {bad.row}, id {bad.id!r}: {bad.error}" for bad in self.rejected[:_SHOWN]]
        if len(self.rejected) > _SHOWN:
            lines.append(f"... and {len(self.rejected) - _SHOWN:,} more")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What every engine can say about itself."""

    engine: str
    expressions: int
    predicates: int
    """Distinct predicates held; those of deleted expressions count until the engine is next compacted."""
    bytes: int
    """Bytes held by the engine and the ids, spare room included."""

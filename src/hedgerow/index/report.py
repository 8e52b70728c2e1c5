"""The records that an index hands out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from hedgerow.errors import EventError, HedgerowError

__all__ = ["BadEvent", "BatchReport", "Id", "IndexStats", "InsertReport", "LevelStats", "Rejected", "Scored"]

T = TypeVar("T")

Id: TypeAlias = int | str
_SHOWN = 5
_LEVELS_SHOWN = 12


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
class BadEvent:
    """What is wrong with an attribute of an event that was left out of a batch."""

    row: int
    attribute: str | None
    """None if the event as a whole is none."""
    error: EventError


@dataclass(frozen=True, slots=True)
class BatchReport(Generic[T]):
    """What became of a batch whose bad events are skipped: the result of the others, and what is wrong with those."""

    result: T
    """What the same call returns for a batch without bad events; these have no match."""
    errors: list[BadEvent] = field(default_factory=list)
    """Each attribute that is asked for and cannot be used, by row; an event may have several."""

    def __str__(self) -> str:
        """Return a summary with the first errors."""
        rows = len({bad.row for bad in self.errors})
        lines = [f"{rows:,} skipped", *(str(bad.error) for bad in self.errors[:_SHOWN])]
        if len(self.errors) > _SHOWN:
            lines.append(f"... and {len(self.errors) - _SHOWN:,} more")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class LevelStats:
    """What an index holds on one level: predicates are on level 1, a node is one level above its highest operand.

    >>> LevelStats(level=2, nodes=3, occurrences=4).sharing
    1.3333333333333333
    """

    level: int
    nodes: int
    """Distinct subexpressions, each of which is held once."""
    occurrences: int
    """How often they occur in all expressions, at most 2^62: so many nodes there would be if none was shared."""

    @property
    def sharing(self) -> float:
        """Occurrences over nodes, the sharing ratio of the A-Tree paper's Figure 7."""
        return self.occurrences / self.nodes


@dataclass(frozen=True, slots=True)
class IndexStats:
    """What an engine can say about itself; ``print`` shows it as tables.

    >>> stats = IndexStats("atree", 2, 1, 96, {"ids": 16, "nodes": 80}, (LevelStats(1, 1, 2),), visits=3)
    >>> print(stats)
    atree: 2 expressions, 1 predicates, 96 bytes, 3 nodes visited by the last search
    <BLANKLINE>
    level  nodes  occurrences  sharing
        1      1            2     2.00
    <BLANKLINE>
    part   bytes
    ids       16
    nodes     80
    """

    engine: str
    expressions: int
    predicates: int
    """Distinct predicates held; those of deleted expressions count until the engine is next compacted."""
    bytes: int
    """Bytes held by the engine and the ids: the sum of ``parts``."""
    parts: dict[str, int] = field(default_factory=dict, hash=False)
    """Bytes by part; which parts there are depends on the engine."""
    levels: tuple[LevelStats, ...] = ()
    """Levels from the predicates up; empty if the engine has none."""
    visits: int | None = None
    """Nodes or entries that the last search visited, all its events together; None if that was not counted."""
    figures: dict[str, str | int] = field(default_factory=dict, hash=False)
    """What the engine has to tell beyond that, by name; which figures there are depends on the engine."""

    def __str__(self) -> str:
        """Return a summary and two small tables."""
        summary = (
            f"{self.engine}: {self.expressions:,} expressions, {self.predicates:,} predicates, {self.bytes:,} bytes"
        )
        if self.visits is not None:
            summary += f", {self.visits:,} nodes visited by the last search"
        told = "\n".join(f"{name}: {n:,}" if isinstance(n, int) else f"{name}: {n}" for name, n in self.figures.items())
        parts = _table(("part", "bytes"), [(part, f"{n:,}") for part, n in self.parts.items()])
        tables = [self._levels_table(), told, parts]
        return "\n\n".join([summary, *filter(None, tables)])

    def _levels_table(self) -> str:
        shown = self.levels[:_LEVELS_SHOWN]
        rows = [(str(one.level), f"{one.nodes:,}", f"{one.occurrences:,}", f"{one.sharing:,.2f}") for one in shown]
        table = _table(("level", "nodes", "occurrences", "sharing"), rows)
        more = len(self.levels) - len(shown)
        return f"{table}\n... and {more:,} more levels" if more else table


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows under their heads, columns of words to the left and of numbers to the right; "" without rows."""
    columns = []
    for column in zip(heads, *rows, strict=True):
        width, words = max(map(len, column)), column[-1].isalpha()
        columns.append([cell.ljust(width) if words else cell.rjust(width) for cell in column])
    return "\n".join("  ".join(row) for row in zip(*columns, strict=True)) if rows else ""

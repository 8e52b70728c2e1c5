"""Pictures of an OpIndex, for people: its lists as the paper's Figure 5 has them, as text and for Graphviz.

Units, which are conjunctions or CNFs, are numbered from 1 in the order in which they came, as far as expressions own
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hedgerow.index.kindex.picture import in_order, printable, quoted
from hedgerow.index.report import Id

__all__ = ["Drawing", "PredicateList", "drawing"]

_MOST_IDS = 8
_WAITING = "waiting"
_HEADER = """\
digraph opindex {
  rankdir=LR; nodesep=0.15; ranksep=1.0;
  node [fontname="Helvetica", fontsize=11, height=0.3, shape=box, style="rounded,filled", fillcolor="#d7e8f7"];
  edge [fontname="Helvetica", fontsize=10, arrowsize=0.6];"""


class PredicateList(NamedTuple):
    """A list as it is drawn."""

    operation: str
    segments: tuple[tuple[tuple[str, int], ...], ...]
    """Predicates with their units, by segment."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """All lists of an OpIndex by pivot, and what owns its units."""

    pivots: dict[str, tuple[PredicateList, ...]]
    owners: dict[int, tuple[Id, ...]]

    def picture(self) -> str:
        """Return the lists of each pivot, a line a segment, then a line a unit.

        >>> import hedgerow as hr
        >>> index = hr.Index("opindex", options=hr.OpIndexOptions(tail=0, segments=1))
        >>> report = index.insert_many([("x", "a = 2 AND b <= 4"), ("y", "a = 3")])
        >>> print(index.picture())
        pivot b
          =         a = 2 → 1
          <=        b <= 4 → 1
        pivot a
          =         a = 3 → 2
        units
          1  'x'
          2  'y'
        """
        lines = []
        for pivot, lists in self.pivots.items():
            lines.append(f"pivot {printable(pivot)}" if pivot else "no pivot")
            for one in lists:
                lines += [f"  {one.operation:<8}  {_told(segment)}" for segment in one.segments if segment]
        lines.append("units")
        lines += [f"  {unit:>{len(str(len(self.owners)))}}  {_listed(ids)}" for unit, ids in self.owners.items()]
        return "\n".join(lines)

    def to_graphviz(self) -> str:
        """Return the lists in DOT: from a pivot an edge to each list, and from that one to each unit."""
        lines = [_HEADER]
        named: list[str] = []
        for place, (pivot, lists) in enumerate(self.pivots.items()):
            lines.append(f"  p{place} [label={quoted(f'pivot {printable(pivot)}' if pivot else 'no pivot')}];")
            for number, one in enumerate(lists):
                name = f"l{place}_{number}"
                named.append(name)
                lines.append(f"  {name} [label={quoted(one.operation)}];")
                lines.append(f"  p{place} -> {name};")
                lines += [
                    f"  {name} -> u{unit} [label={quoted(printable(text))}{_style(one)}];"
                    for segment in one.segments
                    for text, unit in segment
                ]
        for unit, ids in self.owners.items():
            label = quoted(f"{unit}: {_listed(ids)}")
            lines.append(f'  u{unit} [label={label}, shape=ellipse, style=filled, fillcolor="#e4f2dd"];')
        lines += in_order(f"p{place}" for place in range(len(self.pivots)))
        lines += [*in_order(named), *in_order(f"u{unit}" for unit in self.owners)]
        return "\n".join([*lines, "}"])


def drawing(
    lists: list[tuple[str | None, str, list[list[tuple[str, int]]]]],
    waiting: Iterable[tuple[int, str | None]],
    owned: Mapping[int, tuple[int, ...]],
    ids: Mapping[int, Id],
) -> Drawing:
    """Return lists as they are drawn, and units that wait, without those that no slot in ``ids`` owns."""
    owners = {unit: tuple(ids[slot] for slot in slots if slot in ids) for unit, slots in owned.items()}
    numbers = {unit: number for number, unit in enumerate((unit for unit in owners if owners[unit]), 1)}
    pivots: dict[str, list[PredicateList]] = {}
    for pivot, operation, parts in lists:
        kept = tuple(tuple((text, numbers[unit]) for text, unit in one if unit in numbers) for one in parts)
        if any(kept):
            pivots.setdefault(pivot or "", []).append(PredicateList(operation, kept))
    tails: dict[str, list[tuple[str, int]]] = {}
    for unit, pivot in waiting:
        if unit in numbers:
            tails.setdefault(pivot or "", []).append(("", numbers[unit]))
    for name, units in tails.items():
        pivots.setdefault(name, []).append(PredicateList(_WAITING, (tuple(units),)))
    return Drawing(
        {pivot: tuple(found) for pivot, found in pivots.items()},
        {number: owners[unit] for unit, number in numbers.items()},
    )


def _told(segment: tuple[tuple[str, int], ...]) -> str:
    return "   ".join(f"{printable(text)} → {unit}" if text else f"→ {unit}" for text, unit in segment)


def _style(one: PredicateList) -> str:
    return ", style=dashed" if one.operation == "denies" else ""


def _listed(ids: tuple[Id, ...]) -> str:
    told = [printable(repr(id)) for id in ids[:_MOST_IDS]]
    if len(ids) > _MOST_IDS:
        told.append(f"and {len(ids) - _MOST_IDS:,} more")
    return ", ".join(told)

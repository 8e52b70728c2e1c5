"""Pictures of labels, for people: each expression with its labels in their order, as text and for Graphviz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hedgerow.errors import LimitError
from hedgerow.index.kindex.picture import in_order, printable, quoted
from hedgerow.index.report import Id

__all__ = ["Drawing", "Labelled", "drawing"]

_HEADER = """\
digraph labels {
  rankdir=LR; nodesep=0.15; ranksep=1.0;
  node [fontname="Helvetica", fontsize=11, height=0.3, shape=box, style="rounded,filled", fillcolor="#d7e8f7"];
  edge [fontname="Helvetica", fontsize=10, arrowsize=0.6];"""


class Labelled(NamedTuple):
    """A unit as it is drawn."""

    owners: tuple[Id, ...]
    labels: tuple[tuple[str, str], ...]
    """Labels in their order, each with its leaf."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """All units that somebody owns, in the order in which they came."""

    units: tuple[Labelled, ...]

    def picture(self) -> str:
        """Return a line for each unit, and below it one for each of its labels."""
        lines = []
        for unit in self.units:
            width = max((len(label) for label, _leaf in unit.labels), default=0)
            lines.append(_owners(unit))
            lines += [f"  {label:<{width}}  {printable(leaf)}" for label, leaf in unit.labels]
        return "\n".join(lines)

    def to_graphviz(self) -> str:
        """Return leaves and units in DOT: from a leaf an edge to each unit that it is in, with its label."""
        leaves = {leaf: number for number, leaf in enumerate(dict.fromkeys(self._leaves()))}
        lines = [_HEADER]
        lines += [f"  l{number} [label={quoted(printable(leaf))}];" for leaf, number in leaves.items()]
        for number, unit in enumerate(self.units):
            label = quoted(_owners(unit))
            lines.append(f'  u{number} [label={label}, shape=ellipse, style=filled, fillcolor="#e4f2dd"];')
            lines += [f"  l{leaves[leaf]} -> u{number} [label={quoted(label)}];" for label, leaf in unit.labels]
        lines += in_order(f"l{number}" for number in leaves.values())
        lines += in_order(f"u{number}" for number in range(len(self.units)))
        return "\n".join([*lines, "}"])

    def _leaves(self) -> list[str]:
        return [leaf for unit in self.units for _label, leaf in unit.labels]


def drawing(
    units: list[tuple[tuple[int, ...], list[tuple[str, str]]]], ids: Mapping[int, Id], label_count: int, most: int
) -> Drawing:
    """Return units as they are drawn, without those that no slot in ``ids`` owns; ``LimitError`` for too many."""
    if label_count > most:
        raise LimitError(
            f"a picture of {label_count:,} labels would have more than {most:,}; pass most={label_count} to draw it"
        )
    drawn = [
        Labelled(tuple(ids[slot] for slot in slots if slot in ids), tuple((label, leaf) for leaf, label in labels))
        for slots, labels in units
    ]
    return Drawing(tuple(unit for unit in drawn if unit.owners))


def _owners(unit: Labelled) -> str:
    return ", ".join(printable(repr(owner)) for owner in unit.owners)

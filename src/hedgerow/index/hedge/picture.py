"""Pictures of a hedge, for people: the lists of its atoms, entry by entry, as text and for Graphviz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hedgerow.index.kindex.picture import in_order, printable, quoted
from hedgerow.index.report import Id

__all__ = ["Drawing", "Entry", "drawing"]

_HEADER = """\
digraph hedge {
  rankdir=LR; nodesep=0.15; ranksep=1.0;
  node [fontname="Helvetica", fontsize=11, height=0.3, shape=box, style="rounded,filled", fillcolor="#d7e8f7"];
  edge [fontname="Helvetica", fontsize=10, arrowsize=0.6];"""


class Entry(NamedTuple):
    """An entry as it is drawn."""

    id: Id
    columns: tuple[str, ...]
    """What the columns that are used test, in their order."""
    rest: tuple[str, ...]
    """What is tested after that."""

    def text(self) -> str:
        """Return the tests in the order in which they are made."""
        columns = [f"{number}: {printable(test)}" for number, test in enumerate(self.columns, 1) if test]
        return "   ".join([*columns, *(f"rest: {printable(test)}" for test in self.rest)])


@dataclass(frozen=True, slots=True)
class Drawing:
    """The entries that each atom leads to."""

    lists: dict[str, tuple[Entry, ...]]
    beside: tuple[Id, ...]
    """What an A-Tree in the same index has."""

    def picture(self) -> str:
        """Return the list of each atom, a line an entry, with the tests of its columns and its rest.

        >>> import hedgerow as hr
        >>> index = hr.Index("hedge")
        >>> report = index.insert_many([("x", "a = 2 AND NOT b = 1 AND c > 7"), ("y", "a = 3")])
        >>> print(index.picture())
        a = 2
          'x'  1: c, by 24 bits   2: none of b = 1, b is not there   rest: c > 7
        a = 3
          'y'
        """
        lines = []
        for atom, entries in self.lists.items():
            lines.append(printable(atom))
            width = max(len(_told(entry.id)) for entry in entries)
            lines += [f"  {_told(entry.id):<{width}}  {entry.text()}".rstrip() for entry in entries]
        if self.beside:
            lines += ["beside, in an A-Tree", *(f"  {_told(id)}" for id in self.beside)]
        return "\n".join(lines)

    def to_graphviz(self) -> str:
        """Return the lists in DOT: from an atom an edge to each expression, with the tests of its entry."""
        places = {id: place for place, id in enumerate(dict.fromkeys(self._ids()))}
        lines = [_HEADER]
        for number, (atom, entries) in enumerate(self.lists.items()):
            lines.append(f"  a{number} [label={quoted(printable(atom))}];")
            lines += [f"  a{number} -> e{places[entry.id]} [label={quoted(entry.text())}];" for entry in entries]
        for id, place in places.items():
            lines.append(f'  e{place} [label={quoted(_told(id))}, shape=ellipse, style=filled, fillcolor="#e4f2dd"];')
        lines += in_order(f"a{number}" for number in range(len(self.lists)))
        lines += in_order(f"e{place}" for place in places.values())
        return "\n".join([*lines, "}"])

    def _ids(self) -> list[Id]:
        return [*(entry.id for entries in self.lists.values() for entry in entries), *self.beside]


def drawing(
    lists: Mapping[str, list[tuple[int, list[str], list[str]]]], beside: list[int], ids: Mapping[int, Id]
) -> Drawing:
    """Return lists as they are drawn, without entries of slots that are not in ``ids``."""
    drawn = {
        atom: tuple(Entry(ids[slot], tuple(columns), tuple(rest)) for slot, columns, rest in entries if slot in ids)
        for atom, entries in lists.items()
    }
    return Drawing(
        {atom: entries for atom, entries in drawn.items() if entries},
        tuple(ids[slot] for slot in beside if slot in ids),
    )


def _told(id: Id) -> str:
    return printable(repr(id))

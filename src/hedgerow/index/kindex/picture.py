"""Pictures of a k-index, for people: its lists as the paper's Figures 2 and 8 have them, as text and for Graphviz.

Units are numbered from 1 in the order in which they came, as far as expressions own them. Behind a unit stands what an
entry does: ``+`` asks for it, ``-`` rejects or denies it; in a CNF also which disjunction, from 0, and ``?`` that what
a NOT IN wants is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from hedgerow.errors import LimitError
from hedgerow.index.report import Id

__all__ = ["Drawing", "PostingList", "drawing", "in_order", "lined", "printable", "quoted"]

_LONGEST_TEXT = 60
_MOST_IDS = 8
_HEADER = """\
digraph kindex {
  rankdir=LR; nodesep=0.15; ranksep=0.25;
  node [fontname="Helvetica", fontsize=11, height=0.3, shape=box, style="rounded,filled", fillcolor="#d7e8f7"];
  edge [arrowsize=0.6];"""


class PostingList(NamedTuple):
    """A list as it is drawn."""

    size: int
    key: str
    bound: float
    """The greatest weight of the key; 0 if it has none."""
    entries: tuple[tuple[int, str], ...]
    """Units, and what the entry of each does."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """All lists of a k-index, those of the greatest size first, and what owns its units."""

    name: str
    lists: tuple[PostingList, ...]
    owners: dict[int, tuple[Id, ...]]

    def picture(self) -> str:
        """Return a line a list, size by size, then a line a unit."""
        width = max((len(_key(one)) for one in self.lists), default=0)
        lines = []
        for size, lists in groupby(self.lists, key=lambda one: one.size):
            lines.append(f"size {size}")
            lines += [f"  {_key(one):<{width}}  {_entries(one)}" for one in lists]
        lines.append(self.name)
        lines += [f"  {unit:>{len(str(len(self.owners)))}}  {_listed(ids)}" for unit, ids in self.owners.items()]
        return "\n".join(lines)

    def to_graphviz(self) -> str:
        """Return the lists in DOT: a key, and its entries one behind the other; those that reject are dashed."""
        lines = [_HEADER]
        for number, one in enumerate(self.lists):
            lines.append(f"  k{number} [label={quoted(f'{_key(one)} (size {one.size})')}];")
            names = [f"e{number}_{place}" for place in range(len(one.entries))]
            lines += [f"  {name} [{_entry(*entry)}];" for name, entry in zip(names, one.entries, strict=True)]
            lines.append(f"  {' -> '.join([f'k{number}', *names])};")
        told = [self.name, *(f"{unit}: {_listed(ids)}" for unit, ids in self.owners.items())]
        lines.append(f"  units [label={lined(told)}, style=filled, fillcolor=white];")
        lines += in_order([*(f"k{number}" for number in range(len(self.lists))), "units"])
        return "\n".join([*lines, "}"])


def drawing(
    name: str, lists: list[PostingList], owned: Mapping[int, tuple[int, ...]], ids: Mapping[int, Id], most: int
) -> Drawing:
    """Return lists as they are drawn, without units that no slot in ``ids`` owns; ``LimitError`` if that is too much.

    What would be drawn are lists and units.
    """
    owners = {unit: tuple(ids[slot] for slot in slots if slot in ids) for unit, slots in owned.items()}
    held = [unit for unit in sorted(owners) if owners[unit]]
    numbers = {unit: number for number, unit in enumerate(held, 1)}
    if len(lists) + len(held) > most:
        held_count = len(lists) + len(held)
        raise LimitError(
            f"a picture of {held_count:,} lists and {name} would have more than {most:,}; "
            f"pass most={held_count} to draw it"
        )
    kept = [
        one._replace(entries=tuple((numbers[unit], does) for unit, does in one.entries if unit in numbers))
        for one in lists
    ]
    order = sorted((one for one in kept if one.entries), key=lambda one: (-one.size, one.key, one.entries))
    return Drawing(name, tuple(order), {numbers[unit]: owners[unit] for unit in held})


def _key(one: PostingList) -> str:
    bound = f"  ≤ {one.bound:g}" if one.bound else ""
    return f"{printable(one.key)}{bound}"


def _entries(one: PostingList) -> str:
    return " ".join(f"{unit}{does}" for unit, does in one.entries)


def _entry(unit: int, does: str) -> str:
    style = "filled,dashed" if does[0] == "-" else "filled"
    return f'label="{unit}{does}", width=0.4, style="{style}", fillcolor="#e4f2dd"'


def _listed(ids: tuple[Id, ...]) -> str:
    return ", ".join(_names(ids))


def _names(ids: tuple[Id, ...]) -> Iterator[str]:
    yield from (printable(repr(id)) for id in ids[:_MOST_IDS])
    if len(ids) > _MOST_IDS:
        yield f"and {len(ids) - _MOST_IDS:,} more"


def in_order(nodes: Iterable[str]) -> list[str]:
    """Return what keeps nodes of DOT below each other in this order, where edges go from left to right.

    >>> in_order(["a", "b", "c"])
    ['  { rank=same; edge [style=invis]; a -> b -> c; }']
    """
    chain = list(nodes)
    return [f"  {{ rank=same; edge [style=invis]; {' -> '.join(chain)}; }}"] if len(chain) > 1 else []


def printable(text: str) -> str:
    """Return a text on one line, every character visible, and not too long."""
    visible = "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
    return visible if len(visible) <= _LONGEST_TEXT else visible[: _LONGEST_TEXT - 1] + "…"


def quoted(label: str) -> str:
    r"""Return a label: DOT reads ``\`` and ``"`` as its own, and ``&`` as HTML does.

    >>> print(quoted('say "a" & b'))
    "say \"a\" &amp; b"
    """
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") + '"'


def lined(texts: Iterable[str]) -> str:
    r"""Return a label of several lines, each beginning at the left.

    >>> print(lined(["one", "two"]))
    "one\ltwo\l"
    """
    return quoted("".join(f"{text}\n" for text in texts)).replace("\n", "\\l")

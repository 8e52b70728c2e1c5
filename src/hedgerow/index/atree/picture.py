"""Pictures of an A-Tree, for people: as text, and in the language of Graphviz.

::

    tree, roots, ids ─ drawing ─> Drawing ─┬─ picture       a line a node, from the roots down
                                           └─ to_graphviz   literals at the bottom, expressions as boxes

Nodes are numbered anew, from the literals up, so that a picture does not depend on what was deleted before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hedgerow.errors import LimitError
from hedgerow.index.atree.tree_cy import Tree
from hedgerow.index.report import Id
from hedgerow.language.graph_cy import Graph

__all__ = ["Drawing", "Node", "drawing"]

_LONGEST_TEXT = 60  # characters of a literal or an id
_MOST_IDS = 8  # ids at one node

_OPERATORS = {Graph.AND: "AND", Graph.OR: "OR"}
_LITERAL = 'shape=box, style="rounded,filled"'
_SHAPES = {"AND": 'shape=ellipse, fillcolor="#d7e8f7"', "OR": 'shape=hexagon, fillcolor="#fbeecb"'}
_HEADER = """\
digraph atree {
  rankdir=BT; nodesep=0.2; ranksep=0.5;
  node [fontname="Helvetica", fontsize=11, height=0.3, width=0.3, style=filled, fillcolor=white];
  edge [arrowsize=0.6];"""


class Node(NamedTuple):
    """A node as it is drawn."""

    number: int
    level: int
    label: str
    """``AND``, ``OR``, or what a literal tests."""
    operands: tuple[int, ...]
    """Numbers of the nodes that it is made of, the access child of an AND first."""
    heard: int
    """How many of the operands, from the first one on, tell it when they hold."""
    uses: int
    ids: tuple[Id, ...]
    """The expressions that end here."""

    @property
    def is_literal(self) -> bool:
        """Whether it has nothing below it."""
        return not self.operands

    @property
    def edges(self) -> Iterator[tuple[int, bool]]:
        """Its operands, and of each whether it tells this node when it holds."""
        return ((operand, place < self.heard) for place, operand in enumerate(self.operands))


@dataclass(frozen=True, slots=True)
class Drawing:
    """All nodes of a tree that expressions use, from the literals up, and the expressions that can never match."""

    nodes: tuple[Node, ...]
    never: tuple[Id, ...]

    def picture(self) -> str:
        """Return a line a node, level by level, from the roots down."""
        operators = [node for node in self.nodes if not node.is_literal]
        width = len(str(len(self.nodes)))
        made_of = max((len(_made_of(node)) for node in operators), default=0)
        lines = [f"never matches: {_listed(self.never)}"] if self.never else []
        for level, nodes in groupby(reversed(self.nodes), key=lambda node: node.level):
            lines.append(f"level {level}")
            room = made_of if level > 1 else max(len(node.label) for node in self.nodes if node.is_literal)
            lines += [_line(node, width, room) for node in reversed(list(nodes))]
        return "\n".join(lines)

    def to_graphviz(self) -> str:
        """Return the tree in DOT: solid edges tell upwards, along dashed ones a node looks down."""
        lines = [_HEADER]
        for level, nodes in groupby(self.nodes, key=lambda node: node.level):
            names = " ".join(f"n{node.number};" for node in nodes)
            lines.append(f"  {{ rank={'min' if level == 1 else 'same'}; {names} }}")
        for node in self.nodes:
            lines += _dot_node(node)
        if self.never:
            lines.append(f"  never [label={_quoted(['never matches', *_names(self.never)])}, shape=box];")
        return "\n".join([*lines, "}"])


def drawing(tree: Tree, roots: npt.NDArray[np.int32], ids: Mapping[int, Id], most: int) -> Drawing:
    """Return a tree as it is drawn; ``roots`` says where the expression of each slot ends, ``ids`` what it is called.

    Raises ``LimitError`` if there are more than ``most`` nodes: the picture would say nothing, and take long to draw.
    """
    held = tree.live_count - 1  # without that which always holds
    if held > most:
        raise LimitError(f"a picture of {held:,} nodes would have more than {most:,}; pass most={held} to draw it")
    ends: defaultdict[int, list[Id]] = defaultdict(list)
    for slot, id in ids.items():
        ends[int(roots[slot])].append(id)
    never = tuple(ends.pop(-1, ()))
    levels = _levels(tree, ends)
    # Literals in the order of their texts, so that those of an attribute are neighbours; the others as they came.
    texts = {node: str(tree.expression(node)) for node, level in levels.items() if level == 1}
    order = sorted(levels, key=lambda node: (levels[node], texts.get(node, ""), node))
    numbers = {node: number for number, node in enumerate(order, 1)}
    nodes = [_node(tree, node, numbers, levels[node], ends.get(node, [])) for node in order]
    return Drawing(tuple(nodes), never)


def _levels(tree: Tree, roots: Iterable[int]) -> dict[int, int]:
    """Return the level of each node below the roots, without recursion."""
    levels: dict[int, int] = {}
    stack = list(roots)
    while stack:
        operands = tree.operands_of(stack[-1])
        waiting = [operand for operand in operands if operand not in levels]
        if waiting:
            stack += waiting
        else:
            levels[stack.pop()] = 1 + max((levels[operand] for operand in operands), default=0)
    return levels


def _node(tree: Tree, node: int, numbers: Mapping[int, int], level: int, ids: list[Id]) -> Node:
    operands = tuple(numbers[operand] for operand in tree.operands_of(node))
    label = _OPERATORS.get(tree.kind_of(node)) or _printable(str(tree.expression(node)))
    uses = tree.use_count(node) - (tree.kind_of(node) == Graph.TRUE)  # what always holds is kept without a use
    return Node(numbers[node], level, label, operands, tree.heard_count(node), uses, tuple(ids))


def _printable(text: str) -> str:
    """Return a text on one line, every character visible, and not too long."""
    shown = "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
    return shown if len(shown) <= _LONGEST_TEXT else shown[: _LONGEST_TEXT - 1] + "…"


def _names(ids: tuple[Id, ...]) -> list[str]:
    names = [_printable(repr(id)) for id in ids[:_MOST_IDS]]
    return [*names, f"and {len(ids) - _MOST_IDS:,} more"] if len(ids) > _MOST_IDS else names


def _listed(ids: tuple[Id, ...]) -> str:
    return ", ".join(_names(ids))


# As text


def _line(node: Node, width: int, room: int) -> str:
    """Return one line: number, what the node is, how often it is used, and which expressions end there."""
    notes = [f"used {node.uses} times"] if node.uses > 1 else []
    notes += [f"= {_listed(node.ids)}"] if node.ids else []
    return f"  {node.number:>{width}}  {_made_of(node):<{room}}  {'  '.join(notes)}".rstrip()


def _made_of(node: Node) -> str:
    operands = [f"↑{operand}" if heard else str(operand) for operand, heard in node.edges]
    return " ".join([f"{node.label:<3}" if operands else node.label, *operands])


# In DOT


def _dot_node(node: Node) -> Iterator[str]:
    """Yield the node, its edges to its operands, and the box of the expressions that end there."""
    shape = _LITERAL if node.is_literal else _SHAPES[node.label]
    label, outline = (f"{node.label} x{node.uses}", ", penwidth=2") if node.uses > 1 else (node.label, "")
    yield f"  n{node.number} [label={_quoted([label])}, {shape}{outline}];"
    for operand, heard in node.edges:
        yield f"  n{operand} -> n{node.number}{'' if heard else ' [style=dashed, dir=back]'};"
    if node.ids:
        yield f'  e{node.number} [label={_quoted(_names(node.ids))}, shape=box, fillcolor="#e4f2dd"];'
        yield f"  n{node.number} -> e{node.number};"


def _quoted(lines: list[str]) -> str:
    r"""Return lines as a label: DOT reads ``\`` and ``"`` as its own, and ``&`` as HTML does.

    >>> print(_quoted(['say "a\\b" & c', "d"]))
    "say \"a\\b\" &amp; c\nd"
    """
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;") for line in lines]
    return '"' + "\\n".join(escaped) + '"'

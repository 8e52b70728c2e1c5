"""Pictures of a BE-Tree, for people: as the paper's Figures 1 and 6 have it, as text and for Graphviz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hedgerow.errors import LimitError
from hedgerow.index.betree.inside import PRESENT, VALUE, Visited, walked
from hedgerow.index.kindex.picture import lined, printable
from hedgerow.index.report import Id

if TYPE_CHECKING:
    from hedgerow.index.betree.engine_cy import BETreeEngine

__all__ = ["Drawing", "drawing"]

_HEADER = """\
digraph betree {
  rankdir=TB; nodesep=0.2; ranksep=0.35;
  node [fontname="Helvetica", fontsize=11, height=0.3, shape=box, style="rounded,filled", fillcolor="#e4f2dd"];
  edge [arrowsize=0.6];"""


@dataclass(frozen=True, slots=True)
class Line:
    """A node as it is drawn."""

    number: int
    parent: int
    depth: int
    way: str
    """The partition that leads to it and its bucket, or which half it is."""
    units: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """All nodes of a tree, each before those below it."""

    lines: tuple[Line, ...]

    def picture(self) -> str:
        """Return a line a node and a line a unit, each indented below the node that it is of."""
        written = []
        for line in self.lines:
            indent = "  " * line.depth
            written.append(f"{indent}{line.way}")
            written += [f"{indent}  · {unit}" for unit in line.units]
        return "\n".join(written)

    def to_graphviz(self) -> str:
        """Return the tree in DOT."""
        written = [_HEADER]
        for line in self.lines:
            label = lined([line.way, *line.units])
            fill = "" if line.units else ', fillcolor="#d7e8f7"'
            written.append(f"  n{line.number} [label={label}{fill}];")
            if line.parent >= 0:
                written.append(f"  n{line.parent} -> n{line.number};")
        return "\n".join([*written, "}"])


def drawing(engine: BETreeEngine, ids: Mapping[int, Id], most: int) -> Drawing:
    """Return a tree as it is drawn, without units that no slot in ``ids`` owns; ``LimitError`` if that is too much."""
    count = engine.tree.node_count + len(ids)
    if count > most:
        raise LimitError(
            f"a picture of {count:,} nodes and expressions would have more than {most:,}; pass most={count} to draw it"
        )
    return Drawing(tuple(_line(engine, ids, visited) for visited in walked(engine)))


def _line(engine: BETreeEngine, ids: Mapping[int, Id], visited: Visited) -> Line:
    node = visited.node
    units = []
    for record in node.records:
        owners = [printable(repr(ids[slot])) for slot in engine.owners(record.unit) if slot in ids]
        if owners:
            literals = [printable(engine.literal_text(literal)) for literal in record.checked]
            units.append(f"{', '.join(owners)}: {' AND '.join(literals) or 'nothing else to test'}")
    if not visited.path:
        return Line(0, -1, 0, "root", tuple(units))
    partition, _ = visited.path[-1]
    parent = node.bucket.up if node.bucket.up >= 0 else partition.node
    return Line(node.number, parent, visited.depth - 1, _way(engine, visited), tuple(units))


def _way(engine: BETreeEngine, visited: Visited) -> str:
    partition, bucket = visited.path[-1]
    name = printable(partition.attribute)
    if partition.lane == PRESENT:
        return f"{name} is there"
    if partition.lane == VALUE:
        return f"{name} = {engine.value_text(bucket.bucket.low)}"
    ends = [engine.end_text(partition.lane, end) for end in (bucket.bucket.low, bucket.bucket.high)]
    return f"{name} from {ends[0]} to {ends[1]}"

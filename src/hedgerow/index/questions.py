"""What a search by relation asks of tests and sets: whether one holds, or covers, by the regions of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hedgerow.event.said import Said
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operators import Accepts
from hedgerow.language.relate import RELATIONS, WrittenTest, covers, holds, is_about

__all__ = ["Questions"]

_HOLDS, _COVERS = 2, 4  # the bits of ``chassis/relating_cy.pxd``


class Questions:
    """The questions of one search, about the literals of a graph and one event after the other."""

    def __init__(self, graph: Graph, relation: str) -> None:
        """Take the graph, and one of ``RELATIONS``."""
        self._graph = graph
        self._relation = relation
        self._said: list[Said] = []
        satisfied, satisfying, symmetric, contained, containing, exact = RELATIONS
        self.wants_holding = relation in (satisfied, symmetric, contained, exact)
        """Whether every test must have an o; otherwise all of them hold."""
        self.wants_covering = relation in (satisfying, symmetric, containing, exact)
        """Whether every o must have a test."""
        self.takes_absence = relation in (satisfied, symmetric)
        """Whether a test that absence satisfies, beside values, holds where the event is silent."""
        self.wanted: list[bool] = []
        """Of each entry of the event at hand, whether it must be covered."""

    def begin(self, event: Mapping[str, Said]) -> Iterable[tuple[str, bool]]:
        """Take another event; return what it says something of, and which of it must be covered."""
        self._said = list(event.values())
        self.wanted = [self.wants_covering and is_about(said) for said in self._said]
        return zip(event, self.wanted, strict=True)

    def judge(self, code: int, entry: int) -> int:
        """Return what a literal, ``predicate * 4 + accepts``, says of an entry of the event."""
        test = WrittenTest(self._graph.predicate(code >> 2), Accepts(code & 3))
        said = self._said[entry]
        bits = _HOLDS if holds(test, said, self._relation) else 0
        if self.wanted[entry] and covers(test, said, self._relation):
            bits |= _COVERS
        return bits

"""Whether some conjunction of an expression, as it is written, has only tests that hold and covers all that it must.

The exact answer, for what a sweep over a graph cannot decide: for each part, the sets of entries that its conjunctions
cover, as the bits of a number, instead of the conjunctions, which can be very many more. Where a set is within another
one, only the larger counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hedgerow.errors import LimitError
from hedgerow.event.batch_cy import EventBatch
from hedgerow.event.encode import events
from hedgerow.language.asked_values import opposite
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operators import OPERATORS
from hedgerow.limits import MAX_CLAUSES

__all__ = ["can_cover", "unsaid"]

_Sets = frozenset[int]
_FEW = 64


def can_cover(graph: Graph, root: int, missing: str, told: Callable[[int], tuple[bool, int]], wanted: int) -> bool:
    """Return whether a conjunction of the node covers the entries ``wanted`` (bits), with tests that hold.

    ``told`` says of a literal, ``predicate * 4 + accepts``, whether it holds, and which entry it covers, or -1. Raises
    ``LimitError`` where there are too many ways to cover some.
    """
    coverage = _Coverage(graph, missing, told, wanted)
    return any(found & wanted == wanted for found in coverage.of(root))


def unsaid(count: int) -> EventBatch:
    """Return a batch of events that say nothing: a search by relation has its events beside it."""
    return events([{}] * count)


class _Coverage:
    def __init__(self, graph: Graph, missing: str, told: Callable[[int], tuple[bool, int]], wanted: int) -> None:
        self._graph = graph
        self._missing = missing
        self._told = told
        self._wanted = wanted
        self._found: dict[tuple[int, bool], _Sets] = {}

    def of(self, root: int) -> _Sets:
        """Return what conjunctions of a node can cover; nothing if none has only tests that hold."""
        stack = [(root, True)]
        while stack:
            node, positive = stack[-1]
            waiting = [key for key in self._below(node, positive=positive) if key not in self._found]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            self._found[node, positive] = self._of_node(node, positive=positive)
        return self._found[root, True]

    def _below(self, node: int, *, positive: bool) -> list[tuple[int, bool]]:
        kind, children = self._graph.kind(node), self._graph.children(node)
        if kind in (Graph.XOR, Graph.XNOR):
            return [(child, sign) for child in children for sign in (True, False)]
        return [(child, positive if kind != Graph.NOT else not positive) for child in children]

    def _of_node(self, node: int, *, positive: bool) -> _Sets:
        kind = self._graph.kind(node)
        if kind in (Graph.TRUE, Graph.FALSE):
            return frozenset((0,)) if (kind == Graph.TRUE) == positive else frozenset()
        if kind in (Graph.PREDICATE, Graph.LITERAL):
            return self._of_literal(node, positive=positive)
        below = [self._found[key] for key in self._below(node, positive=positive)]
        if kind == Graph.NOT:
            return below[0]
        if kind in (Graph.AND, Graph.OR):
            return (
                self._joined(below)
                if (kind == Graph.AND) == positive
                else self._kept(s for each in below for s in each)
            )
        return self._exclusive(below, is_xnor=kind == Graph.XNOR, positive=positive)

    def _of_literal(self, node: int, *, positive: bool) -> _Sets:
        predicate, accepts = self._graph.predicate_of(node)
        if self._graph.kind(node) == Graph.PREDICATE:
            accepts = OPERATORS[self._graph.predicate(predicate).operator].accepts
        holds, entry = self._told(4 * predicate + (accepts if positive else opposite(accepts, self._missing)))
        if not holds:
            return frozenset()
        return frozenset((1 << entry if entry >= 0 else 0,))

    def _exclusive(self, below: list[_Sets], *, is_xnor: bool, positive: bool) -> _Sets:
        true, false = below[0], below[1]
        for yes, no in zip(below[2::2], below[3::2], strict=True):
            differ = self._kept(self._joined([true, no]) | self._joined([false, yes]))
            agree = self._kept(self._joined([true, yes]) | self._joined([false, no]))
            true, false = (agree, differ) if is_xnor else (differ, agree)
        return true if positive else false

    def _joined(self, parts: list[_Sets]) -> _Sets:
        found: _Sets = frozenset((0,))
        for part in parts:
            if len(found) * len(part) > MAX_CLAUSES * _FEW:
                raise _too_many()
            found = self._kept(one | other for one in found for other in part)
        return found

    def _kept(self, sets: Iterable[int]) -> _Sets:
        """Return the sets that are within no other one; where they are many, those that are equal once."""
        found = frozenset(sets)
        if len(found) > MAX_CLAUSES:
            raise _too_many()
        if len(found) > _FEW:
            return found
        return frozenset(one for one in found if not any(one != other and one | other == other for other in found))


def _too_many() -> LimitError:
    return LimitError(f"more than {MAX_CLAUSES:,} ways to relate an expression to an event")

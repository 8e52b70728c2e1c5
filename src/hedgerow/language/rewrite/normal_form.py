"""DNF and CNF of a simplified expression, as clauses of literals, with a limit instead of an explosion.

A clause is a sorted tuple of literal nodes: all of them must hold (DNF) or one of them (CNF). Both forms come from one
walk, children first: under one of AND and OR the clauses of the operands are put side by side, under the other every
choice of one clause from each operand is joined. Joined clauses that say nothing are dropped: in DNF one that asks for
two outcomes of a base test at once, in CNF one that all outcomes of a base test satisfy. Of equal clauses one is kept;
one that contains another is kept as well, because in a DNF it may score more.

The number of clauses can double with every operand, so it is limited wherever clauses arise; and so are the literals
written on the way, because many joins can end in few clauses.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from hedgerow.errors import LimitError
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operators import Accepts, Operator
from hedgerow.limits import MAX_CLAUSES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hedgerow.language.expression import Predicate

__all__ = ["Clause", "from_clauses", "to_cnf", "to_dnf"]

Clause: TypeAlias = tuple[int, ...]
_Clauses: TypeAlias = dict[frozenset[int], None]  # a set that keeps the order in which clauses arose

WORK_PER_CLAUSE = 400
"""Literals that may be written on the way for each clause that the limit allows."""

_WORK_PER_PART = 16

# The outcomes of a base test as bits: true 1, false 2, undefined 4.
_OUTCOMES = {Accepts.TRUE: 1, Accepts.FALSE: 2, Accepts.NOT_TRUE: 6, Accepts.NOT_FALSE: 5}
_ALL_OUTCOMES = 7


def to_dnf(graph: Graph, node: int, limit: int = MAX_CLAUSES) -> list[Clause]:
    """Return clauses of which one must hold in all its literals; of none: FALSE, an empty one: TRUE.

    Raises ``LimitError`` as soon as there are more than ``limit`` clauses on the way.

    >>> from hedgerow.language.parse import parse
    >>> from hedgerow.language.rewrite import simplify
    >>> graph = Graph()
    >>> clauses = to_dnf(graph, simplify(graph, graph.add(parse("a = 1 AND (b = 2 OR c = 3)"))))
    >>> str(graph.expression(from_clauses(graph, clauses)))
    'a = 1 AND b = 2 OR a = 1 AND c = 3'
    """
    return _Conversion(graph, limit, dnf=True).clauses(node)


def to_cnf(graph: Graph, node: int, limit: int = MAX_CLAUSES) -> list[Clause]:
    """Return clauses that must all hold in one of their literals; of none: TRUE, an empty one: FALSE.

    Raises ``LimitError`` as soon as there are more than ``limit`` clauses on the way.

    >>> from hedgerow.language.parse import parse
    >>> from hedgerow.language.rewrite import simplify
    >>> graph = Graph()
    >>> clauses = to_cnf(graph, simplify(graph, graph.add(parse("a = 1 OR b = 2 AND c = 3"))))
    >>> str(graph.expression(from_clauses(graph, clauses, dnf=False)))
    '(a = 1 OR b = 2) AND (a = 1 OR c = 3)'
    """
    return _Conversion(graph, limit, dnf=False).clauses(node)


def from_clauses(graph: Graph, clauses: Iterable[Sequence[int]], *, dnf: bool = True) -> int:
    """Return the node that says what the clauses of a DNF, or of a CNF, say."""
    outer, inner = (Graph.OR, Graph.AND) if dnf else (Graph.AND, Graph.OR)
    return _joined(graph, outer, [_joined(graph, inner, clause) for clause in clauses])


def _joined(graph: Graph, kind: int, operands: Sequence[int]) -> int:
    if not operands:
        return graph.constant(kind == Graph.AND)
    return operands[0] if len(operands) == 1 else graph.make(kind, operands)


class _Conversion:
    """One walk over one expression."""

    def __init__(self, graph: Graph, limit: int, *, dnf: bool) -> None:
        self._graph = graph
        self._limit = limit
        self._dnf = dnf
        self._work = 0
        self._opponents: dict[int, frozenset[int]] = {}
        self._contested: frozenset[int] = frozenset()

    def clauses(self, node: int) -> list[Clause]:
        below = self._graph.below(node)
        edges = sum(len(self._graph.children(part)) for part in below)
        self._work = WORK_PER_CLAUSE * self._limit + _WORK_PER_PART * (len(below) + edges)
        self._find_opponents(below)
        found: dict[int, _Clauses] = {}
        for part in below:
            found[part] = self._clauses_of(part, found)
            if len(found[part]) > self._limit:
                raise self._too_many()
        return [tuple(sorted(clause)) for clause in found[node]]

    def _clauses_of(self, part: int, found: dict[int, _Clauses]) -> _Clauses:
        kind = self._graph.kind(part)
        if kind == Graph.LITERAL:
            return {frozenset((part,)): None}
        if kind in {Graph.TRUE, Graph.FALSE}:
            return {frozenset(): None} if (kind == Graph.TRUE) == self._dnf else {}
        if kind not in {Graph.AND, Graph.OR}:
            raise ValueError("normal forms are made from simplified expressions: run simplify() first")
        operands = [found[child] for child in self._graph.children(part)]
        if (kind == Graph.OR) == self._dnf:
            return self._side_by_side(operands)
        return self._product(operands)

    def _side_by_side(self, operands: list[_Clauses]) -> _Clauses:
        self._spend(sum(map(len, operands)))
        return dict.fromkeys(chain.from_iterable(operands))

    def _product(self, operands: list[_Clauses]) -> _Clauses:
        """Join one clause of each operand, in all ways; those that have only one clause first, and all at once."""
        single = [next(iter(clauses)) for clauses in operands if len(clauses) == 1]
        several = sorted((clauses for clauses in operands if len(clauses) != 1), key=len)
        self._spend(sum(map(len, single)))
        start = frozenset().union(*single)
        product: _Clauses = {start: None} if self._says_something(start) else {}
        for clauses in several:
            product = self._product_of_two(product, clauses)
        return product

    def _product_of_two(self, left: _Clauses, right: _Clauses) -> _Clauses:
        product: _Clauses = {}
        for first in left:
            for second in right:
                self._spend(len(first) + len(second))
                joined = first | second
                if self._says_something(joined):
                    product[joined] = None
                    if len(product) > self._limit:
                        raise self._too_many()
        return product

    def _says_something(self, clause: frozenset[int]) -> bool:
        """Return whether a clause can hold (DNF) or fail (CNF), as far as any two of its literals tell."""
        return all(self._opponents[literal].isdisjoint(clause) for literal in clause & self._contested)

    def _find_opponents(self, below: list[int]) -> None:
        """Note for each literal those on the same base test that it makes no clause with."""
        bases: dict[object, dict[Accepts, list[int]]] = {}
        for part in below:
            if self._graph.kind(part) == Graph.LITERAL:
                number, accepts = self._graph.predicate_of(part)
                base = self._graph.predicate(number)
                if base.operator == Operator.IS_NULL and accepts == Accepts.FALSE:
                    accepts = Accepts.NOT_TRUE  # it is never undefined
                bases.setdefault(_base_key(base), {}).setdefault(accepts, []).append(part)
        for literals in bases.values():
            for accepts, group in literals.items():
                others = [other for other in literals if self._opposed(accepts, other)]
                opponents = frozenset(literal for other in others for literal in literals[other])
                self._opponents.update((literal, opponents) for literal in group if opponents)
        self._contested = frozenset(self._opponents)

    def _opposed(self, accepts: Accepts, other: Accepts) -> bool:
        first, second = _OUTCOMES[accepts], _OUTCOMES[other]
        return not first & second if self._dnf else first | second == _ALL_OUTCOMES

    def _spend(self, literals: int) -> None:
        self._work -= literals
        if self._work < 0:
            raise LimitError(f"a normal form of at most {self._limit:,} clauses takes too much work to find here")

    def _too_many(self) -> LimitError:
        name = "DNF" if self._dnf else "CNF"
        return LimitError(f"a {name} of more than {self._limit:,} clauses")


def _base_key(base: Predicate) -> tuple[object, ...]:
    """Return what tells base tests apart: all but the weights. The types keep True and 1 apart."""
    return base.attribute, base.operator, base.values, tuple(map(type, base.values))

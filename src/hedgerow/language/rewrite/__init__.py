"""Rewrites of expressions, one pass a file, over a shared graph. No pass changes what matches.

A pass is a function ``name(graph, node, ...) -> node``: it adds nodes to the graph and returns the new root. No pass
recurses; each takes time and room linear in the part of the graph below the node (times a logarithm where it sorts) and
does not look at the rest of the graph. In their order:

============== ======================================================================================
constants      TRUE and FALSE are folded; they are left only as the whole expression
exclusive      XOR and XNOR become AND, OR and NOT, a chain of n in space linear in n
to_literals    negations go down to the predicates, each predicate becomes a base test and what it accepts
flatten        AND under AND and OR under OR are merged, operands that come again are dropped
order          operands are sorted by content: the same expression written in another order is the same node
============== ======================================================================================

``simplify`` runs those that have something to do. ``normal_form`` has DNF and CNF of what is simplified;
``clauses_cy`` makes the same clauses in arrays, for engines that need them of every expression.

May import ``language`` and the ground floor below it (errors, limits, values, arrays, symbols).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.language.graph_cy import Graph
from hedgerow.language.rewrite.constants_cy import constants
from hedgerow.language.rewrite.exclusive_cy import exclusive
from hedgerow.language.rewrite.flatten_cy import flatten
from hedgerow.language.rewrite.literals_cy import to_literals
from hedgerow.language.rewrite.normal_form import from_clauses, to_cnf, to_dnf
from hedgerow.language.rewrite.order_cy import order
from hedgerow.language.rewrite.part_cy import kinds_below

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "PASSES",
    "constants",
    "exclusive",
    "flatten",
    "from_clauses",
    "order",
    "over_literals",
    "simplify",
    "to_cnf",
    "to_dnf",
    "to_literals",
]

PASSES: tuple[Callable[..., int], ...] = (constants, exclusive, to_literals, flatten, order)
"""All passes in their order. ``to_literals`` takes the reading of missing attributes as well."""

_CONSTANTS = 1 << Graph.TRUE | 1 << Graph.FALSE
_EXCLUSIVE = 1 << Graph.XOR | 1 << Graph.XNOR


def simplify(graph: Graph, node: int, missing: str = "unknown") -> int:
    """Return what matches the same events as ``node``, as TRUE, FALSE, or AND and OR over literals in canonical order.

    >>> from hedgerow.language.parse_cy import Parser
    >>> graph = Graph()
    >>> node = Parser(graph).parse("NOT (b = 2 OR NOT (a IN (5, 3, 5) AND (TRUE AND c < 1)))")
    >>> str(graph.expression(simplify(graph, node)))
    'a IN (3, 5) AND b != 2 AND c < 1'
    """
    literal = over_literals(graph, node, missing)
    return literal if graph.kind(literal) <= Graph.LITERAL else order(graph, flatten(graph, literal))


def over_literals(graph: Graph, node: int, missing: str = "unknown") -> int:
    """Return what matches the same events as ``node``, as TRUE, FALSE, or AND and OR over literals in any order.

    >>> from hedgerow.language.parse_cy import Parser
    >>> graph = Graph()
    >>> node = Parser(graph).parse("NOT (b = 2 OR NOT (a IN (5, 3, 5) AND (TRUE AND c < 1)))")
    >>> str(graph.expression(over_literals(graph, node)))
    'b != 2 AND (a IN (3, 5) AND c < 1)'
    """
    kinds = kinds_below(graph, node)
    if kinds & _CONSTANTS:
        node = constants(graph, node)
    if kinds & _EXCLUSIVE:
        node = exclusive(graph, node)
    return to_literals(graph, node, missing)

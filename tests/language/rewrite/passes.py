"""What the tests of the rewrites share: a name for every rewrite, and random expressions and events for them."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operators import OPERATORS, Operands, Operator
from hedgerow.language.rewrite import (
    constants,
    exclusive,
    flatten,
    from_clauses,
    order,
    simplify,
    to_cnf,
    to_dnf,
    to_literals,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hedgerow.language.graph_cy import Graph

READINGS = ("unknown", "false")


def literals_unknown(graph: Graph, node: int) -> int:
    """Return the literals where what is missing is unknown."""
    return to_literals(graph, node, "unknown")


def literals_false(graph: Graph, node: int) -> int:
    """Return the literals where what is missing is false."""
    return to_literals(graph, node, "false")


def dnf(graph: Graph, node: int) -> int:
    """Return the disjunctive normal form as a node."""
    return from_clauses(graph, to_dnf(graph, simplify(graph, node)))


def cnf(graph: Graph, node: int) -> int:
    """Return the conjunctive normal form as a node."""
    return from_clauses(graph, to_cnf(graph, simplify(graph, node)), dnf=False)


REWRITES: dict[str, Callable[[Graph, int], int]] = {
    "constants": constants,
    "exclusive": exclusive,
    "literals_unknown": literals_unknown,
    "literals_false": literals_false,
    "flatten": flatten,
    "order": order,
    "simplify": simplify,
    "dnf": dnf,
    "cnf": cnf,
}
"""Each rewrite by the name of the file that holds its examples."""

# Few attributes and values, so that predicates meet, repeat and contradict each other.
_ATTRIBUTES = st.sampled_from(("a", "b", "c"))
_TIMES = (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.datetime(2026, 1, 2, tzinfo=dt.UTC))
_NUMBERS = (1, 2, 1.5, -3)
_STRINGS = ("x", "xy", "Y", "")
_VALUES = st.sampled_from((True, False, *_NUMBERS, *_STRINGS, *_TIMES))
_PAIRS = st.sampled_from(((False, True), _NUMBERS, _STRINGS, _TIMES)).flatmap(
    lambda family: st.tuples(st.sampled_from(family), st.sampled_from(family)),
)
_TEXTS = {
    "LIKE": ("x%", "%y", "_", "%"),
    "ILIKE": ("X%", "y", "%Y%"),
    "MATCHES": ("^x", "y$", ".", "x|Y"),
}


def values_of(operator: Operator) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return operands that the operator takes."""
    row = OPERATORS[operator]
    if row.operands == Operands.NOTHING:
        return st.just(())
    if row.operands == Operands.ONE:
        return st.tuples(_VALUES)
    if row.operands == Operands.TWO:
        return _PAIRS
    if row.operands == Operands.MANY:
        return st.lists(_VALUES, min_size=1, max_size=4).map(tuple)
    return st.tuples(st.sampled_from(_TEXTS.get(OPERATORS[row.base].text, _STRINGS)))


@st.composite
def predicates(draw: st.DrawFn) -> Predicate:
    """Draw a predicate of any operator, with weights where it may have them."""
    # Half of them by value: with thirty operators, two on the same values would hardly ever meet.
    operator = draw(st.sampled_from((Operator.EQ, Operator.NE, Operator.IN)) | st.sampled_from(Operator))
    values = draw(values_of(operator))
    weights = None
    if OPERATORS[operator].weighted and draw(st.booleans()):
        weights = [draw(st.sampled_from((0, 1, 2.5))) for _ in values]
    return Predicate(draw(_ATTRIBUTES), operator, values, weights)


def expressions() -> st.SearchStrategy[Expression]:
    """Return a strategy for expressions of all kinds."""
    leaves = predicates() | st.booleans().map(Constant)
    return st.recursive(leaves, _over, max_leaves=12)


def _over(operands: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    chains = st.lists(operands, min_size=2, max_size=4)
    kinds = st.sampled_from((And, Or, And, Or, Xor, Xnor))
    return operands.map(Not) | st.builds(lambda kind, parts: kind(*parts), kinds, chains)


def events() -> st.SearchStrategy[dict[str, object]]:
    """Return a strategy for events that have, lack or misuse the attributes."""
    scalars = _VALUES | st.sampled_from((math.nan, 7, "z"))
    values = scalars | st.none() | st.lists(scalars | st.none(), max_size=3)
    return st.dictionaries(_ATTRIBUTES, values, max_size=3)

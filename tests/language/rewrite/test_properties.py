"""No rewrite changes what matches, whatever the expression, the event and the reading of missing attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from hedgerow.errors import LimitError
from hedgerow.language.evaluate import evaluate
from hedgerow.language.expression import And, Expression, Not, Or, Xnor, Xor
from hedgerow.language.graph_cy import Graph
from hedgerow.language.rewrite import (
    PASSES,
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
from hedgerow.language.score import score
from tests.language.rewrite.passes import READINGS, events, expressions

if TYPE_CHECKING:
    from collections.abc import Callable

LITERAL_KINDS = {Graph.LITERAL, Graph.AND, Graph.OR}


def simplified(graph: Graph, expression: Expression, missing: str) -> int:
    """Return the node of an expression, simplified."""
    return simplify(graph, graph.add(expression), missing)


@pytest.mark.parametrize("change", (constants, exclusive, flatten, order))
@given(expression=expressions(), event=events(), missing=st.sampled_from(READINGS))
def test_a_pass_over_operators_keeps_all_three_values(
    change: Callable[[Graph, int], int], expression: Expression, event: dict[str, object], missing: str
) -> None:
    """These passes keep not only what matches, but also what is false and what is undefined."""
    graph = Graph()
    result = graph.expression(change(graph, graph.add(expression)))
    assert evaluate(result, event, missing) is evaluate(expression, event, missing)


@given(expression=expressions(), event=events(), missing=st.sampled_from(READINGS))
def test_every_step_of_all_passes_keeps_what_matches(
    expression: Expression, event: dict[str, object], missing: str
) -> None:
    """After each of the passes in their order, the expression is true of the same events."""
    graph = Graph()
    node = graph.add(expression)
    expected = evaluate(expression, event, missing) is True
    for change in PASSES:
        node = change(graph, node, missing) if change is to_literals else change(graph, node)
        assert (evaluate(graph.expression(node), event, missing) is True) is expected, change.__name__


@given(expression=expressions(), event=events(), missing=st.sampled_from(READINGS))
def test_normal_forms_keep_what_matches(expression: Expression, event: dict[str, object], missing: str) -> None:
    """DNF and CNF are true of the same events as the expression they are made from."""
    graph = Graph()
    node = simplified(graph, expression, missing)
    try:
        forms = [from_clauses(graph, to_dnf(graph, node)), from_clauses(graph, to_cnf(graph, node), dnf=False)]
    except LimitError:
        reject()
    expected = evaluate(expression, event, missing) is True
    assert [evaluate(graph.expression(form), event, missing) is True for form in forms] == [expected, expected]


@given(expression=expressions(), event=events(), missing=st.sampled_from(READINGS))
def test_simplify_keeps_the_score(expression: Expression, event: dict[str, object], missing: str) -> None:
    """What is simplified scores what the oracle says the expression scores."""
    graph = Graph()
    result = graph.expression(simplified(graph, expression, missing))
    assert score(result, event, missing=missing) == score(expression, event, missing=missing)


@given(expression=expressions(), missing=st.sampled_from(READINGS))
def test_simplify_is_all_passes_in_their_order(expression: Expression, missing: str) -> None:
    """Leaving out the passes that have nothing to do makes no difference."""
    graph = Graph()
    node = graph.add(expression)
    for change in PASSES:
        node = change(graph, node, missing) if change is to_literals else change(graph, node)
    assert simplified(graph, expression, missing) == node


@given(expression=expressions(), missing=st.sampled_from(READINGS))
def test_simplified_is_a_constant_or_and_and_or_over_literals(expression: Expression, missing: str) -> None:
    """AND and OR alternate, have two operands or more and none twice; constants stand alone."""
    graph = Graph()
    node = simplified(graph, expression, missing)
    if graph.kind(node) in {Graph.TRUE, Graph.FALSE}:
        return
    for part in graph.below(node):
        children = graph.children(part)
        assert graph.kind(part) in LITERAL_KINDS
        assert len(set(children)) == len(children)
        assert len(children) != 1
        assert all(graph.kind(child) != graph.kind(part) for child in children)


@given(expression=expressions(), missing=st.sampled_from(READINGS))
def test_what_is_simplified_cannot_be_simplified_further(expression: Expression, missing: str) -> None:
    """A second time, whether from the node or from what it reads as, gives the same node."""
    graph = Graph()
    node = simplified(graph, expression, missing)
    assert simplify(graph, node, missing) == node
    assert simplified(graph, graph.expression(node), missing) == node


@st.composite
def shuffled_pairs(draw: st.DrawFn) -> tuple[Expression, Expression]:
    """Draw an expression, and the same with the operands of AND, OR, XOR and XNOR written in another order."""
    expression = draw(expressions())
    return expression, _shuffled(draw, expression)


def _shuffled(draw: st.DrawFn, expression: Expression) -> Expression:
    operands = [_shuffled(draw, operand) for operand in expression.operands]
    if isinstance(expression, (And, Or, Xor, Xnor)):
        return type(expression)(*draw(st.permutations(operands)))
    return Not(operands[0]) if operands else expression


@given(pair=shuffled_pairs())
def test_order_makes_one_node_of_what_differs_in_order(pair: tuple[Expression, Expression]) -> None:
    """In one graph it is one node; in another graph, with other numbers, it reads the same."""
    first, second = pair
    graph = Graph()
    node = order(graph, graph.add(first))
    assert order(graph, graph.add(second)) == node
    other = Graph()
    assert other.expression(order(other, other.add(second))) == graph.expression(node)


@given(pair=shuffled_pairs(), missing=st.sampled_from(READINGS))
def test_simplify_does_not_depend_on_the_order_of_and_and_or(pair: tuple[Expression, Expression], missing: str) -> None:
    """Operands of AND and OR may be written in any order; only how a XOR is halved depends on how it is written."""
    first, second = pair
    graph = Graph()
    assume(not any(graph.kind(part) in {Graph.XOR, Graph.XNOR} for part in graph.below(graph.add(first))))
    node = simplified(graph, first, missing)
    assert simplified(graph, second, missing) == node
    other = Graph()
    assert other.expression(simplified(other, second, missing)) == graph.expression(node)

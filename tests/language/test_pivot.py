"""Pivots: an event without the pivot of an expression does not match it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.language.expression import Constant, Predicate
from hedgerow.language.graph_cy import Graph
from hedgerow.language.operators import OPERATORS, Operands, Operator
from hedgerow.language.parse_cy import Parser
from hedgerow.language.pivot_cy import occurrences, pivots
from hedgerow.limits import MAX_DEPTH
from hedgerow.testing import events, expressions

READINGS = ("unknown", "false")
# What is true of an event without the attribute.
TRUE_IF_ABSENT = {Operator.WEAK_NOT_IN, Operator.IS_NULL}


def pivot(
    expression: hr.Expression | str, missing: str = "unknown", counts: dict[str, int] | None = None
) -> str | None:
    """Return the pivot of one expression, given how often attributes occur; once each, if nothing is said."""
    graph = Graph()
    root = graph.add(hr.parse(expression) if isinstance(expression, str) else expression)
    names = [graph.names[number] for number in range(len(graph.names))]
    frequency = np.array([(counts or {}).get(name, 1) for name in names] + [0], np.int64)
    (found,) = pivots(graph, np.array([root], np.int32), frequency, missing).tolist()
    return None if found < 0 else names[found]


def without(event: dict[str, Any], name: str) -> dict[str, Any]:
    """Return an event without an attribute; that of a nested one is in a mapping of its own."""
    return {key: value for key, value in event.items() if key not in {name, name.partition(".")[0]}}


@settings(max_examples=200)
@given(expressions(), st.sampled_from(READINGS), st.lists(events(), min_size=4, max_size=8))
def test_no_event_without_the_pivot_matches(
    expression: hr.Expression, missing: str, given_events: list[dict[str, Any]]
) -> None:
    """Whatever the expression and the reading of missing attributes, the oracle never calls such an event a match."""
    name = pivot(expression, missing)
    if name is None:
        return
    for event in given_events:
        assert hr.evaluate(expression, without(event, name), missing) is not True


@given(st.lists(expressions(6), min_size=1, max_size=4), st.sampled_from(READINGS))
def test_a_pivot_does_not_depend_on_what_else_is_in_the_graph(
    given_expressions: list[hr.Expression], missing: str
) -> None:
    """Expressions that share nodes have the pivots that they have alone; a root below 0 has none."""
    graph = Graph()
    roots = np.array([*(graph.add(expression) for expression in given_expressions), -1], np.int32)
    frequency = np.ones(len(graph.names) + 1, np.int64)
    found = pivots(graph, roots, frequency, missing).tolist()
    alone = [pivot(expression, missing) for expression in given_expressions]
    named = [None if number < 0 else graph.names[number] for number in found]
    # Of attributes that are equally rare the first is taken, and which is first does not depend on the graph.
    assert named == [*alone, None]


def example_of(operator: Operator) -> Predicate:
    """Return a predicate with this operator."""
    count = {Operands.NOTHING: 0, Operands.TWO: 2}.get(OPERATORS[operator].operands, 1)
    return Predicate("a", operator, ("x", "y")[:count])


@pytest.mark.parametrize("missing", READINGS)
@pytest.mark.parametrize("operator", list(Operator), ids=lambda operator: operator.name)
def test_the_pivot_of_every_operator(operator: Operator, missing: str) -> None:
    """A predicate needs its attribute unless it is true without it, and its negation unless it is false without it."""
    predicate = example_of(operator)
    absent = hr.evaluate(predicate, {}, missing)
    assert (absent is True) == (operator in TRUE_IF_ABSENT)
    assert pivot(predicate, missing) == (None if absent is True else "a")
    negated = hr.Not(predicate)
    assert pivot(negated, missing) == (None if hr.evaluate(negated, {}, missing) is True else "a")


@pytest.mark.parametrize(
    ("text", "unknown", "false"),
    (
        ("a = 1 AND b = 2", "b", "b"),
        ("a = 1 OR b = 2", None, None),
        ("a = 1 OR a > 5", "a", "a"),
        ("a = 1 AND c IS NULL", "a", "a"),
        ("(a = 1 AND b = 2) OR (b = 3 AND c = 1)", "b", "b"),
        ("NOT (a = 1 OR b = 2)", "b", None),
        ("NOT (a = 1 AND b = 2)", None, None),
        ("NOT (a IS NULL)", "a", "a"),
        ("NOT (a WEAK NOT IN (1, 2))", "a", "a"),
        ("NOT (a IS NOT NULL)", None, None),
        ("a = 1 XOR b = 2", "b", None),
        ("a = 1 XNOR b = 2", "b", None),
        ("(a = 1 XOR b = 2) AND c = 1", "b", "c"),
        ("(a = 1 AND false) XOR b = 2", "b", None),
        ("(a = 1 OR true) XOR b = 2", "b", None),
        ("a = 1 OR false", "a", "a"),
        ("a = 1 OR true", None, None),
        ("a = 1 AND true", "a", "a"),
        ("a = 1 AND false", None, None),
        ("true", None, None),
        ("false", None, None),
        ("NOT (NOT (a = 1))", "a", "a"),
    ),
)
def test_the_pivots_of_some_expressions(text: str, unknown: str | None, false: str | None) -> None:
    """The rarest of what an AND needs, what all of an OR need, and what both sides of an XOR need to be known."""
    counts = {"a": 9, "b": 1, "c": 5}
    assert (pivot(text, "unknown", counts), pivot(text, "false", counts)) == (unknown, false)


def predicates_of(expression: hr.Expression) -> list[str]:
    """Return the attribute of each predicate, as often as it is written."""
    if isinstance(expression, Predicate):
        return [expression.attribute]
    if isinstance(expression, Constant):
        return []
    parts = [expression.operand] if isinstance(expression, hr.Not) else expression.operands
    return [name for part in parts for name in predicates_of(part)]


@given(st.lists(expressions(), max_size=5))
def test_occurrences_are_counted_as_written(given_expressions: list[hr.Expression]) -> None:
    """What is shared counts each time that it appears, and what is not below a root does not count."""
    graph = Graph()
    graph.add(hr.parse("a = 77 AND z = 1"))
    roots = np.array([-1, *(graph.add(expression) for expression in given_expressions)], np.int32)
    counts = occurrences(graph, roots).tolist()
    found = {graph.names[number]: count for number, count in enumerate(counts) if count}
    assert found == Counter(name for expression in given_expressions for name in predicates_of(expression))


def test_what_is_shared_very_often_does_not_overflow() -> None:
    """Each level doubles the count; after 200 it is only very large."""
    graph = Graph()
    node = graph.add(hr.parse("a = 1"))
    expression = hr.parse("a = 1")
    for _ in range(200):
        expression = hr.Xor(expression, expression)
    node = graph.add(expression)
    (count,) = occurrences(graph, np.array([node], np.int32)).tolist()
    assert count == 1 << 40


@pytest.mark.parametrize(
    "text", ("NOT " * MAX_DEPTH + "a = 1", "(a = 1 XOR (a = 2 OR " * (MAX_DEPTH // 2) + "a" + "))" * (MAX_DEPTH // 2))
)
def test_deep_nesting_does_not_recurse(text: str) -> None:
    """As many levels as the language allows are no deeper for the search than one."""
    graph = Graph()
    root = np.array([Parser(graph).parse(text)], np.int32)
    assert pivots(graph, root, np.ones(2, np.int64), "unknown").tolist() == [0]
    assert occurrences(graph, root).tolist() == [text.count("a")]


def test_nothing_has_no_pivots() -> None:
    """An empty graph is fine."""
    none, nothing = np.empty(0, np.int32), np.zeros(1, np.int64)
    assert pivots(Graph(), none, nothing, "unknown").tolist() == []
    assert occurrences(Graph(), none).tolist() == []

"""The JSON form: what it looks like, that it comes back equal, and that bad input is named."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import ExpressionError, HedgerowError, LimitError
from hedgerow.language.build import attr
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operators import Operator
from hedgerow.limits import MAX_DEPTH
from tests.language.samples import EXPRESSIONS, deep


def document(*nodes: object, version: object = 1) -> str:
    """Return JSON text with these nodes."""
    return json.dumps({"hedgerow": version, "nodes": nodes})


NULL = {"attribute": "a", "operator": "IS NULL"}


def test_the_form_is_as_documented() -> None:
    """The example of the module's docstring."""
    expression = attr("age").between(18, 24) & ~attr("state").isin({"NY": 0, "CA": 3})
    assert json.loads(expression.to_json()) == {
        "hedgerow": 1,
        "nodes": [
            {"attribute": "age", "operator": "BETWEEN", "values": [18, 24]},
            {"attribute": "state", "operator": "IN", "values": ["NY", "CA"], "weights": [0.0, 3.0]},
            {"not": 1},
            {"and": [0, 2]},
        ],
    }


def test_every_kind_of_node_comes_back() -> None:
    """All logical kinds and constants are written and read."""
    a, b = attr("a").is_null(), attr("b") == 1
    expression = Or(And(a, b, Constant(True)), Xor(a, Not(b)), Xnor(a, b, a), Constant(False))
    assert Expression.from_json(expression.to_json()) == expression


@pytest.mark.parametrize(
    "value",
    (True, False, 0, 1, -(2**63), 2**63 - 1, 2**53 + 1, 0.1, 1e300, 2.0**63, 5e-324, "", "ß\u2028\0'", "true"),
)
def test_values_keep_their_kind(value: object) -> None:
    """Booleans, integers, floats and strings are not mixed up."""
    expression = Predicate("a", Operator.EQ, (value,))
    restored = Expression.from_json(expression.to_json())
    assert restored == expression
    assert isinstance(restored, Predicate)
    assert type(restored.values[0]) is type(value)


def test_timestamps_are_written_in_utc() -> None:
    """A timestamp is an object of its own, to the microsecond."""
    moment = dt.datetime(2026, 1, 1, 12, 0, 0, 7, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    expression = attr("a") < moment
    assert '{"timestamp": "2026-01-01T10:00:00.000007Z"}' in expression.to_json()
    assert Expression.from_json(expression.to_json()) == expression


@given(EXPRESSIONS)
def test_json_comes_back_equal(expression: Expression) -> None:
    """Reading what was written gives an equal expression, and writing that the same text."""
    text = expression.to_json()
    restored = Expression.from_json(text)
    assert restored == expression
    assert restored.to_json() == text


def test_shared_and_equal_parts_are_written_once() -> None:
    """A doubling chain takes one node a level, whether its parts are the same or merely equal."""
    first: Expression = attr("a") == 1
    second: Expression = attr("a") == 1
    for _ in range(1000):
        first = And(first, first)
        second = And(second, second)
    both = Or(first, second)
    assert len(json.loads(both.to_json())["nodes"]) == 1002
    assert Expression.from_json(both.to_json()) == both


def test_true_and_one_are_two_nodes() -> None:
    """Equal to Python is not equal here."""
    expression = Or(attr("a") == 1, attr("a") == True)  # noqa: E712 - builds a comparison
    assert len(json.loads(expression.to_json())["nodes"]) == 3


def test_deep_expressions_are_flat_in_json() -> None:
    """Depth is no matter for writing or reading."""
    expression = deep()
    assert Expression.from_json(expression.to_json()) == expression


@pytest.mark.parametrize(
    ("text", "message"),
    (
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("1" * 10_000, "not JSON"),
        ("[]", "an expression in JSON"),
        ("null", "an expression in JSON"),
        ("{}", "an expression in JSON"),
        ('{"hedgerow": 1}', "an expression in JSON"),
        ('{"hedgerow": 1, "nodes": [], "more": 1}', "an expression in JSON"),
        (document(NULL, version=2), "version 2"),
        (document(NULL, version=True), "version True"),
        (document(NULL, version=1.0), "version 1.0"),
        (document(NULL, version=None), "version None"),
        ('{"hedgerow": 1, "nodes": {}}', "list of one node or more"),
        (document(), "list of one node or more"),
        (document(5), "node 0: a node is an object"),
        (document({}), "node 0: .*one key"),
        (document({"not": 0, "and": []}), "node 0: .*one key"),
        (document({"nand": [0]}), "node 0: 'nand'"),
        (document({"constant": 1}), "node 0: a constant"),
        (document({"constant": None}), "node 0: a constant"),
        (document({"not": 0}), "node 0: 0 is not the number of an earlier node"),
        (document(NULL, {"not": 1}), "node 1: 1 is not"),
        (document(NULL, {"not": -1}), "node 1: -1 is not"),
        (document(NULL, {"not": True}), "node 1: True is not"),
        (document(NULL, {"not": 0.0}), "node 1: 0.0 is not"),
        (document(NULL, {"not": [0]}), r"node 1: \[0\] is not"),
        (document(NULL, {"and": 0}), "node 1: and has a list"),
        (document(NULL, {"and": [0]}), "node 1: AND takes two"),
        (document(NULL, {"or": []}), "node 1: OR takes two"),
        (document(NULL, {"xor": [0, "0"]}), "node 1: '0' is not"),
        (document(NULL, NULL), "node 0: is part of nothing"),
        (document({"attribute": "a"}), "node 0: None is no operator"),
        (document({"attribute": "a", "operator": "in", "values": [1]}), "node 0: 'in' is no operator"),
        (document({"attribute": "a", "operator": ["="], "values": [1]}), "node 0: .* is no operator"),
        (document({"attribute": 5, "operator": "=", "values": [1]}), "node 0: an attribute name"),
        (document({"attribute": "", "operator": "=", "values": [1]}), "node 0: an attribute name"),
        (document({"attribute": "a", "operator": "=", "values": 1}), "node 0: values is a list"),
        (document({"attribute": "a", "operator": "=", "values": {"a": 1}}), "node 0: values is a list"),
        (document({"attribute": "a", "operator": "="}), "node 0: =: takes 1"),
        (document({"attribute": "a", "operator": "=", "values": [None]}), "node 0: =: None"),
        (document({"attribute": "a", "operator": "=", "values": [[1]]}), "node 0: =: list"),
        (document({"attribute": "a", "operator": "=", "values": [float("nan")]}), "node 0: =: nan"),
        (document({"attribute": "a", "operator": "=", "values": [2**64]}), "node 0: =: int"),
        (document({"attribute": "a", "operator": "=", "values": ["\ud800"]}), "node 0: .*surrogate"),
        (document({"attribute": "a", "operator": "=", "values": [{"timestamp": "x"}]}), "node 0: 'x' is no timestamp"),
        (document({"attribute": "a", "operator": "=", "values": [{"timestamp": 5}]}), "node 0: .* is no value"),
        (document({"attribute": "a", "operator": "=", "values": [{"date": "2026-01-01"}]}), "node 0: .* is no value"),
        (document({"attribute": "a", "operator": "=", "values": [1], "weights": None}), "node 0: weights is a list"),
        (document({"attribute": "a", "operator": "=", "values": [1], "weights": ["1"]}), "node 0: =: a weight"),
        (document({"attribute": "a", "operator": "=", "values": [1], "weights": [1, 2]}), "node 0: =: one weight"),
        (document({"attribute": "a", "operator": "=", "values": [1], "note": ""}), "node 0: a predicate has no 'note'"),
        (document({"attribute": "a", "operator": "MATCHES", "values": ["("]}), "node 0: .*RE2"),
    ),
)
def test_bad_json_is_refused_and_the_node_named(text: str, message: str) -> None:
    """Whatever is wrong raises ExpressionError, which says where."""
    with pytest.raises(ExpressionError, match=message):
        Expression.from_json(text)


def test_text_is_what_is_read() -> None:
    """Bytes and parsed documents are refused."""
    for thing in (b"{}", {"hedgerow": 1}, None):
        with pytest.raises(ExpressionError, match="JSON is text"):
            Expression.from_json(thing)  # type: ignore[arg-type]


def test_depth_is_limited_in_json_too() -> None:
    """The limit on nesting names the node that exceeds it."""
    nodes = [NULL, *({"not": number} for number in range(MAX_DEPTH + 1))]
    with pytest.raises(LimitError, match=f"node {MAX_DEPTH + 1}: "):
        Expression.from_json(document(*nodes))


_NODE_KEYS = st.sampled_from(
    ("not", "and", "or", "constant", "attribute", "operator", "values", "weights", "timestamp")
)
_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.sampled_from(("a", "=", "IN", "")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NODE_KEYS, inner, max_size=4),
)


@given(st.lists(_JSON, max_size=4))
def test_any_json_is_read_or_refused(nodes: list[Any]) -> None:
    """Nothing but hedgerow's own errors comes out of strange documents."""
    try:
        expression = Expression.from_json(document(*nodes))
    except HedgerowError:
        return
    assert Expression.from_json(expression.to_json()) == expression


@given(st.text(max_size=30))
def test_any_text_is_refused(text: str) -> None:
    """Text that is no document raises ExpressionError."""
    with pytest.raises(ExpressionError):
        Expression.from_json(text)

"""The builder: every method makes the predicate it is named for."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hedgerow.errors import ExpressionError
from hedgerow.language.build import Attribute, attr
from hedgerow.language.expression import And, Expression, Not, Or, Predicate, Xor
from hedgerow.language.operators import Operator

if TYPE_CHECKING:
    from collections.abc import Callable

CASES: list[tuple[Expression, str]] = [
    (attr("a") == 1, "a = 1"),
    (attr("a") != "x", "a != 'x'"),
    (attr("a") < 1.5, "a < 1.5"),
    (attr("a") <= 1, "a <= 1"),
    (attr("a") > 1, "a > 1"),
    (attr("a") >= dt.date(2026, 1, 1), "a >= TIMESTAMP '2026-01-01T00:00:00Z'"),
    (18 <= attr("a"), "a >= 18"),  # noqa: SIM300
    (attr("a").eq("CA", weight=3), "a = 'CA'^3"),
    (attr("a").eq("CA"), "a = 'CA'"),
    (attr("a").between(18, 24), "a BETWEEN 18 AND 24"),
    (attr("a").not_between("x", "y"), "a NOT BETWEEN 'x' AND 'y'"),
    (attr("a").isin([2, 1, 2]), "a IN (2, 1, 2)"),
    (attr("a").isin({"CA": 3.0, "NY": 0}), "a IN ('CA'^3, 'NY')"),
    (attr("a").isin({"z", "y", 2, 1.5, 10}), "a IN (2, 10, 1.5, 'y', 'z')"),
    (attr("a").isin(x for x in (1, 2)), "a IN (1, 2)"),
    (attr("a").not_in([1]), "a NOT IN (1)"),
    (attr("a").not_in([1], weak=True), "a WEAK NOT IN (1)"),
    (attr("a").any_of({"x": 2}), "a ANY OF ('x'^2)"),
    (attr("a").all_of(("x", "y")), "a ALL OF ('x', 'y')"),
    (attr("a").none_of(["x"]), "a NONE OF ('x')"),
    (attr("a").is_null(), "a IS NULL"),
    (attr("a").is_not_null(), "a IS NOT NULL"),
    (attr("a").is_empty(), "a IS EMPTY"),
    (attr("a").is_not_empty(), "a IS NOT EMPTY"),
    (attr("a").like("x%"), "a LIKE 'x%'"),
    (attr("a").not_like("x%"), "a NOT LIKE 'x%'"),
    (attr("a").ilike("x%"), "a ILIKE 'x%'"),
    (attr("a").not_ilike("x%"), "a NOT ILIKE 'x%'"),
    (attr("a").startswith("x"), "a STARTS WITH 'x'"),
    (attr("a").endswith("x"), "a ENDS WITH 'x'"),
    (attr("a").contains("x"), "a CONTAINS 'x'"),
    (attr("a").matches("^x"), "a MATCHES '^x'"),
    (~attr("a").matches("^x"), "NOT a MATCHES '^x'"),
    (attr("a") & attr("b"), "a = true AND b = true"),
    (attr("a") | ~attr("b"), "a = true OR NOT b = true"),
    (attr("a") ^ attr("b"), "a = true XOR b = true"),
    ((attr("a") == 1) & attr("b") & attr("c"), "a = 1 AND b = true AND c = true"),
    ((attr("a") == 1) | attr("b"), "a = 1 OR b = true"),
    ((attr("a") == 1) ^ attr("b"), "a = 1 XOR b = true"),
    (attr("a") & (attr("b") | attr("c")), "a = true AND (b = true OR c = true)"),
]


@pytest.mark.parametrize(("expression", "text"), CASES, ids=[text for _, text in CASES])
def test_the_builder_makes_what_it_says(expression: Expression, text: str) -> None:
    """Each way to build writes as its text."""
    assert str(expression) == text


def test_the_example_of_the_documentation_works() -> None:
    """Between, isin, negation and comparison with True combine."""
    built = (attr("age").between(18, 24) & ~attr("state").isin(["NY"])) | (attr("vip") == True)  # noqa: E712
    assert built == Or(
        And(
            Predicate("age", Operator.BETWEEN, (18, 24)),
            Not(Predicate("state", Operator.IN, ("NY",))),
        ),
        Predicate("vip", Operator.EQ, (True,)),
    )


def test_operators_return_their_kinds() -> None:
    """The kinds are those of the expression module."""
    a, b = attr("a"), attr("b")
    assert [type(part) for part in (a & b, a | b, a ^ b, ~a)] == [And, Or, Xor, Not]


@pytest.mark.parametrize(
    ("value", "text"),
    (
        (np.int64(5), "a = 5"),
        (np.float32(0.5), "a = 0.5"),
        (np.bool_(True), "a = true"),
        (np.str_("x"), "a = 'x'"),
        (np.datetime64("2026-01-01T10:00:00.000000001", "ns"), "a = TIMESTAMP '2026-01-01T10:00:00Z'"),
    ),
)
def test_numpy_scalars_are_values(value: object, text: str) -> None:
    """A NumPy scalar means its Python value, from either side."""
    assert str(attr("a") == value) == text
    assert str(value == attr("a")) == text


def test_numpy_arrays_are_lists() -> None:
    """An array gives its elements."""
    assert str(attr("a").isin(np.array([3, 1]))) == "a IN (3, 1)"
    assert str(attr("a").isin({np.int64(1): np.int64(2)})) == "a IN (1^2)"


@pytest.mark.parametrize(
    "make",
    (
        lambda: attr("a") == None,  # noqa: E711 - the operator is what is tested
        lambda: attr("a") == attr("b"),
        lambda: attr("a").isin("CA"),
        lambda: attr("a").isin(5),  # type: ignore[arg-type]
        lambda: attr("a").isin([]),
        lambda: attr("a").isin([None]),
        lambda: attr("a").not_in({"x": 1.0}),
        lambda: attr("a").between(1, "x"),
        lambda: attr("a").eq(1, weight=-1),
        lambda: attr("a") == np.timedelta64(1, "ns"),
        lambda: attr("a") == np.datetime64("20000-01-01", "s"),
        lambda: attr("a") == np.datetime64("NaT", "s"),
        lambda: attr("a").isin({(1, 2), 3}),
        lambda: attr(""),
        lambda: attr(5),  # type: ignore[arg-type]
    ),
)
def test_what_makes_no_predicate_is_refused(make: Callable[[], object]) -> None:
    """Mistakes raise at once, with ExpressionError."""
    with pytest.raises(ExpressionError):
        make()


def test_comparison_with_none_says_what_to_write() -> None:
    """The message names IS NULL."""
    with pytest.raises(ExpressionError, match="IS NULL"):
        attr("a") == None  # noqa: B015, E711 - it raises


def test_a_weightless_mapping_is_a_list() -> None:
    """Weights of 0 are no weights, so any list operator takes them."""
    assert str(attr("a").not_in({"x": 0})) == "a NOT IN ('x')"


@pytest.mark.parametrize("other", (5, "b", None))
def test_attributes_join_only_expressions(other: object) -> None:
    """Anything else is a TypeError, from both sides."""
    with pytest.raises(TypeError):
        attr("a") & other  # type: ignore[operator]
    with pytest.raises(TypeError):
        other | attr("a")  # type: ignore[operator]


def test_an_attribute_is_no_key() -> None:
    """Equality builds expressions, so hashing would mislead."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(attr("a"))
    assert repr(attr("first name")) == "<Attribute: `first name`>"
    assert isinstance(attr("a"), Attribute)


def test_negative_string_tests_are_operators_of_their_own() -> None:
    """They are not NOT of the positive ones, which reads a missing attribute otherwise under missing="false"."""
    name = attr("a")
    built = [name.not_startswith("x"), name.not_endswith("x"), name.not_contains("x"), name.not_matches("x")]
    assert [str(predicate) for predicate in built] == [
        "a NOT STARTS WITH 'x'",
        "a NOT ENDS WITH 'x'",
        "a NOT CONTAINS 'x'",
        "a NOT MATCHES 'x'",
    ]

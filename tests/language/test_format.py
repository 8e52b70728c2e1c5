"""The formatter: exact texts, few parentheses, and limits."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from hedgerow.errors import LimitError
from hedgerow.language.build import attr
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Xnor, Xor
from hedgerow.language.format import RESERVED, format_value, quote_name, summary
from tests.language.samples import EXPRESSIONS, deep

if TYPE_CHECKING:
    from hedgerow.values import Value

A, B, C, D = (attr(name) == 1 for name in "abcd")


@pytest.mark.parametrize(
    ("expression", "text"),
    (
        (Constant(True), "TRUE"),
        (Constant(False), "FALSE"),
        (Not(A), "NOT a = 1"),
        (Not(Not(A)), "NOT NOT a = 1"),
        (Not(Constant(True)), "NOT TRUE"),
        (Not(And(A, B)), "NOT (a = 1 AND b = 1)"),
        (And(A, B, C), "a = 1 AND b = 1 AND c = 1"),
        (And(A, And(B, C)), "a = 1 AND (b = 1 AND c = 1)"),
        (And(And(A, B), C), "(a = 1 AND b = 1) AND c = 1"),
        (Or(A, Or(B, C)), "a = 1 OR (b = 1 OR c = 1)"),
        (Or(And(A, B), C), "a = 1 AND b = 1 OR c = 1"),
        (And(Or(A, B), C), "(a = 1 OR b = 1) AND c = 1"),
        (Or(Xor(A, B), C), "a = 1 XOR b = 1 OR c = 1"),
        (Xor(Or(A, B), C), "(a = 1 OR b = 1) XOR c = 1"),
        (Xor(And(A, B), C), "a = 1 AND b = 1 XOR c = 1"),
        (And(Xor(A, B), C), "(a = 1 XOR b = 1) AND c = 1"),
        (Xor(A, B, C), "a = 1 XOR b = 1 XOR c = 1"),
        (Xnor(Xor(A, B), C), "(a = 1 XOR b = 1) XNOR c = 1"),
        (Xor(A, Xnor(B, C)), "a = 1 XOR (b = 1 XNOR c = 1)"),
        (Xnor(A, B, C), "a = 1 XNOR b = 1 XNOR c = 1"),
        (And(Not(A), Not(Or(B, C))), "NOT a = 1 AND NOT (b = 1 OR c = 1)"),
        (attr("a").between(1, 2) & D, "a BETWEEN 1 AND 2 AND d = 1"),
        (attr("a").isin({1: 10, 2: 5}) & attr("s").eq("CA", 3), "a IN (1^10, 2^5) AND s = 'CA'^3"),
        (attr("a").isin({1: 0.5, 2: 0, 3: 1e300}), "a IN (1^0.5, 2, 3^1e+300)"),
    ),
)
def test_parentheses_are_as_few_as_meaning_allows(expression: Expression, text: str) -> None:
    """What binds tighter needs none, and nesting of one kind keeps them."""
    assert str(expression) == text


@pytest.mark.parametrize(
    ("name", "written"),
    (
        ("a", "a"),
        ("_a1", "_a1"),
        ("user.age", "user.age"),
        ("größe", "größe"),
        ("名前", "名前"),
        ("first name", "`first name`"),
        ("1a", "`1a`"),
        ("a.1", "`a.1`"),
        ("a..b", "`a..b`"),
        (".a", "`.a`"),
        ("a.", "`a.`"),
        ("a`b", "`a``b`"),
        ("a-b", "`a-b`"),
        ("and", "`and`"),
        ("Between", "`Between`"),
        ("user.in", "`user.in`"),
        ("\u0131n", "`\u0131n`"),
        ("li\u212ae", "`li\u212ae`"),
        ("timestamp", "timestamp"),
        ("any", "any"),
        ("\n", "`\n`"),
    ),
)
def test_names_are_quoted_when_they_must_be(name: str, written: str) -> None:
    """Identifiers joined by dots stay plain, reserved words and the rest get backticks."""
    assert quote_name(name) == written


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_reserved_words_are_quoted_in_any_case(word: str) -> None:
    """Keywords have no case, so neither does quoting them."""
    assert quote_name(word) == f"`{word}`"
    assert quote_name(word.lower()) == f"`{word.lower()}`"


@pytest.mark.parametrize(
    ("value", "written"),
    (
        (True, "true"),
        (False, "false"),
        (1, "1"),
        (-(2**63), "-9223372036854775808"),
        (0.1, "0.1"),
        (1e300, "1e+300"),
        (-2.5e-7, "-2.5e-07"),
        ("", "''"),
        ("it's", "'it''s'"),
        ('say "x" \\ y\n', "'say \"x\" \\ y\n'"),
        (dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC), "TIMESTAMP '2026-01-01T10:00:00Z'"),
        (dt.datetime(2026, 1, 1, 10, 0, 0, 7, tzinfo=dt.UTC), "TIMESTAMP '2026-01-01T10:00:00.000007Z'"),
        (dt.datetime(1, 1, 1, tzinfo=dt.UTC), "TIMESTAMP '0001-01-01T00:00:00Z'"),
    ),
)
def test_values_are_written_exactly(value: Value, written: str) -> None:
    """Nothing is lost in a value's text."""
    assert format_value(value) == written


def test_deep_expressions_are_written() -> None:
    """Text of any depth comes without recursion."""
    text = str(deep())
    assert text.count("NOT (") == 20_000 - 1
    assert text.count("(") == text.count(")")


def test_text_of_too_many_parts_is_refused() -> None:
    """A small graph can stand for an endless text; writing it raises."""
    doubling: Expression = A
    for _ in range(30):
        doubling = And(doubling, doubling)
    with pytest.raises(LimitError, match="parts"):
        str(doubling)


def test_text_that_no_parser_would_take_is_refused() -> None:
    """A long string that is shared many times is not written beyond the limit of texts."""
    doubling: Expression = attr("a") == "x" * 1_000_000
    for _ in range(10):
        doubling = Or(doubling, doubling)
    with pytest.raises(LimitError, match="bytes"):
        str(doubling)


@given(EXPRESSIONS)
def test_a_summary_is_the_beginning_of_the_text(expression: Expression) -> None:
    """A short text is whole, a long one is cut to the limit."""
    text = str(expression)
    for limit in (10, 80):
        short = summary(expression, limit)
        assert short == text if len(text) <= limit else short == text[: limit - 3] + "..."


@given(EXPRESSIONS)
def test_equal_expressions_and_only_they_have_equal_text(expression: Expression) -> None:
    """The text says everything about an expression: negating it makes another text."""
    assert str(Expression.from_json(expression.to_json())) == str(expression)
    assert str(Not(expression)) != str(expression)

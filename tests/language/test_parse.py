"""The parser: what it takes, what it refuses, and where it says the trouble is."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow import limits
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser
from hedgerow.testing import expressions

A, B, C = hr.attr("a") == 1, hr.attr("b") == 2, hr.attr("c").eq(value=True)

MEANINGS = [
    ("a = 1 OR b = 2 AND c", hr.Or(A, hr.And(B, C))),
    ("a = 1 AND b = 2 AND c", hr.And(A, B, C)),
    ("a = 1 AND (b = 2 AND c)", hr.And(A, hr.And(B, C))),
    ("(a = 1 AND b = 2) AND c", hr.And(hr.And(A, B), C)),
    ("NOT a = 1 AND b = 2", hr.And(hr.Not(A), B)),
    ("NOT (a = 1 AND b = 2)", hr.Not(hr.And(A, B))),
    ("NOT NOT c", hr.Not(hr.Not(C))),
    ("a = 1 XOR b = 2 AND c", hr.Xor(A, hr.And(B, C))),
    ("a = 1 OR b = 2 XOR c", hr.Or(A, hr.Xor(B, C))),
    ("a = 1 XOR b = 2 XOR c", hr.Xor(A, B, C)),
    ("a = 1 XOR b = 2 XNOR c", hr.Xnor(hr.Xor(A, B), C)),
    ("a = 1 XNOR b = 2 XOR c", hr.Xor(hr.Xnor(A, B), C)),
    ("TRUE or false", hr.Or(hr.Constant(value=True), hr.Constant(value=False))),
    ("a==1aNd b=2", None),
    ("a = 1.0", A),
    ("a = 1e0", A),
    ("a=+1", A),
    ("a = -0.0", hr.attr("a") == 0),
    ("a = .5", hr.attr("a") == 0.5),
    ("a = 5.", hr.attr("a") == 5),
    ("a = 0.1", hr.attr("a") == 0.1),
    ("a = 123456789012345678.5", hr.attr("a") == 123456789012345678.5),
    ("a = 1e22", hr.attr("a") == 1e22),
    ("a = 1e-7", hr.attr("a") == 1e-7),
    ("a = 9223372036854775807", hr.attr("a") == 2**63 - 1),
    ("a = -9223372036854775808", hr.attr("a") == -(2**63)),
    ("a <> 'it''s'", hr.attr("a") != "it's"),
    ('a = "say ""hi"" it\'s"', hr.attr("a") == 'say "hi" it\'s'),
    (r"a = 'C:\new'", hr.attr("a") == r"C:\new"),
    ("`odd ``name` = 1", hr.attr("odd `name") == 1),
    ("`and` = 1", hr.attr("and") == 1),
    ("not.in.between = 1", hr.attr("not.in.between") == 1),
    ("any = 1 AND contains CONTAINS 'of'", hr.And(hr.attr("any") == 1, hr.attr("contains").contains("of"))),
    ("größe >= 2 and 名前 = 'x'", hr.And(hr.attr("größe") >= 2, hr.attr("名前") == "x")),
    ("a\u00a0=\u30001", A),
    ("a ONE OF [1, 'x']", hr.attr("a").any_of([1, "x"])),
    ("a none of {1}", hr.attr("a").none_of([1])),
    ("a weak not in (1)", hr.attr("a").not_in([1], weak=True)),
    ("a in (1^2, 2)", hr.attr("a").isin({1: 2.0, 2: 0.0})),
    ("a not starts with 'x'", hr.Predicate("a", hr.Operator.NOT_STARTS_WITH, ("x",))),
    ("a IS NOT EMPTY", hr.attr("a").is_not_empty()),
]


@pytest.mark.parametrize(("text", "meaning"), [pair for pair in MEANINGS if pair[1] is not None])
def test_text_means(text: str, meaning: hr.Expression) -> None:
    """Text parses to what it says, and what is written back parses to the same."""
    assert hr.parse(text) == meaning
    assert hr.parse(str(meaning)) == meaning


ERRORS = [
    ("", 0, "an attribute", "the end", None),
    ("a BETWEN 1 AND 2", 2, "an operator", "'BETWEN'", "BETWEEN"),
    ("a = 1 ADN b = 2", 6, "AND, OR", "'ADN'", "AND"),
    ("a BETWEEN 1 ADN 2", 12, "AND", "'ADN'", "AND"),
    ("nto a = 1", 0, "NOT", "'nto'", "NOT"),
    ("a starts wiht 'x'", 9, "WITH", "'wiht'", "WITH"),
    ("a IS NUL", 5, "NULL", "'NUL'", "NULL"),
    ("a NOT LIEK 'x'", 6, "one of IN, BETWEEN", "'LIEK'", "LIKE"),
    ("a STARTSWITH 'x'", 2, "an operator", "'STARTSWITH'", "STARTS WITH"),
    ("a && b", 2, "an operator", "'&&'", "AND"),
    ("a = 1 || b", 6, "AND, OR", "'||'", "OR"),
    ("!a", 0, "an attribute", "'!'", "NOT"),
    ("a = “x”", 4, "a value", "'“'", "a straight quote"),
    ("a = NULL", 4, "IS NULL", "'NULL'", None),
    ("in = 1", 0, "backticks", "'in'", None),
    ("a = 1^", 6, "a number as the weight", "the end", None),
    ("a = ", 4, "a value", "the end", None),
    ("a = foo", 4, "quotes", "'foo'", None),
    ("a = TRU", 4, "a value", "'TRU'", "TRUE"),
    ("(a = 1", 6, "')'", "the end", None),
    ("a = 1)", 5, "no parenthesis is open", "')'", None),
    ("a IN ()", 6, "a value", "')'", None),
    ("a IN (1, 2]", 10, "',' or ')'", "']'", None),
    ("a IN 5", 5, "a list", "'5'", None),
    ("a = 'x", 4, "a closing '", "'x", None),
    ("`x = 1", 0, "a closing `", "'`'", None),
    ("`` = 1", 0, "not empty", "'`'", None),
    ("a. = 1", 2, "dotted name", "' '", None),
    ("a..b = 1", 2, "dotted name", "'.b'", None),
    ("and = 1", 0, "an attribute", "'and'", None),
    ("a = 99999999999999999999", 4, "64 bits", "'99999999999999999999'", None),
    ("a = 1e999", 4, "64-bit float", "'1e999'", None),
    ("a = 1.2.3", 4, "a number that ends", "'1.2.3'", None),
    ("a = 5x", 4, "a number that ends", "'5x'", None),
    ("a = 1e", 4, "digits after its e", "'1e'", None),
    ("a LIKE 'x\\y'", 7, "a valid pattern", "'x\\y'", None),
    ("a MATCHES '('", 10, "a valid pattern", "'('", None),
    ("a LIKE 5", 7, "a quoted string", "'5'", None),
    ("a BETWEEN 1 AND 'x'", 16, "the same kind", "'x'", None),
    ("a != 1^2", 6, "have weights", "'^'", None),
    ("a = 1^-2", 6, "a weight of 0 or more", "'-2'", None),
    ("a = TIMESTAMP 'tomorrow'", 14, "ISO 8601", "'tomorrow'", None),
    ("a = TIMESTAMP 5", 14, "a quoted time", "'5'", None),
    ("a b", 2, "an operator", "'b'", None),
    ("a = 1 b = 2", 6, "AND, OR", "'b'", None),
    ("a !! 1", 2, "an operator", "'!'", "NOT"),
    ("größe == 'ü' foo", 13, "AND, OR", "'foo'", None),
]


@pytest.mark.parametrize(("text", "offset", "expected", "found", "suggestion"), ERRORS)
def test_bad_text_is_refused_at_its_place(
    text: str, offset: int, expected: str, found: str, suggestion: str | None
) -> None:
    """The error knows the place, what was found and expected, and the keyword that was probably meant."""
    with pytest.raises(hr.ParseError) as caught:
        hr.parse(text)
    error = caught.value
    assert (error.offset, error.line, error.column) == (offset, 1, offset + 1)
    assert expected in error.expected
    assert (error.found, error.suggestion) == (found, suggestion)
    line, caret = error.excerpt.split("\n")
    assert line[caret.index("^") :] == text[offset:]
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_the_column_counts_characters_of_the_line() -> None:
    """Lines and columns count from one, in characters, and the caret stands under the place."""
    with pytest.raises(hr.ParseError) as caught:
        hr.parse("größe = 1\n  AND 名前 = 'ü' foo")
    error = caught.value
    assert (error.line, error.column) == (2, 16)
    assert error.excerpt.split("\n")[1].index("^") - 2 == error.column - 1


def test_a_lone_surrogate_is_refused_at_its_place() -> None:
    """Text that UTF-8 cannot encode is bad text, not a crash."""
    with pytest.raises(hr.ParseError) as caught:
        hr.parse("a = '\ud800'")
    assert caught.value.offset == 5
    assert str(caught.value).encode()


@given(expressions())
@example(hr.And(hr.And(A, B), hr.Xnor(A, hr.Xor(B, C))))
def test_an_expression_survives_being_written(expression: hr.Expression) -> None:
    """``parse(str(e)) == e`` for every expression."""
    assert hr.parse(str(expression)) == expression


@given(st.text("ab ()=<>!'\"`^,.01eE+-%_\\\n&äANDORTSin", max_size=30))
def test_any_text_parses_or_is_refused_with_a_place(text: str) -> None:
    """No text crashes the parser; what it refuses has an offset inside the text."""
    try:
        expression = hr.parse(text)
    except hr.ParseError as error:
        assert 0 <= error.offset <= len(text)
        assert str(error).endswith("^")
    else:
        assert hr.parse(str(expression)) == expression


@given(expressions(), st.data())
def test_a_text_with_a_piece_cut_out_parses_or_is_refused(expression: hr.Expression, data: st.DataObject) -> None:
    """Damaged text is read or refused, never worse."""
    text = str(expression)
    start = data.draw(st.integers(0, len(text)))
    damaged = text[:start] + text[start + data.draw(st.integers(1, 5)) :]
    try:
        hr.parse(damaged)
    except hr.HedgerowError as error:
        assert isinstance(error, hr.ParseError | hr.LimitError)


def test_a_hundred_thousand_parentheses_parse() -> None:
    """Nesting of text costs no recursion."""
    assert hr.parse("(" * 100_000 + "a = 1" + ")" * 100_000) == A


def test_a_hundred_thousand_levels_parse_and_more_are_refused() -> None:
    """Nesting of operators works to the documented limit, and beyond it raises."""
    levels = 50_000
    expression = hr.parse("(a = 1 AND (b = 2 OR " * levels + "c" + "))" * levels)
    assert expression.depth == 2 * levels
    assert hr.parse(str(expression)) == expression
    with pytest.raises(hr.LimitError, match="131072 levels"):
        hr.parse("NOT " * (limits.MAX_DEPTH + 1) + "a")
    with pytest.raises(hr.LimitError, match="524288 open parentheses"):
        hr.parse("(" * (limits.MAX_WAITING + 1))


def test_the_deepest_text_is_also_the_deepest_expression() -> None:
    """Parser and objects count levels alike."""
    assert hr.parse("NOT " * limits.MAX_DEPTH + "a").depth == limits.MAX_DEPTH


def test_a_list_of_a_million_values_parses() -> None:
    """Long lists work to the documented limit."""
    expression = hr.parse("a IN (" + ",".join(map(str, range(1_000_000))) + ")")
    assert isinstance(expression, hr.Predicate)
    assert expression.values[-1] == 999_999
    with pytest.raises(hr.LimitError, match="2097152 values"):
        hr.parse("a IN (" + "1," * limits.MAX_LIST + "1)")


def test_a_text_of_a_hundred_megabytes_parses() -> None:
    """A long text works to the documented limit."""
    graph = Graph()
    node = Parser(graph).parse("a = '" + "x" * 100_000_000 + "'")
    assert graph.kind(node) == Graph.PREDICATE
    with pytest.raises(hr.LimitError, match="bytes"):
        Parser(graph).parse(" " * (limits.MAX_TEXT_BYTES + 1))


def test_names_and_patterns_have_limits() -> None:
    """Names and LIKE patterns beyond their limits raise."""
    longest = "n" * limits.MAX_NAME_BYTES
    assert hr.parse(f"{longest} = 1") == (hr.attr(longest) == 1)
    for text in (f"{longest}n = 1", f"`{longest}n` = 1", f"a LIKE '{'%' * (limits.MAX_PATTERN_BYTES + 1)}'"):
        with pytest.raises(hr.LimitError):
            hr.parse(text)


def test_rows_are_parsed_from_arrow_buffers() -> None:
    """The bulk path gives the nodes that the single one gives, an error for each bad row, and -2 for those left out."""
    texts = ["a = 1", "a =", "a = 1 AND b = 2", "", "a = 1", "ä = 'ü'"]
    array = pa.array(texts, pa.large_string())
    nodes = np.zeros(len(texts), np.int32)
    nodes[4] = -2
    graph = Graph()
    parser = Parser(graph)
    errors = parser.parse_rows(
        np.frombuffer(array.buffers()[1], np.int64), np.frombuffer(array.buffers()[2], np.uint8), nodes
    )
    assert sorted(errors) == [1, 3]
    assert [nodes[row] for row in (0, 2, 5)] == [parser.parse(texts[row]) for row in (0, 2, 5)]
    assert [nodes[row] for row in (1, 3, 4)] == [-1, -1, -2]


def test_a_failed_parse_leaves_nothing_behind_in_the_next() -> None:
    """Operands of a predicate that broke off do not slip into the next one."""
    graph = Graph()
    parser = Parser(graph)
    with pytest.raises(hr.ParseError):
        parser.parse("a IN (1, 2, 3")
    assert graph.expression(parser.parse("b IN (4)")) == hr.attr("b").isin([4])


def test_numbers_are_read_as_python_reads_them() -> None:
    """Every decimal notation gives the float that Python gives."""
    chance = random.Random(5)
    for _ in range(3000):
        digits = "".join(chance.choices("0123456789", k=chance.randrange(1, 22)))
        point = chance.randrange(len(digits) + 1)
        text = f"{chance.choice(['', '-', '+'])}{digits[:point]}.{digits[point:]}"
        if chance.random() < 0.5:
            text += f"e{chance.randrange(-320, 300)}"
        if np.isfinite(float(text)):
            assert hr.parse(f"a = {text}") == (hr.attr("a") == float(text)), text

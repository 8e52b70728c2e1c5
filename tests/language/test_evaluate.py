"""The oracle: a table of claims for every predicate form, and the logic above them."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest

from hedgerow.errors import EventError, KindError, ParseError
from hedgerow.language.build import attr
from hedgerow.language.evaluate import evaluate
from hedgerow.language.explain import explain
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operators import OPERATORS, Operator
from hedgerow.language.score import score
from hedgerow.limits import MAX_PATTERN_BYTES
from tests.language.claims import CLAIMS
from tests.language.samples import deep

if TYPE_CHECKING:
    from hedgerow.language.evaluate import Outcome

a = attr("a")
T, F, U = True, False, None


@pytest.mark.parametrize(
    ("predicate", "actual", "value"), CLAIMS, ids=[f"{part} on {actual!r}" for part, actual, _ in CLAIMS]
)
def test_a_predicate_means_what_the_table_claims(predicate: Predicate, actual: object, value: Outcome) -> None:
    """The value under both readings, and of the negation under both."""
    event = {"a": actual}
    assert evaluate(predicate, event) is value
    assert evaluate(~predicate, event) is (None if value is None else not value)
    assert evaluate(predicate, event, missing="false") is (value is True)
    assert evaluate(~predicate, event, missing="false") is (value is not True)


def test_the_table_covers_every_operator_with_every_value() -> None:
    """No operator lacks a claim for true, for false and, where it can be, for undefined."""
    seen = {(part.operator, value) for part, _, value in CLAIMS}
    never_undefined = {Operator.IS_NULL, Operator.IS_NOT_NULL, Operator.WEAK_NOT_IN}
    wanted = {
        (operator, value)
        for operator in Operator
        for value in (T, F, U)
        if value is not U or operator not in never_undefined
    }
    assert wanted - seen == set()


@pytest.mark.parametrize("row", OPERATORS, ids=lambda row: row.text)
def test_an_absent_attribute_is_a_missing_one(row: object) -> None:
    """Absent and None are the same to every operator."""
    for predicate, _, _ in CLAIMS:
        if OPERATORS[predicate.operator] is row:
            assert evaluate(predicate, {}) is evaluate(predicate, {"a": None})


PARTS = {T: attr("t") == 1, F: attr("f") == 1, U: attr("u") == 1}
EVENT = {"t": 1, "f": 0}


@pytest.mark.parametrize(
    ("kind", "first", "second", "value"),
    (
        (And, U, T, U),
        (And, U, F, F),
        (Or, U, T, T),
        (Or, U, F, U),
        (Xor, U, T, U),
        (Xor, U, F, U),
        (Xor, U, U, U),
        (Xnor, U, T, U),
        (Xnor, U, F, U),
        (And, U, U, U),
        (Or, U, U, U),
        (And, T, T, T),
        (And, T, F, F),
        (Or, F, F, F),
        (Or, T, F, T),
        (Xor, T, F, T),
        (Xor, T, T, F),
        (Xnor, T, F, F),
        (Xnor, T, T, T),
        (Xnor, F, F, T),
    ),
)
def test_logic_is_table_2_of_the_a_tree_paper(
    kind: type[And | Or | Xor | Xnor], first: Outcome, second: Outcome, value: Outcome
) -> None:
    """Kleene's logic, in either order of the operands."""
    assert evaluate(kind(PARTS[first], PARTS[second]), EVENT) is value
    assert evaluate(kind(PARTS[second], PARTS[first]), EVENT) is value


def test_not_of_undefined_is_undefined() -> None:
    """The last line of Table 2."""
    assert evaluate(Not(PARTS[U]), EVENT) is U
    assert evaluate(Not(Not(PARTS[U])), EVENT) is U


@pytest.mark.parametrize("count", (2, 3, 4, 5))
def test_chains_are_folds_from_the_left(count: int) -> None:
    """``Xnor(a, b, c)`` is ``(a XNOR b) XNOR c``, and so for each kind and any number of operands."""
    for values in itertools.product((T, F, U), repeat=count):
        parts = [PARTS[value] for value in values]
        for kind in (And, Or, Xor, Xnor):
            nested: Expression = parts[0]
            for part in parts[1:]:
                nested = kind(nested, part)
            assert evaluate(kind(*parts), EVENT) is evaluate(nested, EVENT)


def test_constants_are_what_they_say() -> None:
    """They need no event."""
    assert evaluate(Constant(True), {}) is True
    assert evaluate(Not(Constant(True)), {}) is False
    assert evaluate(Or(Constant(True), PARTS[U]), {}) is True


def test_missing_read_as_false_makes_negations_true() -> None:
    """The reading that rule languages have, for absence and for another kind alike."""
    rule = Not(And(attr("x") == 1, attr("y") == 2))
    assert evaluate(rule, {"x": 1}) is None
    assert evaluate(rule, {"x": 1}, missing="false") is True
    assert evaluate(attr("x") != 1, {}, missing="false") is False
    assert evaluate(Not(attr("x") != 1), {"x": "text"}, missing="false") is True
    assert evaluate(Xor(attr("x") == 1, attr("y") == 2), {"x": 1}, missing="false") is True


@pytest.mark.parametrize("missing", ("", "true", "UNKNOWN", None, 0, []))
def test_other_readings_are_refused(missing: object) -> None:
    """A misspelt reading raises instead of choosing one."""
    with pytest.raises(KindError, match="'unknown' or 'false'"):
        evaluate(PARTS[T], EVENT, missing)  # type: ignore[arg-type]


def test_text_is_parsed() -> None:
    """An expression may come as text."""
    assert evaluate("t = 1 AND NOT f = 1", EVENT) is True
    with pytest.raises(ParseError):
        evaluate("t = = 1", EVENT)


def test_bad_events_are_refused() -> None:
    """A value that no event can have raises; what the expression does not ask for may be anything."""
    with pytest.raises(EventError, match="'z'"):
        evaluate(attr("z") == 1, {"z": b"bytes"})
    assert evaluate(attr("z.a") == 1, {"z": {"a": 1, "b": b"bytes"}, "c": [{}], 5: 2**70}) is True  # type: ignore[dict-item]
    assert explain(attr("a") == 1, {"z": b"bytes", "a": 1}).value is True
    assert score(attr("a") == 1, {"z": b"bytes", "a": 1}) == 0.0


def test_nested_events_are_reached_by_dots() -> None:
    """``user.age`` reads ``{"user": {"age": ...}}``."""
    assert evaluate(attr("user.age") >= 18, {"user": {"age": 20}}) is True


# Bugs of other libraries, as claims about ours.


def test_a_list_of_strings_in_any_order_finds_each() -> None:
    """A peer sorts string lists by text but searches them by number, and misses some."""
    for values in itertools.permutations(("CA", "US", "AB", "ZZ")):
        for value in values:
            assert evaluate(attr("country").isin(values), {"country": value}) is True


def test_not_over_a_group_looks_at_all_of_it() -> None:
    """A peer stops at the first missing attribute under NOT."""
    rule = Not(And(attr("missing") == 1, attr("a") == 1))
    assert evaluate(rule, {"a": 2}) is True
    assert evaluate(rule, {"a": 1}) is None


def test_two_lists_on_one_attribute_are_both_required() -> None:
    """A peer turns two IN on one attribute into OR."""
    rule = And(a.isin([1, 2]), a.isin([2, 3]))
    assert [evaluate(rule, {"a": value}) for value in (1, 2, 3)] == [False, True, False]


def test_the_same_predicate_may_stand_hundreds_of_times() -> None:
    """A peer's counter overflows at 128."""
    assert evaluate(And(*[a == 1] * 300), {"a": 1}) is True
    assert evaluate(Xor(*[a == 1] * 301), {"a": 1}) is True


def test_only_negations_match_what_they_should() -> None:
    """An expression without any positive part is an expression like any other."""
    rule = And(a.not_in([1]), attr("b").not_in([1], weak=True))
    assert evaluate(rule, {"a": 2}) is True
    assert evaluate(rule, {"a": 2, "b": 1}) is False


# Size


def test_deep_expressions_are_evaluated() -> None:
    """No recursion: 100,000 levels of all operators."""
    assert evaluate(deep(), {"a": 1, "b": 2}) is not None
    assert evaluate(deep(), {"a": 1}) is None


def test_shared_parts_are_evaluated_once() -> None:
    """A doubling chain of 1,000 levels takes 1,000 steps."""
    part: Expression = a == 1
    for _ in range(1000):
        part = Xnor(part, part)
    assert evaluate(part, {"a": 1}) is True


def test_long_lists_meet_in_linear_time() -> None:
    """100,000 listed values against 100,000 elements are not compared one by one."""
    listed, elements = list(range(100_000)), list(range(100_000, 200_000))
    assert evaluate(a.isin(listed), {"a": elements}) is False
    assert evaluate(a.all_of(listed), {"a": elements}) is False
    assert evaluate(a.none_of(listed), {"a": elements}) is True


def test_patterns_that_hang_others_do_not_hang_us() -> None:
    """Time is bounded for patterns that take others exponential time."""
    text = "a" * 5_000
    assert evaluate(a.matches("(a*)*b"), {"a": text}) is False
    assert evaluate(a.matches("(a|a)*b"), {"a": text}) is False
    assert evaluate(a.like("%a" * 100 + "b"), {"a": text}) is False
    assert evaluate(a.like("_" * MAX_PATTERN_BYTES), {"a": "é" * MAX_PATTERN_BYTES}) is True


def test_like_agrees_with_a_regular_expression_of_python() -> None:
    """Every pattern and text of up to four letters of a small alphabet."""
    letters = ("", *("".join(pair) for size in (1, 2, 3) for pair in itertools.product("a%_\n", repeat=size)))
    texts = ("", *("".join(pair) for size in (1, 2, 3) for pair in itertools.product("a_\n", repeat=size)))
    for pattern in letters:
        translated = "".join({"%": ".*", "_": "."}.get(letter, re.escape(letter)) for letter in pattern)
        for text in texts:
            expected = re.fullmatch(translated, text, re.DOTALL) is not None
            assert evaluate(a.like(pattern), {"a": text}) is expected

"""The scoring oracle: sums, maxima, and the form they are taken over."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import EventError, KindError, LimitError
from hedgerow.language import literal_form as module
from hedgerow.language.build import attr
from hedgerow.language.evaluate import evaluate
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Xnor, Xor
from hedgerow.language.literal_form import Chain, literal_form
from hedgerow.language.score import score
from tests.language.samples import EVENTS, EXPRESSIONS, deep

if TYPE_CHECKING:
    from hedgerow.language.score import EventWeights

YOUNG = attr("age").isin({1: 10, 2: 5}) & attr("state").eq("CA", 3)
A, B, C = (attr(name).eq(1, weight) for name, weight in (("a", 1), ("b", 10), ("c", 100)))
ALL = {"a": 1, "b": 1, "c": 1}


def test_the_example_of_the_paper_scores_16() -> None:
    """10 * 1 + 3 * 2, as Section 2.4 of the k-index paper has it."""
    assert score(YOUNG, {"age": 1, "state": "CA"}, weights={"age": 1, "state": 2}) == 16.0
    assert score(YOUNG, {"age": 2, "state": "CA"}, weights={"age": {1: 7}, "state": {"CA": 2}}) == 11.0


def test_what_does_not_match_has_no_score() -> None:
    """False and undefined are both None; a match without weights is 0."""
    assert score(YOUNG, {"age": 3, "state": "CA"}) is None
    assert score(YOUNG, {"age": 1}) is None
    assert score(attr("a") == 1, {"a": 1}) == 0.0
    assert score(Constant(True), {}) == 0.0
    assert score(Constant(False), {}) is None


def test_text_is_parsed_and_scored() -> None:
    """An expression may come as text with weights."""
    assert score("age IN (1^10, 2^5) AND state = 'CA'^3", {"age": 1, "state": "CA"}) == 13.0


def test_and_adds_and_or_takes_the_largest() -> None:
    """The definition, on every combination of three parts."""
    for present in itertools.product((0, 1), repeat=3):
        event = dict(zip("abc", present, strict=True))
        worth = [weight for weight, one in zip((1.0, 10.0, 100.0), present, strict=True) if one]
        assert score(And(A, B, C), event) == (sum(worth) if len(worth) == 3 else None)
        assert score(Or(A, B, C), event) == max(worth, default=None)
        both = sum(worth[:2]) if present[:2] == (1, 1) else 0.0
        assert score(Or(And(A, B), C), event) == (max(both, 100.0 * present[2]) if both or present[2] else None)


def test_negative_literals_score_nothing() -> None:
    """Weights of a negated test say nothing; the rest still counts."""
    assert score(And(A, Not(B)), {"a": 1, "b": 2}) == 1.0
    assert score(Or(A, Not(B)), {"a": 0, "b": 2}) == 0.0
    assert score(Not(Not(A)), {"a": 1}) == 1.0
    assert score(Not(Or(Not(A), Not(B))), {"a": 1, "b": 1}) == 11.0


def test_other_predicates_score_nothing() -> None:
    """Only = and IN have weights."""
    assert score(And(A, attr("b") > 0, attr("c").is_not_null()), ALL) == 1.0


def test_a_list_scores_its_best_value() -> None:
    """The largest product over the listed values that the event has, also if one is listed twice."""
    part = attr("a").any_of({"x": 1, "y": 5, "z": 3})
    assert score(part, {"a": ["x", "z"]}) == 3.0
    assert score(part, {"a": ["x", "z"]}, weights={"a": {"x": 100, "z": 0.5}}) == 100.0
    assert score(part, {"a": ["q", "y", None, math.nan]}) == 5.0
    assert score("a IN (1^2, 1^7, 1^3)", {"a": 1.0}) == 7.0


def test_true_and_one_have_weights_of_their_own() -> None:
    """The event's value is matched by kind."""
    part = attr("a").isin([1, True])
    weighted = type(part)("a", part.operator, (1, True), (2, 5))
    assert score(weighted, {"a": 1}) == 2.0
    assert score(weighted, {"a": True}) == 5.0
    assert score(weighted, {"a": 1}, weights={"a": {True: 9}}) == 2.0


def test_missing_read_as_false_scores_what_matches() -> None:
    """A negation that absence satisfies contributes 0."""
    assert score(And(A, Not(B)), {"a": 1}) is None
    assert score(And(A, Not(B)), {"a": 1}, missing="false") == 1.0
    assert score(Not(attr("b") != 1), {}, missing="false") == 0.0


def test_duplicates_count_once() -> None:
    """An operand that appears again adds nothing, at any nesting of one kind."""
    assert score(And(A, A), ALL) == 1.0
    assert score(And(A, And(B, And(A, B))), ALL) == 11.0
    assert score(And(A, Not(Or(Not(A), Not(B)))), ALL) == 11.0
    assert score(And(Or(A, B), Or(A, B)), ALL) == 10.0
    assert score(And(Or(A, B), Or(B, A)), ALL) == 10.0


@pytest.mark.parametrize(
    ("first", "second"),
    (
        (attr("x").isin({1: 2}), attr("x").eq(1, 2)),
        (attr("x").any_of({1: 2, 3: 4}), attr("x").isin({3: 4, 1: 2})),
        (attr("x").isin([1, 2, 1]), attr("x").isin([2, 1])),
        (attr("x").between(1, 1), attr("x") == 1),
        (attr("x").all_of([1]), attr("x") == 1),
        (attr("x") != 1, Not(attr("x").eq(1, 5))),
        (attr("x").none_of([1, 2]), Not(attr("x").isin({2: 7, 1: 8}))),
    ),
    ids=str,
)
def test_tests_that_mean_the_same_are_one_part(first: Expression, second: Expression) -> None:
    """However it is written, a part that appears again counts once."""
    event = {"a": 1, "x": 1 if evaluate(first, {"x": 1}) else 9}
    assert len(literal_form(Or(first, second), "unknown")) == len(literal_form(first, "unknown"))
    assert score(And(Or(A, first), Or(second, A)), event) == score(Or(A, first), event)


def test_presence_has_one_negation_under_both_readings() -> None:
    """IS NULL is never undefined, so NOT of it is IS NOT NULL."""
    first, second = attr("x").is_not_null(), Not(attr("x").is_null())
    for missing in ("unknown", "false"):
        assert score(And(Or(A, first), Or(A, second)), {"a": 1}, missing=missing) == 1.0


def test_constants_fold_before_parts_merge() -> None:
    """What is left of a folded part merges with its neighbours."""
    assert score(And(A, Or(Constant(False), And(A, B))), ALL) == 11.0
    assert score(And(A, Or(And(A, B), And(A, B))), ALL) == 11.0
    assert score(Or(A, And(Constant(True), Or(A, B))), ALL) == 10.0
    assert score(Or(A, Constant(True)), ALL) == 0.0
    assert score(And(A, Constant(True)), ALL) == 1.0
    assert score(Xor(A, Constant(False)), ALL) == 1.0
    assert score(Xor(A, Constant(True)), {"a": 2}) == 0.0


@pytest.mark.parametrize("count", (2, 3, 4, 5, 6))
def test_xor_adds_the_scores_of_its_true_operands(count: int) -> None:
    """Where all are different, each operand contributes its score in the polarity it has."""
    parts = [attr(f"x{number}").eq(1, 2**number) for number in range(count)]
    for values in itertools.product((0, 1), repeat=count):
        event = {f"x{number}": value for number, value in enumerate(values)}
        worth = float(sum(2**number for number, value in enumerate(values) if value))
        assert score(Xor(*parts), event) == (worth if sum(values) % 2 else None)
        holds = evaluate(Xnor(*parts), event)
        assert score(Xnor(*parts), event) == (worth if holds else None)
        assert score(Not(Xor(*parts)), event) == (None if sum(values) % 2 else worth)


@given(EXPRESSIONS, EVENTS, st.sampled_from(("unknown", "false")))
def test_a_score_is_there_exactly_when_the_expression_matches(
    expression: Expression, event: dict[str, object], missing: str
) -> None:
    """The literal form matches what the expression matches, and so does its negation."""
    for part in (expression, Not(expression)):
        assert (score(part, event, missing=missing) is not None) == (evaluate(part, event, missing) is True)


@given(EXPRESSIONS, st.sampled_from(("unknown", "false")))
def test_the_form_is_simplified(expression: Expression, missing: str) -> None:
    """No constant, single or repeated operand is left, nor AND under AND or OR under OR; each node is there once."""
    nodes = literal_form(expression, missing)
    *below, root = nodes
    assert len(set(below)) == len(below)
    assert root in below
    for node in below[2:]:
        if isinstance(node, Chain):
            assert len(set(node.operands)) == len(node.operands) >= 2
            operands = [below[number] for number in node.operands]
            assert not any(
                isinstance(operand, Chain) and operand.conjunction == node.conjunction for operand in operands
            )
            assert min(node.operands) > 1


@given(EXPRESSIONS, EVENTS)
def test_double_negation_scores_alike(expression: Expression, event: dict[str, object]) -> None:
    """Expressions that differ in how they are written only have one form."""
    assert score(Not(Not(expression)), event) == score(expression, event)
    assert score(And(expression, expression), event) == score(expression, event)
    assert score(Or(expression, Constant(False)), event) == score(expression, event)


BAD_WEIGHTS: list[Any] = [
    {"a": value} for value in (-1, math.nan, math.inf, "1", None, True, 10**400, {1: -1}, {(): 1})
]


@pytest.mark.parametrize("weights", (*BAD_WEIGHTS, [1], "a"))
def test_bad_weights_of_events_are_refused(weights: EventWeights) -> None:
    """Weights are finite numbers, not negative, by attribute or by value."""
    with pytest.raises(EventError):
        score(A, {"a": 1}, weights)


def test_bad_readings_and_events_are_refused() -> None:
    """As in evaluation."""
    with pytest.raises(KindError):
        score(A, {}, missing="maybe")
    with pytest.raises(EventError):
        score(A, {"a": b""})


def test_deep_expressions_are_scored() -> None:
    """No recursion at thirty times the depth that Python has for it, and no copying of a deep AND at each level."""
    levels = 30_000
    expression, event = deep(levels), {"a": 1, "b": 2}
    assert (score(expression, event) is not None) == (evaluate(expression, event) is True)
    nested: Expression = A
    for number in range(levels):
        nested = And(nested, attr("b").eq(number % 7, 1))
    assert score(nested, {"a": 1, "b": list(range(7))}) == 8.0


def test_xor_chains_take_linear_space() -> None:
    """A thousand operands, flat or nested, take a few nodes each and not 2^1000."""
    parts = [attr(f"x{number}").eq(1, 1) for number in range(1000)]
    nested: Expression = parts[0]
    for part in parts[1:]:
        nested = Xor(nested, part)
    event = {f"x{number}": int(number != 0) for number in range(1000)}
    for expression in (Xor(*parts), nested):
        assert len(literal_form(expression, "unknown")) < 9 * 1000
        assert score(expression, event) == 999.0


def test_shared_parts_are_looked_at_once() -> None:
    """A doubling chain is its one part; one of XOR takes a few nodes a level."""
    same: Expression = A
    odd: Expression = A
    for _ in range(500):
        same, odd = And(same, same), Xor(odd, odd, odd)
    assert score(same, {"a": 1}) == 1.0
    assert len(literal_form(odd, "unknown")) < 20 * 500
    assert score(odd, {"a": 1}) is not None
    assert score(odd, {"a": 0}) is None


def test_a_form_that_would_fill_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small graph whose merged form is quadratic runs into a limit, not out of memory."""
    monkeypatch.setattr(module, "MAX_WRITTEN_PARTS", 10_000)
    chain: Expression = A
    parts = []
    for number in range(300):
        chain = And(chain, attr(f"x{number}") == 1)
        parts.append(chain)
    with pytest.raises(LimitError, match="scored"):
        score(Or(*parts), {})

"""Explanations: the value of every part, the parts that decided, and how it prints."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import EventError, KindError
from hedgerow.language.build import attr
from hedgerow.language.evaluate import evaluate
from hedgerow.language.explain import Explanation, explain
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from tests.language.samples import DEPTH, EVENTS, EXPRESSIONS, deep

if TYPE_CHECKING:
    from collections.abc import Iterator

T, F, U = attr("t") == 1, attr("f") == 1, attr("u") == 1
EVENT = {"t": 1, "f": 0}


@pytest.mark.parametrize(
    ("expression", "deciding"),
    (
        (And(T, T, T), "t t t"),
        (And(T, F, U, F), "f"),
        (And(U, F), "f"),
        (And(T, U, T, U), "u"),
        (Or(F, F), "f f"),
        (Or(F, T, U, T), "t"),
        (Or(U, T), "t"),
        (Or(F, U, F), "u"),
        (Not(T), "t"),
        (Not(U), "u"),
        (Xor(T, F), "t f"),
        (Xor(T, F, U, U), "u"),
        (Xnor(F, F), "f f"),
        (Xnor(T, U), "u"),
        (And(Or(F, T), Not(F)), "t f"),
        (And(Or(T, F), Not(T)), "t"),
        (Or(And(T, F), And(F, T), Not(T)), "f f t"),
    ),
    ids=str,
)
def test_the_rules_of_deciding(expression: Expression, deciding: str) -> None:
    """Which parts decide, for each operator and value."""
    # Parts as objects of their own, since one that stands twice is explained once.
    separate = _separate(expression)
    names = [
        leaf.expression.attribute
        for leaf in explain(separate, EVENT).deciding
        if isinstance(leaf.expression, Predicate)
    ]
    assert names == deciding.split()


def _separate(expression: Expression) -> Expression:
    if isinstance(expression, Predicate):
        return Predicate(expression.attribute, expression.operator, expression.values)
    return type(expression)(*[_separate(operand) for operand in expression.operands])


def test_every_part_has_its_value_and_predicates_what_the_event_has() -> None:
    """The tree of explanations is the tree of the expression."""
    expression = And(T, Not(Or(F, U)), Constant(True), attr("l").is_empty())
    explanation = explain(expression, {**EVENT, "l": [1.0, None]})
    assert explanation.expression is expression
    assert [child.value for child in explanation.children] == [True, None, True, False]
    assert [child.actual for child in explanation.children] == [1, None, None, (1, None)]
    assert [child.decided for child in explanation.children] == [False, False, False, True]
    assert explanation.decided
    assert [leaf.expression for leaf in explanation.deciding] == [attr("l").is_empty()]


def test_a_constant_can_decide() -> None:
    """TRUE and FALSE are parts like others."""
    assert [str(leaf.expression) for leaf in explain(Or(T, Constant(False)), {}).deciding] == ["t = 1"]
    assert [str(leaf.expression) for leaf in explain(And(U, Constant(False)), {}).deciding] == ["FALSE"]


def test_the_reading_of_missing_attributes_is_respected() -> None:
    """With missing="false" an undefined predicate shows as false."""
    assert explain(Not(U), EVENT).value is None
    assert explain(Not(U), EVENT, missing="false").value is True
    assert explain(Not(U), EVENT, missing="false").children[0].value is False


def test_a_shared_part_is_told_apart_where_it_decided() -> None:
    """One object in two places has two explanations, if only one of them decided."""
    explanation = explain(And(F, F), EVENT)
    assert [child.decided for child in explanation.children] == [True, False]
    assert len(explanation.deciding) == 1


def test_the_tree_prints_well() -> None:
    """Values of all parts, what the event has, and marks where it was decided."""
    expression = Or(
        And(attr("age").between(18, 24), Not(attr("state").isin(["NY", "NJ"]))),
        attr("vip") == True,  # noqa: E712 - builds a comparison
        Constant(False),
    )
    event = {"age": 20, "state": "NY", "vip": [math.nan, None, "it's"]}
    assert str(explain(expression, event)) == (
        "▶ OR: false\n"
        "▶ ├─ AND: false\n"
        "  │  ├─ age BETWEEN 18 AND 24: true (age is 20)\n"
        "▶ │  └─ NOT: false\n"
        "▶ │     └─ state IN ('NY', 'NJ'): true (state is 'NY')\n"
        "▶ ├─ vip = true: false (vip is [nan, null, 'it''s'])\n"
        "▶ └─ FALSE: false"
    )


def test_text_is_parsed_and_missing_values_are_said() -> None:
    """A missing attribute prints as such, a strange name in its quotes."""
    assert str(explain("`first name` = 'x' AND b", {"b": True})) == (
        "▶ AND: undefined\n"
        "▶ ├─ `first name` = 'x': undefined (`first name` is missing)\n"
        "  └─ b = true: true (b is true)"
    )


def test_long_lists_and_values_are_cut() -> None:
    """A list says how many more values it has, a string is cut, and line ends do not tear the tree."""
    text = str(explain(attr("a").isin(range(1000)), {"a": list(range(5, 500))}))
    assert text == ("▶ a IN (0, 1, 2, 3, 4, 5, 6, 7, … 992 more): true (a is [5, 6, 7, 8, 9, 10, 11, 12, … 487 more])")
    long = str(explain(attr("a" * 1000) == "x\ny" * 1000, {"a" * 1000: "z\n" * 100_000}))
    assert len(long) < 500
    assert "\n" not in long


def test_wide_parts_show_what_decided() -> None:
    """The first operands and the deciding ones are shown, and how many are not."""
    expression = And(*[attr("a") == 1] * 500, attr("b") == 2, *[attr("a") == 1] * 499)
    lines = str(explain(expression, {"a": 1, "b": 3})).splitlines()
    assert len(lines) < 20
    assert lines[-4:] == [
        "▶ ├─ b = 2: false (b is 3)",
        "  └─ … 499 more",
        "Decided by:",
        "▶ b = 2: false (b is 3)",
    ]
    assert "  ├─ … 490 more" in lines


def test_deep_parts_are_cut_and_what_decided_is_still_said() -> None:
    """Depth is cut in print, never in the explanation."""
    expression: Expression = attr("a") == 1
    for _ in range(1000):
        expression = Not(expression)
    lines = str(explain(expression, {"a": 1})).splitlines()
    assert len(lines) < 50
    assert lines[-2:] == ["Decided by:", "▶ a = 1: true (a is 1)"]


def test_deep_expressions_are_explained_and_freed() -> None:
    """No recursion at 100,000 levels, in making, printing or dropping."""
    explanation = explain(deep(), {"a": 1, "b": 2})
    assert explanation.value is evaluate(deep(), {"a": 1, "b": 2})
    assert explanation.deciding
    assert len(str(explanation)) < 50_000
    levels = 0
    part = explanation
    while part.children:
        part = part.children[0]
        levels += 1
    assert levels == DEPTH
    del explanation, part


def test_shared_parts_are_explained_once() -> None:
    """A doubling chain of 1,000 levels is explained and printed in bounded space."""
    part: Expression = attr("a") == 1
    for _ in range(1000):
        part = And(part, part)
    explanation = explain(part, {"a": 1})
    assert len(explanation.deciding) == 1
    assert len(str(explanation).splitlines()) < 500


def test_repr_is_short() -> None:
    """A repr says the value and the beginning."""
    assert repr(explain(And(T, F), EVENT)) == "<Explanation: false, t = 1 AND f = 1>"


def test_an_explanation_cannot_be_changed() -> None:
    """It is a record."""
    with pytest.raises(AttributeError):
        explain(T, EVENT).value = None  # type: ignore[misc]


def test_bad_readings_and_events_are_refused() -> None:
    """As in evaluation."""
    with pytest.raises(KindError):
        explain(T, EVENT, missing="maybe")
    with pytest.raises(EventError):
        explain(T, {"t": b""})


@given(EXPRESSIONS, EVENTS, st.sampled_from(("unknown", "false")))
def test_explanations_agree_with_the_oracle(expression: Expression, event: dict[str, object], missing: str) -> None:
    """Every part's value is what evaluating it gives, and what decided is enough for the value."""
    explanation = explain(expression, event, missing)
    for part in _parts(explanation):
        assert part.value is evaluate(part.expression, event, missing)
    assert explanation.deciding
    assert str(explanation).startswith("▶ ")


def _parts(explanation: Explanation) -> Iterator[Explanation]:
    yield explanation
    for child in explanation.children:
        yield from _parts(child)

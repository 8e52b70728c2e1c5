"""Range rules: sizes, operators and kinds, and events whose values crowd where bounds do not."""

from __future__ import annotations

from collections import Counter
from statistics import mean

import hedgerow as hr
from hedgerow.language.operators import Operator
from hedgerow.workload.ranges import ATTRIBUTES, range_events, range_expressions


def predicates_of(rule: hr.Expression) -> list[hr.Predicate]:
    """Return the tests of a conjunction."""
    assert isinstance(rule, hr.And)
    return [part for part in rule.operands if isinstance(part, hr.Predicate)]


RULES = [predicates_of(hr.parse(text)) for _, text in range_expressions(2000)]
TESTS = [test for rule in RULES for test in rule]
EVENTS = list(range_events(500))


def test_rules_have_2_to_5_tests_of_different_attributes() -> None:
    """All sizes alike."""
    sizes = Counter(map(len, RULES))
    assert set(sizes) == {2, 3, 4, 5}
    assert all(0.8 < count / 500 < 1.2 for count in sizes.values())
    assert all(len({test.attribute for test in rule}) == len(rule) for rule in RULES)
    assert {test.attribute for test in TESTS} == {one.name for one in ATTRIBUTES}


def test_every_comparison_is_used() -> None:
    """Equalities of codes, and of all others one side or both."""
    shares = {operator: count / len(TESTS) for operator, count in Counter(test.operator for test in TESTS).items()}
    assert shares.keys() == {Operator.EQ, Operator.LT, Operator.LE, Operator.GT, Operator.GE, Operator.BETWEEN}
    assert 0.2 < shares[Operator.EQ] < 0.35
    assert 0.3 < shares[Operator.BETWEEN] < 0.5
    assert all(test.values[0] <= test.values[1] for test in TESTS if test.operator is Operator.BETWEEN)  # type: ignore[operator]  # numbers


def test_attributes_are_integers_or_floats_within_their_range() -> None:
    """In rules and events alike; but a float that is whole is an integer to the parser. Most are in each event."""
    kinds = {one.name: type(one.low) for one in ATTRIBUTES}
    assert (len(ATTRIBUTES), set(kinds.values())) == (20, {int, float})
    for one in ATTRIBUTES:
        bounds = [value for test in TESTS if test.attribute == one.name for value in test.values]
        values = [event[one.name] for event in EVENTS if one.name in event]
        assert {type(value) for value in values} == {kinds[one.name]}
        assert {type(value) for value in bounds} - {int} == {kinds[one.name]} - {int}
        assert all(one.low <= value <= one.high for value in (*bounds, *values))  # type: ignore[operator]  # numbers
    assert 18 < mean(map(len, EVENTS)) < 20


def test_values_of_events_crowd() -> None:
    """At the low end, at the high end, or in the middle; so bounds alone do not tell how often a test holds."""
    middles = {"low": 0.25, "high": 0.75, "middle": 0.5, "nowhere": 0.5}
    for one in ATTRIBUTES:
        places = [(event[one.name] - one.low) / (one.high - one.low) for event in EVENTS if one.name in event]
        assert abs(mean(places) - middles[one.crowd]) < 0.07, one.name
        inside = mean(0.25 <= place < 0.75 for place in places)
        assert (inside > 0.65) == (one.crowd == "middle"), one.name

"""Targeting rules: their sizes and lists, and that events prefer other values than rules do."""

from __future__ import annotations

from collections import Counter

import hedgerow as hr
from hedgerow.language.operators import Operator
from hedgerow.workload.targeting import (
    ATTRIBUTES,
    targeting_dnf_expressions,
    targeting_events,
    targeting_expressions,
)


def predicates_of(rule: hr.Expression) -> list[hr.Predicate]:
    """Return the tests of a conjunction."""
    assert isinstance(rule, hr.And)
    return [part for part in rule.operands if isinstance(part, hr.Predicate)]


RULES = [predicates_of(hr.parse(text)) for _, text in targeting_expressions(2000)]
TESTS = [test for rule in RULES for test in rule]
EVENTS = list(targeting_events(1000))


def test_rules_have_3_to_8_tests_of_different_attributes() -> None:
    """All sizes alike, and attributes too."""
    sizes = Counter(map(len, RULES))
    assert set(sizes) == set(range(3, 9))
    assert all(0.75 < count / (2000 / 6) < 1.25 for count in sizes.values())
    assert all(len({test.attribute for test in rule}) == len(rule) for rule in RULES)
    named = Counter(test.attribute for test in TESTS)
    assert named.keys() == ATTRIBUTES.keys()
    assert max(named.values()) < 1.5 * min(named.values())


def test_a_third_of_the_tests_are_not_in_and_few_rules_ask_for_nothing() -> None:
    """There are no other tests than IN and NOT IN."""
    operators = Counter(test.operator for test in TESTS)
    assert operators.keys() == {Operator.IN, Operator.NOT_IN}
    assert 0.28 < operators[Operator.NOT_IN] / len(TESTS) < 0.38
    negative = sum(all(test.operator is Operator.NOT_IN for test in rule) for rule in RULES)
    assert negative < 0.005 * len(RULES)


def test_lists_have_1_to_4_values_and_now_and_then_up_to_20() -> None:
    """All different, and at most half of what there is."""
    lengths = Counter(len(test.values) for test in TESTS)
    long = sum(count for length, count in lengths.items() if length > 4)
    assert 0.02 < long / len(TESTS) < 0.07
    assert max(lengths) == 20
    assert lengths[1] > lengths[2] > lengths[3] > lengths[4] > 0.05 * len(TESTS)
    assert all(len(set(test.values)) == len(test.values) for test in TESTS)
    assert all(2 * len(test.values) <= max(2, ATTRIBUTES[test.attribute]) for test in TESTS)


def test_events_have_nearly_all_attributes() -> None:
    """Of 3 to 5,000 values, words or integers."""
    assert (len(ATTRIBUTES), min(ATTRIBUTES.values()), max(ATTRIBUTES.values())) == (30, 3, 5000)
    sizes = [len(event) for event in EVENTS]
    assert 29 < sum(sizes) / len(sizes) < 30
    assert min(sizes) > 24
    assert {type(event.get(name)) for name in ATTRIBUTES for event in EVENTS} == {str, int, type(None)}


def test_rules_and_events_prefer_other_values() -> None:
    """Of two attributes in three; of the others the most frequent value is the same."""
    differ = 0
    for name in ATTRIBUTES:
        named = Counter(value for test in TESTS if test.attribute == name for value in test.values)
        had = Counter(event[name] for event in EVENTS if name in event)
        differ += named.most_common(1)[0][0] != had.most_common(1)[0][0]
    assert 17 <= differ <= 24


def test_selectivity_is_learned_from_events_and_not_guessed_from_rules() -> None:
    """Led to by the test that really holds least often, an event meets a fraction of what a guess leads it to."""
    named = {name: Counter(v for test in TESTS if test.attribute == name for v in test.values) for name in ATTRIBUTES}
    had = {name: Counter(event.get(name) for event in EVENTS) for name in ATTRIBUTES}

    def guessed(test: hr.Predicate) -> float:
        return len(test.values) / len(named[test.attribute])

    def learned(test: hr.Predicate) -> float:
        return sum(had[test.attribute][value] for value in test.values) / len(EVENTS)

    positive = [[test for test in rule if test.operator is Operator.IN] for rule in RULES]
    candidates = {
        estimate: sum(learned(min(tests, key=estimate)) for tests in positive if tests)
        for estimate in (guessed, learned)
    }
    assert candidates[guessed] > 2 * candidates[learned]


def test_the_values_of_rules_and_of_events_are_the_same_set() -> None:
    """A word or number that rules name can come in an event."""
    for name, size in ATTRIBUTES.items():
        if size > 12:
            continue
        named = {value for test in TESTS if test.attribute == name for value in test.values}
        assert named == {event[name] for event in EVENTS if name in event}
        assert len(named) == size


def test_a_disjunction_has_1_to_4_conjunctions() -> None:
    """Each of the same make."""
    rules = [hr.parse(text) for _, text in targeting_dnf_expressions(600)]
    groups = [rule.operands if isinstance(rule, hr.Or) else (rule,) for rule in rules]
    assert set(map(len, groups)) == {1, 2, 3, 4}
    assert all(3 <= len(predicates_of(group)) <= 8 for those in groups for group in those)

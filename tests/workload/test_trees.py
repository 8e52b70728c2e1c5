"""Trees of equalities: their shape, what they share, and events that meet them."""

from __future__ import annotations

import re
from collections import Counter

import hedgerow as hr
from hedgerow.language.operators import Operator
from hedgerow.language.walk import postorder
from hedgerow.workload.trees import tree_events, tree_expressions

TEXTS = [text for _, text in tree_expressions(3000)]


def test_a_tree_is_four_groups_of_four_equalities() -> None:
    """Half of the roots are AND; nearly all groups have the other operator."""
    roots: Counter[str] = Counter()
    alike = 0
    for text in TEXTS:
        groups = re.findall(r"\(([^()]*)\)", text)
        (root,) = set(re.findall(r"\) (AND|OR) \(", text))
        inner = [set(re.findall(r"\b(?:AND|OR)\b", group)) for group in groups]
        assert [len(re.findall(r"a\d+ = \d+", group)) for group in groups] == [4] * 4
        assert all(len(those) == 1 for those in inner)
        roots[root] += 1
        alike += sum(those == {root} for those in inner)
    assert 0.45 < roots["AND"] / len(TEXTS) < 0.55
    assert 0 < alike < 0.015 * 4 * len(TEXTS)


def test_all_tests_are_equalities_of_a_thousand_attributes_with_a_hundred_values() -> None:
    """What is popular is named often."""
    parts = [part for text in TEXTS for part in postorder(hr.parse(text)) if isinstance(part, hr.Predicate)]
    assert {part.operator for part in parts} == {Operator.EQ}
    assert {part.values[0] for part in parts} == set(range(100))
    named = Counter(part.attribute for part in parts)
    assert named["a0"] > named["a9"] > named["a99"] > 0
    assert len(named) > 800
    assert all(int(name[1:]) < 1000 for name in named)


def test_groups_are_shared() -> None:
    """The most frequent one stands in many trees."""
    groups = Counter(group for text in TEXTS for group in re.findall(r"\([^()]*\)", text))
    assert groups.most_common(1)[0][1] > 5
    assert len(groups) < 0.98 * 4 * len(TEXTS)


def test_events_have_20_attributes() -> None:
    """The popular ones nearly always."""
    events = list(tree_events(300))
    assert {len(event) for event in events} == {20}
    assert sum("a0" in event for event in events) > 250
    assert sum("a500" in event for event in events) < 20
    assert {value for event in events for value in event.values()} <= set(range(100))

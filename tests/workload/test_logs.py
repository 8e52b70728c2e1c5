"""Detection rules and log records: what operators there are, and that patterns mean what they should."""

from __future__ import annotations

from collections import Counter

import hedgerow as hr
from hedgerow.language.walk import postorder
from hedgerow.workload.logs import log_events, log_expressions
from hedgerow.workload.logs_words import NAMES, PROGRAMS, name_of

RULES = [hr.parse(text) for _, text in log_expressions(1500)]
EVENTS = list(log_events(600))


def predicates_of(rule: hr.Expression) -> list[hr.Predicate]:
    """Return the tests of a rule."""
    return [part for part in postorder(rule) if isinstance(part, hr.Predicate)]


def test_most_tests_are_patterns_in_any_case() -> None:
    """Every operator of strings is used, and half of the tests or more are ILIKE."""
    operators = Counter(test.operator.name for rule in RULES for test in predicates_of(rule))
    assert operators.keys() == {
        *("ILIKE", "LIKE", "STARTS_WITH", "ENDS_WITH", "CONTAINS", "MATCHES", "IN", "EQ"),
    }
    assert operators["ILIKE"] > 0.5 * operators.total()


def test_rules_name_types_and_leave_out_what_is_harmless() -> None:
    """Most begin with IN on the type, and more than half end with a filter."""
    operands = [rule.operands if isinstance(rule, hr.And) else (rule,) for rule in RULES]
    typed = [isinstance(parts[0], hr.Predicate) and parts[0].attribute == "event_type" for parts in operands]
    filtered = [isinstance(parts[-1], hr.Not) for parts in operands]
    assert 0.8 < sum(typed) / len(RULES) < 0.9
    assert 0.5 < sum(filtered) / len(RULES) < 0.7


def test_records_have_about_15_attributes_and_lack_some() -> None:
    """What a type of record does not tell of is absent, and texts come in more than one case."""
    sizes = [len(event) for event in EVENTS]
    assert 14 < sum(sizes) / len(sizes) < 18
    for name in ("parent_image", "target", "details", "destination", "port"):
        assert 0 < sum(name in event for event in EVENTS) < len(EVENTS)
    images = [str(event["image"]) for event in EVENTS]
    assert any(image.isupper() for image in images)
    assert any(image.islower() for image in images)
    assert {image.lower().rpartition("\\")[2] for image in images} == {f"{program}.exe" for program in PROGRAMS}


def test_the_readings_of_what_is_missing_differ() -> None:
    """A filter on what a record lacks must not take it away."""
    counts = {}
    for missing in ("unknown", "false"):
        index = hr.Index(missing=missing)
        index.insert_many(enumerate(RULES), progress=False)
        counts[missing] = sum(index.count_batch(EVENTS).to_pylist())
    assert 0 < counts["unknown"] < counts["false"]


def test_a_backslash_in_a_pattern_stands_for_itself() -> None:
    """Where a rule looks for a program, it finds it in a path, whatever the case."""
    texts = [text for _, text in log_expressions(1500)]
    (test, *_) = [text for text in texts if "image ILIKE '%\\\\certutil.exe'" in text]
    part = next(part for part in predicates_of(hr.parse(test)) if part.values == ("%\\\\certutil.exe",))
    assert hr.evaluate(part, {part.attribute: "C:\\TOOLS\\CertUtil.exe"}) is True
    assert hr.evaluate(part, {part.attribute: "C:\\TOOLS\\xcertutil.exe"}) is False


def test_names_are_different() -> None:
    """Many, and letters with at most two digits."""
    names = {name_of(number) for number in range(NAMES)}
    assert len(names) == NAMES
    assert name_of(NAMES) == name_of(0)
    assert all(name.rstrip("0123456789").isalpha() for name in names)

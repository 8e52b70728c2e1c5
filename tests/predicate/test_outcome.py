"""The compiled tests of predicates, against every claim that the language makes."""

from __future__ import annotations

import random

import pytest

import hedgerow as hr
from hedgerow.language.fold import folded
from hedgerow.language.operators import OPERATORS
from tests.language.claims import CLAIMS


@pytest.mark.parametrize(("predicate", "value", "outcome"), CLAIMS)
def test_a_claim_holds_in_a_search(predicate: hr.Predicate, value: object, outcome: bool | None) -> None:
    """A predicate and its negation match exactly where the claim says true and false, alone and in a batch."""
    index = hr.Index("scan")
    index.insert("is", predicate)
    index.insert("is not", ~predicate)
    expected = {True: ["is"], False: ["is not"], None: []}[outcome]
    assert index.match({"a": value}) == expected
    assert index.match_batch([{}, {"a": value}])["event"].to_pylist().count(1) == len(expected)


@pytest.mark.parametrize(("predicate", "value", "outcome"), CLAIMS)
def test_undefined_reads_false_where_that_was_asked_for(
    predicate: hr.Predicate, value: object, outcome: bool | None
) -> None:
    """With missing="false" exactly one of a predicate and its negation matches."""
    index = hr.Index("scan", missing="false")
    index.insert("is", predicate)
    index.insert("is not", ~predicate)
    assert index.match({"a": value}) == (["is"] if outcome else ["is not"])


def test_the_claims_speak_of_every_operator() -> None:
    """No operator is left out of the claims."""
    assert {predicate.operator for predicate, _, _ in CLAIMS} == {row.operator for row in OPERATORS}


def test_like_agrees_with_the_oracle_on_random_patterns() -> None:
    """The compiled LIKE and RE2's agree, with escapes, case and characters of one to four bytes."""
    chance = random.Random(3)
    alphabet = ["a", "A", "b", "%", "_", "\\%", "\\_", "\\\\", "ß", "ẞ", "Σ", "ς", "日", "𐐀", "𐐨", "K"]
    for _ in range(2000):
        pattern = "".join(chance.choices(alphabet, k=chance.randrange(6)))
        text = "".join(character[-1] for character in chance.choices(alphabet, k=chance.randrange(6)))
        for predicate in (hr.attr("a").like(pattern), hr.attr("a").ilike(pattern)):
            index = hr.Index("scan")
            index.insert(1, predicate)
            assert (index.match({"a": text}) == [1]) == hr.evaluate(predicate, {"a": text}), (predicate, text)


def test_folding_keeps_the_length_of_every_character() -> None:
    """Simple case folding maps one character to one, and folding twice changes nothing more."""
    everything = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x20000)]))
    once = folded(everything)
    assert len(once) == len(everything)
    assert folded(once) == once


def test_a_list_of_a_hundred_thousand_values_is_searched_not_scanned() -> None:
    """IN and ALL OF over long lists find values at both ends and between, and nothing beside them."""
    index = hr.Index("scan")
    index.insert("in", hr.attr("a").isin(range(0, 200_000, 2)))
    index.insert("all", hr.attr("a").all_of(range(0, 200_000, 2)))
    assert [index.match({"a": value}) for value in (0, 1, 100_000, 199_998, 199_999)] == [
        ["in"],
        [],
        ["in"],
        ["in"],
        [],
    ]
    assert index.match({"a": list(range(200_000))}) == ["in", "all"]
    assert index.match({"a": list(range(2, 200_002))}) == ["in"]


def test_a_regular_expression_is_linear_on_what_hangs_others() -> None:
    """A pattern that takes exponential time by backtracking answers at once."""
    index = hr.Index("scan")
    index.insert(1, hr.attr("a").matches("^(a+)+$"))
    assert index.match({"a": "a" * 50_000 + "b"}) == []


def test_strings_are_found_by_text_whatever_order_they_came_in() -> None:
    """A peer sorted string lists by text and searched them by number: CA and US were missed."""
    index = hr.Index("scan")
    index.insert(0, "country = 'US'")
    index.insert(1, "country IN ('CA', 'US')")
    index.insert(2, "country IN ('US', 'MX', 'CA')")
    assert [index.match({"country": value}) for value in ("CA", "US", "MX")] == [[1, 2], [0, 1, 2], [2]]


def test_two_lists_on_one_attribute_stay_two_conditions() -> None:
    """A peer silently made OR of two IN on one attribute."""
    index = hr.Index("scan")
    index.insert(1, "a IN (1, 2) AND a IN (2, 3)")
    assert [index.match({"a": value}) for value in (1, 2, 3)] == [[], [1], []]

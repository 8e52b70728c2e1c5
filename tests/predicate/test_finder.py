"""What a finder finds, against the tests of all its literals one by one."""

from __future__ import annotations

import datetime as dt
import random
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.language.operators import Accepts
from hedgerow.testing import events, predicates
from tests.language import samples
from tests.language.claims import CLAIMS
from tests.predicate.literals import Literals

# Texts that share their first 8 bytes, or end within them, or have letters whose case takes more than ASCII's rule.
NEAR = ("", "a", "a\0", "abcdefgh", "abcdefgh\0", "abcdefghi", "abcdefgz", "zzzzzzzzzzz", "ééééa", "ééééb", "日本語")
FOLDING = ("straße", "STRASSE", "STRAẞE", "ΣΑΣ", "σας", "İstanbul", "K", "k", "𐐀𐐨", "\u017f", "s")
EDGES = (
    2**53 - 1,
    2**53,
    2**53 + 1,
    float(2**53),
    float(2**53 + 2),
    2**63 - 1,
    2.0**63,
    -(2**63),
    0,
    -0.0,
    0.5,
    5e-324,
)
TIMES = tuple(dt.datetime(year, 1, 1, tzinfo=dt.UTC) for year in (1, 1969, 1970, 9999))


@given(st.lists(st.tuples(predicates(weighted=False), st.sampled_from(Accepts)), max_size=40), st.lists(events()))
def test_what_is_found_is_what_holds(given_literals: list[tuple[hr.Predicate, Accepts]], found_in: list[Any]) -> None:
    """Of any literals exactly those are found that hold: all operators, kinds, lists, and what is absent."""
    literals = Literals()
    for predicate, accepts in given_literals:
        literals.add(predicate, accepts)
    literals.check(found_in)


@given(st.lists(samples.predicates(), max_size=30), st.lists(samples.EVENTS, max_size=8))
def test_all_four_literals_of_a_predicate_are_found(given_predicates: list[hr.Predicate], found_in: list[Any]) -> None:
    """What accepts TRUE, FALSE, NOT_TRUE and NOT_FALSE is found together, for many predicates on few attributes."""
    literals = Literals()
    for predicate in given_predicates:
        literals.add_all(predicate)
    literals.check(found_in)


def test_every_claim_of_the_language_is_found() -> None:
    """One finder with every predicate that the claims speak of finds what holds on each of their values."""
    literals = Literals()
    for predicate, _, _ in CLAIMS:
        literals.add_all(predicate)
    literals.check([{}, *({"a": value} for _, value, _ in CLAIMS)])


@pytest.mark.parametrize("values", (NEAR, FOLDING, EDGES, TIMES, (False, True)))
def test_bounds_that_are_close_together_are_told_apart(values: tuple[Any, ...]) -> None:
    """Where keys are coarser than values, on or beside the bounds, a test decides: strings, integers beside floats."""
    literals = Literals()
    for value in values:
        attribute = hr.attr("a")
        for predicate in (attribute < value, attribute <= value, attribute > value, attribute >= value):
            literals.add_all(predicate)
        for other in values:
            if isinstance(value, str) == isinstance(other, str):
                literals.add_all(attribute.between(value, other))
    scalars = [{"a": value} for value in values]
    literals.check([*scalars, {"a": []}, {"a": list(values)}, {"a": [values[0], None, "x", 3.25]}, {"b": 1}])


def test_patterns_are_found_in_texts_of_any_case() -> None:
    """String tests with enough patterns for automata agree with the tests, with folding beyond ASCII."""
    literals = Literals()
    texts = [*NEAR, *FOLDING]
    for text in texts:
        for start in range(len(text)):
            part = text[start : start + 3]
            attribute = hr.attr("a")
            for predicate in (attribute.contains(part), attribute.startswith(part), attribute.endswith(part)):
                literals.add_all(predicate)
            for pattern in (f"%{part}%", f"{part}_%", f"_{part}", f"%{part[:1]}_{part[1:]}"):
                literals.add_all(attribute.like(pattern))
                literals.add_all(attribute.ilike(pattern))
            literals.add_all(attribute.matches(f"(?i){part[:1]}.*"))
    assert sum(len(patterns) for patterns in literals.finder.patterns if patterns) > 60
    literals.check([{"a": text} for text in texts])
    literals.check([{"a": texts}, {"a": [1, "straße"]}, {"a": "x".join(texts)}, {"a": 3}])


def test_numbers_that_come_again_stand_for_what_they_stand_for_now() -> None:
    """Literals that go and others that come under their numbers, ten thousand times, leave no trace."""
    chance = random.Random(7)
    literals = Literals()
    free: list[int] = []
    used: list[int] = []
    for step in range(10_000):
        if used and chance.random() < 0.48:
            index = chance.randrange(len(used))
            used[index], used[-1] = used[-1], used[index]
            free.append(used.pop())
            literals.remove(free[-1])
        else:
            before = len(literals.numbers)
            number = literals.add(_random_predicate(chance), chance.choice(list(Accepts)), free[-1] if free else None)
            if len(literals.numbers) > before:
                used.append(number)
                if free:
                    free.pop()
        if step % 1000 == 0:
            literals.check([_random_event(chance) for _ in range(5)])
    for number in used:
        literals.remove(number)
    search = literals.search([_random_event(chance), {}])
    assert [search.numbers(0), search.numbers(1)] == [[], []]


def test_what_goes_and_comes_again_takes_no_further_room() -> None:
    """Literals of each way to be found, removed and added a thousand times, fill no list and no arena."""
    literals = Literals()
    attribute = hr.attr("a")
    values = (attribute == 1, attribute.isin([1, 2]), attribute < 3, attribute.all_of([1, 2]), attribute.is_null())
    ways = (*values, attribute.contains("x"), attribute.matches("x"))
    for predicate in ways:
        literals.add(predicate)
    size = literals.finder.nbytes
    for _ in range(1000):
        for number, predicate in enumerate(ways):
            literals.remove(number)
            literals.add(predicate, number=number)
    assert literals.finder.nbytes == size
    literals.check([{"a": 1}, {"a": "xy"}, {"a": [1, 2]}, {}])


def _random_predicate(chance: random.Random) -> hr.Predicate:
    attribute = hr.attr(chance.choice("abc"))
    number, text = chance.randrange(400), f"{chance.randrange(40):x}{chance.randrange(40):x}"
    choices = (
        lambda: attribute == number,
        lambda: attribute.isin([number, number + 1, text]),
        lambda: attribute < number,
        lambda: attribute >= number + 0.5,
        lambda: attribute.between(number, number + 20),
        lambda: attribute > text,
        lambda: attribute.contains(text),
        lambda: attribute.ilike(f"%{text}_"),
        lambda: attribute.matches(f"^{text}"),
        lambda: attribute.all_of([number, text]),
        attribute.is_null,
    )
    return chance.choice(choices)()


def _random_event(chance: random.Random) -> dict[str, Any]:
    values = (
        chance.randrange(400),
        chance.random() * 400,
        f"{chance.getrandbits(40):X}",
        f"{chance.getrandbits(20):x}",
    )
    scalars = {name: chance.choice(values) for name in "ab" if chance.random() < 0.8}
    return scalars | ({"c": list(values)} if chance.random() < 0.5 else {})


# Searches beside a writer


def test_a_search_that_began_before_finds_what_was_there() -> None:
    """Thousands of literals that come after a search began move every array; it finds all that it began with."""
    chance = random.Random(11)
    literals = Literals()
    for _ in range(300):
        literals.add(_random_predicate(chance), chance.choice(list(Accepts)))
    given_events = [_random_event(chance) for _ in range(20)]
    search = literals.search(given_events)
    expected = [search.tested_numbers(row) for row in range(20)]
    for step in range(3000):
        predicate = _random_predicate(chance)
        literals.add(hr.Predicate(f"{predicate.attribute}{step % 90 or ''}", predicate.operator, predicate.values))
        if step % 150 == 0:
            assert search.numbers(step // 150) == expected[step // 150]
    assert [search.numbers(row) for row in range(20)] == expected


def test_a_number_that_comes_again_beside_a_search_is_not_taken_for_what_it_was() -> None:
    """A number below the limit that got a literal after the search began is never found where that does not hold."""
    literals = Literals()
    first = literals.add(hr.attr("a") != 1, Accepts.FALSE)
    literals.remove(first)
    search = literals.search([{"a": 5, "b": 5}])
    for number in range(1, 5000):  # so that the codes are in another array now
        literals.add(hr.attr("b") > number, number=number)
    literals.add(hr.attr("new") != 2, Accepts.FALSE, number=first)
    assert search.numbers(0) == []


def test_searches_in_threads_beside_a_writer_miss_nothing() -> None:
    """Threads that search without pause while ranges, values and patterns are added find what they began with."""
    chance = random.Random(13)
    literals = Literals()
    for _ in range(200):
        literals.add(_random_predicate(chance), chance.choice(list(Accepts)))
    count = literals.count
    given_events = [_random_event(chance) for _ in range(50)]
    search = literals.search(given_events)
    expected = [search.tested_numbers(row) for row in range(50)]
    done = threading.Event()
    wrong: list[int] = []

    def read() -> None:
        while not done.is_set():
            search = literals.search(given_events, count)
            wrong.extend(row for row in range(50) if search.numbers(row) != expected[row])

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(5000):
        literals.add(_random_predicate(chance))
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong


# Work


def test_absence_costs_one_look_at_an_attribute() -> None:
    """A thousand literals that absence satisfies are found on an empty event without a single test."""
    literals = Literals()
    for number in range(1000):
        literals.add(hr.attr(f"a{number % 10}") == number, Accepts.NOT_TRUE)
    search = literals.search([{}, {"a0": 10}])
    assert len(search.numbers(0)) == 1000
    assert search.tests == 0
    assert len(search.numbers(1)) == 999
    assert search.tests == 100


def test_a_selective_value_touches_few_of_many_ranges() -> None:
    """Of 20,000 intervals on one attribute, only those in which a value lies cost anything."""
    literals = Literals()
    for number in range(20_000):
        literals.add(hr.attr("a").between(10 * number, 10 * number + 15))
    search = literals.search([{"a": 100_003}])
    assert search.numbers(0) == [9999, 10_000]
    assert search.tests == 0
    assert search.ranges.touched < 500


def test_a_pattern_that_is_not_in_the_text_is_not_tested() -> None:
    """Of 1,000 substrings, those that the text has are tested, and those that still wait for their automaton."""
    literals = Literals()
    for number in range(1000):
        literals.add(hr.attr("a").contains(f"<{number}>"))
    search = literals.search([{"a": "<17> <171> <1000>"}])
    assert search.numbers(0) == [17, 171]
    assert search.tests <= 2 + 16

"""LIKE and ILIKE: the compiled search against RE2's, and how much it compares."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.language.fold import folded
from hedgerow.language.pattern import like
from hedgerow.limits import MAX_PATTERN_BYTES
from hedgerow.predicate.finder_cy import Found
from hedgerow.predicate.outcome_cy import Outcomes
from tests.predicate.literals import Literals

x = hr.attr("x")

SYMBOLS = ("a", "A", "b", "%", "_", r"\%", r"\_", r"\\", "é", "É", "ß", "ẞ", "Σ", "ς", "日", "𐐀", "𐐨", "K", "\u017f")
CHARACTERS = tuple(symbol[-1] for symbol in SYMBOLS)
PATTERNS = st.lists(st.sampled_from(SYMBOLS), max_size=12).map("".join)
TEXTS = st.lists(st.sampled_from(CHARACTERS), max_size=40).map("".join)


def outcome_of(predicate: hr.Predicate, text: str) -> tuple[bool, int]:
    """Return whether a predicate holds for a text, and how many characters were compared for it."""
    literals = Literals()
    literals.add(predicate)
    outcomes = Outcomes(literals.table, hr.events([{"x": text}]), "unknown")
    found = Found(literals.finder, outcomes, 1).tested_numbers(0) == [0]
    return found, outcomes.steps


def check(pattern: str, text: str) -> None:
    """Compare LIKE and ILIKE with what RE2 says of them."""
    assert outcome_of(x.like(pattern), text)[0] == like(pattern, text), (pattern, text)
    assert outcome_of(x.ilike(pattern), text)[0] == like(folded(pattern), folded(text)), (pattern, text)


@given(PATTERNS, TEXTS)
def test_any_pattern_on_any_text_is_as_re2_has_it(pattern: str, text: str) -> None:
    """Segments with and without _, escapes, case, and characters of one to four bytes."""
    check(pattern, text)


@given(st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=12), st.data())
def test_a_pattern_fits_what_was_made_of_it(symbols: list[str], data: st.DataObject) -> None:
    """A text in which each % became some characters and each _ one is found, and is not with something in between."""
    runs = {"%": st.text("aAbé", max_size=4), "_": st.sampled_from(CHARACTERS)}
    parts = [data.draw(runs[symbol]) if symbol in runs else symbol[-1] for symbol in symbols]
    text = "".join(parts)
    assert outcome_of(x.like("".join(symbols)), text)[0]
    assert outcome_of(x.ilike("".join(symbols)), text.upper() if text.isascii() else text)[0]
    cut = data.draw(st.integers(0, len(text)))
    check("".join(symbols), text[:cut] + data.draw(st.sampled_from(CHARACTERS)) + text[cut:])


@pytest.mark.parametrize("seed", range(6))
def test_long_texts_that_almost_fit_everywhere_are_as_re2_has_them(seed: int) -> None:
    """Where trying each place takes too long, bits find the same: with _, with case, and beyond ASCII."""
    chance = random.Random(seed)
    for _ in range(12):
        core = "".join(chance.choices("aaaaaaaaaAé_", k=chance.choice((60, 64, 65, 128, 129, 200))))
        pattern = f"{chance.choice(('', '%', '_%'))}a{core}{chance.choice(('b', 'bé'))}{chance.choice(('', '%', '%_'))}"
        text = "".join(chance.choices("aaaaaaaaaaaaAéb", [9] * 12 + [2, 2, 0.1], k=3000))
        at = chance.randrange(len(text))
        planted = "".join(character if character != "_" else chance.choice("aé日") for character in pattern.strip("%"))
        check(pattern, text)
        check(pattern, text[:at] + planted + text[at:])


@pytest.mark.parametrize("size", (1, 2048, 3000))
def test_segments_of_escapes_are_found(size: int) -> None:
    """Escapes stand for themselves in segments that are searched by their bytes, however long."""
    part = r"\%\_\\"[: 2 * min(size, 3)] * min(size, 150)
    plain = part.replace("\\\\", "\0").replace("\\", "").replace("\0", "\\")
    assert outcome_of(x.like(f"%{part}%"), f"x{plain}y")[0]
    assert not outcome_of(x.like(f"%{part}%"), f"x{plain[:-1]}")[0]


# Work


@pytest.mark.parametrize("pattern", ("%plain%", "%a%b%plain%", "plain%", "%plain", "_%plain_%", r"%100\%%"))
def test_what_has_no_wildcard_in_it_is_searched_and_not_compared(pattern: str) -> None:
    """A million characters cost LIKE no more comparisons than its pattern has characters."""
    found, steps = outcome_of(x.like(pattern), "ab " * 333_333)
    assert not found
    assert steps <= len(pattern)


@pytest.mark.parametrize("predicate", (x.ilike("%plain%"), x.ilike("%p_a%i%n%"), x.like("%p_ain%q_r%")))
def test_wildcards_and_case_cost_pattern_and_text(predicate: hr.Predicate) -> None:
    """Usual patterns on a long text are compared with about as many characters as the text has."""
    text = "the plain in Spain has Pains of its own, " * 2000
    assert outcome_of(predicate, text)[1] <= 2 * len(text)


@pytest.mark.parametrize("wildcard", ("a", "_"))
@pytest.mark.parametrize("fold", (False, True))
def test_the_hardest_pattern_costs_one_step_for_sixty_four_places(fold: bool, wildcard: str) -> None:
    """A pattern of 1,024 bytes that fits but for its end everywhere costs 16 steps a character, and not 1,024."""
    pattern = "%" + "a" * 500 + wildcard + "a" * (MAX_PATTERN_BYTES - 504) + "b%"
    assert len(pattern) == MAX_PATTERN_BYTES
    found, steps = outcome_of((x.ilike if fold else x.like)(pattern), "a" * 100_000)
    assert not found
    assert steps <= (4 + 16 + 1) * 100_000

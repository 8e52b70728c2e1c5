"""Many patterns at once: which are found, how they are grouped, and what happens when RE2 gives up."""

from __future__ import annotations

import random

import pytest
import re2

import hedgerow as hr
from hedgerow.language.operators import Operator
from hedgerow.language.pattern import longest_literal
from hedgerow.predicate.patterns_cy import Patterns, RegexGroup, RegexSet, fragment_of
from hedgerow.symbols_cy import SymbolTable
from tests.predicate.literals import Literals


def patterns_of(texts: list[str], *, regular: bool) -> Patterns:
    """Return patterns that came in handfuls of 16, the keys counted from 0."""
    table = SymbolTable()
    patterns = Patterns(table, regular=regular)
    for first in range(0, len(texts), 16):
        part = texts[first : first + 16]
        patterns.absorb(range(first, first + len(part)), [table.intern(text) for text in part])
    return patterns


def test_fragments_are_found_wherever_they_overlap() -> None:
    """Every fragment of random texts is found exactly where Python finds it, within and across others."""
    chance = random.Random(5)
    texts = sorted({"".join(chance.choices("abß日", k=chance.randrange(1, 5))) for _ in range(300)})
    patterns = patterns_of(texts, regular=False)
    for _ in range(100):
        text = "".join(chance.choices("abß日c", k=chance.randrange(12)))
        assert patterns.found(text) == ([], [key for key, fragment in enumerate(texts) if fragment in text])


def test_groups_double() -> None:
    """A handful that comes again and again makes few groups, each fragment in one of them."""
    patterns = patterns_of([str(number) for number in range(16 * 100)], regular=False)
    assert [len(group) for group in patterns.groups] == [1024, 512, 64]
    assert len(patterns) == 1600


def test_groups_are_made_ready_only_when_asked() -> None:
    """Loading builds no automaton; the first value builds those that are there by then."""
    patterns = patterns_of([str(number) for number in range(64)], regular=True)
    (group,) = patterns.groups
    assert isinstance(group, RegexGroup)
    assert group.sets is None
    patterns.found(b"7")
    assert group.sets is not None


def test_groups_of_regular_expressions_are_bounded() -> None:
    """However many expressions there are, no set has more than 64 of them."""
    patterns = patterns_of([f"x{number}y" for number in range(320)], regular=True)
    assert [len(group) for group in patterns.groups] == [64] * 5
    assert patterns.found(b"-x17y-x300y") == ([17, 300], [])


def test_regular_expressions_are_found_by_sets_as_one_by_one() -> None:
    """Random expressions are found in random texts exactly where RE2 finds each alone."""
    chance = random.Random(6)
    pieces = ["a", "b", "ß", ".", "a*", "(a|b)", "^", "$", "[^a]", "(?i)A", "b{2}", "\\b"]
    texts = sorted({"".join(chance.choices(pieces, k=chance.randrange(1, 4))) for _ in range(200)})
    texts = [text for text in texts if _compiles(text)]
    patterns = patterns_of(texts, regular=True)
    for _ in range(50):
        value = "".join(chance.choices("abßA \n", k=chance.randrange(8))).encode()
        sure, doubtful = patterns.found(value)
        assert not doubtful
        assert sorted(sure) == [key for key, text in enumerate(texts) if re2.search(text.encode(), value)]


def _compiles(text: str) -> bool:
    try:
        re2.compile(text.encode())
    except re2.error:
        return False
    return True


# Bad luck


def test_a_set_that_runs_out_of_memory_leaves_all_in_doubt() -> None:
    """RE2 says "nothing found" when its automaton has no room; the sentinel tells, and nothing is lost."""
    regexes = RegexSet([5, 6, 7], [b"a", b"b", b"c"], 1 << 20)
    sure: list[int] = []
    doubtful: list[int] = []
    regexes.find(b"xyz", sure, doubtful)
    assert (sure, doubtful, regexes.failures) == ([], [], 0)
    regexes.matcher = Silent()
    regexes.find(b"abc", sure, doubtful)
    assert (sure, doubtful, regexes.failures) == ([], [5, 6, 7], 1)


def test_a_set_that_fails_again_and_again_is_given_up() -> None:
    """After some failures the set is not asked any more, and its expressions are tested one by one."""
    regexes = RegexSet([5], [b"a"], 1 << 20)
    regexes.matcher = silent = Silent()
    doubtful: list[int] = []
    for _ in range(20):
        regexes.find(b"a", [], doubtful)
    assert doubtful == [5] * 20
    assert silent.asked == 16


def test_a_set_that_cannot_be_made_leaves_all_in_doubt() -> None:
    """Expressions that are too large for a set together are in doubt, not lost."""
    regexes = RegexSet([5, 6], [b"(abc){1000}", b"b"], 1 << 12)
    doubtful: list[int] = []
    regexes.find(b"b", [], doubtful)
    assert doubtful == [5, 6]


class Silent:
    """A set that never finds anything, as one that is out of memory."""

    asked = 0

    def Match(self, _: bytes) -> None:  # noqa: N802 - the name that RE2's has
        """Find nothing."""
        self.asked += 1


def test_expressions_are_found_although_their_sets_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finder whose RE2 sets all run out of memory tests the expressions one by one, and finds the same."""
    literals = Literals()
    for number in range(100):
        literals.add(hr.attr("a").matches(f"^{number}x"))
    search = literals.search([{"a": "17x"}, {"a": ["3x", "44x"]}])
    assert [search.numbers(0), search.numbers(1)] == [[17], [3, 44]]
    patterns = literals.finder.patterns[0]
    assert patterns is not None
    for group in patterns.groups:
        assert isinstance(group, RegexGroup)
        for part in group.sets or ():
            monkeypatch.setattr(part, "matcher", Silent())
    before = search.tests
    assert [search.numbers(0), search.numbers(1)] == [[17], [3, 44]]
    assert search.tests - before > 3 * 96


# Fragments


@pytest.mark.parametrize(
    ("pattern", "fragment"),
    (("%", ""), ("", ""), ("__%", ""), ("abc", "abc"), ("a%bcd_e", "bcd"), (r"%10\%\_%x", "10%_"), ("ab%cd", "ab")),
)
def test_a_like_pattern_has_a_longest_literal(pattern: str, fragment: str) -> None:
    """The longest run of characters that stand for themselves, the first of equal ones."""
    assert longest_literal(pattern) == fragment


def test_a_long_fragment_is_cut() -> None:
    """Automata grow with their fragments, so a long one gives its end only; a test decides about the rest."""
    assert fragment_of(Operator.STARTS_WITH, "a" * 100 + "b") == "a" * 63 + "b"
    literals = Literals()
    for number in range(40):
        literals.add(hr.attr("a").contains(f"{number}" + "x" * 100))
    literals.check([{"a": f"{number}" + "x" * 100} for number in range(40)])


def test_patterns_without_a_fragment_are_tested() -> None:
    """A pattern that any text may fit has no fragment, and is tested whenever its attribute is present."""
    literals = Literals()
    for pattern in ("%", "", "_", "__", "_%"):
        literals.add_all(hr.attr("a").like(pattern))
        literals.add_all(hr.attr("a").ilike(pattern))
    literals.add_all(hr.attr("a").contains(""))
    literals.check([{"a": ""}, {"a": "x"}, {"a": "xy"}, {"a": ["", "xy"]}, {}])

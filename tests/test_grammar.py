"""The grammar in docs/grammar.md is the one that the parser reads: each example, and texts near them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.language.format import RESERVED
from tests.ebnf import Choice, Literal, Recogniser, read_rules, references
from tools import sources

if TYPE_CHECKING:
    from collections.abc import Callable

DOCUMENT = (sources.ROOT / "docs" / "grammar.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```([a-z-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(kind: str, text: str = DOCUMENT) -> str:
    """Return all lines in fenced blocks of one kind."""
    return "".join(content for found, content in _BLOCK.findall(text) if found == kind)


def sections() -> dict[str, str]:
    """Return the text under each third-level heading, which is the name of a rule."""
    parts = re.split(r"^#{2,3} (.*)$", DOCUMENT, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return {title: text for title, text in found.items() if "```ebnf" in text}


def _follows(character: str) -> bool:
    return f"a{character}".isidentifier()


def _space(character: str) -> bool:
    return character in " \t\n\r\f\v" if character.isascii() else character.isspace()


# What the rules say in words.
SPECIALS: dict[str, Callable[[str], bool]] = {
    "a letter of any script, or an underscore: what may start a Python identifier": str.isidentifier,
    "a digit or another character that may go on a Python identifier": _follows,
    "any character but a backtick": lambda character: character != "`",
    "any character but a single quote": lambda character: character != "'",
    "any character but a double quote": lambda character: character != '"',
    "a space, a tab, a line end or another character that Unicode calls white space": _space,
}
# Where keywords, names and numbers cannot end: the bullets under "Tokens and white space".
ENDS_BEFORE: dict[str, Callable[[str], bool]] = {
    "keyword": _follows,
    "word": _follows,
    "number": lambda character: character == "." or _follows(character),
}

RULES = read_rules(blocks("ebnf"))
TOKENS = frozenset(read_rules(blocks("ebnf", DOCUMENT.split("\n## Tokens\n")[1])))
GRAMMAR = Recogniser(RULES, TOKENS, SPECIALS, ENDS_BEFORE)
EXAMPLES = [(rule, line) for rule, text in sections().items() for line in blocks("hedgerow", text).splitlines()]
REFUSED = blocks("hedgerow-refused").splitlines()


def refusal(text: str) -> str | None:
    """Return what the parser expected instead of the text, without details; None if it takes the text."""
    try:
        hr.parse(text)
    except hr.ParseError as error:
        return error.expected.split("(")[0]
    return None


@pytest.mark.parametrize(("rule", "text"), EXAMPLES)
def test_an_example_parses_and_follows_the_rules(rule: str, text: str) -> None:
    """An example is an expression to the parser and to the rules, and what is written of it parses to the same."""
    expression = hr.parse(text)
    assert hr.parse(str(expression)) == expression
    assert GRAMMAR.accepts(text), rule


@pytest.mark.parametrize(("rule", "text"), [example for example in EXAMPLES if example[0] != "reserved"])
def test_an_example_needs_the_rule_that_it_stands_under(rule: str, text: str) -> None:
    """Without its rule, an example does not follow the grammar; ``reserved`` only says what is not a name."""
    assert not GRAMMAR.accepts(text, without=rule)


@pytest.mark.parametrize("text", blocks("hedgerow-error").splitlines())
def test_an_example_of_an_error_is_one(text: str) -> None:
    """Neither the parser nor the rules take it."""
    with pytest.raises(hr.ParseError):
        hr.parse(text)
    assert not GRAMMAR.accepts(text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_grammar_cannot_say_is_refused_by_the_parser(text: str) -> None:
    """It follows the rules, and is an error all the same."""
    assert GRAMMAR.accepts(text)
    assert refusal(text)


def test_every_rule_has_a_section_an_example_and_a_use() -> None:
    """Each rule stands under its own name, with examples, and is part of another one or of the white space."""
    assert {title: list(read_rules(blocks("ebnf", text))) for title, text in sections().items()} == {
        rule: [rule] for rule in RULES
    }
    assert {rule for rule, _ in EXAMPLES} == set(RULES)
    used = {name for part in RULES.values() for name in references(part)}
    assert used == set(RULES) - {"space"}


def test_the_reserved_words_are_those_of_the_formatter() -> None:
    """What is said to need backticks gets backticks."""
    rule = RULES["reserved"]
    assert isinstance(rule, Choice)
    assert {part.text for part in rule.parts if isinstance(part, Literal)} == RESERVED


PIECES = re.compile(r"""\s+|[\w.]+|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|[<>=!]+|.""", re.DOTALL)
# Beside the pieces of the examples: what opens or closes something, and characters that are letters or spaces to some.
ODD = "'\"`^.,-+()[]{}\n\x1c\xa0\xb7\xe9\u0663\u200b\u3000"
POOL = sorted({piece for _, text in EXAMPLES for piece in PIECES.findall(text)} | set(ODD))


@st.composite
def near_examples(draw: st.DrawFn) -> str:
    """Draw an example, or two joined, with a few pieces left out, replaced or put in."""
    texts = draw(st.lists(st.sampled_from([text for _, text in EXAMPLES]), min_size=1, max_size=2))
    pieces = PIECES.findall(draw(st.sampled_from((" AND ", " or ", "XOR", " "))).join(texts))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(pieces)))
        pieces[place : place + draw(st.integers(0, 1))] = draw(st.lists(st.sampled_from(POOL), max_size=1))
    return "".join(pieces)


@given(near_examples())
def test_the_rules_and_the_parser_take_the_same_texts(text: str) -> None:
    """A text that the rules do not allow does not parse; one that they allow does, but for the refusals named."""
    refused = refusal(text)
    if GRAMMAR.accepts(text):
        assert refused in {None, *map(refusal, REFUSED)}
    else:
        assert refused is not None

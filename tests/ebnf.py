"""A reader of the grammar in docs/grammar.md, and a recogniser that follows its rules and nothing else.

It shares no line with the parser, so what both say of a text is worth comparing. All ways through a rule are tried, and
remembered for each place of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_TOKEN = re.compile(r""""[^"]*"|'[^']*'|\?[^?]*\?|[a-z]+(?:-[a-z]+)*|[=,|;(){}\[\]-]""")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Literal:
    """Characters that stand for themselves; a keyword if they are letters."""

    text: str


@dataclass(frozen=True)
class Special:
    """Characters that are described in words."""

    words: str


@dataclass(frozen=True)
class Reference:
    """Another rule."""

    rule: str


@dataclass(frozen=True)
class Sequence:
    """One part after the other; of none: nothing."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Choice:
    """One of the parts."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Repeat:
    """The part any number of times."""

    part: Part


@dataclass(frozen=True)
class Except:
    """The part, where the other does not fit."""

    part: Part
    other: Part


Part: TypeAlias = Literal | Special | Reference | Sequence | Choice | Repeat | Except


def read_rules(text: str) -> dict[str, Part]:
    """Return the rules of an EBNF text by their names."""
    reader = _Reader(_TOKEN.findall(text))
    rules = {}
    while reader.next:
        name = reader.take()
        reader.take("=")
        rules[name] = reader.choice()
        reader.take(";")
    return rules


def references(part: Part) -> Iterator[str]:
    """Yield the rules that a part refers to."""
    if isinstance(part, Reference):
        yield part.rule
    below = getattr(part, "parts", None) or [getattr(part, name, None) for name in ("part", "other")]
    for inner in below:
        if inner is not None:
            yield from references(inner)


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens[::-1]

    @property
    def next(self) -> str:
        return self._tokens[-1] if self._tokens else ""

    def take(self, expected: str | None = None) -> str:
        token = self._tokens.pop()
        assert expected in {None, token}, f"{expected} expected, {token} found"
        return token

    def choice(self) -> Part:
        parts = [self._sequence()]
        while self.next == "|":
            self.take()
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self) -> Part:
        parts = [self._part()]
        while self.next == ",":
            self.take()
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _part(self) -> Part:
        part = self._simple()
        if self.next != "-":
            return part
        self.take()
        return Except(part, self._simple())

    def _simple(self) -> Part:
        token = self.take()
        if token in _CLOSING:
            part = self.choice()
            self.take(_CLOSING[token])
            return {"(": part, "[": Choice((part, Sequence(()))), "{": Repeat(part)}[token]
        if token[0] in "\"'":
            return Literal(token[1:-1])
        return Special(token[1:-1].strip()) if token[0] == "?" else Reference(token)


class Recogniser:
    """Says whether a text follows rules, of which some describe tokens: within those, no white space may stand."""

    def __init__(
        self,
        rules: Mapping[str, Part],
        tokens: frozenset[str],
        specials: Mapping[str, Callable[[str], bool]],
        ends_before: Mapping[str, Callable[[str], bool]],
    ) -> None:
        """Take the rules, the names of those for tokens, what the words mean, and what may not follow a rule."""
        self._rules = rules
        self._tokens = tokens
        self._specials = specials
        self._ends_before = ends_before

    def accepts(self, text: str, start: str = "expression", without: str = "") -> bool:
        """Return whether the text follows the rule ``start``, if the rule ``without`` fits nowhere."""
        walk = _Walk(self._rules, self._tokens, self._specials, self._ends_before, text, without)
        ends = walk.ends(Reference(start), 0, token=False)
        return any(len(text) in walk.skipped(end) for end in ends)


@dataclass
class _Walk:
    rules: Mapping[str, Part]
    tokens: frozenset[str]
    specials: Mapping[str, Callable[[str], bool]]
    ends_before: Mapping[str, Callable[[str], bool]]
    text: str
    without: str

    def __post_init__(self) -> None:
        self.known: dict[tuple[Part, int, bool], frozenset[int]] = {}

    def ends(self, part: Part, position: int, *, token: bool) -> frozenset[int]:
        """Return all places where the part can end if it starts at ``position``."""
        key = part, position, token
        if key not in self.known:
            self.known[key] = frozenset(self._ends(part, position, token=token))
        return self.known[key]

    def skipped(self, position: int) -> frozenset[int]:
        """Return where white space from ``position`` on can end."""
        return self.ends(Repeat(Reference("space")), position, token=True)

    def _ends(self, part: Part, position: int, *, token: bool) -> set[int]:
        if isinstance(part, Choice):
            return {end for inner in part.parts for end in self.ends(inner, position, token=token)}
        if isinstance(part, Sequence):
            return self._sequence_ends(part, position, token=token)
        if isinstance(part, Repeat):
            return self._repeat_ends(part, position, token=token)
        if isinstance(part, Except):
            return set(self.ends(part.part, position, token=token) - self.ends(part.other, position, token=token))
        is_token = not isinstance(part, Reference) or part.rule in self.tokens
        starts = self.skipped(position) if is_token and not token else {position}
        return {end for start in starts for end in self._simple_ends(part, start, token=token or is_token)}

    def _sequence_ends(self, part: Sequence, position: int, *, token: bool) -> set[int]:
        places = {position}
        for inner in part.parts:
            places = {end for place in places for end in self.ends(inner, place, token=token)}
        return places

    def _repeat_ends(self, part: Repeat, position: int, *, token: bool) -> set[int]:
        found = {position}
        places = found
        while places:
            places = {end for place in places for end in self.ends(part.part, place, token=token)} - found
            found |= places
        return found

    def _simple_ends(self, part: Part, position: int, *, token: bool) -> set[int]:
        if isinstance(part, Literal):
            return self._literal_ends(part.text, position)
        character = self.text[position : position + 1]
        if isinstance(part, Special):
            return {position + 1} if character and self.specials[part.words](character) else set()
        assert isinstance(part, Reference)
        if part.rule == self.without:
            return set()
        inner = part.rule in self.tokens or token
        ends = self.ends(self.rules[part.rule], position, token=inner)
        return {end for end in ends if not self._goes_on(part.rule, end)}

    def _literal_ends(self, literal: str, position: int) -> set[int]:
        end = position + len(literal)
        found = self.text[position:end]
        if len(literal) == 1 or not literal.isalpha():
            return {end} if found == literal else set()
        same = found.isascii() and found.upper() == literal
        return {end} if same and not self._goes_on("keyword", end) else set()

    def _goes_on(self, rule: str, end: int) -> bool:
        following = self.text[end : end + 1]
        return bool(following) and rule in self.ends_before and self.ends_before[rule](following)

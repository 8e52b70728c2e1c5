"""What to beat: parsing as one writes it in plain Python, for the part of the language that the benchmark uses.

It is no second parser of the language: it knows no strings, lists, NOT or mistakes. But it ends where the compiled one
does, with numbered parts, each distinct one once.
"""

from __future__ import annotations

import re
from typing import TypeAlias

import hedgerow as hr

Part: TypeAlias = "tuple[str | int, ...]"

_TOKEN = re.compile(r"\w+|[()]|[<>=]+")
_SIGNS = {hr.Operator.EQ: "=", hr.Operator.LT: "<", hr.Operator.GT: ">", hr.Operator.BETWEEN: "BETWEEN"}


class PlainParser:
    """Parses texts into a dict from parts to numbers.

    >>> parser = PlainParser()
    >>> parser.parse("(a = 1 OR b > 2) AND a = 1")
    3
    >>> list(parser.numbers)
    [('a', '=', 1), ('b', '>', 2), ('OR', 0, 1), ('AND', 2, 0)]
    """

    def __init__(self) -> None:
        """Start without any parts."""
        self.numbers: dict[Part, int] = {}
        self._words: list[str] = []

    def parse(self, text: str) -> int:
        """Return the number of the expression."""
        self._words = _TOKEN.findall(text)
        self._words.reverse()
        return self._chain("OR")

    def add(self, expression: hr.Expression) -> int:
        """Return the number of an expression that was parsed otherwise, to compare with."""
        if isinstance(expression, hr.Predicate):
            values = [value for value in expression.values if isinstance(value, int)]
            return self._number((expression.attribute, _SIGNS[expression.operator], *values))
        return self._number((type(expression).__name__.upper(), *map(self.add, expression.operands)))

    def _number(self, part: Part) -> int:
        return self.numbers.setdefault(part, len(self.numbers))

    def _chain(self, operator: str) -> int:
        below = self._operand if operator == "AND" else self._conjunction
        operands = [below()]
        while self._words and self._words[-1] == operator:
            self._words.pop()
            operands.append(below())
        return operands[0] if len(operands) == 1 else self._number((operator, *operands))

    def _conjunction(self) -> int:
        return self._chain("AND")

    def _operand(self) -> int:
        words = self._words
        word = words.pop()
        if word == "(":
            inner = self._chain("OR")
            words.pop()
            return inner
        operator, value = words.pop(), int(words.pop())
        if operator != "BETWEEN":
            return self._number((word, operator, value))
        words.pop()
        return self._number((word, operator, value, int(words.pop())))

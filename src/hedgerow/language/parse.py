"""Text to an expression. There is one parser, ``parse_cy``; this is the door for people who have one text."""

from __future__ import annotations

from hedgerow.errors import ExpressionError
from hedgerow.language.expression import Expression
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser

__all__ = ["parse"]


def parse(text: str) -> Expression:
    """Return the expression that ``text`` says.

    Raises ``ParseError``, which knows the place and what was expected there, or ``LimitError``.

    >>> import hedgerow as hr
    >>> expression = hr.parse("age between 18 and 24 and (interest = 'nba' or interest = 'nfl')")
    >>> print(expression)
    age BETWEEN 18 AND 24 AND (interest = 'nba' OR interest = 'nfl')
    >>> expression == hr.parse(str(expression))
    True
    """
    if not isinstance(text, str):
        raise ExpressionError(f"an expression is parsed from a str, not from {type(text).__name__}")
    graph = Graph()
    return graph.expression(Parser(graph).parse(text))

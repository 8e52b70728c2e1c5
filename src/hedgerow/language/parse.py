"""Text to an expression. There is one parser, ``parse_cy``; this is the door for people who have one text."""

from __future__ import annotations

import threading

from hedgerow.errors import ExpressionError
from hedgerow.language.expression import Expression
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser

__all__ = ["parse"]

# Making a graph costs more than a short parse, so each thread keeps one, unless a long text has made it large.
_OF_THREAD = threading.local()
_WORTH_KEEPING = 1 << 16


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
    parser = getattr(_OF_THREAD, "parser", None) or Parser(Graph())
    # While this call uses it nobody else may: objects made below could run code of their own when others are freed.
    _OF_THREAD.parser = None
    try:
        return parser.graph.expression(parser.parse(str.__str__(text)))
    finally:
        if len(text) <= _WORTH_KEEPING:
            parser.graph.clear()
            _OF_THREAD.parser = parser

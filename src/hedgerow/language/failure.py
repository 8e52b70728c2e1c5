"""What to say about text that does not parse: what stands there, and which keyword was probably meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from hedgerow.errors import ParseError

__all__ = ["parse_error"]

_WORD = re.compile(r"[^\W\d]\w*")
_PIECE = re.compile(r"""[\w.]+|[-+]?[\d.]+\w*|'[^']*'?|"[^"]*"?|<>|[!<>=]=|&&|\|\||.""", re.DOTALL)
_QUOTED_SHOWN = 20
_LONGEST_MISTAKE = 32  # no keyword is half as long, and comparing costs time and memory
# What people bring along from other languages and from word processors.
_FOREIGN = {"&&": "AND", "||": "OR", "!": "NOT"} | dict.fromkeys("\u201c\u201d\u2018\u2019", "a straight quote")


def parse_error(text: str, offset: int, expected: str, candidates: Sequence[str] = ()) -> ParseError:
    """Return the error that ``expected`` does not stand at ``offset``; ``candidates`` are keywords that could.

    >>> parse_error("a = 1 ADN b = 2", 6, "AND, OR or the end", ("AND", "OR")).suggestion
    'AND'
    """
    word = _WORD.match(text, offset)
    suggestion = _nearest(word.group(), candidates) if word else _FOREIGN.get(_piece(text, offset))
    return ParseError(text, offset, _found(text, offset), expected, suggestion)


def _found(text: str, offset: int) -> str:
    """Name what stands at ``offset``: a whole word or number, the start of a string, or one character."""
    if offset >= len(text):
        return "the end"
    shown = _piece(text, offset)
    if len(shown) > _QUOTED_SHOWN:
        shown = shown[:_QUOTED_SHOWN] + "..."
    return shown if shown[:1] in "'\"" else f"'{shown}'"


def _piece(text: str, offset: int) -> str:
    piece = _PIECE.match(text, offset)
    return piece.group() if piece else ""


def _nearest(word: str, candidates: Sequence[str]) -> str | None:
    if len(word) > _LONGEST_MISTAKE or word.upper() in candidates:
        return None
    near = difflib.get_close_matches(word.upper(), candidates, n=1, cutoff=0.6)
    return near[0] if near else None

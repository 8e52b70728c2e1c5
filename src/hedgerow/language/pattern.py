"""The string patterns of the language, compiled: LIKE, ILIKE and MATCHES.

All of them run on RE2, whose time is linear in the text, so that no pattern and no event can hang a match.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import re2

from hedgerow.errors import ExpressionError, LimitError
from hedgerow.limits import MAX_PATTERN_BYTES, MAX_REGEX_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_like", "check_regex", "like", "longest_literal", "regex_found", "regex_options"]

_ESCAPABLE = "%_\\"
# Each compiled pattern may hold up to 8 MiB for its automaton, and RE2's own cache has this size too.
_KEPT = 128
_SHOWN = 200


def check_like(pattern: str) -> None:
    """Raise unless the text is a LIKE pattern."""
    if len(pattern) > MAX_PATTERN_BYTES or len(pattern.encode()) > MAX_PATTERN_BYTES:
        raise LimitError(f"a LIKE pattern has at most {MAX_PATTERN_BYTES:,} bytes")
    for _ in _symbols(pattern):
        pass


def check_regex(pattern: str) -> None:
    """Raise unless the text is a regular expression that RE2 takes."""
    _regex(pattern)


def like(pattern: str, text: str) -> bool:
    r"""Return whether the pattern matches the whole text: ``%`` any run, ``_`` one character, ``\`` escapes them.

    >>> like("a_%", "axyz"), like("a_%", "a"), like(r"100\%", "100%")
    (True, False, True)
    """
    return _like(pattern).search(text.encode()) is not None


def regex_found(pattern: str, text: str) -> bool:
    """Return whether the regular expression is found anywhere in the text.

    >>> regex_found("b+", "abbc"), regex_found("^b", "abbc")
    (True, False)
    """
    return _regex(pattern).search(text.encode()) is not None


def longest_literal(pattern: str) -> str:
    r"""Return the longest run of characters that every text which a LIKE pattern matches has in it.

    >>> longest_literal(r"%.co_.example\_%"), longest_literal("%_")
    ('.example_', '')
    """
    runs = [""]
    for character, itself in _symbols(pattern):
        if itself:
            runs[-1] += character
        else:
            runs.append("")
    return max(runs, key=len)


def _symbols(pattern: str) -> Iterator[tuple[str, bool]]:
    """Yield each character of a LIKE pattern and whether it stands for itself."""
    characters = iter(pattern)
    for character in characters:
        if character != "\\":
            yield character, character not in "%_"
            continue
        escaped = next(characters, "")
        if not escaped or escaped not in _ESCAPABLE:
            raise ExpressionError(r"in a LIKE pattern, \ stands before %, _ or \ only; write \\ for one backslash")
        yield escaped, True


@lru_cache(_KEPT)
def _like(pattern: str) -> re2._Regexp:
    wildcards = {"%": ".*", "_": "."}
    parts = [re2.escape(character) if itself else wildcards[character] for character, itself in _symbols(pattern)]
    return re2.compile(rf"(?s)\A{''.join(parts)}\z", regex_options())


@lru_cache(_KEPT)
def _regex(pattern: str) -> re2._Regexp:
    try:
        return re2.compile(pattern, regex_options())
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise ExpressionError(f"not a regular expression that RE2 takes: {text[:_SHOWN]}") from None


def regex_options() -> re2.Options:
    """Return how RE2 compiles patterns, wherever in the package it does."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_REGEX_BYTES
    options.never_capture = True  # only "found or not" is asked, which the faster automaton can say
    return options

"""Every exception that hedgerow raises on purpose.

::

    HedgerowError
    ├── ParseError (ValueError)          text that is not an expression; knows its place
    ├── KindError (ValueError)           a value, column or record of a kind that has no meaning here
    │   ├── ExpressionError              ... as an operand or operator of an expression
    │   ├── EventError                   ... in an event
    │   └── SchemaError                  ... in the columns of a table
    ├── LimitError (ValueError)          a documented limit was exceeded
    ├── IdError
    │   ├── DuplicateId (ValueError)     an id that the index already holds
    │   ├── InvalidId (ValueError)       an id that is neither a 64-bit integer nor a string, or not as the others are
    │   └── UnknownId (KeyError)         an id that the index does not hold
    ├── BadRules (ValueError)            rules that were refused where none was to be
    ├── FileError                        a file that cannot be read or written
    │   ├── MissingFile (FileNotFoundError)  ... because it is not there
    │   │   └── MissingVersion           ... because the rule set has no such version, or no longer
    │   ├── VersionConflict              ... because another writer of the rule set was faster
    │   ├── CorruptFile (ValueError)     ... because it is no file of an index, was cut or was changed
    │   └── UnknownVersion               ... because a newer hedgerow, or a machine of another kind, wrote it
    └── Unsupported (NotImplementedError)  this engine cannot do it; the message says what can
        └── ReadOnly                     a change of an index that was opened for reading

Catch ``HedgerowError`` to catch them all, or the built-in in parentheses where that is what you expect.
"""

from __future__ import annotations

import re

__all__ = [
    "BadRules",
    "CorruptFile",
    "DuplicateId",
    "EventError",
    "ExpressionError",
    "FileError",
    "HedgerowError",
    "IdError",
    "InvalidId",
    "KindError",
    "LimitError",
    "MissingFile",
    "MissingVersion",
    "ParseError",
    "ReadOnly",
    "SchemaError",
    "UnknownId",
    "UnknownVersion",
    "Unsupported",
    "VersionConflict",
]

# They cannot be printed, so a message shows something else in their place.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

# A caret line is for people: a longer line of the text is shown as a window around the place.
_SHOWN_BEFORE = 60
_SHOWN_AFTER = 30


class HedgerowError(Exception):
    """The root of all errors that hedgerow raises on purpose."""


class ParseError(HedgerowError, ValueError):
    """Text that is not an expression.

    ``offset`` counts characters from 0, ``line`` and ``column`` from 1. ``found`` is what stands there, ``expected``
    what could have stood there, ``suggestion`` the keyword that was probably meant (or None).

    >>> import hedgerow as hr
    >>> try:
    ...     hr.parse("age BETWEN 18 AND 24")
    ... except hr.ParseError as error:
    ...     print(error)
    line 1, column 5: expected an operator, found 'BETWEN'; did you mean BETWEEN?
      age BETWEN 18 AND 24
          ^
    """

    def __init__(self, text: str, offset: int, found: str, expected: str, suggestion: str | None = None) -> None:
        """Work out line, column and the excerpt from ``text`` and the character ``offset``."""
        text = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text) if not text.isascii() else text
        self.offset = offset
        self.line = text.count("\n", 0, offset) + 1
        line_start = text.rfind("\n", 0, offset) + 1
        self.column = offset - line_start + 1
        self.found = _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", found)
        self.expected = expected
        self.suggestion = suggestion
        self.excerpt = _excerpt(text, line_start, offset)
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        place = f"line {self.line}, column {self.column}"
        # Only the message is kept, not the text, which may be large.
        super().__init__(f"{place}: expected {expected}, found {self.found}{hint}\n{self.excerpt}")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle what was worked out; the text itself is not kept."""
        return _restored_parse_error, (self.args, self.__dict__)


class KindError(HedgerowError, ValueError):
    """A value, column or record of a kind that has no meaning here."""


class ExpressionError(KindError):
    """An operand, operator or weight that no expression can have."""


class EventError(KindError):
    """An attribute name or value that no event can have."""


class SchemaError(KindError):
    """A table whose columns are not what was asked for."""


class LimitError(HedgerowError, ValueError):
    """A documented limit was exceeded; nothing was changed."""


class IdError(HedgerowError):
    """An id that cannot be used this way."""


class DuplicateId(IdError, ValueError):
    """An insert of an id that the index already holds."""


class InvalidId(IdError, ValueError):
    """An id that is neither a 64-bit integer nor a string, or not of the kind that the index's other ids have."""


class UnknownId(IdError, KeyError):
    """A look-up, update or delete of an id that the index does not hold."""

    def __str__(self) -> str:
        """Return the message as it is: KeyError would quote it."""
        return str(self.args[0]) if self.args else ""


class BadRules(HedgerowError, ValueError):
    """Rules that were refused, where the caller wanted all of them or none; the message tells of the first."""


class FileError(HedgerowError):
    """A file that cannot be read or written. Where the system said why, that is the cause (``__cause__``)."""


class MissingFile(FileError, FileNotFoundError):
    """A file that is to be opened and is not there."""


class MissingVersion(MissingFile):
    """A version of a rule set that is not there, or no longer."""


class VersionConflict(FileError):
    """Another writer has made the version that was to be made; nothing was changed, and it can be tried again."""


class CorruptFile(FileError, ValueError):
    """A file that is not the file of an index, or no longer what was written; the message names the section."""


class UnknownVersion(FileError):
    """A whole file that this version of hedgerow, or this machine, cannot read; the message says what can."""


class Unsupported(HedgerowError, NotImplementedError):
    """Something that this engine cannot do; the message says what can."""


class ReadOnly(Unsupported):
    """A change of an index that was opened for reading; nothing was changed."""


def _restored_parse_error(args: tuple[object, ...], state: dict[str, object]) -> ParseError:
    error = ParseError("", 0, "", "")
    error.args = args
    error.__dict__.update(state)
    return error


def _excerpt(text: str, line_start: int, offset: int) -> str:
    line_end = text.find("\n", offset)
    if line_end < 0:
        line_end = len(text)
    first = max(line_start, offset - _SHOWN_BEFORE)
    last = min(line_end, offset + _SHOWN_AFTER)
    before = ("..." if first > line_start else "") + text[first:offset]
    after = text[offset:last] + ("..." if last < line_end else "")
    # A tab keeps its width only if the caret line repeats it.
    padding = "".join("\t" if character == "\t" else " " for character in before)
    return f"  {before}{after}\n  {padding}^"

"""JSON lines: an object a line, read as Python reads them, so that a value is what is written there and nothing else.

Arrow's own reader would take text for a timestamp where it looks like one, and refuses an attribute that is a number
in one event and text in another, which events may have.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hedgerow.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Row", "object_of", "object_rows"]

Row = dict[str, object]


def object_rows(path: Path) -> Iterator[tuple[int, Row, int]]:
    """Yield each object of a file, after the number of its line, from 1, and before that line's bytes.

    Lines without anything are skipped.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if text.strip():
                try:
                    yield number, object_of(text.rstrip()), len(line)
                except ValueError as error:
                    raise FileError(f"{path}: line {number}: {error}; one line has one object") from None


def object_of(text: bytes | str) -> Row:
    """Return the object that a line has; ``ValueError`` says what is wrong with it.

    >>> object_of('{"age": 20}')
    {'age': 20}
    """
    try:
        value = json.loads(text)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        kind = {list: "a list", str: "text", bool: "a boolean", type(None): "null"}.get(type(value), "a number")
        raise ValueError(f"{kind}, where an object is wanted")  # noqa: TRY004 - of the data
    return value

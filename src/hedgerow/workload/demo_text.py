"""How the demo's report looks: headings, bars and lines that fit a terminal of 100 columns."""

from __future__ import annotations

import datetime as dt
import textwrap
from collections.abc import Iterator, Mapping

__all__ = ["WIDTH", "bar", "cut", "heading", "visit_lines", "wrapped"]

WIDTH = 100
_BAR = 28
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MARGIN = 12


def heading(title: str) -> str:
    """Return a title in a rule across the page, with a blank line before it."""
    return f"\n── {title} ".ljust(WIDTH + 1, "─")


def bar(count: int, largest: int) -> str:
    """Return a bar as long as ``count`` is beside ``largest``, with eighths of a character at its end.

    >>> bar(5, 8)
    '█████████████████▌          '
    """
    eighths = count * _BAR * 8 // max(largest, 1)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).ljust(_BAR)[:_BAR]


def cut(line: str) -> str:
    """Return a line that fits the page, with its end left out where it must be."""
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def wrapped(text: str, indent: str, first: str | None = None) -> list[str]:
    """Return a text as lines that fit the page, indented; ``first`` stands before the first one."""
    before = indent if first is None else first
    return textwrap.wrap(text, WIDTH, initial_indent=before, subsequent_indent=indent, break_on_hyphens=False)


def visit_lines(visit: Mapping[str, object]) -> Iterator[str]:
    """Yield an event, a line for each group of its attributes.

    >>> for line in visit_lines({"hour": 9, "user": {"age": None, "member": True, "interests": ["nba", "nfl"]}}):
    ...     print(line)
      hour      9
      user      age missing, member true, interests [nba, nfl]
    """
    for name, value in visit.items():
        yield from wrapped(_shown(value), " " * _MARGIN, f"  {name:<{_MARGIN - 3}} ")


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items())
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dt.datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "missing" if value is None else str(value)

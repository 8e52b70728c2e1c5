"""Explanations as text: a tree for people, who can read a few hundred lines and not the rest.

Long lists, wide parts and deep ones are cut, and what was cut is said. Where anything was, the parts that decided
follow the tree, so that they are never among what is not shown.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from hedgerow.language.expression import Constant, Predicate
from hedgerow.language.format import format_value, quote_name, summary
from hedgerow.language.operators import OPERATORS, Operands
from hedgerow.values import Nested

if TYPE_CHECKING:
    from hedgerow.language.evaluate import Entry
    from hedgerow.language.explain import Explanation
    from hedgerow.values import Value

__all__ = ["VALUE_NAMES", "explanation_text"]

VALUE_NAMES: dict[bool | None, str] = {True: "true", False: "false", None: "undefined"}

_DECIDED, _OTHER = "▶ ", "  "
_LINES = 400
_LEVELS = 40
_WIDTH = 20
_LISTED = 8
_CHARACTERS = 100

_Row: TypeAlias = "Explanation | str"


def explanation_text(explanation: Explanation) -> str:
    """Return the tree, one line a part."""
    lines: list[str] = []
    whole = True
    # What to write, what stands before it on its line, what stands before its operands' lines, and its level.
    stack: list[tuple[_Row, str, str, int]] = [(explanation, "", "", 0)]
    while stack and len(lines) < _LINES:
        row, before, below, level = stack.pop()
        if isinstance(row, str):
            whole = False
            lines.append(f"{_OTHER}{before}{row}")
            continue
        lines.append(f"{_DECIDED if row.decided else _OTHER}{before}{_label(row)}")
        stack.extend(_rows_below(row, below, level + 1))
    if stack:
        lines.append(f"{_OTHER}… and more")
    return "\n".join(lines if whole and not stack else lines + _deciding(explanation))


def _rows_below(explanation: Explanation, below: str, level: int) -> list[tuple[_Row, str, str, int]]:
    """Return what to write under a part, the last first."""
    if not explanation.children:
        return []
    rows = _chosen(explanation.children) if level < _LEVELS else ["… deeper parts"]
    ends = [(rows[-1], f"{below}└─ ", f"{below}   ", level)]
    return ends + [(row, f"{below}├─ ", f"{below}│  ", level) for row in reversed(rows[:-1])]


def _chosen(children: tuple[Explanation, ...]) -> list[_Row]:
    """Return all children, or the first ones and the first that decided, and how many lie between."""
    if len(children) <= _WIDTH:
        return list(children)
    decided = (position for position, child in enumerate(children) if child.decided)
    positions = sorted({*range(_WIDTH // 2), *islice(decided, _WIDTH // 2)})
    rows: list[_Row] = []
    for position, following in zip(positions, [*positions[1:], len(children)], strict=True):
        rows.append(children[position])
        if following > position + 1:
            rows.append(f"… {following - position - 1:,} more")
    return rows


def _deciding(explanation: Explanation) -> list[str]:
    leaves = explanation.deciding
    lines = ["Decided by:", *(f"{_DECIDED}{_label(leaf)}" for leaf in leaves[:_WIDTH])]
    return lines if len(leaves) <= _WIDTH else [*lines, f"{_OTHER}… {len(leaves) - _WIDTH:,} more"]


def _label(explanation: Explanation) -> str:
    part = explanation.expression
    value = VALUE_NAMES[explanation.value]
    if isinstance(part, Predicate):
        return f"{_predicate_text(part)}: {value} ({_actual_text(part.attribute, explanation.actual)})"
    name = summary(part) if isinstance(part, Constant) else type(part).__name__.upper()
    return f"{name}: {value}"


def _predicate_text(part: Predicate) -> str:
    if OPERATORS[part.operator].operands != Operands.MANY or len(part.values) <= _LISTED:
        return _one_line(summary(part, _CHARACTERS))
    weights = part.weights[:_LISTED] if part.weights else None
    shown = Predicate._trusted(part.attribute, part.operator, part.values[:_LISTED], weights)  # noqa: SLF001 - cut, not new
    beginning = summary(shown, _CHARACTERS).removesuffix(")")
    return _one_line(f"{beginning}, … {len(part.values) - _LISTED:,} more)")


def _actual_text(attribute: str, actual: Entry | None) -> str:
    name = _cut(quote_name(attribute))
    if actual is None:
        return f"{name} is missing"
    if isinstance(actual, Nested):
        return f"{name} is an object"
    if not isinstance(actual, tuple):
        return f"{name} is {_value_text(actual)}"
    elements = [_value_text(element) for element in actual[:_LISTED]]
    if len(actual) > _LISTED:
        elements.append(f"… {len(actual) - _LISTED:,} more")
    return f"{name} is [{', '.join(elements)}]"


def _value_text(value: Value | None) -> str:
    if value is None:
        return "null"
    # NaN and infinities, which only events have, are written by their repr.
    return _cut(format_value(value if not isinstance(value, str) else value[:_CHARACTERS]))


def _cut(text: str) -> str:
    return _one_line(text if len(text) <= _CHARACTERS else f"{text[: _CHARACTERS - 1]}…")


def _one_line(text: str) -> str:
    """Return the text with line ends and the like escaped, which would tear the tree."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)

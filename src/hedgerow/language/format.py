"""Expressions as text: as few parentheses as possible, and it parses back to an equal expression.

Parentheses keep what the objects say, so ``And(a, And(b, c))`` is ``a AND (b AND c)`` while ``And(a, b, c)`` is
``a AND b AND c``. The text comes in pieces from a stack, so depth does not matter and a beginning costs no more than
its own length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.errors import LimitError
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor, Xor
from hedgerow.language.operators import OPERATORS, Operands
from hedgerow.limits import MAX_TEXT_BYTES, MAX_WRITTEN_PARTS
from hedgerow.values import Value, canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RESERVED", "format_expression", "format_value", "quote_name", "summary"]

RESERVED = frozenset(
    ("AND", "OR", "NOT", "XOR", "XNOR", "IN", "BETWEEN", "IS", "NULL", "LIKE", "ILIKE", "TRUE", "FALSE")
)
"""Words that are attribute names in backticks only."""

_BINDING: dict[type[Expression], int] = {Or: 1, Xor: 2, Xnor: 2, And: 3, Not: 4, Predicate: 5, Constant: 5}
_SUMMARY = 80


def format_expression(expression: Expression) -> str:
    """Return the expression as text; ``str(expression)`` is this.

    >>> from hedgerow.language.build import attr
    >>> format_expression(attr("age").between(18, 24) & ~(attr("vip") | attr("is")))
    'age BETWEEN 18 AND 24 AND NOT (vip = true OR `is` = true)'
    """
    if expression.size > MAX_WRITTEN_PARTS:
        raise LimitError(f"text is written of at most {MAX_WRITTEN_PARTS:,} parts; this expression has more")
    pieces = []
    length = 0
    for piece in _pieces(expression):
        length += len(piece)
        if length > MAX_TEXT_BYTES:
            raise LimitError(f"text has at most {MAX_TEXT_BYTES:,} bytes; this expression needs more")
        pieces.append(piece)
    return "".join(pieces)


def summary(expression: Expression, limit: int = _SUMMARY) -> str:
    """Return the beginning of the text, at most ``limit`` characters, without writing the rest.

    >>> from hedgerow.language.build import attr
    >>> summary(attr("age").isin(range(1000000)), 24)
    'age IN (0, 1, 2, 3, 4...'
    """
    pieces = []
    length = 0
    for piece in _pieces(expression):
        pieces.append(piece[: limit + 1])
        length += len(piece)
        if length > limit:
            return "".join(pieces)[: limit - 3] + "..."
    return "".join(pieces)


def quote_name(name: str) -> str:
    """Return an attribute name as it is written: in backticks unless it is identifiers joined by dots.

    >>> quote_name("user.age"), quote_name("first name"), quote_name("not")
    ('user.age', '`first name`', '`not`')
    """
    plain = all(segment.isidentifier() and not _is_reserved(segment) for segment in name.split("."))
    return name if plain else "`" + name.replace("`", "``") + "`"


def format_value(value: Value) -> str:
    """Return a canonical value as it is written.

    >>> format_value("it's"), format_value(True), format_value(-1.5)
    ("'it''s'", 'true', '-1.5')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, (int, float)):
        return repr(value)
    return f"TIMESTAMP '{value.replace(tzinfo=None).isoformat()}Z'"


def _is_reserved(segment: str) -> bool:
    # Both foldings, so that letters whose other case is an ASCII letter (dotless i, the Kelvin sign) are quoted too.
    return segment.casefold().upper() in RESERVED


def _pieces(expression: Expression) -> Iterator[str]:
    stack = [_written(expression)]
    while stack:
        for token in stack[-1]:
            if not isinstance(token, str):
                stack.append(_written(token))
                break
            yield token
        else:
            stack.pop()


def _written(part: Expression) -> Iterator[str | Expression]:
    """Yield the text of one part, and its operands where theirs go."""
    if isinstance(part, Predicate):
        yield from _written_predicate(part)
    elif isinstance(part, Constant):
        yield "TRUE" if part.value else "FALSE"
    elif isinstance(part, Not):
        yield "NOT "
        yield from _written_operand(part.operand, _BINDING[Not])
    else:
        yield from _written_chain(part)


def _written_chain(part: Expression) -> Iterator[str | Expression]:
    weakest = _BINDING[type(part)] + 1
    between = f" {type(part).__name__.upper()} "
    for position, operand in enumerate(part.operands):
        if position:
            yield between
        yield from _written_operand(operand, weakest)


def _written_operand(operand: Expression, weakest: int) -> Iterator[str | Expression]:
    """Yield the operand, in parentheses if it binds weaker than it must."""
    if _BINDING[type(operand)] >= weakest:
        yield operand
        return
    yield "("
    yield operand
    yield ")"


def _written_predicate(part: Predicate) -> Iterator[str]:
    row = OPERATORS[part.operator]
    yield f"{quote_name(part.attribute)} {row.text}"
    if row.operands == Operands.NOTHING:
        return
    opening, between, closing = _PUNCTUATION[row.operands]
    yield opening
    for position, value in enumerate(part.values):
        if position:
            yield between
        yield format_value(value)
        if part.weights and part.weights[position]:
            yield f"^{_written_weight(part.weights[position])}"
    yield closing


_PUNCTUATION = {
    Operands.ONE: (" ", "", ""),
    Operands.TEXT: (" ", "", ""),
    Operands.TWO: (" ", " AND ", ""),
    Operands.MANY: (" (", ", ", ")"),
}


def _written_weight(weight: float) -> str:
    """Return 3.0 as 3: the canonical form of a whole number is an integer."""
    return repr(canonical(weight))

"""Walks over expressions: without recursion, and each object once however often it is shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hedgerow.language.expression import Expression

__all__ = ["equal", "postorder"]


def postorder(expression: Expression) -> list[Expression]:
    """Return every distinct object of the expression once, operands before what they are part of, itself last.

    >>> from hedgerow.language.build import attr
    >>> print(*postorder((attr("a") == 1) & ~(attr("b") == 2)), sep="; ")
    a = 1; b = 2; NOT b = 2; a = 1 AND NOT b = 2
    """
    order: list[Expression] = []
    entered: set[int] = set()
    left: set[int] = set()
    stack = [expression]
    while stack:
        part = stack.pop()
        if id(part) not in entered and part.operands:
            entered.add(id(part))
            stack.append(part)
            stack.extend(reversed(part.operands))
        elif id(part) not in left:
            left.add(id(part))
            order.append(part)
    return order


def equal(left: Expression, right: Expression) -> bool:
    """Return whether two expressions are equal, part by part.

    Parts found equal so far form classes (union-find), so that shared parts are not compared again and again: each
    comparison of operands joins two classes, and there are no more of those than objects.
    """
    parents: dict[int, Expression] = {}
    stack = [(left, right)]
    while stack:
        one, other = stack.pop()
        first, second = _representative(parents, one), _representative(parents, other)
        if first is second:
            continue
        if not first._alike(second):  # noqa: SLF001 - the part of equality that each kind knows
            return False
        if first.operands:
            parents[id(first)] = second
            stack.extend(zip(first.operands, second.operands, strict=True))
    return True


def _representative(parents: dict[int, Expression], part: Expression) -> Expression:
    while id(part) in parents:
        above = parents[id(part)]
        parents[id(part)] = part = parents.get(id(above), above)
    return part

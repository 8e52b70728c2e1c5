"""Why an expression does, or does not, match an event: the value of every part, and the parts that decided.

A part decides if the value above it would not follow without it, reading from the left:

============ ================================================
AND          false: its first false operand; undefined: its first undefined one; true: all
OR           true: its first true operand; undefined: its first undefined one; false: all
NOT          its operand
XOR, XNOR    undefined: its first undefined operand; otherwise all
============ ================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hedgerow.language.build import Attribute
from hedgerow.language.evaluate import Entry, Outcome, as_expression, asked_of, check_missing, part_values
from hedgerow.language.explain_text import VALUE_NAMES, explanation_text
from hedgerow.language.expression import And, Expression, Or, Predicate
from hedgerow.language.format import summary
from hedgerow.language.walk import postorder

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Explanation", "explain"]


_ONE_DECIDES: dict[type[Expression], bool] = {And: False, Or: True}


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Explanation:
    """One part of an expression, with its value on an event. ``print`` shows the tree.

    A part of the expression that stands in several places has one explanation for all places where it decided,
    and one for all where it did not.
    """

    expression: Expression
    value: Outcome
    """True, False, or None for undefined."""
    children: tuple[Explanation, ...]
    decided: bool
    """Whether it lies on the way from the whole expression to the parts that decided."""
    actual: Entry | None
    """What the event has for a predicate's attribute: a value, a tuple for a list, None where it is missing."""

    @property
    def deciding(self) -> list[Explanation]:
        """The predicates and constants that decided, from the left, each once."""
        leaves = []
        seen = set()
        stack = [self]
        while stack:
            part = stack.pop()
            if part in seen or not part.decided:
                continue
            seen.add(part)
            stack.extend(reversed(part.children))
            if not part.children:
                leaves.append(part)
        return leaves

    def __str__(self) -> str:
        """Return the tree, with a mark before the parts that decided; what is very long, wide or deep is left out."""
        return explanation_text(self)

    def __repr__(self) -> str:
        """Return the value and the beginning of the expression."""
        return f"<Explanation: {VALUE_NAMES[self.value]}, {summary(self.expression)}>"


def explain(
    expression: Expression | Attribute | str, event: Mapping[str, object], missing: str = "unknown"
) -> Explanation:
    """Return the value of every part of the expression on the event, and which parts decided.

    >>> import hedgerow as hr
    >>> print(hr.explain("age >= 18 AND (vip OR state IN ('CA', 'NY'))", {"age": 20, "state": "TX", "vip": False}))
    ▶ AND: false
      ├─ age >= 18: true (age is 20)
    ▶ └─ OR: false
    ▶    ├─ vip = true: false (vip is false)
    ▶    └─ state IN ('CA', 'NY'): false (state is 'TX')
    """
    check_missing(missing)
    expression = as_expression(expression)
    order = postorder(expression)
    flat = asked_of(event, order)
    values = part_values(order, flat, missing)
    made: dict[tuple[int, bool], Explanation] = {}
    for part in order:
        actual = flat.get(part.attribute) if isinstance(part, Predicate) else None
        deciding = _positions(part, values) if part.operands else range(0)
        for decided in (False, True):
            operands = enumerate(part.operands)
            children = tuple(made[id(operand), decided and position in deciding] for position, operand in operands)
            made[id(part), decided] = Explanation(part, values[id(part)], children, decided, actual)
    return made[id(expression), True]


def _positions(part: Expression, values: Mapping[int, Outcome]) -> range:
    """Return the positions of the operands that decide."""
    value = values[id(part)]
    by_one = value is None or value == _ONE_DECIDES.get(type(part))
    if not by_one:
        return range(len(part.operands))
    first = next(position for position, operand in enumerate(part.operands) if values[id(operand)] is value)
    return range(first, first + 1)

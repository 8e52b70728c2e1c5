"""The simplified literal form of an expression, over which scores are defined. Plain Python, for the scoring oracle.

What is left of an expression is AND and OR over literals: negations are pushed to the predicates, XOR and XNOR are
expanded, constants folded, an AND directly under an AND (an OR under an OR) merged into it, operands that appear again
dropped, and an AND or OR of one operand replaced by it. Each distinct part is one node, and nodes are equal exactly
when they have the same operands in the same order.

XOR is expanded by halves, with one form for "is true" and one for "is false"; both use the same two forms of each half,
so a chain of n operands takes a number of nodes linear in n::

    true  = (left true AND right false) OR (left false AND right true)
    false = (left true AND right true)  OR (left false AND right false)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hedgerow.errors import LimitError
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor
from hedgerow.language.operators import OPERATORS, Accepts, Operator
from hedgerow.limits import MAX_WRITTEN_PARTS

if TYPE_CHECKING:
    from hedgerow.values import Value

__all__ = ["Chain", "Literal", "Node", "literal_form"]

# What holds where a literal's outcome is the opposite. With missing="false" that includes "undefined".
_OPPOSITES = {
    "unknown": (Accepts.FALSE, Accepts.TRUE, Accepts.TRUE, Accepts.FALSE),
    "false": (Accepts.NOT_TRUE, Accepts.NOT_FALSE, Accepts.TRUE, Accepts.FALSE),
}


@dataclass(frozen=True, slots=True)
class Literal:
    """A base test that must come out as accepted."""

    attribute: str
    base: Operator
    values: tuple[Value, ...]
    kinds: tuple[type, ...]
    """The types of the values: they keep True and 1 apart."""
    weights: tuple[float, ...] | None
    accepts: Accepts


@dataclass(frozen=True, slots=True)
class Chain:
    """AND or OR over the nodes of these numbers; AND of none is TRUE, OR of none FALSE."""

    conjunction: bool
    operands: tuple[int, ...]


Node: TypeAlias = Literal | Chain


@dataclass(eq=False, slots=True)
class _Region:
    """An AND or OR being built, whose parts may be regions of the same kind that it will merge.

    They are merged once, when the whole region is known, because merging at each level would copy a deep chain again
    and again. It has always two distinct operands or more.
    """

    conjunction: bool
    parts: list[int | _Region]
    number: int = -1


_Form: TypeAlias = int | _Region


def literal_form(expression: Expression, missing: str) -> list[Node]:
    """Return the nodes of the form, operands before what they are part of; the last is the expression."""
    builder = _Builder(missing)
    form = builder.form(expression)
    builder.nodes.append(builder.nodes[builder.number(form)])
    return builder.nodes


class _Builder:
    def __init__(self, missing: str) -> None:
        self._opposites = _OPPOSITES[missing]
        self.nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}
        self._regions: dict[int, _Region] = {}
        self._forms: dict[tuple[int, bool], _Form] = {}
        self._room = MAX_WRITTEN_PARTS
        self._true = self._intern(Chain(conjunction=True, operands=()))
        self._false = self._intern(Chain(conjunction=False, operands=()))

    def form(self, expression: Expression) -> _Form:
        """Return the form of "the expression is true"."""
        stack = [(expression, True)]
        while stack:
            part, positive = stack[-1]
            waiting = [] if (id(part), positive) in self._forms else self._waiting(part, positive=positive)
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if (id(part), positive) not in self._forms:
                self._forms[id(part), positive] = self._form(part, positive=positive)
        return self._forms[id(expression), True]

    def number(self, form: _Form) -> int:
        """Return the number of a form's node: this is where a region is merged."""
        if isinstance(form, int):
            return form
        if form.number < 0:
            form.number = self._intern(Chain(form.conjunction, self._merged(form)))
            self._regions.setdefault(form.number, form)
        return form.number

    def _waiting(self, part: Expression, *, positive: bool) -> list[tuple[Expression, bool]]:
        needed = [(operand, sign) for operand in part.operands for sign in _signs(part, positive=positive)]
        return [(operand, sign) for operand, sign in reversed(needed) if (id(operand), sign) not in self._forms]

    def _form(self, part: Expression, *, positive: bool) -> _Form:
        if isinstance(part, Constant):
            return self._true if part.value == positive else self._false
        if isinstance(part, Predicate):
            return self._literal(part, positive=positive)
        if isinstance(part, Not):
            return self._forms[id(part.operand), not positive]
        if isinstance(part, (And, Or)):
            operands = [self._forms[id(operand), positive] for operand in part.operands]
            return self._joined(operands, conjunction=isinstance(part, And) == positive)
        pairs = [(self._forms[id(operand), True], self._forms[id(operand), False]) for operand in part.operands]
        odd, even = self._parity(pairs)
        flipped = isinstance(part, Xnor) and len(pairs) % 2 == 0
        self._forms[id(part), flipped] = even
        self._forms[id(part), not flipped] = odd
        return self._forms[id(part), positive]

    def _parity(self, pairs: list[tuple[_Form, _Form]]) -> tuple[_Form, _Form]:
        """Return the forms of "an odd number is true" and of "an even number is"; as deep as halving goes."""
        if len(pairs) == 1:
            return pairs[0]
        middle = len(pairs) // 2
        left, not_left = self._parity(pairs[:middle])
        right, not_right = self._parity(pairs[middle:])
        odd = [self._both(left, not_right), self._both(not_left, right)]
        even = [self._both(left, right), self._both(not_left, not_right)]
        return self._joined(odd, conjunction=False), self._joined(even, conjunction=False)

    def _both(self, left: _Form, right: _Form) -> _Form:
        return self._joined([left, right], conjunction=True)

    def _joined(self, operands: list[_Form], *, conjunction: bool) -> _Form:
        """Return AND or OR over forms, with constants folded and a single operand for itself."""
        neutral, absorbing = (self._true, self._false) if conjunction else (self._false, self._true)
        if absorbing in operands:
            return absorbing
        parts = [self._part(operand, conjunction=conjunction) for operand in operands if operand != neutral]
        distinct = list(dict.fromkeys(parts))
        if not distinct:
            return neutral
        if len(distinct) > 1:
            return _Region(conjunction, distinct)
        only = distinct[0]
        # The number of a merged region becomes the region again: its new neighbours may be of its kind.
        return self._regions.get(only, only) if isinstance(only, int) else only

    def _part(self, operand: _Form, *, conjunction: bool) -> _Form:
        same = isinstance(operand, _Region) and operand.conjunction == conjunction
        return operand if same else self.number(operand)

    def _merged(self, region: _Region) -> tuple[int, ...]:
        """Return the operands of a region and of all regions in it, each once, in the order of first appearance."""
        operands: dict[int, None] = {}
        seen = {region}
        stack = [iter(region.parts)]
        while stack:
            for part in stack[-1]:
                if isinstance(part, int):
                    operands[part] = None
                elif part not in seen:
                    seen.add(part)
                    stack.append(iter(part.parts))
                    break
            else:
                stack.pop()
        self._room -= len(operands)
        if self._room < 0:
            raise LimitError(f"the form that is scored has at most {MAX_WRITTEN_PARTS:,} parts; here it has more")
        return tuple(operands)

    def _literal(self, part: Predicate, *, positive: bool) -> int:
        row = OPERATORS[part.operator]
        accepts = row.accepts if positive else self._opposites[row.accepts]
        # Only what must be true scores, so weights say nothing elsewhere.
        weights = part.weights if accepts == Accepts.TRUE else None
        kinds = tuple(map(type, part.values))
        return self._intern(Literal(part.attribute, row.base, part.values, kinds, weights, accepts))

    def _intern(self, node: Node) -> int:
        number = self._numbers.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number


def _signs(part: Expression, *, positive: bool) -> tuple[bool, ...]:
    """Return in which polarities a part needs its operands."""
    if isinstance(part, (And, Or)):
        return (positive,)
    return (not positive,) if isinstance(part, Not) else (True, False)

"""The simplified literal form of an expression, over which scores are defined. Plain Python, for the scoring oracle.

What is left of an expression is AND and OR over literals: negations are pushed to the predicates, XOR and XNOR are
expanded, constants folded, an AND directly under an AND (an OR under an OR) merged into it, operands that appear again
dropped, and an AND or OR of one operand replaced by it. Each distinct part is one node: the order of operands does not
matter, nor that of the values in a list, nor which of its forms a test is written in (``a IN (1)`` is ``a = 1``).

XOR (without operands that are constant) is expanded by halves, with one form for "is true" and one for "is false"; both
use the same two forms of each half, so a chain of n operands takes a number of nodes linear in n::

    true  = (left true AND right false) OR (left false AND right true)
    false = (left true AND right true)  OR (left false AND right false)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hedgerow.errors import LimitError
from hedgerow.language.expression import And, Constant, Expression, Not, Or, Predicate, Xnor
from hedgerow.language.operators import OPERATORS, Accepts, Operands, Operator
from hedgerow.limits import MAX_WRITTEN_PARTS
from hedgerow.values import Value, kind_of

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
        self._numbers: dict[object, int] = {}
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
        self._forms[id(part), True], self._forms[id(part), False] = self._exclusive(part)
        return self._forms[id(part), positive]

    def _exclusive(self, part: Expression) -> tuple[_Form, _Form]:
        """Return the forms of "is true" and "is false" of a XOR or XNOR."""
        forms = [(self._forms[id(operand), True], self._forms[id(operand), False]) for operand in part.operands]
        pairs = [pair for pair in forms if pair[0] not in (self._true, self._false)]
        odd, even = self._parity(pairs) if pairs else (self._false, self._true)
        negations = sum(pair[0] == self._true for pair in forms)
        if isinstance(part, Xnor):
            negations += len(forms) - 1
        return (even, odd) if negations % 2 else (odd, even)

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
        """Return the operands of a region and of all regions in it, each once, where it appears first."""
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
        if row.base == Operator.IS_NULL:  # never undefined, so the weak forms are the strong ones
            accepts = {Accepts.NOT_TRUE: Accepts.FALSE, Accepts.NOT_FALSE: Accepts.TRUE}.get(accepts, accepts)
        base, values, weights = _base_test(part)
        # Only what must be true scores, so weights say nothing elsewhere.
        scored = weights if accepts == Accepts.TRUE and any(weights) else None
        return self._intern(Literal(part.attribute, base, values, tuple(map(type, values)), scored, accepts))

    def _intern(self, node: Node) -> int:
        key = (node.conjunction, frozenset(node.operands)) if isinstance(node, Chain) else node
        number = self._numbers.setdefault(key, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number


def _base_test(part: Predicate) -> tuple[Operator, tuple[Value, ...], tuple[float, ...]]:
    """Return the one base test, with values and weights, that stands for all which mean the same."""
    row = OPERATORS[part.operator]
    values, weights = part.values, part.weights or (0.0,) * len(part.values)
    if row.operands == Operands.MANY:
        # Of equal values the one with the largest weight comes last, and stays.
        largest = dict(sorted(((kind_of(value), value), weight) for value, weight in zip(values, weights, strict=True)))
        values, weights = tuple(value for _, value in largest), tuple(largest.values())
    elif row.operands == Operands.TWO and values[0] == values[1]:
        values, weights = values[:1], weights[:1]
    single = row.operands in (Operands.MANY, Operands.TWO) and len(values) == 1
    return (Operator.EQ if single else row.base), values, weights


def _signs(part: Expression, *, positive: bool) -> tuple[bool, ...]:
    """Return in which polarities a part needs its operands."""
    if isinstance(part, (And, Or)):
        return (positive,)
    return (not positive,) if isinstance(part, Not) else (True, False)

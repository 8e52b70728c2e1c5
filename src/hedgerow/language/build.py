"""Expressions for people who write Python: ``attr("age").between(18, 24) & ~attr("state").isin(["NY"])``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias, cast

import numpy as np

from hedgerow.errors import ExpressionError
from hedgerow.language.expression import And, Expression, Not, Or, Predicate, Xor
from hedgerow.language.format import quote_name
from hedgerow.language.operand import checked_name, shown
from hedgerow.language.operators import Operator
from hedgerow.values import Kind, canonical, kind_of

__all__ = ["Attribute", "attr"]

Listed: TypeAlias = Iterable[object] | Mapping[object, float]
"""The values of a list; a mapping gives each its weight."""


def attr(name: str) -> Attribute:
    """Return the attribute of this name, to compare with values.

    >>> import hedgerow as hr
    >>> rule = (hr.attr("age").between(18, 24) & ~hr.attr("state").isin(["NY"])) | (hr.attr("vip") == True)
    >>> print(rule)
    age BETWEEN 18 AND 24 AND NOT state IN ('NY') OR vip = true
    >>> hr.evaluate(rule, {"age": 20, "state": "CA"})
    True
    """
    return Attribute(name)


class Attribute:
    """An attribute, to compare with values; every comparison is an expression.

    Put comparisons in parentheses where ``&``, ``|``, ``^`` join them: Python binds those tighter than ``==``.
    By itself between them, an attribute reads as ``attribute = true``.

    >>> print(attr("vip") & ~attr("banned"))
    vip = true AND NOT banned = true
    """

    __slots__ = ("name",)
    # NumPy's scalars on the left of a comparison leave it to the attribute.
    __array_ufunc__ = None

    def __init__(self, name: str) -> None:
        """Take a name as events have it: dots reach into nested values."""
        self.name = checked_name(name)

    def __repr__(self) -> str:
        """Return the attribute as it is written in an expression."""
        return f"<Attribute: {quote_name(self.name)}>"

    # Comparisons

    def __eq__(self, value: object) -> Predicate:  # type: ignore[override]  # a comparison makes an expression
        """Return ``attribute = value``."""
        return self._one(Operator.EQ, value)

    __hash__ = None  # type: ignore[assignment]  # as equality does not compare, it can be no key

    def __ne__(self, value: object) -> Predicate:  # type: ignore[override]  # as __eq__
        """Return ``attribute != value``: present, and another value."""
        return self._one(Operator.NE, value)

    def __lt__(self, value: object) -> Predicate:
        """Return ``attribute < value``."""
        return self._one(Operator.LT, value)

    def __le__(self, value: object) -> Predicate:
        """Return ``attribute <= value``."""
        return self._one(Operator.LE, value)

    def __gt__(self, value: object) -> Predicate:
        """Return ``attribute > value``."""
        return self._one(Operator.GT, value)

    def __ge__(self, value: object) -> Predicate:
        """Return ``attribute >= value``."""
        return self._one(Operator.GE, value)

    def eq(self, value: object, weight: float = 0.0) -> Predicate:
        """Return ``attribute = value`` with a weight for scoring.

        >>> print(attr("state").eq("CA", weight=3))
        state = 'CA'^3
        """
        return Predicate(self.name, Operator.EQ, (_plain(value),), (_weight(weight),))

    def between(self, low: object, high: object) -> Predicate:
        """Return ``attribute BETWEEN low AND high``, both ends included."""
        return Predicate(self.name, Operator.BETWEEN, (_plain(low), _plain(high)))

    def not_between(self, low: object, high: object) -> Predicate:
        """Return ``attribute NOT BETWEEN low AND high``."""
        return Predicate(self.name, Operator.NOT_BETWEEN, (_plain(low), _plain(high)))

    # Lists

    def isin(self, values: Listed) -> Predicate:
        """Return ``attribute IN (...)``; a mapping gives each value its weight for scoring.

        >>> print(attr("state").isin({"CA": 3.0, "NY": 0}))
        state IN ('CA'^3, 'NY')
        """
        return self._many(Operator.IN, values)

    def not_in(self, values: Listed, *, weak: bool = False) -> Predicate:
        """Return ``attribute NOT IN (...)``, or the weak form that a missing attribute satisfies too."""
        return self._many(Operator.WEAK_NOT_IN if weak else Operator.NOT_IN, values)

    def any_of(self, values: Listed) -> Predicate:
        """Return ``attribute ANY OF (...)``: some listed value is among the attribute's."""
        return self._many(Operator.ANY_OF, values)

    def all_of(self, values: Listed) -> Predicate:
        """Return ``attribute ALL OF (...)``: every listed value is among the attribute's."""
        return self._many(Operator.ALL_OF, values)

    def none_of(self, values: Listed) -> Predicate:
        """Return ``attribute NONE OF (...)``: no listed value is among the attribute's."""
        return self._many(Operator.NONE_OF, values)

    # Presence

    def is_null(self) -> Predicate:
        """Return ``attribute IS NULL``: it is missing."""
        return Predicate(self.name, Operator.IS_NULL)

    def is_not_null(self) -> Predicate:
        """Return ``attribute IS NOT NULL``: it is present."""
        return Predicate(self.name, Operator.IS_NOT_NULL)

    def is_empty(self) -> Predicate:
        """Return ``attribute IS EMPTY``: a list with no element."""
        return Predicate(self.name, Operator.IS_EMPTY)

    def is_not_empty(self) -> Predicate:
        """Return ``attribute IS NOT EMPTY``."""
        return Predicate(self.name, Operator.IS_NOT_EMPTY)

    # Strings; the negation of each is ``~``

    def like(self, pattern: str) -> Predicate:
        r"""Return ``attribute LIKE pattern``: ``%`` is any run of characters, ``_`` one, ``\`` escapes them."""
        return self._one(Operator.LIKE, pattern)

    def not_like(self, pattern: str) -> Predicate:
        """Return ``attribute NOT LIKE pattern``."""
        return self._one(Operator.NOT_LIKE, pattern)

    def ilike(self, pattern: str) -> Predicate:
        """Return ``attribute ILIKE pattern``: LIKE whatever the case."""
        return self._one(Operator.ILIKE, pattern)

    def not_ilike(self, pattern: str) -> Predicate:
        """Return ``attribute NOT ILIKE pattern``."""
        return self._one(Operator.NOT_ILIKE, pattern)

    def startswith(self, text: str) -> Predicate:
        """Return ``attribute STARTS WITH text``."""
        return self._one(Operator.STARTS_WITH, text)

    def endswith(self, text: str) -> Predicate:
        """Return ``attribute ENDS WITH text``."""
        return self._one(Operator.ENDS_WITH, text)

    def contains(self, text: str) -> Predicate:
        """Return ``attribute CONTAINS text``."""
        return self._one(Operator.CONTAINS, text)

    def matches(self, regex: str) -> Predicate:
        """Return ``attribute MATCHES regex``: RE2 finds it anywhere in the string."""
        return self._one(Operator.MATCHES, regex)

    def not_startswith(self, text: str) -> Predicate:
        """Return ``attribute NOT STARTS WITH text``."""
        return self._one(Operator.NOT_STARTS_WITH, text)

    def not_endswith(self, text: str) -> Predicate:
        """Return ``attribute NOT ENDS WITH text``."""
        return self._one(Operator.NOT_ENDS_WITH, text)

    def not_contains(self, text: str) -> Predicate:
        """Return ``attribute NOT CONTAINS text``."""
        return self._one(Operator.NOT_CONTAINS, text)

    def not_matches(self, regex: str) -> Predicate:
        """Return ``attribute NOT MATCHES regex``."""
        return self._one(Operator.NOT_MATCHES, regex)

    # By itself

    def __invert__(self) -> Not:
        """Return ``NOT attribute = true``."""
        return ~self.holds()

    def __and__(self, other: Expression | Attribute) -> And:
        """Return ``attribute = true AND other``."""
        return self.holds() & _operand(other)

    def __rand__(self, other: Expression) -> And:
        """Return ``other AND attribute = true``."""
        return other & self.holds()

    def __or__(self, other: Expression | Attribute) -> Or:
        """Return ``attribute = true OR other``."""
        return self.holds() | _operand(other)

    def __ror__(self, other: Expression) -> Or:
        """Return ``other OR attribute = true``."""
        return other | self.holds()

    def __xor__(self, other: Expression | Attribute) -> Xor:
        """Return ``attribute = true XOR other``."""
        return self.holds() ^ _operand(other)

    def __rxor__(self, other: Expression) -> Xor:
        """Return ``other XOR attribute = true``."""
        return other ^ self.holds()

    def __bool__(self) -> bool:
        """Refuse, as an expression does."""
        raise TypeError("an attribute is not true or false by itself: combine with & | ^ ~ instead of and/or/not")

    def holds(self) -> Predicate:
        """Return ``attribute = true``, which is what the attribute by itself means."""
        return self._one(Operator.EQ, value=True)

    def _one(self, operator: Operator, value: object) -> Predicate:
        return Predicate(self.name, operator, (_plain(value),))

    def _many(self, operator: Operator, values: Listed) -> Predicate:
        if isinstance(values, Mapping):
            return Predicate(self.name, operator, map(_plain, values), map(_weight, values.values()))
        if isinstance(values, AbstractSet):
            # A set's order changes from run to run; an expression's should not.
            return Predicate(self.name, operator, sorted(map(_plain, values), key=_order))
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise ExpressionError(f"a list of values is needed, not {shown(values)}")
        return Predicate(self.name, operator, map(_plain, values))


def _operand(other: object) -> Expression:
    """Return what stands right of an attribute; anything that is no expression is refused by its operator."""
    return other.holds() if isinstance(other, Attribute) else other  # type: ignore[return-value]


def _plain(value: object) -> object:
    """Return a NumPy scalar as a plain Python value."""
    if not isinstance(value, np.generic):
        return value
    plain = (value.astype("datetime64[us]") if isinstance(value, np.datetime64) else value).tolist()
    # Where Python has no such moment or duration, NumPy gives a bare number, which would pass as one.
    return value if isinstance(value, (np.datetime64, np.timedelta64)) and isinstance(plain, int) else plain


def _weight(weight: object) -> float:
    return cast("float", _plain(weight))


def _order(value: object) -> tuple[Kind, object]:
    form = canonical(value)
    return (Kind.NULL, repr(value)) if form is None else (kind_of(form), form)

"""Expressions as objects: immutable, hashable, comparable, and safe at any depth.

::

    Expression
    ├── Constant(value)                                 TRUE, FALSE
    ├── Predicate(attribute, operator, values, weights) a test on one attribute
    └── (with operands)
        ├── Not(operand)
        ├── And(*operands)    Or(*operands)             two or more, in the order written
        └── Xor(*operands)    Xnor(*operands)           from the left: Xnor(a, b, c) is (a XNOR b) XNOR c

An object may stand in several places, so an expression is a graph that reads as a tree. Each object knows its hash,
depth and size from those of its operands; whatever walks an expression does so without recursion and looks at each
object once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NoReturn, Self

from hedgerow.errors import ExpressionError, LimitError
from hedgerow.language.operand import checked_name, checked_operator, checked_values, checked_weights, shown
from hedgerow.language.walk import equal, postorder
from hedgerow.limits import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hedgerow.language.operators import Operator
    from hedgerow.values import Value

__all__ = ["And", "Constant", "Expression", "Not", "Or", "Predicate", "Xnor", "Xor"]

MAX_SIZE = (1 << 62) - 1
"""Where ``Expression.size`` stops counting: parts that stand in many places count in each."""

_set = object.__setattr__


class Expression:
    """A Boolean expression over the attributes of an event. Build one with ``parse``, ``attr`` or the kinds below.

    >>> import hedgerow as hr
    >>> either = hr.parse("age < 18 OR vip")
    >>> either == (hr.attr("age") < 18) | hr.attr("vip")
    True
    >>> str(~either & hr.parse("state IS NULL"))
    'NOT (age < 18 OR vip = true) AND state IS NULL'
    """

    __slots__ = ("_hash", "depth", "size")

    operands: tuple[Expression, ...] = ()
    """The parts of which this one is made; none for a predicate or a constant."""

    depth: int
    """How many operators stand above the deepest predicate."""

    size: int
    """How many predicates, constants and operators are written, shared ones each time; at most ``MAX_SIZE``."""

    _hash: int

    def __new__(cls, *_: object, **__: object) -> Self:
        """Refuse: only the kinds of expressions have objects."""
        raise TypeError(f"{cls.__name__} has no objects of its own: use parse(), attr() or a kind such as And")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: an expression never changes."""
        raise AttributeError(f"expressions are immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse: an expression never changes."""
        raise AttributeError(f"expressions are immutable: cannot delete {name!r}")

    def __bool__(self) -> NoReturn:
        """Refuse: Python's ``and``, ``or``, ``not`` and chained comparisons would silently drop a part."""
        raise TypeError("an expression is not true or false by itself: combine with & | ^ ~ instead of and/or/not")

    def __hash__(self) -> int:
        """Return the hash worked out at construction."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Return whether both are written the same, with the same values, kinds and weights."""
        if not isinstance(other, Expression):
            return NotImplemented
        return self is other or equal(self, other)

    def __and__(self, other: object) -> And:
        """Return ``self AND other``; a chain of ``&`` is one flat AND, as it is when parsed."""
        if not isinstance(other, Expression):
            return NotImplemented
        return self._extended(other) if isinstance(self, And) else And(self, other)

    def __or__(self, other: object) -> Or:
        """Return ``self OR other``; a chain of ``|`` is one flat OR."""
        if not isinstance(other, Expression):
            return NotImplemented
        return self._extended(other) if isinstance(self, Or) else Or(self, other)

    def __xor__(self, other: object) -> Xor:
        """Return ``self XOR other``; a chain of ``^`` is one flat XOR."""
        if not isinstance(other, Expression):
            return NotImplemented
        return self._extended(other) if isinstance(self, Xor) else Xor(self, other)

    def __invert__(self) -> Not:
        """Return ``NOT self``."""
        return Not(self)

    def __str__(self) -> str:
        """Return the text, which parses back to an equal expression."""
        from hedgerow.language.format import format_expression  # noqa: PLC0415 - the formatter needs the kinds below

        return format_expression(self)

    def __repr__(self) -> str:
        """Return the kind and the beginning of the text."""
        from hedgerow.language.format import summary  # noqa: PLC0415 - as in __str__

        return f"<{type(self).__name__}: {summary(self)}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as JSON, which is flat however deep the expression is."""
        return Expression.from_json, (self.to_json(),)

    def __copy__(self) -> Self:
        """Return the expression itself: it never changes."""
        return self

    def __deepcopy__(self, _: object) -> Self:
        """Return the expression itself: it never changes."""
        return self

    def to_json(self) -> str:
        """Return the expression as JSON; ``hedgerow.language.json_form`` says how it looks."""
        from hedgerow.language.json_form import to_json  # noqa: PLC0415 - it needs the kinds below

        return to_json(self)

    @staticmethod
    def from_json(text: str) -> Expression:
        """Return the expression that ``to_json`` wrote; raise ``ExpressionError`` for anything else."""
        from hedgerow.language.json_form import from_json  # noqa: PLC0415 - it needs the kinds below

        return from_json(text)

    def attributes(self) -> frozenset[str]:
        """Return the names of the attributes that the expression looks at."""
        return frozenset(part.attribute for part in postorder(self) if isinstance(part, Predicate))

    def _alike(self, other: Expression) -> bool:
        """Return whether both are equal if their operands are. A hash only tells apart, it never makes equal."""
        return type(self) is type(other) and self._hash == other._hash and self._parts() == other._parts()

    def _parts(self) -> tuple[object, ...]:
        """Return what equality compares, beside the operands."""
        raise NotImplementedError


class Constant(Expression):
    """TRUE or FALSE."""

    __slots__ = ("value",)
    __match_args__ = ("value",)

    value: bool

    def __new__(cls, value: bool) -> Self:  # noqa: FBT001 - the value is all there is
        """Make the constant."""
        if not isinstance(value, bool):
            raise ExpressionError(f"a constant is True or False, not {shown(value)}")
        node = object.__new__(cls)
        _set(node, "value", value)
        _measure(node, hash(("constant", value)), 0, 1)
        return node

    def _parts(self) -> tuple[object, ...]:
        return (self.value,)


class Predicate(Expression):
    """A test on one attribute: ``attribute operator values``, where values of ``=``, IN and ANY OF may have weights."""

    __slots__ = ("attribute", "operator", "values", "weights")
    __match_args__ = ("attribute", "operator", "values", "weights")

    attribute: str
    operator: Operator
    values: tuple[Value, ...]
    """The operands in canonical form (see ``hedgerow.values``), in the order written."""
    weights: tuple[float, ...] | None
    """One weight for each value, or None where all are 0."""

    def __new__(
        cls, attribute: str, operator: Operator, values: Iterable[object] = (), weights: Iterable[float] | None = None
    ) -> Self:
        """Check and make the predicate."""
        name = checked_name(attribute)
        checked = checked_operator(operator)
        forms = checked_values(checked, values)
        return cls._trusted(name, checked, forms, checked_weights(checked, weights, len(forms)))

    @classmethod
    def _trusted(
        cls, attribute: str, operator: Operator, values: tuple[Value, ...], weights: tuple[float, ...] | None
    ) -> Self:
        """Make the predicate from parts that are known to be right."""
        node = object.__new__(cls)
        _set(node, "attribute", attribute)
        _set(node, "operator", operator)
        _set(node, "values", values)
        _set(node, "weights", weights)
        _measure(node, hash(node._parts()), 0, 1)
        return node

    def _parts(self) -> tuple[object, ...]:
        # The types keep True and 1 apart, which Python calls equal.
        return self.attribute, int(self.operator), self.values, tuple(map(type, self.values)), self.weights


class _Operation(Expression):
    """What has operands."""

    __slots__ = ("operands",)
    __match_args__ = ("operands",)

    keyword: ClassVar[str]

    @classmethod
    def _trusted(cls, operands: tuple[Expression, ...]) -> Self:
        """Make the expression over operands that are known to be expressions, and enough of them."""
        running = hash(cls.keyword)
        depth = size = 0
        for operand in operands:
            running = hash((running, hash(operand)))
            depth = max(depth, operand.depth)
            size += operand.size
        return cls._made(operands, running, depth, size + 1)

    @classmethod
    def _made(cls, operands: tuple[Expression, ...], running: int, below: int, size: int) -> Self:
        if below >= MAX_DEPTH:
            raise LimitError(f"an expression has at most {MAX_DEPTH:,} levels")
        node = object.__new__(cls)
        _set(node, "operands", operands)
        _measure(node, running, below + 1, min(size, MAX_SIZE))
        return node

    def _parts(self) -> tuple[object, ...]:
        return (len(self.operands),)

    def _extended(self, operand: Expression) -> Self:
        """Return the same with one operand more. The hash runs on, so a long chain of ``&`` does not hash all again."""
        running = hash((self._hash, hash(operand)))
        return self._made(
            (*self.operands, operand), running, max(self.depth - 1, operand.depth), self.size + operand.size
        )


class Not(_Operation):
    """The operand's negation; undefined where the operand is."""

    __slots__ = ()
    __match_args__ = ("operand",)

    keyword: ClassVar[str] = "NOT"

    def __new__(cls, operand: Expression) -> Self:
        """Make the negation."""
        return cls._trusted((_checked_operand(cls.keyword, operand),))

    @property
    def operand(self) -> Expression:
        """What is negated."""
        return self.operands[0]


class _Chain(_Operation):
    """What has two or more operands."""

    __slots__ = ()

    def __new__(cls, *operands: Expression) -> Self:
        """Check and make the expression."""
        if len(operands) < 2:  # noqa: PLR2004 - two, as in "between"
            raise ExpressionError(f"{cls.keyword} takes two operands or more, not {len(operands)}")
        return cls._trusted(tuple(_checked_operand(cls.keyword, operand) for operand in operands))


class And(_Chain):
    """True where all operands are, false where one is false, else undefined."""

    __slots__ = ()
    keyword: ClassVar[str] = "AND"


class Or(_Chain):
    """True where one operand is, false where all are false, else undefined."""

    __slots__ = ()
    keyword: ClassVar[str] = "OR"


class Xor(_Chain):
    """True where an odd number of operands is true; undefined where one is."""

    __slots__ = ()
    keyword: ClassVar[str] = "XOR"


class Xnor(_Chain):
    """Equality from the left: ``(a XNOR b) XNOR c``; undefined where one operand is."""

    __slots__ = ()
    keyword: ClassVar[str] = "XNOR"


def _measure(node: Expression, running: int, depth: int, size: int) -> None:
    _set(node, "_hash", running)
    _set(node, "depth", depth)
    _set(node, "size", size)


def _checked_operand(keyword: str, operand: object) -> Expression:
    if isinstance(operand, Expression):
        return operand
    hint = "; parse() makes one of text" if isinstance(operand, str) else ""
    raise ExpressionError(f"{keyword} takes expressions, not {shown(operand)}{hint}")

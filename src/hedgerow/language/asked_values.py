"""Which values a literal asks for: a region of them (``regions.py``), with marks for absence and what is no value.

A literal is a base test and what it accepts of its outcomes. ``age != 3`` asks for all numbers but 3; ``NOT age = 3``
where missing attributes read as false asks for everything else there is, absence included. Patterns ask for no region.
"""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.language.expression import Predicate
from hedgerow.language.operators import OPERATORS, Accepts, Operands, Operator
from hedgerow.regions import (
    ABSENT,
    EVERYTHING,
    FAMILIES,
    IS_NAN,
    LEAST,
    MOST,
    Region,
    Spans,
    at,
    complement,
    family_of,
    region_of,
    spans_between,
    union,
)
from hedgerow.values import Value

__all__ = ["asked_values", "is_pattern", "opposite"]

_OPPOSITES = {
    "unknown": (Accepts.FALSE, Accepts.TRUE, Accepts.TRUE, Accepts.FALSE),
    "false": (Accepts.NOT_TRUE, Accepts.NOT_FALSE, Accepts.TRUE, Accepts.FALSE),
}

_ABSENT = Region(marks=frozenset((ABSENT,)))
_PRESENT = Region(EVERYTHING.spans, EVERYTHING.marks - {ABSENT})
_NOTHING = Region()


def opposite(accepts: Accepts, missing: str) -> Accepts:
    """Return what a literal accepts that holds where another one does not.

    >>> opposite(Accepts.TRUE, "unknown").name, opposite(Accepts.TRUE, "false").name
    ('FALSE', 'NOT_TRUE')
    """
    return _OPPOSITES[missing][accepts]


def is_pattern(operator: Operator) -> bool:
    """Return whether a test is of the text of a string: LIKE, CONTAINS, MATCHES and their like."""
    return OPERATORS[operator].operands == Operands.TEXT


def asked_values(predicate: Predicate, accepts: Accepts) -> Region:
    """Return the region that the base test of a predicate asks for, where it accepts these outcomes.

    >>> import hedgerow as hr
    >>> asked_values(hr.parse("age BETWEEN 3 AND 9"), Accepts.FALSE).spans
    {'number': [((-1,), (0, 3, -1)), ((0, 9, 1), (1,))]}
    """
    base = OPERATORS[predicate.operator].base
    if base == Operator.IS_NULL:  # never undefined
        return _ABSENT if accepts in (Accepts.TRUE, Accepts.NOT_FALSE) else _PRESENT
    if base == Operator.IS_EMPTY:
        true, false = _NOTHING, Region(EVERYTHING.spans, _PRESENT.marks - {IS_NAN})
    else:
        true = _TRUE[base](predicate.values)
        families = dict.fromkeys(family_of(value) for value in predicate.values)
        false = Region({family: complement(family, true.spans.get(family, ())) for family in families})
    if accepts in (Accepts.TRUE, Accepts.FALSE):
        return true if accepts == Accepts.TRUE else false
    undefined = Region(
        {family: EVERYTHING.spans[family] for family in FAMILIES if family not in (true.spans.keys() | false.spans)},
        EVERYTHING.marks - false.marks,
    )
    return union(undefined, false if accepts == Accepts.NOT_TRUE else true)


def _line(bounds: Callable[[Value], tuple[tuple[object, ...], tuple[object, ...]]]) -> Callable[..., Region]:
    """Return what makes the region between two ends of the line of the one operand."""

    def region(values: tuple[Value, ...]) -> Region:
        family = family_of(values[0])
        low, high = bounds(values[0])
        return Region({family: spans_between(family, low, high)})  # type: ignore[arg-type]  # they are ends

    return region


def _between(values: tuple[Value, ...]) -> Region:
    low, high = values
    family = family_of(low)
    spans: Spans = spans_between(family, at(low), at(high)) if family == family_of(high) else []
    return Region({family: spans})


def _all_of(values: tuple[Value, ...]) -> Region:
    """Return what has all these values: one value cannot have several."""
    region = region_of(values)
    return region if len(region.spans) == 1 and len(region.points() or ()) == 1 else _NOTHING


_TRUE: dict[Operator, Callable[[tuple[Value, ...]], Region]] = {
    Operator.EQ: region_of,
    Operator.IN: region_of,
    Operator.ALL_OF: _all_of,
    Operator.BETWEEN: _between,
    Operator.LT: _line(lambda value: (LEAST, at(value, -1))),
    Operator.LE: _line(lambda value: (LEAST, at(value))),
    Operator.GT: _line(lambda value: (at(value, 1), MOST)),
    Operator.GE: _line(lambda value: (at(value), MOST)),
}

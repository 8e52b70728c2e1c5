"""Sets of values: what an event may say of an attribute where it does not know, or does not want to say, one value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from hedgerow.errors import KindError
from hedgerow.limits import MAX_LIST
from hedgerow.regions import (
    LEAST,
    MOST,
    End,
    Region,
    at,
    complement,
    family_of,
    region_of,
    spans_between,
)
from hedgerow.values import Kind, Value, canonical, kind_of

__all__ = [
    "ValueSet",
    "above",
    "any_of",
    "at_least",
    "at_most",
    "below",
    "between",
    "none_of",
]


class ValueSet:
    """A set of values that an event has for an attribute; ``between`` and its like make them.

    Events that have them are given to ``Index.match`` and ``match_batch`` as they are, in a list, not in a generator.

    >>> between(18, 24)
    between(18, 24)
    >>> between(18, 24) == between(18.0, 24.0), 20 in between(18, 24)
    (True, True)
    """

    __slots__ = ("_name", "_values", "region")

    region: Region
    """The same as spans."""

    def __init__(self, name: str, values: tuple[Value, ...], region: Region) -> None:
        """Take the function that makes it, what it was given, and what comes of that."""
        self._name = name
        self._values = values
        self.region = region

    def __repr__(self) -> str:
        """Return the call that makes it."""
        if self._name in ("any_of", "none_of"):
            return f"{self._name}({list(self._values)!r})"
        return f"{self._name}({', '.join(map(repr, self._values))})"

    def __contains__(self, value: object) -> bool:
        """Return whether a value is in the set."""
        form = canonical(value)
        return form is not None and form == form and region_of([form]).is_inside(self.region)  # noqa: PLR0124 - NaN

    def __eq__(self, other: object) -> bool:
        """Return whether the other set has the same values."""
        return isinstance(other, ValueSet) and self.region == other.region

    def __hash__(self) -> int:
        """Return a hash: equal sets have equal ones."""
        return hash(tuple((family, tuple(spans)) for family, spans in sorted(self.region.spans.items())))


def between(low: object, high: object) -> ValueSet:
    """Return the set of all values from ``low`` to ``high``, both included.

    >>> import hedgerow as hr
    >>> index = hr.Index("betree")
    >>> index.insert("young", "age < 30")
    >>> index.match({"age": hr.between(18, 40)}), index.match({"age": hr.between(18, 40)}, relation="containing")
    (['young'], [])
    """
    least, most = _value(low), _value(high)
    if family_of(least) != family_of(most):
        raise KindError(f"between takes two values of a kind, not {low!r} and {high!r}")
    return _line("between", (least, most), at(least), at(most))


def at_least(value: object) -> ValueSet:
    """Return the set of a value and all greater ones.

    >>> 3 in at_least(3), "3" in at_least(3)
    (True, False)
    """
    form = _value(value)
    return _line("at_least", (form,), at(form), MOST)


def at_most(value: object) -> ValueSet:
    """Return the set of a value and all lesser ones.

    >>> 3 in at_most(3)
    True
    """
    form = _value(value)
    return _line("at_most", (form,), LEAST, at(form))


def above(value: object) -> ValueSet:
    """Return the set of all values greater than one; numbers have no gaps, so 3.5 is above 3, and so is 3.0000001.

    >>> 3 in above(3)
    False
    """
    form = _value(value)
    return _line("above", (form,), at(form, 1), MOST)


def below(value: object) -> ValueSet:
    """Return the set of all values less than one.

    >>> 3 in below(3)
    False
    """
    form = _value(value)
    return _line("below", (form,), LEAST, at(form, -1))


def any_of(values: Iterable[object]) -> ValueSet:
    """Return the set of these values, of one kind or of several.

    >>> any_of(["CA", "NY"])
    any_of(['CA', 'NY'])
    """
    forms = _values("any_of", values)
    return ValueSet("any_of", forms, region_of(forms))


def none_of(values: Iterable[object]) -> ValueSet:
    """Return the set of all values of the same kinds but these.

    >>> "TX" in none_of(["CA", "NY"]), 7 in none_of(["CA", "NY"])
    (True, False)
    """
    forms = _values("none_of", values)
    spans = {family: complement(family, spans) for family, spans in region_of(forms).spans.items()}
    return _checked(ValueSet("none_of", forms, Region({family: left for family, left in spans.items() if left})))


def _line(name: str, values: tuple[Value, ...], low: End, high: End) -> ValueSet:
    family = family_of(values[0])
    return _checked(ValueSet(name, values, Region({family: spans_between(family, low, high)})))


def _checked(made: ValueSet) -> ValueSet:
    if not made.region:
        raise KindError(f"{made!r} has no value: an event must have one")
    return made


def _values(name: str, values: Iterable[object]) -> tuple[Value, ...]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise KindError(f"{name} takes a list of values, not {values!r}")
    forms = tuple(_value(value) for value in values)
    if not forms:
        raise KindError(f"{name} takes one value or more")
    if len(forms) > MAX_LIST:
        raise KindError(f"{name} takes at most {MAX_LIST:,} values, not {len(forms):,}")
    return forms


def _value(value: object) -> Value:
    form = canonical(value.item() if isinstance(value, np.generic) else value)
    if form is None or kind_of(form) == Kind.NAN:
        raise KindError(f"a set is of values that events can have; {value!r} is none")
    return form

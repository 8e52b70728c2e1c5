"""Base events of BEGen, and the predicates that are derived from their values.

::

    base 4     a17 = 9      a302 = 40      a5 = 0        a88 = 21      drawn once
                 │             │             │             │
    row 104    a17 = 9      (not kept)     a5 <= 30      a88 BETWEEN 18 AND 22
    row 204    a17 > 3      a302 = 40      (not kept)    a88 IN (2, 21, 46)

A predicate that is derived from a value holds for it (Table II of the paper, which allows an operand of < and > to be
that value, but must mean another). Each possible choice is equally likely:

======== ==========================================================================================
operator operands, for the value v
======== ==========================================================================================
!=       another value
<, >     a value beyond v; if v is the last one, < becomes >, and if it is the first one, > becomes <
<=, >=   v or a value beyond it
IN       v and others: 2 to 6 values in all
NOT IN   2 to 6 values without v, or 1 if there is no more
BETWEEN  the ends of a range that v is in, at any place; moved if it would reach beyond all values
======== ==========================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hedgerow.workload.begen_parameters import OPERATORS, BEGenParameters
from hedgerow.workload.contracts_catalogue import Urn
from hedgerow.workload.numbered import below, drawn, fractions, key_of

if TYPE_CHECKING:
    from hedgerow.workload.numbered import Integers, Keys

__all__ = ["CODES", "Bases", "Derivation", "Derived"]

CODES = OPERATORS["high"]
"""All operators. The number of one is its place."""

_MOST_OPERANDS = 6  # of an IN or NOT IN
_EQ, _NE, _LT, _LE, _GT, _GE, _IN, _NOT_IN, _BETWEEN = range(len(CODES))
_BASE_ATTRIBUTES, _BASE_VALUES = range(2)  # streams of the seed
_EQUAL, _OPERATOR, _FIRST, _SECOND, _THIRD, _OTHERS = range(6)


class Derived(NamedTuple):
    """What predicates ask of their attributes."""

    operators: Integers
    """Places in ``CODES``."""
    counts: Integers
    """How many operands each has."""
    operands: Integers
    """The operands, which are the first ``counts`` of each line."""


class Bases:
    """The base events of a seed: as many attributes each, all different, and their values.

    >>> bases = Bases(BEGenParameters(size=3, event_size=3))
    >>> bases.attributes.shape, bases.attributes[4].tolist(), bases.values[4].tolist()
    ((100, 3), [159, 398, 80], [30, 17, 29])
    """

    def __init__(self, parameters: BEGenParameters) -> None:
        """Draw all of them."""
        numbers = np.arange(parameters.bases)
        urn = Urn(parameters.dimensions, parameters.attribute_alpha)
        keys = drawn(key_of(parameters.seed, _BASE_ATTRIBUTES), numbers)
        self.attributes = np.zeros((len(numbers), parameters.event_size), dtype=np.int64)
        for place in range(parameters.event_size):
            self.attributes[:, place] = urn.others(drawn(keys, place), self.attributes[:, :place])
        keys = drawn(key_of(parameters.seed, _BASE_VALUES), numbers)
        places = np.arange(parameters.event_size)
        self.values = below(drawn(keys[:, None], places), parameters.cardinality)


class Derivation:
    """Derives predicates from the values that are to satisfy them.

    >>> derived = Derivation(BEGenParameters()).derived(drawn(key_of(8), np.arange(3)), np.array([9, 30, 21]))
    >>> [CODES[code] for code in derived.operators], derived.counts.tolist(), derived.operands[:, :2].tolist()
    (['=', 'BETWEEN', '<='], [1, 2, 1], [[9, 0], [28, 36], [26, 0]])
    """

    def __init__(self, parameters: BEGenParameters) -> None:
        """Find the widths of ranges, and the operators to draw from."""
        self._equal, self._end = parameters.equality_share, parameters.cardinality
        self._others = np.array([CODES.index(name) for name in OPERATORS[parameters.operators] if name != "="])
        self._values = Urn(self._end, 0.0)
        mean = max(2.0, parameters.range_share * self._end)
        self._least = max(2.0, 2 * mean - self._end)
        self._spread = 2 * (mean - self._least)

    def derived(self, keys: Keys, values: Integers) -> Derived:
        """Return a predicate for each key that holds for the value beside it."""
        operators = self._operators(keys, values)
        counts = np.ones_like(values)
        operands = np.zeros((len(values), _MOST_OPERANDS), dtype=np.int64)
        for code in range(len(CODES)):
            here = np.flatnonzero(operators == code)
            found = self._operands(code, keys[here], values[here])
            operands[here, : found.shape[1]] = found
            counts[here] = (found < self._end).sum(axis=1)
        return Derived(operators, counts, operands)

    def _operators(self, keys: Keys, values: Integers) -> Integers:
        """Return which operator each predicate has; the bound of a strict comparison is one of the values."""
        operators = np.full(len(values), _EQ)
        if self._others.size:
            others = self._others[below(drawn(keys, _OPERATOR), self._others.size)]
            operators = np.where(fractions(drawn(keys, _EQUAL)) < self._equal, _EQ, others)
        up, down = (operators == _LT) & (values == self._end - 1), (operators == _GT) & (values == 0)
        return np.where(up, _GT, np.where(down, _LT, operators))

    def _operands(self, code: int, keys: Keys, values: Integers) -> Integers:
        """Return a line of operands for each key, all of one operator; what is no value is last."""
        if code in {_IN, _NOT_IN}:
            return self._sets(keys, values, first=int(code == _NOT_IN))
        return self._ranges(keys, values) if code == _BETWEEN else self._bounds(code, keys, values)[:, None]

    def _bounds(self, code: int, keys: Keys, values: Integers) -> Integers:
        """Return the operands of an operator that has one."""
        zeros, ends = np.zeros_like(values), np.full_like(values, self._end)
        first, beyond = {
            _EQ: (values, values + 1),
            _NE: (values + 1, values + self._end),  # those after the last value are the first ones again
            _LT: (values + 1, ends),
            _LE: (values, ends),
            _GT: (zeros, values),
            _GE: (zeros, values + 1),
        }[code]
        return (first + below(drawn(keys, _FIRST), beyond - first)) % self._end

    def _sets(self, keys: Keys, values: Integers, first: int) -> Integers:
        """Return sets of values, ascending: with the given one if the first is 0, without it if that is 1."""
        most = min(_MOST_OPERANDS, self._end - first)
        found = values[:, None]
        for place in range(most + first - 1):
            found = np.column_stack((found, self._values.others(drawn(keys, _OTHERS + place), found)))
        least = min(2, most)
        counts = least + below(drawn(keys, _FIRST), most - least + 1)
        beyond = np.arange(most) >= counts[:, None]
        return np.sort(np.where(beyond, self._end, found[:, first:]), axis=1)

    def _ranges(self, keys: Keys, values: Integers) -> Integers:
        """Return the first and the last value of ranges; a width that is no whole number is rounded by chance."""
        wanted = self._least + self._spread * fractions(drawn(keys, _FIRST))
        widths = np.floor(wanted + fractions(drawn(keys, _SECOND))).astype(np.int64)
        lowest = np.clip(values - below(drawn(keys, _THIRD), widths), 0, self._end - widths)
        return np.column_stack((lowest, lowest + widths - 1))

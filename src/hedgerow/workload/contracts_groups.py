"""The groups of contracts, drawn for many expressions at once: which predicates each has, as numbers.

::

    row 41 ── 3 groups ─┬─ group 0: 2 predicates   a3, set 1, IN     a0, set 7, IN
                        ├─ group 1: 3 predicates   a0, set 7, IN     a52, set 0, NOT IN   a1, set 0, IN
                        └─ group 2: 1 predicate    a7, set 3, IN       └─ copied from group 0

A predicate is a number, its *code*: attribute, value set and whether it is negated, in this order. An attribute occurs
once in a group. How many predicates a group has is drawn first; what it copies takes the first places of these, so that
copying changes no group's size. Groups are filled one after the other, but the n-th ones of all rows together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hedgerow.workload.contracts_catalogue import Urn
from hedgerow.workload.numbered import Zipf, below, drawn, fractions, key_of

if TYPE_CHECKING:
    from hedgerow.workload.contracts_parameters import ContractParameters
    from hedgerow.workload.numbered import Integers, Keys

__all__ = ["WEIGHTS", "Grouped", "Groups"]

_EXPRESSIONS = 5  # stream of the seed; those before are the catalogue's
_ROW_COUNT, _ROW_MONTH, _ROW_GROUPS = range(3)
_SIZE, _COPIES, _PORTION, _OFFSET, WEIGHTS, _NEW = range(6)
_ATTRIBUTE, _SET, _NEGATED = range(3)


class Grouped(NamedTuple):
    """What some rows are made of."""

    counts: Integers
    """How many groups each row has."""
    months: Integers
    """The month of each row, from 1 on."""
    keys: Keys
    """The key of each group, all rows one after the other; its draw ``WEIGHTS`` is for those who write it."""
    sizes: Integers
    """How many predicates each group has, without the month."""
    codes: Integers
    """The predicates of each group, which are the first ``sizes`` of its line."""


class Groups:
    """Draws any rows of a workload."""

    def __init__(self, parameters: ContractParameters) -> None:
        """Make the tables that draws are looked up in."""
        self._parameters = parameters
        self._rows = key_of(parameters.seed, _EXPRESSIONS)
        self._counts = Zipf(parameters.most_groups, parameters.group_alpha)
        self._size_ends = np.cumsum(np.array(parameters.group_sizes, dtype=np.float64))
        self._attributes = Urn(parameters.dimensions, parameters.attribute_alpha)
        self._sets = Zipf(parameters.value_sets, parameters.set_alpha)

    def rows(self, first: int, end: int) -> Grouped:
        """Return what the rows from ``first`` up to, and without, ``end`` are made of."""
        rows = drawn(self._rows, np.arange(first, end))
        counts = 1 + self._counts.ranks(drawn(rows, _ROW_COUNT))
        months = 1 + below(drawn(rows, _ROW_MONTH), self._parameters.months)
        starts = np.cumsum(counts) - counts
        places = np.arange(counts.sum()) - np.repeat(starts, counts)
        keys = drawn(np.repeat(rows, counts), _ROW_GROUPS + places)
        draws = fractions(drawn(keys, _SIZE)) * self._size_ends[-1]
        sizes = 1 + np.searchsorted(self._size_ends, draws, side="right")
        codes = np.zeros((len(keys), len(self._size_ends)), dtype=np.int64)
        for place in range(counts.max(initial=0)):
            self._fill(starts[counts > place] + place, place, keys, sizes, codes)
        return Grouped(counts, months, keys, sizes, codes)

    def _fill(self, groups: Integers, place: int, keys: Keys, sizes: Integers, codes: Integers) -> None:
        """Write the predicates of groups that have the same place in their rows; those before are written."""
        before = groups - 1 if place else groups
        copied = self._copied(keys[groups], sizes[before], sizes[groups]) if place else np.zeros_like(groups)
        offsets = below(drawn(keys[groups], _OFFSET), sizes[before])
        for slot in range(sizes[groups].max()):
            here = np.flatnonzero(sizes[groups] > slot)
            rows = groups[here]
            old = codes[before[here], (offsets[here] + slot) % sizes[before[here]]]
            new = self._new(drawn(keys[rows], _NEW + slot), codes[rows, :slot])
            codes[rows, slot] = np.where(slot < copied[here], old, new)

    def _copied(self, keys: Keys, before: Integers, sizes: Integers) -> Integers:
        """Return how many predicates each group copies: on average the part that is asked for, if it has the room."""
        parts = (self._parameters.copied * before + fractions(drawn(keys, _PORTION))).astype(np.int64)
        copies = fractions(drawn(keys, _COPIES)) < self._parameters.copying
        return np.where(copies, np.minimum(parts, sizes), 0)

    def _new(self, keys: Keys, taken: Integers) -> Integers:
        """Return a predicate for each key, whose attribute none of its row of ``taken`` has."""
        given = self._parameters
        attributes = self._attributes.others(drawn(keys, _ATTRIBUTE), taken // (2 * given.value_sets))
        sets = attributes * given.value_sets + self._sets.ranks(drawn(keys, _SET))
        return 2 * sets + (fractions(drawn(keys, _NEGATED)) < given.negated)

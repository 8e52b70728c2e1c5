"""The trees of ABE-Gen, drawn a level at a time for many expressions at once, and written as text.

::

    row 41 ─ root ── AND                                     level 3
                 ┌────┼────────┐
                rank rank     rank      drawn by Zipf        level 2: a rank stands for one subexpression,
                 17  903      17                                      the same in every expression
               ┌──┼──┐ ...
              a3 = 9 ...                                     level 1: attribute by Zipf, test and values alike

A node is a key (see ``numbered``). Its stream decides all about it: draw 0 its operator, the next draws its children.
The key of a subexpression is the draw of its level's stream that has its rank as number, so a pool is nowhere held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.workload.abe_parameters import OPERATORS, attribute_names
from hedgerow.workload.numbered import Zipf, below, drawn, fractions, key_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hedgerow.workload.abe_parameters import AbeParameters
    from hedgerow.workload.numbered import Integers, Keys

__all__ = ["Trees"]

_NOT = OPERATORS.index("NOT")
_SEPARATORS = pa.array([f" {name} " for name in OPERATORS])
_OPENINGS = pa.array(["NOT " if name == "NOT" else "(" for name in OPERATORS])
_CLOSINGS = pa.array(["" if name == "NOT" else ")" for name in OPERATORS])


class Trees:
    """Writes any rows of a workload."""

    def __init__(self, parameters: AbeParameters) -> None:
        """Make the tables that draws are looked up in, and the parts that text is made of."""
        self._parameters = parameters
        self._levels = [key_of(parameters.seed, 0, level) for level in range(parameters.depth + 1)]
        self._operator_ends = np.cumsum(np.array(parameters.operators, dtype=np.float64))
        self._fan_outs = np.array(parameters.fan_outs, dtype=np.int64)
        shared = parameters.alpha > 0 and parameters.depth > 2  # noqa: PLR2004 - there is a level between
        self._subexpressions = Zipf(parameters.pool, parameters.alpha) if shared else None
        self._attributes = Zipf(parameters.dimensions, parameters.attribute_alpha)
        names = attribute_names(parameters)
        values = [str(value) for value in range(parameters.cardinality)]
        self._heads = pa.array([f"{name} {relation} " for name in names for relation in parameters.relations])
        self._values = pa.array(values)
        self._tails = pa.array(["", *(f" AND {value}" for value in values)])

    def texts(self, first: int, end: int) -> pa.StringArray:
        """Return the expressions of the rows from ``first`` up to, and without, ``end``."""
        depth = self._parameters.depth
        return self._written(drawn(self._levels[depth], np.arange(first, end)), depth)

    def _written(self, keys: Keys, level: int) -> pa.StringArray:
        """Return the text of each node of a level, as an operand unless it is a root. Recursion is as deep as trees."""
        if level == 1:
            return self._predicates(keys)
        operators = self._operators(keys)
        counts = self._fan_outs[operators]
        ends = np.cumsum(counts)
        starts = ends - counts
        places = np.arange(ends[-1]) - np.repeat(starts, counts)
        operands = self._written(self._children(np.repeat(keys, counts), places, level), level - 1)
        lists = pa.ListArray.from_arrays(pa.array(np.append(starts, ends[-1]), pa.int32()), operands)
        chosen = pa.array(operators)
        joined = pc.binary_join(lists, _SEPARATORS.take(chosen))
        if level < self._parameters.depth:
            return pc.binary_join_element_wise(_OPENINGS.take(chosen), joined, _CLOSINGS.take(chosen), "")
        if np.any(operators == _NOT):
            return pc.binary_join_element_wise(pc.if_else(pa.array(operators == _NOT), "NOT ", ""), joined, "")
        return joined

    def _operators(self, keys: Keys) -> Integers:
        """Return the operator of each node."""
        places = fractions(drawn(keys, 0)) * self._operator_ends[-1]
        operators: Integers = np.searchsorted(self._operator_ends, places, side="right")
        return operators

    def _children(self, parents: Keys, places: NDArray[np.int64], level: int) -> Keys:
        """Return the key of each child: new if it is a predicate or nothing is shared, else that of a rank."""
        keys = drawn(parents, places + 1)
        if level == 2 or self._subexpressions is None:  # noqa: PLR2004 - the level above the predicates
            return keys
        return drawn(self._levels[level - 1], self._subexpressions.ranks(keys))

    def _predicates(self, keys: Keys) -> pa.StringArray:
        relations = self._parameters.relations
        cardinality = self._parameters.cardinality
        attributes = self._attributes.ranks(drawn(keys, 0))
        relation = below(drawn(keys, 1), len(relations))
        value = below(drawn(keys, 2), cardinality)
        heads = self._heads.take(pa.array(attributes * len(relations) + relation))
        if "BETWEEN" not in relations:
            return pc.binary_join_element_wise(heads, self._values.take(pa.array(value)), "")
        other = below(drawn(keys, 3), cardinality)
        ranged = relation == relations.index("BETWEEN")
        low = np.where(ranged, np.minimum(value, other), value)
        high = np.where(ranged, np.maximum(value, other) + 1, 0)
        texts = [heads, self._values.take(pa.array(low)), self._tails.take(pa.array(high))]
        return pc.binary_join_element_wise(*texts, "")

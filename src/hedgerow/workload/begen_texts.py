"""Derived predicates as text: every piece of one is in a table, so that an expression is pieces put together.

::

    a17 = | 9 |  AND a5 <= | 30 |  AND a88 BETWEEN | 18 |  AND 22 |  AND a3 IN ( | 2 | , 21 | , 46)
    head   operand ...
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.workload.begen_parameters import BEGenParameters
from hedgerow.workload.begen_predicates import CODES, Derived
from hedgerow.workload.contracts_texts import joined

if TYPE_CHECKING:
    from hedgerow.workload.numbered import Integers

__all__ = ["Texts"]

_AROUND = (("", ""), (" AND ", ""), (", ", ""), (", ", ")"), ("", ")"))
_ALONE, _BOUND, _INNER, _LAST, _ONLY = range(len(_AROUND))  # operands: the first, and others by where they stand
_IS_SET = np.array([name.endswith("IN") for name in CODES])


class Texts:
    """Writes expressions.

    >>> derived = Derived(np.array([0, 6, 8]), np.array([1, 2, 2]), np.array([[9, 0], [2, 21], [18, 22]]))
    >>> Texts(BEGenParameters()).expressions(np.array([2, 1]), np.array([17, 3, 88]), derived).to_pylist()
    ['a17 = 9 AND a3 IN (2, 21)', 'a88 BETWEEN 18 AND 22']
    """

    def __init__(self, parameters: BEGenParameters) -> None:
        """Write each piece once."""
        self._dimensions, self._cardinality = parameters.dimensions, parameters.cardinality
        heads = pa.array(
            f"{before}a{attribute} {name} {'(' if is_set else ''}"
            for before in ("", " AND ")
            for name, is_set in zip(CODES, _IS_SET, strict=True)
            for attribute in range(parameters.dimensions)
        )
        numbers = pa.array(np.arange(parameters.cardinality)).cast(pa.string())
        operands = [pc.binary_join_element_wise(before, numbers, after, "") for before, after in _AROUND]
        self._pieces = pa.concat_arrays([heads, *operands])
        self._heads = len(heads)

    def expressions(self, sizes: Integers, attributes: Integers, derived: Derived) -> pa.StringArray:
        """Return the first ``sizes[0]`` predicates joined by AND, the next ``sizes[1]``, and so on; no size is 0."""
        starts = np.cumsum(sizes) - sizes
        joins = np.ones_like(attributes)
        joins[starts] = 0
        heads = (joins * len(CODES) + derived.operators) * self._dimensions + attributes
        pieces = np.column_stack((heads, self._heads + self._around(derived) * self._cardinality + derived.operands))
        used = np.arange(1 + derived.operands.shape[1]) <= derived.counts[:, None]
        texts = self._pieces.take(pa.array(pieces[used]))
        return joined(texts, np.add.reduceat(1 + derived.counts, starts), "")

    def _around(self, derived: Derived) -> Integers:
        """Return what stands before and after each operand."""
        is_set = _IS_SET[derived.operators]
        last = np.arange(derived.operands.shape[1]) == derived.counts[:, None] - 1
        around = np.where(is_set[:, None], np.where(last, _LAST, _INNER), _BOUND)
        around[:, 0] = np.where(is_set & last[:, 0], _ONLY, _ALONE)
        return around

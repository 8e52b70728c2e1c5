"""The predicates of contracts as text, with weights or without.

The weight of a value in a predicate is Gaussian, its mean 0.8 and its variance 0.05 of the upper bound of attribute and
value, but at least 0 and at most the upper bound. It is drawn for each predicate of each expression, also for those
that are copied. Weights are whole hundredths, rounded down, so that all there are can be written beforehand.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.workload.contracts_catalogue import ASSIGNMENTS, Catalogue
from hedgerow.workload.contracts_groups import WEIGHTS
from hedgerow.workload.numbered import below, drawn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hedgerow.workload.contracts_groups import Grouped
    from hedgerow.workload.contracts_parameters import ContractParameters
    from hedgerow.workload.numbered import Integers, Keys

__all__ = ["PlainTexts", "WeightedTexts", "joined"]

_PARTS = 100  # of the whole that weights are numbers of
_MEAN, _VARIANCE = 0.8, 0.05
_QUANTILES = 4096


class PlainTexts:
    """Predicates without weights: a table of all that there are."""

    def __init__(self, parameters: ContractParameters) -> None:
        """Write each predicate once."""
        sets, sizes = Catalogue(parameters).value_sets()
        self._predicates = pa.array(
            f"{head}{', '.join(map(str, values[:size]))})"
            for number, (values, size) in enumerate(zip(sets.tolist(), sizes.tolist(), strict=True))
            for head in _heads(number // parameters.value_sets, weak=parameters.weak)
        )
        self._months = pa.array([f"month IN ({month})" for month in range(parameters.months + 1)])

    def predicates(self, grouped: Grouped) -> pa.StringArray:
        """Return the text of each predicate of each group."""
        return self._predicates.take(pa.array(grouped.codes[_filled(grouped)]))

    def months(self, months: Integers, _: Keys) -> pa.StringArray:
        """Return the text of each month."""
        return self._months.take(pa.array(months))


class WeightedTexts:
    """Predicates whose values have weights, unless they are NOT IN, which the language gives none."""

    def __init__(self, parameters: ContractParameters) -> None:
        """Find the upper bounds, and write what texts are put together from."""
        catalogue = Catalogue(parameters)
        self._sets_each = parameters.value_sets
        self._sets, self._sizes = catalogue.value_sets()
        self._bounds, self._month_bounds = catalogue.upper_bounds(), catalogue.month_bounds()
        normal = NormalDist()
        self._normal = np.array([normal.inv_cdf((number + 0.5) / _QUANTILES) for number in range(_QUANTILES)])
        attributes = range(parameters.dimensions)
        self._heads = pa.array(head for number in attributes for head in _heads(number, weak=parameters.weak))
        self._values = pa.array(map(str, range(parameters.cardinality)))
        weights = (f"^{number / _PARTS:g}" for number in range(ASSIGNMENTS * _PARTS + 1))
        self._weights = pa.array(["", *weights])
        self._months = pa.array([f"month IN ({month}" for month in range(parameters.months + 1)])

    def predicates(self, grouped: Grouped) -> pa.StringArray:
        """Return the text of each predicate of each group."""
        filled = _filled(grouped)
        codes = grouped.codes[filled]
        numbers = np.arange(1, grouped.codes.shape[1] + 1)
        keys = drawn(drawn(grouped.keys, WEIGHTS)[:, None], numbers)[filled]
        sets = codes // 2
        values, sizes = self._values_of(sets, codes % 2 == 1, keys)
        heads = self._heads.take(pa.array(sets // self._sets_each * 2 + codes % 2))
        return pc.binary_join_element_wise(heads, joined(values, sizes, ", "), ")", "")

    def months(self, months: Integers, keys: Keys) -> pa.StringArray:
        """Return the text of each month, whose weights depend on the groups with these keys."""
        weights = self._drawn(drawn(drawn(keys, WEIGHTS), 0), self._month_bounds[months - 1])
        return pc.binary_join_element_wise(
            self._months.take(pa.array(months)), self._weights.take(pa.array(weights)), ")", ""
        )

    def _values_of(self, sets: Integers, negated: NDArray[np.bool_], keys: Keys) -> tuple[pa.StringArray, Integers]:
        """Return the texts of all values of some sets, and how many each set has."""
        sizes = self._sizes[sets]
        places = np.arange(self._sets.shape[1])
        inside = places < sizes[:, None]
        values = self._sets[sets][inside]
        bounds = self._bounds[np.repeat(sets // self._sets_each, sizes), values]
        weights = self._drawn(drawn(keys[:, None], places)[inside], bounds)
        weights[np.repeat(negated, sizes)] = 0
        texts = [self._values.take(pa.array(values)), self._weights.take(pa.array(weights))]
        return pc.binary_join_element_wise(*texts, ""), sizes

    def _drawn(self, keys: Keys, bounds: NDArray[np.float64]) -> Integers:
        """Return the place of a weight for each key in the list of their texts, which is led by that of none."""
        normal = self._normal[below(keys, _QUANTILES)]
        weights = np.clip(_MEAN * bounds + np.sqrt(_VARIANCE * bounds) * normal, 0, bounds)
        places: Integers = 1 + (weights * _PARTS).astype(np.int64)
        return places


def joined(texts: pa.StringArray, counts: Integers, separator: str) -> pa.StringArray:
    """Return the texts joined, the first ``counts[0]`` of them, the next ``counts[1]``, and so on.

    >>> joined(pa.array(["a", "b", "c"]), np.array([2, 1]), "-").to_pylist()
    ['a-b', 'c']
    """
    offsets = np.concatenate(([0], np.cumsum(counts)))
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), texts), separator)


def _filled(grouped: Grouped) -> NDArray[np.bool_]:
    """Return which places of the codes are predicates."""
    filled: NDArray[np.bool_] = np.arange(grouped.codes.shape[1]) < grouped.sizes[:, None]
    return filled


def _heads(attribute: int, *, weak: bool) -> tuple[str, str]:
    """Return how a predicate of an attribute begins, and a negated one."""
    return f"a{attribute} IN (", f"a{attribute} {'WEAK ' if weak else ''}NOT IN ("

"""What contracts and ad logs are about: attributes, how many values each has, and the value sets that contracts name.

::

    a0   17 values   set 0: 0, 1, 4   set 1: 2   set 2: 0, 3   ...      sets of an attribute are drawn by Zipf,
    a1    2 values   set 0: 1         set 1: 0   set 2: 0      ...      and so are the values within a set
    ...

An attribute is the same in all workloads of a seed that have the same ``cardinality``, ``value_sets``, ``largest_set``
and exponents; in particular it does not depend on how many attributes there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.workload.numbered import Zipf, below, drawn, fractions, key_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hedgerow.workload.contracts_parameters import ContractParameters
    from hedgerow.workload.numbered import Integers, Keys

__all__ = ["ASSIGNMENTS", "Catalogue", "Urn"]

ASSIGNMENTS = 1000
"""Upper bounds of weights come from the first so many events."""

_CARDINALITIES, _VALUE_SETS, _EVENT_ATTRIBUTES, _EVENT_VALUES, _EVENT_MONTHS = range(5)  # streams of the seed
_WEIGHT = float(1 << 30)
_BLOCK_EVENTS = 100  # drawn at once; a divisor of the number of assignments


class Urn:
    """Ranks in proportion to ``1 / (r + 1) ** alpha``, of the first ones only, or without those drawn before.

    >>> urn = Urn(3, 1.0)
    >>> keys = drawn(key_of(7), np.arange(60_000))
    >>> np.bincount(urn.ranks(keys, np.full(60_000, 2))).tolist()
    [40089, 19911]
    >>> np.bincount(urn.others(keys, np.full((60_000, 1), 1)), minlength=3).tolist()
    [45116, 0, 14884]
    """

    def __init__(self, count: int, alpha: float) -> None:
        """Sum up the proportions of ``count`` ranks; none of them is 0."""
        powers = np.rint(_WEIGHT * np.arange(1, count + 1, dtype=np.float64) ** -alpha)
        self._weights = np.maximum(1, powers.astype(np.int64))
        self._ends = np.cumsum(self._weights)

    def ranks(self, keys: Keys, counts: Integers) -> Integers:
        """Return the rank that each key draws of the first ``counts``."""
        return np.searchsorted(self._ends, below(keys, self._ends[counts - 1]), side="right")

    def others(self, keys: Keys, taken: Integers) -> Integers:
        """Return a rank for each key that is not in its row of ``taken``, whose ranks are different."""
        ordered = np.sort(taken, axis=1)
        places = below(keys, self._ends[-1] - self._weights[ordered].sum(axis=1))
        for ranks in ordered.T:  # the ends as they would be without the taken ones: step over each on the way
            weights = self._weights[ranks]
            places += np.where(places >= self._ends[ranks] - weights, weights, 0)
        return np.searchsorted(self._ends, places, side="right")


class Catalogue:
    """The attributes of a seed, value sets of those that expressions use, and events."""

    def __init__(self, parameters: ContractParameters) -> None:
        """Draw how many values attributes have."""
        self._parameters = parameters
        self._values = Urn(parameters.cardinality, parameters.value_alpha)
        attributes = np.arange(parameters.event_dimensions)
        cardinalities = drawn(key_of(parameters.seed, _CARDINALITIES), attributes)
        self._cardinalities = 2 + Zipf(parameters.cardinality - 1, parameters.cardinality_alpha).ranks(cardinalities)

    def value_sets(self) -> tuple[Integers, Integers]:
        """Return the values of each set, ascending, then anything, and how many they are; sets by their attributes."""
        given = self._parameters
        attributes = drawn(key_of(given.seed, _VALUE_SETS), np.arange(given.dimensions))
        keys = drawn(attributes[:, None], np.arange(given.value_sets)).ravel()
        cardinalities = np.repeat(self._cardinalities[: given.dimensions], given.value_sets)
        sizes = np.minimum(1 + below(drawn(keys, 0), given.largest_set), cardinalities - 1)
        times = _arrivals(drawn(keys[:, None], np.arange(1, given.cardinality + 1)), given.value_alpha)
        times[np.arange(given.cardinality) >= cardinalities[:, None]] = np.inf
        values = np.argsort(times, axis=1)[:, : given.largest_set]
        beyond = np.arange(values.shape[1]) >= sizes[:, None]
        return np.sort(np.where(beyond, given.cardinality, values), axis=1), sizes

    def events(self, first: int, end: int) -> tuple[Integers, Integers]:
        """Return the attributes of each event, ascending, and their values."""
        given = self._parameters
        numbers, attributes = np.arange(first, end), np.arange(given.event_dimensions)
        times = _arrivals(
            drawn(drawn(key_of(given.seed, _EVENT_ATTRIBUTES), numbers)[:, None], attributes), given.attribute_alpha
        )
        if given.event_size < given.event_dimensions:
            attributes = np.sort(np.argpartition(times, given.event_size, axis=1)[:, : given.event_size], axis=1)
        chosen = np.broadcast_to(attributes, (end - first, given.event_size))
        keys = drawn(drawn(key_of(given.seed, _EVENT_VALUES), numbers)[:, None], chosen)
        return chosen, self._values.ranks(keys, self._cardinalities[chosen])

    def months(self, first: int, end: int) -> Integers:
        """Return the month of each event, from 1 on."""
        keys = drawn(key_of(self._parameters.seed, _EVENT_MONTHS), np.arange(first, end))
        return 1 + below(keys, self._parameters.months)

    def upper_bounds(self) -> NDArray[np.float64]:
        """Return, for each attribute and value, how rare it is: events by events that have it, by 1 if none has."""
        counts = np.zeros((self._parameters.event_dimensions, self._parameters.cardinality), dtype=np.int64)
        for first in range(0, ASSIGNMENTS, _BLOCK_EVENTS):
            np.add.at(counts, self.events(first, first + _BLOCK_EVENTS), 1)
        return ASSIGNMENTS / np.maximum(1, counts)

    def month_bounds(self) -> NDArray[np.float64]:
        """Return the same for each month, from 1 on."""
        counts = np.bincount(self.months(0, ASSIGNMENTS) - 1, minlength=self._parameters.months)
        return ASSIGNMENTS / np.maximum(1, counts)


def _arrivals(keys: Keys, alpha: float) -> NDArray[np.float64]:
    """Return a time for each key, exponential, at the rate of its column, which is that of Zipf.

    Those that arrive first are what repeated draws by Zipf would give if none were drawn twice.
    """
    waits: NDArray[np.float64] = (
        -np.log1p(-fractions(keys)) * np.arange(1, keys.shape[1] + 1, dtype=np.float64) ** alpha
    )
    return waits

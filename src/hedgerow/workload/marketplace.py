"""Subscriptions of a marketplace: conjunctions over very many attributes, of which an event has few.

After Section 7.1 of Zhang, Chan and Tan, "An Efficient Publish/Subscribe Index for E-Commerce Databases" (VLDB 2014). A
subscription has 1 to ``most_predicates`` predicates, an event 1 to ``most_pairs`` values; attributes are drawn from
``dimensions``, uniformly or (``alpha``) by Zipf, in both. What the paper leaves open, and what we chose:

- The defaults of Gmax and m lost their mark in print: 12 and 60 here. ``market-20k`` has 20,000 attributes, as its text
  says; the number of events of a figure is not told.
- Predicates that are no equality are ``<=`` and ``>=`` by halves. Operands are 1 to ``cardinality``.
- An attribute that is drawn again for a row counts once, so with Zipf a row has fewer predicates than were drawn.

A row depends on its number and the parameters, but neither on ``expressions`` nor on the size of batches.

>>> from itertools import islice
>>> for row in islice(market_expressions(PRESETS["market-20k"]), 1, 3):
...     print(*row)
1 a10242 = 24 AND a14667 >= 4 AND a14560 >= 7 AND a16897 <= 40 AND a6745 = 18 AND a18731 <= 42 AND ...
2 a2060 >= 46 AND a7259 >= 13 AND a1372 = 41 AND a275 >= 50
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.errors import KindError
from hedgerow.workload.abe_parameters import MOST_ROWS, check_whole
from hedgerow.workload.numbered import Zipf, below, drawn, fractions, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hedgerow.workload.numbered import Integers

__all__ = [
    "PRESETS",
    "MarketParameters",
    "market_events",
    "market_expression_batches",
    "market_expression_schema",
    "market_expressions",
]

_EXPRESSIONS, _EVENTS = range(2)  # streams of the seed
_SIZE, _ATTRIBUTES, _OPERATORS, _VALUES = range(4)  # streams of a row
_SIGNS = (" = ", " <= ", " >= ")
_MOST_EACH = 1024
_BLOCK = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketParameters:
    """What a workload is made of (Table 3 of the paper).

    >>> MarketParameters(dimensions=60_000).alpha
    0.0
    """

    expressions: int = 1_000_000
    dimensions: int = 20_000
    """Attributes, ``a0`` and so on."""
    most_predicates: int = 12
    """Of a subscription (Gmax)."""
    most_pairs: int = 60
    """Of an event (m)."""
    equalities: float = 0.4
    """Share of the predicates (theta)."""
    cardinality: int = 50
    """Values of an attribute, from 1 (sigma)."""
    alpha: float = 0.0
    """Exponent of Zipf, by which attributes are drawn; 0 is uniform."""
    seed: int = 13

    def __post_init__(self) -> None:
        """Refuse what cannot be made."""
        for name, least, most in (
            ("expressions", 0, MOST_ROWS),
            ("dimensions", 1, 1 << 22),
            ("most_predicates", 1, _MOST_EACH),
            ("most_pairs", 1, _MOST_EACH),
            ("cardinality", 1, 1 << 30),
            ("seed", 0, 1 << 30),
        ):
            check_whole(name, getattr(self, name), least, most)
        for name, most_of_it in (("equalities", 1.0), ("alpha", 8.0)):
            value: object = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most_of_it:
                raise KindError(f"{name} is a number from 0 to {most_of_it:g}, not {value!r}")


PRESETS = {
    "market-20k": MarketParameters(),
    "market-60k": MarketParameters(dimensions=60_000),
    "market-zipf": MarketParameters(alpha=1.0),
}
"""The paper's default, its most attributes, and attributes that are not alike."""


def market_expressions(parameters: MarketParameters) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them; ids count from 0."""
    for batch in market_expression_batches(parameters):
        yield from zip(batch["id"].to_pylist(), batch["expression"].to_pylist(), strict=True)


def market_expression_batches(parameters: MarketParameters, batch_size: int = 10_000) -> Iterator[pa.RecordBatch]:
    """Yield the same rows as Arrow batches with the columns ``id`` and ``expression``."""
    check_whole("batch_size", batch_size, 1, MOST_ROWS)
    rows = _Rows(parameters, _EXPRESSIONS, parameters.most_predicates)
    for first in range(0, parameters.expressions, batch_size):
        numbers = np.arange(first, min(first + batch_size, parameters.expressions))
        texts = pa.concat_arrays([rows.texts(numbers[at : at + _BLOCK]) for at in range(0, len(numbers), _BLOCK)])
        yield pa.record_batch([pa.array(numbers), texts], market_expression_schema())


def market_expression_schema() -> pa.Schema:
    """Return the columns of ``market_expression_batches``, which there are even if no row is."""
    return pa.schema({"id": pa.int64(), "expression": pa.string()})


def market_events(parameters: MarketParameters, count: int) -> Iterator[dict[str, int]]:
    """Yield events as ``Index.match`` takes them, from attributes to values."""
    check_whole("count", count, 0, MOST_ROWS)
    rows = _Rows(parameters, _EVENTS, parameters.most_pairs)
    return (event for first in range(0, count, _BLOCK) for event in rows.events(first, min(first + _BLOCK, count)))


class _Rows:
    """Draws the rows of subscriptions, or of events, by their numbers."""

    def __init__(self, parameters: MarketParameters, stream: int, most: int) -> None:
        """Take the parameters, whose rows these are, and how many pairs one has at most."""
        self._given = parameters
        self._key = key_of(parameters.seed, stream)
        self._most = most
        self._zipf = Zipf(parameters.dimensions, parameters.alpha)

    def texts(self, numbers: Integers) -> pa.StringArray:
        """Return the expressions with these numbers."""
        sizes, attributes, operators, values = self._drawn(numbers)
        names = pc.binary_join_element_wise("a", pa.array(attributes).cast(pa.string()), "")
        signs = pa.DictionaryArray.from_arrays(pa.array(operators), pa.array(_SIGNS)).cast(pa.string())
        tests = pc.binary_join_element_wise(names, signs, pa.array(values).cast(pa.string()), "")
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        return pc.binary_join(pa.ListArray.from_arrays(pa.array(starts), tests), " AND ")

    def events(self, first: int, end: int) -> Iterator[dict[str, int]]:
        """Yield the events with the numbers from ``first`` up to, and without, ``end``."""
        sizes, attributes, _, values = self._drawn(np.arange(first, end))
        names, pairs, at = attributes.tolist(), values.tolist(), 0
        for size in sizes.tolist():
            yield {f"a{name}": value for name, value in zip(names[at : at + size], pairs[at : at + size], strict=True)}
            at += size

    def _drawn(self, numbers: Integers) -> tuple[Integers, Integers, Integers, Integers]:
        """Return how many pairs each row has, and of all pairs attributes, operators and values."""
        rows = drawn(self._key, numbers)
        places = np.arange(self._most)
        attributes = self._zipf.ranks(drawn(drawn(rows, _ATTRIBUTES)[:, None], places))
        taken = places < 1 + below(drawn(rows, _SIZE), self._most)[:, None]
        taken &= _is_first(np.where(taken, attributes, -1 - places))
        shares = fractions(drawn(drawn(rows, _OPERATORS)[:, None], places))
        equal = self._given.equalities
        operators = (shares >= equal).astype(np.int64) + (shares >= equal + (1 - equal) / 2)
        values = 1 + below(drawn(drawn(rows, _VALUES)[:, None], places), self._given.cardinality)
        return taken.sum(axis=1), attributes[taken], operators[taken], values[taken]


def _is_first(table: Integers) -> NDArray[np.bool_]:
    """Return where a number comes for the first time in its row."""
    order = np.argsort(table, axis=1, kind="stable")
    ordered = np.take_along_axis(table, order, axis=1)
    first = np.ones(table.shape, bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    found: NDArray[np.bool_] = np.zeros(table.shape, bool)
    np.put_along_axis(found, order, first, axis=1)
    return found

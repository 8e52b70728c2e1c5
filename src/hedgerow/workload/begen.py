"""BEGen: conjunctions whose match probability is known, since each is derived from an event that it matches.

After Section 8.2.1 of Sadoghi and Jacobsen, "Analysis and Optimization for Boolean Expression Indexing" (TODS 2013).
There are 1 / ``match_probability`` base events. An expression keeps each attribute of its base event with the same
probability, and asks either for the same value or for something that follows from it (``begen_predicates`` shows what).
What the paper leaves open, and what we chose:

- Expression i is derived from base i modulo the number of bases, and event i is that base.
- An event has exactly ``event_size`` attributes, all different. Values are uniform, also where attributes are not: then
  an attribute is the more frequent the lower its number.
- The exponent of ``begen-zipf`` is 1, as the paper names none. An event then satisfies at least one predicate of 53 %
  of the expressions; the paper speaks of 80 to 90 %, which an exponent of 2 would give.
- An expression that would keep no attribute keeps one, each as likely.
- The operators of a class, without =, are equally likely.
- BETWEEN spans at least two values, and IN names at least two, so that neither is an equality in disguise.

How likely a base event matches one of the first 50,000 expressions, by derivation or by chance, and how many of these
are distinct:

============== ========= ======= ========
preset         operators likely  distinct
============== ========= ======= ========
begen-uniform  medium    1.002 % 100.0 %
begen-zipf     medium    1.013 % 100.0 %
begen-equality min       1.000 % 99.2 %
begen-rare     medium    0.102 % 100.0 %
============== ========= ======= ========

``begen-expressive`` has the expressions of ``begen-uniform``. Of 1,000,000 in ``begen-equality`` about 85 % would be
distinct, since a base event has only 32,767 sets of attributes to keep.

A row depends on its number and the parameters, but neither on ``expressions`` nor on the size of batches.

>>> from itertools import islice
>>> for row in islice(begen_expressions(PRESETS["begen-uniform"]), 1, 3):
...     print(*row)
1 a67 = 36 AND a94 >= 5 AND a241 BETWEEN 38 AND 42 AND a87 IN (22, 26, 30, 43) AND a271 < 41 AND a93 IN (1, 12, 18)
2 a37 = 2 AND a69 IN (21, 40) AND a84 = 34 AND a210 = 3 AND a94 IN (0, 15, 23, 41) AND a126 = 46 AND ...
>>> next(begen_events(BEGenParameters(size=2, event_size=2), 1))
{'a243': 43, 'a163': 33}
>>> list(next(begen_expressive_events(BEGenParameters(size=2, event_size=2, expressive=True), 1)).values())
[below(45), 33]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa

from hedgerow.errors import KindError
from hedgerow.value_sets import ValueSet, above, any_of, at_least, at_most, below, between, none_of
from hedgerow.workload.abe_parameters import MOST_ROWS, check_whole
from hedgerow.workload.begen_parameters import OPERATORS, PRESETS, BEGenParameters
from hedgerow.workload.begen_predicates import CODES, Bases, Derivation
from hedgerow.workload.begen_texts import Texts
from hedgerow.workload.numbered import below as drawn_below
from hedgerow.workload.numbered import drawn, fractions, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hedgerow.workload.begen_predicates import Derived
    from hedgerow.workload.numbered import Integers

__all__ = [
    "OPERATORS",
    "PRESETS",
    "BEGenParameters",
    "begen_events",
    "begen_expression_batches",
    "begen_expression_schema",
    "begen_expressions",
    "begen_expressive_events",
]

_EXPRESSIONS, _EVENTS = 2, 3  # streams of the seed; those before are the bases'
_KEPT, _ONE, _PREDICATES = range(3)
_BLOCK_CELLS = 1 << 20  # attributes of base events, kept or not, that are drawn at once
_BLOCK_EVENTS = 1 << 8
_BATCH_PREDICATES = 1 << 22  # a batch of larger expressions has fewer rows, so that its text stays below 2 GB


Said: TypeAlias = int | ValueSet
"""What an event says of an attribute: a value, or a set of them."""

# What makes the set of an operator's operands; of BETWEEN these are the ends.
_MAKERS: dict[str, Callable[[list[int]], Said]] = {
    "=": lambda operands: operands[0],
    "!=": none_of,
    "<": lambda operands: below(operands[0]),
    "<=": lambda operands: at_most(operands[0]),
    ">": lambda operands: above(operands[0]),
    ">=": lambda operands: at_least(operands[0]),
    "IN": any_of,
    "NOT IN": none_of,
    "BETWEEN": lambda operands: between(operands[0], operands[-1]),
}


def begen_expressions(parameters: BEGenParameters) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them; ids count from 0."""
    for batch in begen_expression_batches(parameters):
        yield from zip(batch["id"].to_pylist(), batch["expression"].to_pylist(), strict=True)


def begen_expression_batches(parameters: BEGenParameters, batch_size: int = 10_000) -> Iterator[pa.RecordBatch]:
    """Yield the same rows as Arrow batches with the columns ``id`` and ``expression``.

    A batch has ``batch_size`` rows, the last one fewer; all have fewer if there would be millions of predicates.
    """
    check_whole("batch_size", batch_size, 1, MOST_ROWS)
    rows = min(batch_size, _BATCH_PREDICATES // parameters.event_size)
    conjunctions = _Conjunctions(parameters)
    return (conjunctions.batch(*span) for span in _spans(0, parameters.expressions, rows))


def begen_expression_schema() -> pa.Schema:
    """Return the columns of ``begen_expression_batches``, which there are even if no row is."""
    return pa.schema({"id": pa.int64(), "expression": pa.string()})


def begen_events(parameters: BEGenParameters, count: int) -> Iterator[dict[str, int]]:
    """Yield events as ``Index.match`` takes them, from attributes to values: the base events, over and over."""
    check_whole("count", count, 0, MOST_ROWS)
    if parameters.expressive:
        raise KindError("expressive is True: begen_expressive_events makes the events")
    bases = Bases(parameters)
    rows = (number % parameters.bases for number in range(count))
    return (dict(zip(_names(bases.attributes[row]), bases.values[row].tolist(), strict=True)) for row in rows)


def begen_expressive_events(parameters: BEGenParameters, count: int) -> Iterator[dict[str, Said]]:
    """Yield the same events with a set for each value that it is in, derived as the predicates of expressions are.

    ``=`` gives the value itself. What is derived from the base of an event matches it, and more does by chance than of
    events with values.
    """
    check_whole("count", count, 0, MOST_ROWS)
    if not parameters.expressive:
        raise KindError("expressive is False: begen_events makes the events")
    return _expressive(parameters, count)


class _Conjunctions:
    """Writes any rows of a workload."""

    def __init__(self, parameters: BEGenParameters) -> None:
        """Draw the base events, and make what texts are put together from."""
        self._parameters = parameters
        self._rows = key_of(parameters.seed, _EXPRESSIONS)
        self._bases, self._derivation, self._texts = Bases(parameters), Derivation(parameters), Texts(parameters)
        self._block = _BLOCK_CELLS // parameters.event_size

    def batch(self, first: int, end: int) -> pa.RecordBatch:
        """Return the rows from ``first`` up to, and without, ``end``."""
        texts = pa.concat_arrays([self._written(np.arange(*span)) for span in _spans(first, end, self._block)])
        return pa.record_batch([pa.array(np.arange(first, end)), texts], begen_expression_schema())

    def _written(self, numbers: Integers) -> pa.StringArray:
        """Return the expressions with these numbers."""
        given, rows = self._parameters, drawn(self._rows, numbers)
        places = np.arange(given.event_size)
        kept = fractions(drawn(drawn(rows, _KEPT)[:, None], places)) < given.keeping
        one = drawn_below(drawn(rows, _ONE), given.event_size)
        kept |= (places == one[:, None]) & ~kept.any(axis=1, keepdims=True)
        row, place = np.nonzero(kept)
        base = numbers[row] % given.bases
        derived = self._derivation.derived(drawn(rows[row], _PREDICATES + place), self._bases.values[base, place])
        return self._texts.expressions(kept.sum(axis=1), self._bases.attributes[base, place], derived)


def _expressive(parameters: BEGenParameters, count: int) -> Iterator[dict[str, Said]]:
    """Yield a set for each value of each event."""
    bases, derivation = Bases(parameters), Derivation(parameters)
    places = np.arange(parameters.event_size)
    for span in _spans(0, count, _BLOCK_EVENTS):
        numbers = np.arange(*span)
        rows = numbers % parameters.bases
        keys = drawn(drawn(key_of(parameters.seed, _EVENTS), numbers)[:, None], places)
        sets = _value_sets(derivation.derived(keys.ravel(), bases.values[rows].ravel()))
        for attributes in bases.attributes[rows]:
            yield {name: next(sets) for name in _names(attributes)}


def _value_sets(derived: Derived) -> Iterator[Said]:
    """Yield what was derived, one after the other."""
    lines = (derived.operators.tolist(), derived.counts.tolist(), derived.operands.tolist())
    return (_MAKERS[CODES[code]](operands[:count]) for code, count, operands in zip(*lines, strict=True))


def _names(attributes: Integers) -> list[str]:
    """Return the names of attributes."""
    return [f"a{attribute}" for attribute in attributes.tolist()]


def _spans(first: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of at most ``size`` rows that together are those from ``first`` up to ``end``."""
    return ((start, min(start + size, end)) for start in range(first, end, size))

"""Advertising contracts: expressions in DNF or CNF, and the visits that they are about.

After Section 7 of Whang et al., "Indexing Boolean Expressions" (PVLDB 2009), which made them of statistics that were
never published. What we put in their place:

- An attribute is the more frequent the lower its number (Zipf), in contracts and visits alike. It has 2 to 50 values,
  fewer being more frequent; of these again the lower are the more frequent. They are integers, as the paper asks only
  whether values are equal, and integers are shorter to write and faster to read.
- A predicate takes one of 20 value sets of its attribute, by Zipf, so that equal predicates and conjunctions recur: of
  the 2.25 million conjunctions of ``contracts-dnf`` 65 % are different. A set has 1 to 5 values, drawn by frequency.
- A conjunction has 1 to 8 predicates, 2.65 on average, and then its month. The paper gives only the average.
- Exponents of the number of conjunctions are 2.5, 2.0 and 1.5, since those are what gives the averages of the paper,
  1.6, 2.3 and 3.5; with those that it names, 3, 2.5 and 2, it would be 1.3, 1.6 and 2.3.
- An expression has one month, and so has a visit: either is one of the first ``months``, all alike, so that a pair has
  the same once in so many. (Were visits of any month, every range would give the same number of matches.)
- An upper bound is 1,000 by the number of the first 1,000 visits that have the value, and 1,000 if none has. The paper
  calls it the inverse of the frequency, but its example is the frequency.

How likely a visit matches an expression, of the first 100,000 and the first 1,000 visits:

====================== ===== ====== ============== ======================
preset                 form  groups months         likely (in the paper)
====================== ===== ====== ============== ======================
contracts-dnf          DNF   2.25   2              11.9 % (11.91 %)
contracts-dnf-small    DNF   1.63   2               9.7 % (11.91 %)
contracts-dnf-large    DNF   3.50   3              10.6 % (11.91 %)
contracts-cnf          CNF   2.25   9               5.3 % (5.16 %)
contracts-conjunctions DNF   1      2               7.0 %
====================== ===== ====== ============== ======================

``contracts-dnf-weighted`` and ``contracts-cnf-weighted`` are the same with weights. A row depends on its number and the
parameters, but neither on ``expressions`` nor on the size of batches.

>>> from itertools import islice
>>> for row in islice(contract_expressions(PRESETS["contracts-dnf"]), 2, 4):
...     print(*row)
2 a198 IN (0, 2) AND a133 IN (0, 1, 2, 4) AND month IN (1)
3 a2 IN (0, 1, 2, 3, 7) AND a0 IN (0, 4) AND a133 IN (0, 2, 6, 8) AND a132 IN (4, 5, 9, 11) AND month IN (1) OR a5 ...
>>> small = ContractParameters(
...     form="cnf", weighted=True, group_sizes=(1, 1), dimensions=8, event_dimensions=8, event_size=2
... )
>>> print(next(contract_expressions(small))[1])
a0 IN (0^2, 1^8.42, 9^116.89) AND (a0 WEAK NOT IN (1) OR a3 IN (0^5.74, 1^21.32, 5^102.24)) AND ... month IN (1^1.53)
>>> next(contract_events(small, 1)), next(contract_event_weights(small, 1))
({'a0': 0, 'a1': 0, 'month': 2}, {'a0': 0.576..., 'a1': 0.177..., 'month': 0.203...})
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.workload.abe_parameters import MOST_ROWS, check_whole
from hedgerow.workload.contracts_catalogue import Catalogue
from hedgerow.workload.contracts_groups import Groups
from hedgerow.workload.contracts_parameters import FORMS, PRESETS, ContractParameters
from hedgerow.workload.contracts_texts import PlainTexts, WeightedTexts, joined
from hedgerow.workload.numbered import drawn, fractions, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hedgerow.workload.contracts_groups import Grouped

__all__ = [
    "FORMS",
    "PRESETS",
    "ContractParameters",
    "contract_event_weights",
    "contract_events",
    "contract_expression_batches",
    "contract_expression_schema",
    "contract_expressions",
]

_EVENT_WEIGHTS = 6  # stream of the seed
_BLOCK_PREDICATES = 1 << 20  # at most so many are drawn at once; as most groups are small, a tenth of these are
_BLOCK_CELLS = 1 << 20  # attributes, in or not in an event, that are drawn at once
_BATCH_PREDICATES = 1 << 22  # a batch of larger expressions has fewer rows, so that its text stays below 2 GB


def contract_expressions(parameters: ContractParameters) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them; ids count from 0."""
    for batch in contract_expression_batches(parameters):
        yield from zip(batch["id"].to_pylist(), batch["expression"].to_pylist(), strict=True)


def contract_expression_batches(parameters: ContractParameters, batch_size: int = 10_000) -> Iterator[pa.RecordBatch]:
    """Yield the same rows as Arrow batches with the columns ``id`` and ``expression``.

    A batch has ``batch_size`` rows, the last one fewer; all have fewer where expressions may have hundreds of groups.
    """
    check_whole("batch_size", batch_size, 1, MOST_ROWS)
    rows = min(batch_size, max(1, _BATCH_PREDICATES // parameters.most_predicates))
    contracts = _Contracts(parameters)
    return (contracts.batch(*span) for span in _spans(0, parameters.expressions, rows))


def contract_expression_schema() -> pa.Schema:
    """Return the columns of ``contract_expression_batches``, which there are even if no row is."""
    return pa.schema({"id": pa.int64(), "expression": pa.string()})


def contract_events(parameters: ContractParameters, count: int) -> Iterator[dict[str, int]]:
    """Yield events as ``Index.match`` takes them, from attributes to values; the month is the last one."""
    check_whole("count", count, 0, MOST_ROWS)
    return (
        {**{f"a{attribute}": value for attribute, value in zip(attributes, values, strict=True)}, "month": month}
        for attributes, values, month in _event_rows(parameters, count)
    )


def contract_event_weights(parameters: ContractParameters, count: int) -> Iterator[dict[str, float]]:
    """Yield the weights of the same events as ``Index.top`` takes them: of each attribute, all alike from 0 to 1."""
    check_whole("count", count, 0, MOST_ROWS)
    keys = key_of(parameters.seed, _EVENT_WEIGHTS)
    numbers = np.arange(parameters.event_size + 1)
    return (
        dict(zip(event, fractions(drawn(drawn(keys, row), numbers)).tolist(), strict=True))
        for row, event in enumerate(contract_events(parameters, count))
    )


class _Contracts:
    """Writes any rows of a workload."""

    def __init__(self, parameters: ContractParameters) -> None:
        """Make the tables that draws are looked up in, and the parts that text is made of."""
        self._groups = Groups(parameters)
        self._texts = (WeightedTexts if parameters.weighted else PlainTexts)(parameters)
        self._written = self._conjunctions if parameters.form == "dnf" else self._disjunctions
        self._block = max(1, _BLOCK_PREDICATES // parameters.most_predicates)

    def batch(self, first: int, end: int) -> pa.RecordBatch:
        """Return the rows from ``first`` up to, and without, ``end``."""
        texts = pa.concat_arrays([self._written(self._groups.rows(*span)) for span in _spans(first, end, self._block)])
        return pa.record_batch([pa.array(np.arange(first, end)), texts], contract_expression_schema())

    def _conjunctions(self, grouped: Grouped) -> pa.StringArray:
        """Return an OR of conjunctions for each row, all with its month."""
        groups = joined(self._texts.predicates(grouped), grouped.sizes, " AND ")
        months = self._texts.months(np.repeat(grouped.months, grouped.counts), grouped.keys)
        return joined(pc.binary_join_element_wise(groups, months, " AND "), grouped.counts, " OR ")

    def _disjunctions(self, grouped: Grouped) -> pa.StringArray:
        """Return an AND of disjunctions for each row, the last of which is its month."""
        groups = joined(self._texts.predicates(grouped), grouped.sizes, " OR ")
        wide = pa.array(grouped.sizes > 1)
        groups = pc.if_else(wide, pc.binary_join_element_wise("(", groups, ")", ""), groups)
        first = np.cumsum(grouped.counts) - grouped.counts
        months = self._texts.months(grouped.months, grouped.keys[first])
        return pc.binary_join_element_wise(joined(groups, grouped.counts, " AND "), months, " AND ")


def _event_rows(parameters: ContractParameters, count: int) -> Iterator[tuple[list[int], list[int], int]]:
    """Yield the attributes, the values and the month of each event."""
    catalogue = Catalogue(parameters)
    for span in _spans(0, count, max(1, _BLOCK_CELLS // parameters.event_dimensions)):
        attributes, values = catalogue.events(*span)
        yield from zip(attributes.tolist(), values.tolist(), catalogue.months(*span).tolist(), strict=True)


def _spans(first: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of at most ``size`` rows that together are those from ``first`` up to ``end``."""
    return ((start, min(start + size, end)) for start in range(first, end, size))

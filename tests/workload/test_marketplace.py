"""The marketplace: what it promises of its rows, and that they stay what they are."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

import hedgerow as hr
from hedgerow.language.operators import Operator
from hedgerow.workload.marketplace import (
    PRESETS,
    MarketParameters,
    market_events,
    market_expression_batches,
    market_expression_schema,
    market_expressions,
)

SMALL = MarketParameters(expressions=3000, dimensions=500, most_predicates=8, most_pairs=20)
FIRST_ROWS = {
    "market-20k": "e6a56330135b8424a1c2de540244b3e110eeea841def0a88259b3cd1535d3acd",
    "market-60k": "07a90024d3c3e68ffc3b66041315b67c4b42b7bcff33cdeffee091101e4bb75d",
    "market-zipf": "1474968d6d40ba0be2285b3a3610b0118e6eb3271eb2dc54cb02768a98619193",
}


def digest(name: str) -> str:
    """Return a fingerprint of the first rows and events of a preset."""
    rows = [*islice(market_expressions(PRESETS[name]), 500), *market_events(PRESETS[name], 50)]
    return hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()


def rows_of(parameters: MarketParameters) -> list[tuple[hr.Predicate, ...]]:
    """Return each expression as its predicates."""
    trees = [hr.parse(text) for _, text in market_expressions(parameters)]
    rows = [tree.operands if isinstance(tree, hr.And) else (tree,) for tree in trees]
    return [tuple(part for part in row if isinstance(part, hr.Predicate)) for row in rows]


@pytest.mark.parametrize("name", PRESETS)
def test_the_rows_of_a_preset_are_what_they_always_were(name: str) -> None:
    """A changed workload needs a new name."""
    assert digest(name) == FIRST_ROWS[name]


def test_rows_have_their_sizes_operators_and_operands() -> None:
    """Sizes are alike from 1 on, two fifths are equalities, and no attribute comes twice."""
    rows = rows_of(SMALL)
    sizes = Counter(map(len, rows))
    assert set(sizes) == set(range(1, 9))
    assert all(0.8 < count / (3000 / 8) < 1.2 for count in sizes.values())
    assert all(len({part.attribute for part in row}) == len(row) for row in rows)
    parts = [part for row in rows for part in row]
    shares = {operator: count / len(parts) for operator, count in Counter(part.operator for part in parts).items()}
    assert shares == {
        Operator.EQ: pytest.approx(0.4, abs=0.02),
        Operator.LE: pytest.approx(0.3, abs=0.02),
        Operator.GE: pytest.approx(0.3, abs=0.02),
    }
    assert {part.values[0] for part in parts} == set(range(1, 51))
    assert len({part.attribute for part in parts}) > 490


def test_events_have_their_sizes_and_values() -> None:
    """From one value to the most there may be."""
    events = list(market_events(SMALL, 500))
    assert {len(event) for event in events} == set(range(1, 21))
    assert {value for event in events for value in event.values()} == set(range(1, 51))
    assert list(market_events(SMALL, 3)) == events[:3]


def test_by_zipf_low_attributes_are_frequent() -> None:
    """In subscriptions and in events; with few attributes a row has fewer than were drawn, but one."""
    zipf = replace(SMALL, alpha=1.0)
    counts = Counter(part.attribute for row in rows_of(zipf) for part in row)
    assert counts["a0"] > counts["a9"] > counts["a99"]
    named = Counter(name for event in market_events(zipf, 500) for name in event)
    assert named["a0"] > named["a9"] > named["a99"]
    assert all(len(row) == 1 for row in rows_of(replace(SMALL, dimensions=1, expressions=50)))


def test_rows_depend_on_their_number_alone() -> None:
    """Neither on how many there are nor on the size of batches."""
    few = [row for batch in market_expression_batches(replace(SMALL, expressions=40), 7) for row in batch.to_pylist()]
    assert [(row["id"], row["expression"]) for row in few] == list(islice(market_expressions(SMALL), 40))
    assert next(market_expression_batches(SMALL)).schema == market_expression_schema()
    assert list(market_expressions(replace(SMALL, seed=1))) != list(market_expressions(SMALL))


@pytest.mark.parametrize(
    "wrong",
    ({"dimensions": 0}, {"equalities": 1.5}, {"alpha": -1}, {"alpha": True}, {"most_pairs": 2.5}, {"cardinality": 0}),
    ids=str,
)
def test_what_cannot_be_made_is_refused(wrong: dict[str, float]) -> None:
    """By name."""
    with pytest.raises(hr.KindError, match=next(iter(wrong))):
        MarketParameters(**wrong)  # type: ignore[arg-type]  # on purpose


def test_engines_find_the_same() -> None:
    """OpIndex, which it is for, and two others."""
    rows = list(market_expressions(replace(SMALL, expressions=1000, dimensions=40)))
    found = []
    for engine in ("opindex", "kindex", "scan"):
        index = hr.Index(engine)
        index.insert_many(rows, progress=False)
        found.append([index.match(event) for event in market_events(replace(SMALL, dimensions=40), 30)])
    assert found[0] == found[1] == found[2]
    assert any(found[0])

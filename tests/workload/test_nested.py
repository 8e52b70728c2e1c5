"""Nested trees: each matches the event that it is made for, and has the form that was asked for."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

import hedgerow as hr
from hedgerow.workload.nested import (
    PRESETS,
    NestedParameters,
    nested_events,
    nested_expression_batches,
    nested_expressions,
)

SMALL = NestedParameters(expressions=2000, selectivity=0.05)


@pytest.mark.parametrize("name", PRESETS)
def test_selectivity_is_what_was_asked_for(name: str) -> None:
    """By construction at least, and by chance hardly more."""
    parameters = replace(PRESETS[name], expressions=4000)
    index = hr.Index("interval")
    index.insert_many(nested_expressions(parameters))
    count = 40
    hits = sum(index.count_batch(list(nested_events(parameters, count))).to_pylist()) / count
    wanted = parameters.selectivity * parameters.expressions
    assert wanted <= hits <= 1.2 * wanted + 2


def test_an_expression_matches_its_base_event() -> None:
    """As the oracle has it."""
    events = list(nested_events(SMALL, SMALL.bases))
    for number, text in islice(nested_expressions(SMALL), 200):
        assert hr.evaluate(text, events[number % SMALL.bases]) is True


def test_rows_depend_on_their_number_alone() -> None:
    """However many there are, and in whatever batches they come."""
    rows = list(nested_expressions(SMALL))
    assert list(nested_expressions(replace(SMALL, expressions=50))) == rows[:50]
    batches = list(nested_expression_batches(SMALL, 300))
    assert [batch.num_rows for batch in batches] == [300] * 6 + [200]
    assert [text for batch in batches for text in batch["expression"].to_pylist()] == [text for _, text in rows]
    assert next(nested_expressions(replace(SMALL, seed=12))) != rows[0]


@pytest.mark.parametrize(
    "bad",
    ({"depth": 0}, {"depth": 9}, {"selectivity": 0.0}, {"selectivity": True}, {"leaf_size": 41}, {"event_size": 201}),
)
def test_what_cannot_be_made_is_refused(bad: dict[str, float]) -> None:
    """By name."""
    with pytest.raises(hr.KindError, match=next(iter(bad))):
        NestedParameters(**bad)  # type: ignore[arg-type]  # wrong on purpose

"""The ad exchange: frozen, readable, and worth matching."""

from __future__ import annotations

import hashlib
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

import hedgerow as hr
from hedgerow.event.flatten import flatten
from hedgerow.language.walk import postorder
from hedgerow.workload.exchange import campaigns, visits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

STREAMS: tuple[Callable[..., Iterator[Any]], ...] = (campaigns, visits)


def digest(rows: Iterable[object]) -> str:
    """Return a fingerprint of rows."""
    return hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()


def test_the_rows_are_what_they_always_were() -> None:
    """A changed workload needs a new name, or figures of before and after mean different things."""
    names = [name for name, _, _ in campaigns(3)]
    assert names == ["oakbank-retirement-plan-00000", "tavolo-pizza-oven-00001", "papertrail-night-school-00002"]
    assert digest(campaigns(1000)) == "b170edb1b44fcb2e0e67689e16332b5e104839c3af38e0e8976696acc1db14e4"
    assert digest(visits(1000)) == "3f25b9423f326f43a8db9089365b5e3894ce1b168b3fff62e55c1fa28844f097"


@pytest.mark.parametrize("stream", STREAMS)
def test_a_longer_run_starts_as_a_shorter_one(stream: Callable[..., Iterator[Any]]) -> None:
    """How many rows are asked for changes none of them."""
    assert list(islice(stream(500), 20)) == list(stream(20))


@pytest.mark.parametrize("stream", STREAMS)
def test_another_seed_gives_other_rows(stream: Callable[..., Iterator[Any]]) -> None:
    """The seed is the only thing that the rows depend on."""
    assert list(stream(20, seed=3)) == list(stream(20, seed=3)) != list(stream(20, seed=4))


def test_every_campaign_parses_and_has_an_id_and_a_bid_of_its_own() -> None:
    """All rows can be inserted as they are."""
    rows = list(campaigns(3000))
    report = hr.Index().insert_many(rows, progress=False)
    assert (report.inserted, report.rejected) == (3000, [])
    assert all(0.10 <= bid < 10 for _, _, bid in rows)


def test_the_campaigns_use_the_breadth_of_the_language() -> None:
    """A demonstration that left out half of the operators would show little."""
    parts = [part for _, text, _ in campaigns(2000) for part in postorder(hr.parse(text))]
    predicates = [part for part in parts if isinstance(part, hr.Predicate)]
    unused = {"IS_EMPTY", "NOT_CONTAINS", "NOT_ENDS_WITH", "NOT_ILIKE", "NOT_MATCHES", "NOT_STARTS_WITH"}
    assert {operator.name for operator in hr.Operator} - {part.operator.name for part in predicates} == unused
    assert {type(part) for part in parts} == {hr.And, hr.Or, hr.Not, hr.Xor, hr.Predicate}
    assert any(part.weights for part in predicates)


def test_a_visit_lacks_some_of_what_campaigns_ask_for() -> None:
    """Missing attributes, nulls and empty lists are as common as they are in life."""
    flat = [flatten(visit) for visit in visits(500)]
    for attribute in ("user.age", "user.interests", "user.income", "device.os", "referrer"):
        present = sum(attribute in visit for visit in flat)
        assert 0 < present < 500, attribute
    assert any(visit.get("user.interests") == () for visit in flat)
    assert len({name for visit in flat for name in visit if name.startswith("seen.")}) == 30


@pytest.mark.parametrize("missing", ("unknown", "false"))
def test_the_index_finds_what_the_oracle_finds_and_neither_finds_all(missing: str) -> None:
    """Some campaigns want a visit and most do not, whichever way missing attributes read."""
    rules = {name: hr.parse(text) for name, text, _ in campaigns(150)}
    index = hr.Index(missing=missing)
    index.insert_many(rules.items(), progress=False)
    found = []
    for visit in visits(40):
        expected = [name for name, rule in rules.items() if hr.evaluate(rule, visit, missing)]
        assert index.match(visit) == expected
        found += expected
    assert 10 < len(found) < 0.05 * 150 * 40


def test_a_missing_attribute_read_as_false_lets_more_campaigns_match() -> None:
    """The two readings differ on this workload, so that it can tell them apart."""
    counts = {}
    for missing in ("unknown", "false"):
        index = hr.Index(missing=missing)
        index.insert_many(campaigns(500), progress=False)
        counts[missing] = sum(index.count_batch(visits(300)).to_pylist())
    assert counts["unknown"] < counts["false"]

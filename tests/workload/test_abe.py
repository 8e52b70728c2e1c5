"""ABE-Gen: frozen, streaming, and shaped as its parameters say."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import FrozenInstanceError, fields, replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import hedgerow as hr
from hedgerow.language.operators import OPERATORS as LANGUAGE
from hedgerow.language.walk import postorder
from hedgerow.workload import abe
from hedgerow.workload.abe import (
    PRESETS,
    RELATIONS,
    AbeParameters,
    abe_event_batches,
    abe_event_schema,
    abe_events,
    abe_expression_batches,
    abe_expression_schema,
    abe_expressions,
)
from tools import sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SMALL = replace(PRESETS["paper-10k"], expressions=2000)
DEEP = replace(SMALL, depth=4, children=3, operators=(1, 1, 0, 0, 0), pool=3000, expressions=1000)
FIRST_ROWS = {
    "paper-default": "8d6d6628f17ac90926de93b9b3fce0fe062a74b7b820463106f0e3ab4b7b23ad",
    "paper-100k": "86364f42c55f179a05d3b5fec3de3b18cbf4262103d14420374d9cd8f2e3ba65",
    "paper-10k": "733e11c4119a15a68ad3ad983a54b22966e8abd89847cae6613c4a65794d799a",
    "equality-1m": "eea2a664cbff6274e5ca80a28b1aa9a929afefe04d091eded0c0449bb6a4626a",
    "equality-100k": "55f33190f2ed2bc28a16de44102f195b304cd222e9ce095991bf3cef017b07d8",
    "equality-10k": "7620cbccac6cabd06ccc68f9d3422d370e353586dfbbe0282b40e6b649799f7f",
    "mixed-1m": "404a80ee9d7176a19a8dc3d4d0fede0813caa3ed466f3cace7498fa50a09bf7b",
    "mixed-100k": "a5bc0a7ca893ac710d9b31539c073b1b48d8d75fde4971e17e3a3ac9a11c8684",
    "mixed-10k": "57a613cf19fe7ae45e3ec3f62704d68c74787877b047155abd59dd4675e53457",
}
FIRST_EVENTS = "6abf33621d983ab9ef424a0bea835165bb110390749d86239f9bcdede0f34355"


def digest(rows: Iterable[object]) -> str:
    """Return a fingerprint of rows."""
    return hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()


def rows_of(batches: Iterable[pa.RecordBatch]) -> list[dict[str, object]]:
    """Return the rows of some batches, without what is null."""
    rows = [row for batch in batches for row in batch.to_pylist()]
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def parsed(parameters: AbeParameters) -> list[hr.Expression]:
    """Return the expressions as objects."""
    return [hr.parse(text) for _, text in abe_expressions(parameters)]


def operands(expression: hr.Expression) -> tuple[hr.Expression, ...]:
    """Return what an operator stands before or between; a predicate has nothing of the kind."""
    if isinstance(expression, hr.Not):
        return (expression.operand,)
    return () if isinstance(expression, hr.Predicate) else expression.operands


def levels(expression: hr.Expression) -> Iterator[list[hr.Expression]]:
    """Yield the nodes of each level, from the root on."""
    level = [expression]
    while level:
        yield level
        level = [operand for node in level for operand in operands(node)]


def written(predicate: hr.Predicate) -> str:
    """Return the operator of a predicate, as it is written."""
    return LANGUAGE[predicate.operator].text


def sharing(parameters: AbeParameters, level: int = 1) -> float:
    """Return how often a distinct subexpression occurs that is so many levels above the predicates."""
    group = r"\([^()]*\)"
    for _ in range(level - 1):
        group = rf"\((?:[^()]|{group})*\)"
    groups = re.compile(group)
    nodes = [node for _, text in abe_expressions(parameters) for node in groups.findall(text)]
    return len(nodes) / len(set(nodes))


@pytest.mark.parametrize("name", PRESETS)
def test_the_rows_of_a_preset_are_what_they_always_were(name: str) -> None:
    """A changed workload needs a new name, or figures of before and after mean different things."""
    assert digest(islice(abe_expressions(PRESETS[name]), 1000)) == FIRST_ROWS[name]
    assert digest(abe_events(PRESETS[name], 200)) == FIRST_EVENTS


def test_presets_cannot_be_changed() -> None:
    """Neither the list of names nor what one stands for."""
    assert set(PRESETS) == set(FIRST_ROWS)
    with pytest.raises(TypeError):
        PRESETS["mine"] = AbeParameters()  # type: ignore[index]  # which is the point
    with pytest.raises(FrozenInstanceError):
        PRESETS["mixed-1m"].depth = 4  # type: ignore[misc]  # which is the point
    assert PRESETS["paper-default"] == AbeParameters()


@pytest.mark.parametrize("size", (1, 7, 64, 10**9))
def test_the_size_of_batches_changes_no_row(size: int) -> None:
    """Batches are cuts of one stream, for expressions as for events."""
    some = replace(SMALL, expressions=70, dimensions=100)
    batches = list(abe_expression_batches(some, size))
    assert [(row["id"], row["expression"]) for row in rows_of(batches)] == list(abe_expressions(some))
    assert {batch.num_rows for batch in batches[:-1]} <= {size}
    assert {batch.schema for batch in batches} == {abe_expression_schema()}
    batches = list(abe_event_batches(some, 70, size))
    assert rows_of(batches) == list(abe_events(some, 70))
    assert {batch.schema for batch in batches} == {abe_event_schema(some)}


def test_a_batch_of_large_rows_has_fewer_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory has a bound, whatever size is asked for; and a row is never too large to come."""
    monkeypatch.setattr(abe, "_BATCH_PREDICATES", 40)
    monkeypatch.setattr(abe, "_BATCH_CELLS", 3500)
    some = replace(SMALL, expressions=5)
    assert [batch.num_rows for batch in abe_expression_batches(some)] == [2, 2, 1]
    assert [batch.num_rows for batch in abe_event_batches(some, 7)] == [3, 3, 1]
    monkeypatch.setattr(abe, "_BATCH_PREDICATES", 1)
    monkeypatch.setattr(abe, "_BATCH_CELLS", 1)
    assert [batch.num_rows for batch in abe_expression_batches(some)] == [1] * 5
    assert [batch.num_rows for batch in abe_event_batches(some, 2)] == [1, 1]


def test_rows_are_made_when_they_are_asked_for() -> None:
    """Nothing is kept: a trillion rows begin as soon as ten, and what was handed out is given back."""
    endless = replace(SMALL, expressions=10**12)
    assert list(islice(abe_expressions(endless), 10)) == list(abe_expressions(replace(SMALL, expressions=10)))
    assert list(islice(abe_events(endless, 10**12), 3)) == list(abe_events(SMALL, 3))
    batches = abe_expression_batches(endless, 500)
    allocated = []
    for _ in range(10):
        next(batches)
        allocated.append(pa.total_allocated_bytes())
    assert max(allocated[5:]) <= 1.1 * max(allocated[:5])


def test_no_rows_are_no_trouble() -> None:
    """Nothing asked for is nothing given."""
    assert not list(abe_expressions(replace(SMALL, expressions=0)))
    assert not list(abe_expression_batches(replace(SMALL, expressions=0)))
    assert not list(abe_events(SMALL, 0))
    assert not list(abe_event_batches(SMALL, 0))


def test_another_seed_gives_other_rows() -> None:
    """The seed reaches trees, predicates, attributes and values."""
    other = replace(SMALL, seed=8)
    first, second = ([text for _, text in abe_expressions(parameters)] for parameters in (SMALL, other))
    assert len(set(first) & set(second)) < 0.01 * len(first)
    assert list(abe_events(SMALL, 5)) != list(abe_events(other, 5))
    largest = replace(SMALL, seed=2**64 - 1, expressions=1)
    assert len(list(abe_expressions(largest))) == 1


@pytest.mark.parametrize("depth", (1, 2, 3, 5))
@pytest.mark.parametrize("children", (2, 3, 4))
@pytest.mark.parametrize("alpha", (0.0, 0.6))
def test_every_tree_is_as_deep_and_as_wide_as_it_should_be(depth: int, children: int, alpha: float) -> None:
    """All predicates are on the last level; AND and OR have the same number of operands, NOT one, XOR and XNOR two."""
    parameters = replace(SMALL, depth=depth, children=children, alpha=alpha, expressions=60)
    wide = {hr.And: children, hr.Or: children, hr.Not: 1, hr.Xor: 2, hr.Xnor: 2}
    for expression in parsed(parameters):
        *upper, last = levels(expression)
        assert len(upper) == depth - 1
        assert all(isinstance(node, hr.Predicate) for node in last)
        assert all(len(operands(node)) == wide[type(node)] for level in upper for node in level)
        assert len(last) <= parameters.most_predicates


def test_the_largest_expression_of_the_paper_can_be_made() -> None:
    """Six levels of twelve children are 248,832 predicates."""
    parameters = AbeParameters(depth=6, children=12, operators=(1, 1, 0, 0, 0), expressions=1)
    ((_, text),) = abe_expressions(parameters)
    assert text.count("a") == parameters.most_predicates == 12**5


def test_operators_tests_and_values_come_in_their_shares() -> None:
    """Without sharing, each draw is one of its own, so that its frequency is near its probability."""
    parts = [part for tree in parsed(replace(SMALL, alpha=0.0)) for part in postorder(tree)]
    inner = Counter(type(part).__name__ for part in parts if not isinstance(part, hr.Predicate))
    for name, share in {"And": 0.4, "Or": 0.4, "Not": 0.1, "Xor": 0.05, "Xnor": 0.05}.items():
        assert inner[name] / inner.total() == pytest.approx(share, abs=0.015)
    predicates = [part for part in parts if isinstance(part, hr.Predicate)]
    tests = Counter(written(part) for part in predicates)
    assert set(tests) == set(RELATIONS)
    assert all(count / tests.total() == pytest.approx(1 / 7, abs=0.01) for count in tests.values())
    assert {part.values for part in predicates if written(part) == "="} == {(value,) for value in range(100)}
    ranges = [part.values for part in predicates if written(part) == "BETWEEN"]
    assert all(list(ends) == sorted(ends) for ends in ranges)


def test_the_attributes_of_predicates_follow_zipf() -> None:
    """The first is the most frequent, and with exponent 0 all are alike."""
    shares = []
    for alpha in (0.0, 0.5, 1.0):
        parameters = replace(DEEP, alpha=0.0, attribute_alpha=alpha, dimensions=50, expressions=500)
        parts = [part for tree in parsed(parameters) for part in postorder(tree) if isinstance(part, hr.Predicate)]
        count = Counter(part.attribute for part in parts)
        assert set(count) == {f"a{number}" for number in range(50)}
        shares.append(count["a0"] / count.total())
        assert count["a0"] / count["a24"] == pytest.approx(25**alpha, rel=0.25)
    assert shares[0] < shares[1] < shares[2]


@pytest.mark.parametrize("relations", (("=",), ("BETWEEN",), (">=", "<")))
def test_predicates_make_no_other_tests_than_they_should(relations: tuple[str, ...]) -> None:
    """One test is enough, and any of them."""
    trees = parsed(replace(SMALL, expressions=50, relations=relations))
    tests = {written(part) for tree in trees for part in postorder(tree) if isinstance(part, hr.Predicate)}
    assert tests == set(relations)


def test_with_alpha_0_no_subexpression_occurs_twice() -> None:
    """There are so many predicates here that chance makes no pair."""
    parameters = replace(DEEP, alpha=0.0, attribute_alpha=0.0, cardinality=10_000)
    assert [sharing(parameters, level) for level in (1, 2)] == [1, 1]


@pytest.mark.parametrize("level", (1, 2))
def test_sharing_rises_with_alpha_on_every_level_below_the_root(level: int) -> None:
    """Figure 12(d) of the paper varies just this."""
    shares = [sharing(replace(DEEP, alpha=alpha), level) for alpha in (0.0, 0.3, 0.6, 1.0, 1.5)]
    assert all(less < more for less, more in pairwise(shares))
    assert shares[0] < 1.01


def test_expressions_themselves_are_not_shared() -> None:
    """Only what is below the root is drawn from a pool."""
    texts = [text for _, text in abe_expressions(replace(SMALL, depth=2, alpha=1.0))]
    assert len(set(texts)) > 0.99 * len(texts)


def test_a_smaller_pool_is_shared_more() -> None:
    """And of a pool of one there is one subexpression on each level."""
    large, small, least = (sharing(replace(DEEP, pool=pool)) for pool in (10_000, 100, 1))
    assert large < small < least == 9 * DEEP.expressions


@pytest.mark.parametrize(
    ("name", "shared", "matches"), (("equality-10k", 4.39, 3.4), ("mixed-10k", 4.39, 364), ("paper-10k", 4.3, 272))
)
def test_a_preset_shares_and_matches_as_its_large_version(name: str, shared: float, matches: float) -> None:
    """The figures of the large ones are in ``docs/workloads.md``; of a hundredth of them a hundredth matches."""
    parameters = PRESETS[name]
    assert sharing(parameters) == pytest.approx(shared, rel=0.05)
    index = hr.Index("scan")
    report = index.insert_many(pa.Table.from_batches(abe_expression_batches(parameters)), progress=False)
    assert (report.inserted, report.rejected) == (10_000, [])
    counts = index.count_batch(abe_events(parameters, 500)).to_pylist()
    assert sum(counts) / len(counts) == pytest.approx(matches, rel=0.2)


def test_an_event_has_different_attributes_and_any_of_them() -> None:
    """Each attribute is in an event as often as any other, and so is each value."""
    events = list(abe_events(replace(SMALL, dimensions=60), 3000))
    assert {len(event) for event in events} == {20}
    assert all(list(event) == sorted(event, key=lambda name: int(name[1:])) for event in events)
    attributes = Counter(name for event in events for name in event)
    assert set(attributes) == {f"a{number}" for number in range(60)}
    assert all(count == pytest.approx(1000, rel=0.15) for count in attributes.values())
    values = Counter(value for event in events for value in event.values())
    assert set(values) == set(range(100))
    assert all(count == pytest.approx(600, rel=0.25) for count in values.values())


def test_an_event_may_have_every_attribute_that_there_is() -> None:
    """The largest event has nothing left to choose."""
    (event,) = abe_events(replace(SMALL, dimensions=20, cardinality=1), 1)
    assert event == {f"a{number}": 0 for number in range(20)}


def test_events_in_batches_match_what_dicts_match() -> None:
    """The columns are the attributes, so that an index takes the batch as it is."""
    index = hr.Index("scan")
    index.insert_many(abe_expressions(SMALL), progress=False)
    (batch,) = abe_event_batches(SMALL, 50)
    matches = index.match_batch(batch)
    assert matches == index.match_batch(list(abe_events(SMALL, 50)))
    assert matches.num_rows > 0


@pytest.mark.parametrize(
    ("changes", "complaint"),
    (
        ({"expressions": -1}, "expressions is a whole number from 0 to 1,000,000,000,000, not -1"),
        ({"depth": 0}, "depth is a whole number from 1 to 20, not 0"),
        ({"depth": 2.0}, "depth is a whole number from 1 to 20, not 2.0"),
        ({"children": True}, "children is a whole number from 1 to 262,144, not True"),
        ({"pool": 0}, "pool is a whole number from 1 to 100,000,000, not 0"),
        ({"dimensions": 0}, "dimensions is a whole number from 1 to 1,000,000, not 0"),
        ({"cardinality": 10**7}, "cardinality is a whole number from 1 to 1,000,000, not 10000000"),
        ({"event_size": 0}, "event_size is a whole number from 1 to 10,000, not 0"),
        ({"event_size": 1001}, "event_size is at most the number of dimensions, 1,000"),
        ({"seed": 2**64}, "seed is a whole number from 0 to 18,446,744,073,709,551,615, not 18446744073709551616"),
        ({"alpha": -0.1}, "alpha is a number from 0 to 10, not -0.1"),
        ({"alpha": float("nan")}, "alpha is a number from 0 to 10, not nan"),
        ({"attribute_alpha": "1"}, "attribute_alpha is a number from 0 to 10, not '1'"),
        ({"operators": (1, 1)}, r"operators is a tuple of 5 shares \(AND, OR, NOT, XOR, XNOR\), not \(1, 1\)"),
        ({"operators": [1, 1, 1, 1, 1]}, "operators is a tuple of 5 shares"),
        ({"operators": (1, 1, -1, 1, 1)}, "operators has shares that are 0 or more"),
        ({"operators": (1, 1, float("inf"), 1, 1)}, "operators has shares that are 0 or more"),
        ({"operators": (0, 0, 0, 0, 0)}, "operators has shares whose sum is more than 0"),
        ({"operators": (1e308, 1e308, 0, 0, 0)}, "operators has shares whose sum is more than 0, and finite"),
        ({"relations": ()}, "relations is a tuple of some of = != < <= > >= BETWEEN, each once"),
        ({"relations": ("=", "=")}, "each once, not"),
        ({"relations": ("=", "LIKE")}, "each once, not"),
        ({"relations": "="}, "each once, not '='"),
        ({"depth": 7, "children": 12}, "depth 7 with 12 children makes expressions of more than 262,144 predicates"),
    ),
)
def test_a_parameter_that_makes_no_sense_is_refused_by_name(changes: dict[str, Any], complaint: str) -> None:
    """The message says what it got and what it takes."""
    with pytest.raises(hr.KindError, match=complaint):
        replace(PRESETS["paper-default"], **changes)


def test_every_parameter_and_preset_is_documented() -> None:
    """What a workload can be told, and what those with a name are, stands in the page about workloads."""
    lines = (sources.ROOT / "docs" / "workloads.md").read_text(encoding="utf-8").splitlines()
    named = {line.split("`")[1] for line in lines if line.startswith("| `")}
    assert {field.name for field in fields(AbeParameters)} | set(PRESETS) <= named


@pytest.mark.parametrize("count", (-1, 2.5, True, 10**13))
def test_a_number_of_rows_that_makes_no_sense_is_refused_at_once(count: Any) -> None:
    """Not only when the first row is asked for."""
    with pytest.raises(hr.KindError, match="count is a whole number from 0 to"):
        abe_events(SMALL, count)
    with pytest.raises(hr.KindError, match="count is a whole number from 0 to"):
        abe_event_batches(SMALL, count)
    with pytest.raises(hr.KindError, match="batch_size is a whole number from 1 to"):
        abe_event_batches(SMALL, 1, count)
    with pytest.raises(hr.KindError, match="batch_size is a whole number from 1 to"):
        abe_expression_batches(SMALL, count)

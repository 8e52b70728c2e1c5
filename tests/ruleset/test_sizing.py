"""How many shards, and which rules are in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import ruleset
from hedgerow.errors import KindError
from hedgerow.ruleset.build import shards_of_ids
from hedgerow.ruleset.routing import attribute_counts, partitioned_by_attribute, pivot_names, planned
from hedgerow.ruleset.sizing import (
    MAX_SHARDS,
    SHARD_BYTES,
    checked_shards,
    compressibility,
    estimated_bytes,
    shard_count,
)
from hedgerow.workload.abe import PRESETS, abe_expression_batches
from hedgerow.workload.exchange import campaigns

TEXTS = pa.chunked_array([["a = 1 AND b = 2", "a = 1", "a = "], ["c IS NULL", None, "a = 1 AND zz = 1"]])


def workload(name: str) -> pa.Table:
    """Return 10,000 rules."""
    if name == "exchange":
        rows = list(campaigns(10_000))
        return pa.table({"id": [row[0] for row in rows], "expression": [row[1] for row in rows]})
    return pa.Table.from_batches(list(abe_expression_batches(PRESETS[name])))


@pytest.mark.parametrize("name", ("exchange", "equality-10k", "mixed-10k"))
def test_the_estimate_is_near_the_size_of_the_index(tmp_path: Path, name: str) -> None:
    """Within a third, for rules that share much and for rules that share little (docs/rulesets.md has larger ones)."""
    rules = workload(name)
    report = ruleset.build(rules, tmp_path, shards=1)
    texts = rules["expression"]
    guess = estimated_bytes(len(texts), pa.compute.binary_length(texts).to_numpy().sum(), compressibility(texts))
    assert 0.75 < guess / report.bytes < 1.33


def test_shards_are_as_many_as_the_budget_wants(tmp_path: Path) -> None:
    """A smaller budget makes more of them, none of which is much larger than it."""
    rules = workload("equality-10k")
    reports = [ruleset.build(rules, tmp_path / str(size), shard_bytes=size) for size in (SHARD_BYTES, 1 << 21)]
    assert [report.shards for report in reports] == [1, 2]
    assert all(shard.bytes < 1.5 * (1 << 21) for shard in ruleset.open_rules(tmp_path / str(1 << 21)).manifest.shards)


@given(st.integers(0, 10**9), st.integers(0, 10**12), st.integers(1, 1 << 40))
def test_there_is_always_a_sensible_number_of_shards(rules: int, characters: int, shard_bytes: int) -> None:
    """At least one and not too many, and never fewer for more rules."""
    count = shard_count(rules, characters, shard_bytes)
    assert 1 <= count <= MAX_SHARDS
    assert count <= shard_count(rules * 2, characters * 2, shard_bytes)


def test_compressibility_tells_what_is_said_twice() -> None:
    """Texts that repeat are small, random ones are not; nothing at all is taken as usual."""
    same = pa.chunked_array([["age = 3 AND state = 'CA'"] * 10_000])
    chance = np.random.default_rng(7)
    other = pa.chunked_array([[chance.bytes(12).hex() for _ in range(9_000)]])
    assert compressibility(same) < 0.01
    assert 0.4 < compressibility(other) < 0.7
    assert compressibility(other.slice(5, 20)) > 0.4
    for nothing in (pa.chunked_array([], pa.string()), pa.chunked_array([["", None]], pa.string())):
        assert compressibility(nothing) == compressibility(pa.chunked_array([[""]]))


@pytest.mark.parametrize("wrong", ((0, 5), (-1, 5), (MAX_SHARDS + 1, 5), (None, 0)))
def test_numbers_of_shards_have_limits(wrong: tuple[int | None, int]) -> None:
    """One to some thousand, of at least one byte."""
    with pytest.raises(KindError):
        checked_shards(*wrong)
    assert checked_shards(3, 5) == (3, 5)


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), max_size=20), st.integers(1, 9))
def test_an_id_always_has_the_same_shard(ids: list[int | None], count: int) -> None:
    """Whatever stands beside it, as a number and as a string; rows without one go to the first."""
    for form in (pa.array(ids, pa.int64()), pa.array([id if id is None else str(id) for id in ids], pa.string())):
        shards = shards_of_ids(pa.chunked_array([form]), count).tolist()
        alone = [shards_of_ids(pa.chunked_array([form.slice(row, 1)]), count).tolist()[0] for row in range(len(form))]
        assert shards == alone
        assert all(0 <= shard < count for shard in shards)
        assert all(shard == 0 for id, shard in zip(ids, shards, strict=True) if id is None)


def test_rules_are_counted_and_have_pivots() -> None:
    """The rarest attribute that a rule needs; bad rules and nulls have none, and count for nothing."""
    counts = attribute_counts(TEXTS)
    assert counts == {"a": 3, "b": 1, "c": 1, "zz": 1}
    assert pivot_names(TEXTS, counts, "unknown") == ["b", "a", None, None, None, "zz"]


@given(
    st.dictionaries(st.one_of(st.none(), st.text("abc", max_size=3)), st.integers(0, 1000), max_size=30),
    st.integers(1, 12),
)
def test_a_plan_has_a_place_for_every_pivot(sizes: dict[str | None, int], count: int) -> None:
    """Each shard knows the pivots of its rules, all are used, and those without a pivot are apart."""
    plan = planned(sizes, count)
    assert set(plan.shards_of) == {None, *sizes}
    for name, shards in plan.shards_of.items():
        assert shards
        for shard in shards:
            own = plan.pivots[shard]
            assert own is None if name is None else own is not None and name in own
    used = {shard for shards in plan.shards_of.values() for shard in shards}
    assert used == set(range(len(plan.pivots)))
    assert len(plan.pivots) <= 2 * count + 2


def test_rules_of_one_pivot_are_together() -> None:
    """Few pivots and many rules: a pivot that is too large for one shard has several."""
    texts = pa.chunked_array([[f"{name} = {number}" for number in range(60) for name in ("a", "b", "a")]])
    division = partitioned_by_attribute(texts, "unknown", 3)
    assert division.pivots == (("a",), ("a",), ("b",), None)
    assert np.bincount(division.shard, minlength=4).tolist() == [60, 60, 60, 0]

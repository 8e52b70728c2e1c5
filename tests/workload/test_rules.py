"""The table of workloads of rules: frozen rows, seeds of their own, and the same matches whoever finds them."""

from __future__ import annotations

import hashlib
from itertools import islice

import pytest

import hedgerow as hr
from hedgerow.workload.rules import WORKLOADS, RuleWorkload

EXCHANGE = "faf2bcc9c8ff6a535bf233b53ec9d882812c9f34009de2085b2d6b7fbdfee680"
TARGETING = "795d04033e73d13de20940bf413ad99c3235de0cfc542cb2ebfb0b2dee4e74e1"
RANGES = "7d3eca048f786567e4cde8c133ff987858ae5b9c37fd519e89ac106bbdd2e111"
FIRST_ROWS = {
    "exchange-20k": EXCHANGE,
    "exchange-100k": EXCHANGE,
    "exchange-500k": EXCHANGE,
    "targeting-100k": TARGETING,
    "targeting-1m": TARGETING,
    "targeting-dnf-100k": "d4e537edb2fb328776037fabb5c000ed40b44f94bfbac03a7b5af3c2cc19a169",
    "trees-100k": "5d8a2f2615ab141730b8c22186edc6a544c6baf26ce13fe4be43a3f98c9f1a66",
    "ranges-100k": RANGES,
    "ranges-1m": RANGES,
    "logs-5k": "b99292e4a7282b0fca04d8a238fec8dfb0d0356c24d152e0f9edb4a737084c2f",
    "equality-1m": "80aaefa9d1ab028015940d63ba5bac1eac58e419042dd80e55577cdfe1e412e2",
    "mixed-1m": "13e53e92a08211150390e9e36b0601aab5819645057020d2ba8d36864a64f695",
}
KINDS = sorted({print_: name for name, print_ in reversed(FIRST_ROWS.items())}.values())
"""The first name of each workload, whatever its size."""


def digest(workload: RuleWorkload) -> str:
    """Return a fingerprint of the first rows and events of a workload."""
    rows = [*workload.rows(500), *workload.events(50)]
    return hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()


@pytest.mark.parametrize("name", KINDS)
def test_the_rows_of_a_workload_are_what_they_always_were(name: str) -> None:
    """A changed workload needs a new name."""
    assert digest(WORKLOADS[name]) == FIRST_ROWS[name]


def test_the_table_cannot_be_changed_and_names_say_sizes() -> None:
    """Workloads of one kind differ in nothing but their size."""
    assert set(WORKLOADS) == set(FIRST_ROWS)
    with pytest.raises(TypeError):
        WORKLOADS["mine"] = WORKLOADS["logs-5k"]  # type: ignore[index]  # which is the point
    for name, workload in WORKLOADS.items():
        kind, _, size = name.rpartition("-")
        assert workload.name == name
        assert workload.size == int(size[:-1]) * {"k": 1000, "m": 1_000_000}[size[-1]]
        same = [other for other in WORKLOADS.values() if other.name.rpartition("-")[0] == kind]
        assert len({(other.missing, other.rule_seed, other.event_seed, other.make_events) for other in same}) == 1


@pytest.mark.parametrize("name", KINDS)
def test_a_seed_decides_rows_and_another_gives_others(name: str) -> None:
    """Rules and events have seeds of their own, and ids count from 0."""
    workload = WORKLOADS[name]
    assert list(workload.rules(40)) == [text for _, text, _ in workload.rows(40, workload.rule_seed)]
    assert list(workload.rules(40)) != list(workload.rules(40, seed=3))
    assert workload.events(5) == workload.events(5, workload.event_seed) != workload.events(5, seed=3)
    assert [id for id, _, _ in workload.rows(40)] == list(range(40))
    assert sum(1 for _ in islice(workload.rules(), 50)) == 50


@pytest.mark.parametrize("name", [name for name in KINDS if name not in {"equality-1m", "mixed-1m"}])
def test_fewer_rows_are_the_first_ones_of_more(name: str) -> None:
    """However many there are."""
    workload = WORKLOADS[name]
    assert list(workload.rows(60))[:20] == list(workload.rows(20))
    assert workload.events(6)[:2] == workload.events(2)


def test_only_campaigns_have_bids() -> None:
    """What weighs in the ranking is told by the row."""
    weights = {name: {weight for _, _, weight in WORKLOADS[name].rows(30)} for name in KINDS}
    assert {name for name in KINDS if weights[name] != {0.0}} == {"exchange-20k"}


@pytest.mark.parametrize("name", KINDS)
def test_engines_find_what_the_oracle_finds(name: str) -> None:
    """Every rule can be inserted as it is, and matches what it should under the reading of the workload."""
    workload = WORKLOADS[name]
    rows, events = list(workload.rows(150)), workload.events(8)
    rules = [hr.parse(text) for _, text, _ in rows]
    expected = [
        [id for id, rule in enumerate(rules) if hr.evaluate(rule, event, workload.missing) is True] for event in events
    ]
    for engine in ("atree", "scan"):
        index = hr.Index(engine, missing=workload.missing)
        report = index.insert_many(rows, progress=False)
        assert not report.rejected, str(report)
        assert [index.match(event) for event in events] == expected


@pytest.mark.parametrize(
    ("name", "fewest", "most"),
    (
        ("exchange-20k", 300, 600),
        ("targeting-100k", 300, 650),
        ("targeting-dnf-100k", 800, 1600),
        ("trees-100k", 25, 100),
        ("ranges-100k", 230, 450),
        ("logs-5k", 40, 200),
    ),
)
def test_selectivity_is_what_was_asked_for(name: str, fewest: int, most: int) -> None:
    """So many of 100,000 rules match an event, on the average; measured on some thousand."""
    workload, size = WORKLOADS[name], 4000
    index = hr.Index(missing=workload.missing)
    index.insert_many(workload.rows(size), progress=False)
    counts = index.count_batch(workload.events(150)).to_pylist()
    assert fewest <= sum(counts) / 150 * 100_000 / size <= most

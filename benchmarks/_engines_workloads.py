"""The workloads of ``benchmarks.engines``, and what is asked of engines on them: another one is an entry here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from benchmarks._common import Floor
from hedgerow.workload.abe import abe_events, abe_expression_batches
from hedgerow.workload.abe_parameters import PRESETS as TREES
from hedgerow.workload.begen import PRESETS as BEGEN
from hedgerow.workload.begen import begen_events, begen_expression_batches
from hedgerow.workload.contracts import PRESETS, contract_event_weights, contract_events, contract_expression_batches
from hedgerow.workload.marketplace import PRESETS as MARKETS
from hedgerow.workload.marketplace import market_events, market_expression_batches
from hedgerow.workload.nested import PRESETS as NESTED
from hedgerow.workload.nested import nested_events, nested_expression_batches

Event = dict[str, int]

BEST = 5  # of the matches are wanted from ``top``


@dataclass(frozen=True)
class Asked:
    """A floor of a workload at 1,000,000 expressions: what is asked of which figure of an engine."""

    name: str
    engine: str
    figure: str
    """A field or property of ``Subject`` in ``_engines``."""
    floor: Floor
    than: str = ""
    """Another engine, if it is that one's figure by this one's."""


@dataclass(frozen=True)
class Workload:
    """Expressions and events of one kind, the engines that are made for them, and what is asked of these."""

    name: str
    parameters: Any
    """A dataclass that has ``expressions``, how many there are."""
    expressions: Callable[[Any], Iterator[pa.RecordBatch]]
    events: Callable[[Any, int], Iterator[Event]]
    engines: tuple[str, ...]
    """Those that are not registered are left out."""
    floors: tuple[Asked, ...] = ()
    weights: Callable[[Any, int], Iterator[dict[str, float]]] | None = None
    """Those of the events, if ``top`` is to be measured too."""
    attribute: str = r"\b(?:a\d+|month)\b"
    """What stands once in each predicate of a text."""


def begen(name: str) -> Workload:
    """Return a workload of the BE-Tree paper, on which its rivals are those of the paper."""
    rivals = ("counting", "propagation", "gryphon", "app")
    faster = (Asked("match, times as fast", "betree", "match", Floor(4, least=True), than=rival) for rival in rivals)
    return Workload(
        name,
        BEGEN[name],
        begen_expression_batches,
        begen_events,
        ("betree", "kindex", *rivals, "hedge", "atree", "scan"),
        (
            Asked("build, us a predicate", "betree", "build", Floor(3)),
            Asked("build, times that of a tenth", "betree", "growth", Floor(1.3)),
            *faster,
        ),
        attribute=r"\ba\d+\b",
    )


def nested(name: str) -> Workload:
    """Return a workload of the paper of Dewey and Interval IDs."""
    return Workload(
        name,
        NESTED[name],
        nested_expression_batches,
        nested_events,
        ("interval", "dewey", "pscan", "atree", "scan"),
        (
            Asked("build, us a predicate", "interval", "build", Floor(3)),
            Asked("build, us a predicate", "dewey", "build", Floor(3)),
            Asked("match, times as fast", "interval", "match", Floor(1, least=True), than="dewey"),
            Asked("match, times as fast", "interval", "match", Floor(50, least=True), than="scan"),
        ),
        attribute=r"\ba\d+\b",
    )


def market(name: str) -> Workload:
    """Return a workload of the OpIndex paper."""
    return Workload(
        name,
        MARKETS[name],
        market_expression_batches,
        market_events,
        ("opindex", "kindex", "betree", "counting", "hedge", "atree", "scan"),
        (
            Asked("build, us a predicate", "opindex", "build", Floor(3)),
            Asked("build, times that of a tenth", "opindex", "growth", Floor(1.3)),
            Asked("match, times as fast", "opindex", "match", Floor(10, least=True), than="kindex"),
            Asked("build, times as fast", "opindex", "build", Floor(10, least=True), than="betree"),
        ),
        attribute=r"\ba\d+\b",
    )


WORKLOADS = (
    Workload(
        "contracts-conjunctions",
        PRESETS["contracts-conjunctions"],
        contract_expression_batches,
        contract_events,
        ("kindex", "counting", "hedge", "atree", "scan"),
        (
            Asked("build, us a predicate", "kindex", "build", Floor(3)),
            Asked("build, times that of a tenth", "kindex", "growth", Floor(1.3)),
            Asked("MB beside the ids", "kindex", "megabytes", Floor(100)),
        ),
    ),
    Workload(
        "contracts-dnf",
        PRESETS["contracts-dnf"],
        contract_expression_batches,
        contract_events,
        ("kindex", "counting", "propagation", "atree", "scan"),
        (
            Asked("match, times as fast", "kindex", "match", Floor(10, least=True), than="counting"),
            Asked("match, times as fast", "kindex", "match", Floor(1.5, least=True), than="propagation"),
        ),
    ),
    Workload(
        "contracts-cnf",
        PRESETS["contracts-cnf"],
        contract_expression_batches,
        contract_events,
        ("kindex-cnf", "pscan", "atree", "scan"),
        (Asked("match, times as fast", "kindex-cnf", "match", Floor(1.9, least=True), than="pscan"),),
    ),
    Workload(
        "contracts-dnf-rare",
        # One in a hundred matches: with all twelve months it is one in fifty, so attributes are more alike too.
        replace(PRESETS["contracts-dnf-weighted"], months=12, attribute_alpha=0.6),
        contract_expression_batches,
        contract_events,
        ("kindex", "atree", "scan"),
        (Asked(f"top({BEST}) by match", "kindex", "top_by_match", Floor(1)),),
        weights=contract_event_weights,
    ),
    begen("begen-uniform"),
    begen("begen-zipf"),
    nested("nested-3"),
    market("market-20k"),
    Workload(
        # The A-Tree's paper. What is asked of the A-Tree has a benchmark of its own, benchmarks.atree.
        "trees",
        TREES["paper-100k"],
        abe_expression_batches,
        abe_events,
        ("atree", "hedge", "interval", "dewey", "bop", "bdd", "translation", "scan"),
        attribute=r"\ba\d+\b",
    ),
)

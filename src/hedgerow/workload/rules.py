"""Workloads of rules as people write them, by name, each with its events, its size and how it reads what is missing.

Rows are ``(id, expression, weight)``, as ``Index.insert_many`` takes them; ids count from 0, and the weight is the bid
of a campaign, else 0. Rules and events have seeds of their own: events to learn from can be others than those to
measure with. Fewer rows are the first ones of more, but for ``equality-1m`` and ``mixed-1m``, whose pool shrinks too.

>>> exchange = WORKLOADS["exchange-20k"]
>>> exchange.size, exchange.missing, len(list(exchange.rules(3)))
(20000, 'unknown', 3)
>>> WORKLOADS["ranges-100k"].events(1)[0]["code_3"]
3
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from hedgerow.workload.abe import PRESETS, abe_events, abe_expressions
from hedgerow.workload.exchange import campaigns, visits
from hedgerow.workload.logs import log_events, log_expressions
from hedgerow.workload.ranges import range_events, range_expressions
from hedgerow.workload.targeting import targeting_dnf_expressions, targeting_events, targeting_expressions
from hedgerow.workload.trees import tree_events, tree_expressions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from hedgerow.workload.abe import AbeParameters

    Row = tuple[int, str, float]
    Event = Mapping[str, object]

__all__ = ["WORKLOADS", "RuleWorkload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWorkload:
    """One workload of the table."""

    name: str
    size: int
    """Rules that there are by default."""
    missing: str = "unknown"
    """How its rules are to be read: the argument of ``Index``."""
    rule_seed: int = 7
    event_seed: int = 11
    make_rows: Callable[[int, int], Iterable[Row]]
    make_events: Callable[[int, int], Iterable[Event]]

    def rows(self, count: int | None = None, seed: int | None = None) -> Iterator[Row]:
        """Yield rules with their ids and weights."""
        size = self.size if count is None else count
        yield from self.make_rows(size, self.rule_seed if seed is None else seed)

    def rules(self, count: int | None = None, seed: int | None = None) -> Iterator[str]:
        """Yield the texts of rules."""
        return (text for _, text, _ in self.rows(count, seed))

    def events(self, count: int, seed: int | None = None) -> list[Event]:
        """Return events as ``Index.match`` takes them."""
        return list(self.make_events(count, self.event_seed if seed is None else seed))


def _exchange_rows(count: int, seed: int) -> Iterator[Row]:
    return ((number, text, bid) for number, (_, text, bid) in enumerate(campaigns(count, seed)))


def _without_bids(expressions: Callable[[int, int], Iterable[tuple[int, str]]]) -> Callable[[int, int], Iterator[Row]]:
    def rows(count: int, seed: int) -> Iterator[Row]:
        return ((number, text, 0.0) for number, text in expressions(count, seed))

    return rows


def _abe(name: str) -> RuleWorkload:
    """Return a preset of the A-Tree paper's generator; its rules and events have one seed."""
    preset = PRESETS[name]

    def sized(count: int, seed: int) -> AbeParameters:
        # As large a pool as there are rules, so that fewer share as much.
        return replace(preset, expressions=count, pool=max(1, count), seed=seed)

    return RuleWorkload(
        name=name,
        size=preset.expressions,
        rule_seed=preset.seed,
        event_seed=preset.seed,
        make_rows=_without_bids(lambda count, seed: abe_expressions(sized(count, seed))),
        make_events=lambda count, seed: abe_events(replace(preset, seed=seed), count),
    )


def _table() -> Iterator[RuleWorkload]:
    for name, size in (("exchange-20k", 20_000), ("exchange-100k", 100_000), ("exchange-500k", 500_000)):
        yield RuleWorkload(name=name, size=size, make_rows=_exchange_rows, make_events=visits)
    targeting, ranges = _without_bids(targeting_expressions), _without_bids(range_expressions)
    for name, size in (("targeting-100k", 100_000), ("targeting-1m", 1_000_000)):
        yield RuleWorkload(name=name, size=size, make_rows=targeting, make_events=targeting_events)
    dnf, trees = _without_bids(targeting_dnf_expressions), _without_bids(tree_expressions)
    yield RuleWorkload(name="targeting-dnf-100k", size=100_000, make_rows=dnf, make_events=targeting_events)
    yield RuleWorkload(name="trees-100k", size=100_000, make_rows=trees, make_events=tree_events)
    for name, size in (("ranges-100k", 100_000), ("ranges-1m", 1_000_000)):
        yield RuleWorkload(name=name, size=size, make_rows=ranges, make_events=range_events)
    logs = _without_bids(log_expressions)
    yield RuleWorkload(name="logs-5k", size=5000, missing="false", make_rows=logs, make_events=log_events)
    yield from map(_abe, ("equality-1m", "mixed-1m"))


WORKLOADS: Mapping[str, RuleWorkload] = MappingProxyType({workload.name: workload for workload in _table()})
"""The named workloads. They never change: another one is another name."""

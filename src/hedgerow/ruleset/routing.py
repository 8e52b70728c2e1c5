"""Which rules go into one shard, if events are to be kept away from shards that cannot match them.

A rule goes where its *pivot* goes: the rarest attribute that an event must have to match it (``language/pivot_cy``).
Pivots are spread over the shards by the size of their rules; one that is larger than a shard gets several. Rules that
have no pivot get shards of their own, where every event is looked up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hedgerow.index.rows import Texts
from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse_cy import Parser
from hedgerow.language.pivot_cy import occurrences, pivots

__all__ = ["Partition", "Plan", "attribute_counts", "partitioned_by_attribute", "pivot_names", "planned"]

_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Partition:
    """The shard of each rule, and for each shard the pivots of its rules: None where rules have none."""

    shard: npt.NDArray[np.int64]
    pivots: tuple[tuple[str, ...] | None, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the rules of a pivot go: to one of its shards. ``None`` is the pivot of those that have none."""

    shards_of: Mapping[str | None, tuple[int, ...]]
    pivots: tuple[tuple[str, ...] | None, ...]

    def assigned(self, names: Sequence[str | None], numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return a shard for each rule, given the rules' pivots and a number of each rule's own, such as a hash.

        An unknown pivot counts as none.
        """
        shards = np.empty(len(names), np.int64)
        for row, (given, number) in enumerate(zip(names, numbers.tolist(), strict=True)):
            places = self.shards_of[given if given in self.shards_of else None]
            shards[row] = places[number % len(places)]
        return shards


def attribute_counts(texts: pa.ChunkedArray) -> Counter[str]:
    """Return how often rules test each attribute."""
    counts: Counter[str] = Counter()
    for graph, nodes in _parsed(texts):
        found = occurrences(graph, nodes)
        counts.update({graph.names[number]: int(found[number]) for number in np.flatnonzero(found).tolist()})
    return counts


def pivot_names(texts: pa.ChunkedArray, counts: Mapping[str, int], missing: str) -> list[str | None]:
    """Return the pivot of each rule, given how often attributes are tested; None for one that has none, or is bad."""
    names: list[str | None] = []
    for graph, nodes in _parsed(texts):
        known = [graph.names[number] for number in range(len(graph.names))]
        frequency = np.array([counts.get(name, 0) for name in known] + [0], np.int64)
        found = pivots(graph, nodes, frequency, missing)
        names += [None if number < 0 else known[number] for number in found.tolist()]
    return names


def planned(sizes: Mapping[str | None, int], count: int) -> Plan:
    """Return where the rules of each pivot go, given how much text each has, for about so many shards.

    >>> plan = planned({"state": 70, "age": 40, "vip": 25, None: 10}, 4)
    >>> plan.pivots
    (('state',), ('state',), ('age',), ('vip',), None)
    """
    target = max(1, sum(sizes.values()) // count)
    shards_of: dict[str | None, tuple[int, ...]] = {}
    groups: list[list[str | None]] = []
    loads: list[int] = []
    # A bad rule has no pivot either, and must go somewhere to be refused: there is always a place for those.
    for name, size in sorted({None: 0, **sizes}.items(), key=lambda item: (item[0] is None, -item[1], item[0] or "")):
        wanted = max(1, round(size / target))
        roomy = min(range(len(loads)), key=loads.__getitem__, default=None)
        shares = name is not None and wanted == 1 and roomy is not None and loads[roomy] + size <= target
        if shares and roomy is not None:
            shards_of[name] = (roomy,)
            groups[roomy].append(name)
            loads[roomy] += size
            continue
        shards_of[name] = tuple(range(len(groups), len(groups) + wanted))
        groups += [[name] for _ in range(wanted)]
        loads += [size // wanted] * wanted
    return Plan(shards_of, tuple(_named(group) for group in groups))


def _named(group: Sequence[str | None]) -> tuple[str, ...] | None:
    names = [name for name in group if name is not None]
    return None if len(names) < len(group) else tuple(sorted(names))


def partitioned_by_attribute(texts: pa.ChunkedArray, missing: str, count: int) -> Partition:
    """Spread rules over about ``count`` shards by their pivots."""
    names = pivot_names(texts, attribute_counts(texts), missing)
    lengths = pc.binary_length(texts).fill_null(0).to_numpy()
    sizes: Counter[str | None] = Counter()
    for name, length in zip(names, lengths.tolist(), strict=True):
        sizes[name] += length + 1
    plan = planned(sizes, count)
    return Partition(plan.assigned(names, np.arange(len(names))), plan.pivots)


def _parsed(texts: pa.ChunkedArray) -> Iterator[tuple[Graph, npt.NDArray[np.int32]]]:
    """Yield the graph of some rules at a time, and the node of each; below 0 for a bad one."""
    for start in range(0, len(texts), _CHUNK):
        graph = Graph()
        chunk = texts.slice(start, _CHUNK).cast(pa.large_string())
        array = chunk.combine_chunks() if isinstance(chunk, pa.ChunkedArray) else chunk
        nodes, bad = Texts(array).parse(Parser(graph))
        nodes[list(bad)] = -1
        yield graph, nodes

"""Figures of a BE-Tree and its invariants, by a walk over all of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from hedgerow.index.betree.told import ToldNode, ToldPartition

if TYPE_CHECKING:
    from hedgerow.index.betree.engine_cy import BETreeEngine

__all__ = ["PRESENT", "VALUE", "Visited", "check", "figures", "walked"]

PRESENT, VALUE = 0, 1
"""Lanes of an axis; those of lines come after them."""


class Visited(NamedTuple):
    """A node on a walk from the root."""

    node: ToldNode
    path: tuple[tuple[ToldPartition, ToldNode], ...]
    """The partitions down to it, each with the bucket of it that it is in."""
    depth: int


def walked(engine: BETreeEngine) -> Iterator[Visited]:
    """Yield all nodes, each before those below it."""
    tree = engine.tree
    waiting = [Visited(tree.told_node(0), (), 1)]
    while waiting:
        here = waiting.pop()
        yield here
        below = [
            Visited(half, (*here.path[:-1], (here.path[-1][0], half)), here.depth + 1)
            for half in map(tree.told_node, here.node.bucket.halves)
        ]
        for partition in map(tree.told_partition, here.node.partitions):
            below += [
                Visited(bucket, (*here.path, (partition, bucket)), here.depth + 1)
                for bucket in map(tree.told_node, partition.buckets)
            ]
        waiting += reversed(below)


def figures(engine: BETreeEngine) -> dict[str, str | int]:
    """Return what there is to tell of a tree."""
    sizes: list[int] = []
    depths: list[int] = []
    capacities: list[int] = []
    lanes: dict[int, int] = {}
    extended = 0
    for node, path, depth in walked(engine):
        if node.records:
            sizes.append(len(node.records))
            depths.append(depth)
            capacities.append(node.capacity)
        extended += len(node.records) > engine.options.capacity
        if path and node.bucket.up < 0 and node.number == path[-1][0].buckets[0]:
            lanes[min(path[-1][0].lane, VALUE + 1)] = lanes.get(min(path[-1][0].lane, VALUE + 1), 0) + 1
    count = sum(sizes)
    deep = sum(depth * size for depth, size in zip(depths, sizes, strict=True))
    checked = {} if engine.visits is None else {"units checked by the last search": engine.last_checked}
    return {
        "units": engine.units.count,
        "c-nodes": engine.tree.node_count - engine.tree.free_nodes,
        "p-nodes": engine.tree.partition_count - engine.tree.free_partitions,
        "p-nodes by value": lanes.get(VALUE, 0),
        "p-nodes by line": lanes.get(VALUE + 1, 0),
        "p-nodes by presence": lanes.get(PRESENT, 0),
        "leaves in use": len(sizes),
        "units a leaf": f"{count / len(sizes) if sizes else 0.0:.1f}, {max(sizes, default=0):,} at most",
        "capacity of a leaf": _span(capacities),
        "leaves beyond the capacity": extended,
        "depth of a unit": f"{deep / count if count else 0.0:.1f}, {max(depths, default=1):,} at most",
        **checked,
    }


def _span(numbers: list[int]) -> str:
    """Return the least and the greatest of some numbers, as people read it; "none" of none."""
    least, most = min(numbers, default=0), max(numbers, default=0)
    return "none" if not numbers else f"{least:,}" if least == most else f"{least:,} to {most:,}"


def check(engine: BETreeEngine) -> None:
    """Raise AssertionError unless the invariants of the paper hold."""
    axes, seen = engine.axes, set[int]()
    nodes, partitions = 0, set[int]()
    for node, path, _depth in walked(engine):
        nodes += 1
        partitions.update(node.partitions)
        used = [partition.attribute for partition, _ in path]
        _must(len(used) == len(set(used)), f"no attribute is used twice on the way to node {node.number}: {used}")
        for record in node.records:
            _must(record.unit not in seen, f"unit {record.unit} is there once")
            seen.add(record.unit)
            _check_record(engine, node, path, (*record.checked, *record.known))
            told = [axes.told(literal) for literal in record.known]
            for axis, _, _, key, _ in told:
                buckets = {partition.axis: bucket for partition, bucket in path}
                _must(axis in buckets, f"a literal that is known at node {node.number} is one of its path")
                _must(key < 0 or buckets[axis].bucket.low == key, f"a known value is that of bucket {node.number}")
    there = engine.tree.node_count - engine.tree.free_nodes
    _must(nodes == there, f"all {there} nodes are below the root, not {nodes}")
    there = engine.tree.partition_count - engine.tree.free_partitions
    _must(len(partitions) == there == engine.tree.partition_of.count, f"all {there} partitions are below the root")


def _check_record(
    engine: BETreeEngine, node: ToldNode, path: tuple[tuple[ToldPartition, ToldNode], ...], literals: tuple[int, ...]
) -> None:
    """Raise unless a record is where its literals lead to, in the smallest bucket."""
    for partition, bucket in path:
        mine = [engine.axes.told(literal) for literal in literals]
        ends = [(low, high, key) for axis, low, high, key, _ in mine if axis == partition.axis]
        _must(bool(ends), f"each record below partition {partition.number} has its axis")
        if partition.lane == VALUE:
            _must(
                any(key == bucket.bucket.low for *_, key in ends), f"a record of bucket {bucket.number} has its value"
            )
        elif partition.lane != PRESENT:
            top = engine.tree.told_node(partition.buckets[0]).bucket
            inside = [(min(max(low, top.low), top.high), min(max(high, top.low), top.high)) for low, high, _ in ends]
            fits = [one for one in inside if bucket.bucket.low <= one[0] and one[1] <= bucket.bucket.high]
            _must(bool(fits), f"bucket {bucket.number} encloses each of its records")
            if bucket.number == node.number:
                halves = [engine.tree.told_node(half).bucket for half in node.bucket.halves]
                smaller = [all(half.low <= low and high <= half.high for low, high in fits) for half in halves]
                _must(not any(smaller), f"no half of bucket {node.number} encloses one of its records")


def _must(holds: bool, claim: str) -> None:  # noqa: FBT001 - it is what the name says
    if not holds:
        raise AssertionError(claim)

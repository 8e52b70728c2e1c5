"""What self-adjustment is worth to a BE-Tree whose workload shifts (the dynamic experiment of its paper).

Expressions of one seed of BEGen give way to those of another, by updates, while events of the other are matched: half a
thousand updates, some events, and so on, until nine in ten are new. (Were it more, the index would be compacted, which
makes a tree anew, with self-adjustment or without.) Then each tree matches the same events, by turns:

- adjusted: deleted expressions have left the tree, and cuts that no longer pay were undone
- as it is: deleted expressions are hidden, and the tree is cut as it was
- made anew: a tree of what is left, which never saw the rest

A ratio is the time by that of the first.
All find the same ids.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

import hedgerow as hr
from benchmarks._common import Floor, arguments_of, best_of, line
from hedgerow.workload.begen import PRESETS, begen_events, begen_expressions

WORKLOADS = ("begen-uniform", "begen-zipf")
STEP = 500  # updates between some events
WATCHED = 16  # events that are matched between
NEW = 0.9
ADJUSTED, AS_IT_IS, ANEW = "adjusted", "as it is", "made anew"


def main(given: Sequence[str] | None = None) -> None:
    """Measure, verify, print."""
    options = arguments_of("benchmarks.shift", __doc__, given, expressions=100_000, events=200, turns=3)
    hits = sum(shifted(name, options.expressions, options.events, options.turns) for name in WORKLOADS)
    print(f"\nverified: {hits:,} hits of each tree, the same ones")


def shifted(name: str, expressions: int, count: int, turns: int) -> int:
    """Measure one workload; return how many hits there are."""
    before = replace(PRESETS[name], expressions=expressions)
    after = replace(before, seed=before.seed + 1)
    events = list(begen_events(after, count))
    new = list(islice(begen_expressions(after), int(NEW * expressions)))
    trees = {ADJUSTED: hr.Index("betree"), AS_IT_IS: hr.Index("betree", options=hr.BETreeOptions(adjust=False))}
    seconds = {way: changed(tree, list(begen_expressions(before)), new, events) for way, tree in trees.items()}
    trees[ANEW] = hr.Index("betree")
    trees[ANEW].insert_many([(id, trees[ADJUSTED].expression(id)) for id in trees[ADJUSTED]], progress=False)
    found = [matched(tree, events) for tree in trees.values()]
    if any(ids != found[0] for ids in found[1:]):
        raise AssertionError(f"{name}: the trees match different ids")
    times = dict.fromkeys(trees, float("inf"))
    for _ in range(turns):
        for way, tree in trees.items():
            times[way] = min(times[way], best_of(1, partial(matched, tree, events)))
    report(f"{name}: {expressions:,} expressions, {len(new):,} of them changed", trees, times, seconds, count)
    return sum(map(len, found[0]))


def matched(tree: hr.Index, events: list[dict[str, int]]) -> list[list[int | str]]:
    """Return what each event matches."""
    return [tree.match(event) for event in events]


def changed(
    tree: hr.Index, before: list[tuple[int, str]], new: list[tuple[int, str]], events: list[dict[str, int]]
) -> float:
    """Insert what was before and let it give way; return the seconds that updates took."""
    tree.insert_many(before, progress=False)
    watched = hr.events(events[:WATCHED])
    spent = 0.0
    for first in range(0, len(new), STEP):
        start = time.perf_counter()
        for id, expression in new[first : first + STEP]:
            tree.update(id, expression)
        spent += time.perf_counter() - start
        tree.count_batch(watched)
    return spent


def report(
    title: str, trees: dict[str, hr.Index], times: dict[str, float], seconds: dict[str, float], count: int
) -> None:
    """Print what was measured of a workload."""
    print(f"\n{title}:")
    for way, tree in trees.items():
        ratio = times[way] / times[ADJUSTED]
        updates = f"; {1e6 * seconds[way] / (NEW * len(tree)):,.1f} us an update" if way in seconds else ""
        floor = Floor(1, least=True) if way == AS_IT_IS else None
        print(line(way, f"{1e6 * times[way] / count:,.1f} us an event, ratio {ratio:.2f}{updates}", floor, ratio))


if __name__ == "__main__":
    main()

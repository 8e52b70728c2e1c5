"""A batch in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.arrays_cy import pooled
from hedgerow.index.atree.batch_cy import MOST_EVENTS, Block

if TYPE_CHECKING:
    import numpy.typing as npt

    from hedgerow.index.atree.plan_cy import Plan
    from hedgerow.index.crew_cy import Crew
    from hedgerow.predicate.outcome_cy import Outcomes

__all__ = ["blocks"]

_FEWEST_EVENTS = 64


def blocks(
    plan: Plan, outcomes: Outcomes, events: int, crew: Crew, names: npt.NDArray[np.int64] | None
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]], int]:
    """Return how many slots match each event, the names of those of each block if they have any, and the visits."""
    outcomes.remember()
    block = Block(plan, outcomes, crew.size, names is not None)
    counts, found = np.zeros(events, np.int64), []
    first, size = 0, MOST_EVENTS
    while first < events:
        size = min(size, events - first)
        if not _counted(block, plan, crew, first, size):
            if block.stops_keeping():
                continue
            if size <= _FEWEST_EVENTS:
                raise MemoryError(f"no room for what {size} events match")
            size //= 2
            continue
        counts[first : first + size] = block.counts()
        if names is not None:
            found.append(_written(block, crew, counts[first : first + size], names))
        first += size
    return counts, found, block.visits + int(counts.sum())


def _counted(block: Block, plan: Plan, crew: Crew, first: int, size: int) -> bool:
    """Evaluate all nodes for some events, level by level, and count matches; false where there was no room for it."""
    block.begin(first, size)
    crew.run(block.work, block.stop)
    for end in plan.level_ends:
        block.next_level(end)
        crew.run(block.work, block.stop)
    crew.run(block.count_matches, block.stop)
    return not block.is_full


def _written(
    block: Block, crew: Crew, counts: npt.NDArray[np.int64], names: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the names of the slots that match the events of a block, event by event."""
    starts = np.cumsum(counts) - counts
    found: npt.NDArray[np.int64] = pooled(int(counts.sum()), np.int64)
    block.place_matches(starts)
    crew.run(lambda number: block.write_matches(number, names, found), block.stop)
    return found

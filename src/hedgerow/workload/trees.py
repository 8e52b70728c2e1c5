"""Trees of AND and OR over 16 equalities, of the shape that the A-Tree paper's have, which ask for what is popular.

::

    AND ──┬── OR  17 ── a3 = 9, a0 = 1, a7 = 0, a41 = 2    an AND of four ORs of four, or an OR of four ANDs of four;
          ├── OR 903                                       the four are drawn by Zipf from a pool, so others have
          ├── OR   4                                       them too
          └── OR 250

``abe`` draws the attributes of events, and all values, alike: there only an OR of ORs has a chance of matching, and
hardly anything nearly matches. Here rules and events draw attributes and values by the same Zipf, as people do, so that
an event meets many equalities. Now and then a group has the operator of its root, and most matches are ORs of such ORs.

The workload is frozen: a seed gives the same rows in every version of Python, and a longer run starts as a shorter one.

>>> for row in tree_expressions(2):
...     print(*row)
0 (a0 = 7 OR a18 = 36 OR a16 = 71 OR a323 = 54) AND (a0 = 19 OR a4 = 4 OR a2 = 10 OR a134 = 12) AND ...
1 (a0 = 0 OR a9 = 81 OR a21 = 0 OR a88 = 27) AND (a646 = 23 OR a351 = 60 OR a26 = 39 OR a8 = 12) AND ...
>>> event = next(tree_events(1))
>>> len(event), event["a0"], event["a1"]
(20, 4, 14)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.workload.draw import Draw
from hedgerow.workload.numbered import Zipf

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["tree_events", "tree_expressions"]

DIMENSIONS, CARDINALITY = 1000, 100
CHILDREN = 4  # of the root, and of each of its children
EVENT_SIZE = 20
POOL = 100_000  # groups of equalities to draw from
POOL_EXPONENT = 0.6  # as in the paper

_ATTRIBUTE_EXPONENT = 1.0
_VALUE_EXPONENT = 0.8
_CONJUNCTIONS = 0.5  # of the roots are AND
_ALIKE = 0.006  # of the groups have the operator of their root: what an event matches is mostly an OR of these


def tree_expressions(count: int, seed: int = 7) -> Iterator[tuple[int, str]]:
    """Yield ``(id, expression)``, rows as ``Index.insert_many`` takes them; ids count from 0."""
    draw, pool, numbers = Draw(seed), _Pool(seed), Zipf(POOL, POOL_EXPONENT).ends
    for number in range(count):
        root, other = (" AND ", " OR ") if draw.chance(_CONJUNCTIONS) else (" OR ", " AND ")
        groups = [
            (root if draw.chance(_ALIKE) else other).join(pool.group(draw.rank(numbers))) for _ in range(CHILDREN)
        ]
        yield number, root.join([f"({group})" for group in groups])


def tree_events(count: int, seed: int = 11) -> Iterator[dict[str, int]]:
    """Yield events as ``Index.match`` takes them, with ``EVENT_SIZE`` attributes each."""
    draw = Draw(seed)
    attributes, values = Zipf(DIMENSIONS, _ATTRIBUTE_EXPONENT).ends, Zipf(CARDINALITY, _VALUE_EXPONENT).ends
    for _ in range(count):
        event: dict[str, int] = {}
        while len(event) < EVENT_SIZE:
            event.setdefault(f"a{draw.rank(attributes)}", draw.rank(values))
        yield event


class _Pool:
    """Groups of equalities by their numbers, each made when it is asked for and the same whenever that is."""

    def __init__(self, seed: int) -> None:
        """Begin with none."""
        self._seed = seed
        self._groups: dict[int, list[str]] = {}
        self._attributes = Zipf(DIMENSIONS, _ATTRIBUTE_EXPONENT).ends
        self._values = Zipf(CARDINALITY, _VALUE_EXPONENT).ends

    def group(self, number: int) -> list[str]:
        """Return the equalities of a group."""
        found = self._groups.get(number)
        if found is None:
            found = self._groups[number] = self._made(Draw((self._seed + 1) * POOL + number))
        return found

    def _made(self, draw: Draw) -> list[str]:
        chosen: dict[int, int] = {}
        while len(chosen) < CHILDREN:
            chosen.setdefault(draw.rank(self._attributes), draw.rank(self._values))
        return [f"a{attribute} = {value}" for attribute, value in chosen.items()]

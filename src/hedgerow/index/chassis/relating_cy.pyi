from collections.abc import Iterable, Mapping
from typing import Protocol

from hedgerow.event.said import Said
from hedgerow.language.graph_cy import Graph

class _Questions(Protocol):
    wants_holding: bool
    takes_absence: bool
    wants_covering: bool
    def begin(self, event: Mapping[str, Said]) -> Iterable[tuple[str, bool]]: ...
    def judge(self, code: int, entry: int) -> int: ...

def patterns_of(graph: Graph, first: int) -> list[int]:
    """Return the numbers of the predicates from ``first`` on that test the text of strings."""

class Judge:
    """What the literals of a graph say of one event after the other."""

    literal_limit: int
    wants_covering: bool
    entries: int
    wanted: int
    wanted_bits: int
    def __init__(self, graph: Graph, questions: _Questions) -> None: ...
    def told(self, code: int) -> tuple[bool, int]: ...

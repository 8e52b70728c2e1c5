from collections.abc import Iterator, Mapping

from hedgerow.index.chassis.keys_cy import Keys
from hedgerow.index.chassis.literals_cy import Literals
from hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from hedgerow.index.kindex.options import KIndexOptions
from hedgerow.index.kindex.picture import Drawing
from hedgerow.index.kindex.postings_cy import Postings
from hedgerow.index.report import Id
from hedgerow.predicate.outcome_cy import Outcomes
from hedgerow.values import Value

class KeyedEngine(UnitEngine):
    """The base of both forms."""

    options: KIndexOptions
    literals: Literals
    keys: Keys
    postings: Postings
    def __init__(
        self, missing: str, options: KIndexOptions | None = None, dnf: bool = True, width: int = 1
    ) -> None: ...
    def drawing(self, ids: Mapping[int, Id], most: int) -> Drawing: ...
    def told_entries(self, values: list[int]) -> Iterator[tuple[int, str]]: ...
    def bound_at(self, key: int) -> float: ...
    def key_text(self, key: int) -> str: ...
    def told_value(self, kind: int, payload: int) -> Value: ...
    def figures(self) -> dict[str, str | int]: ...
    def check(self) -> None: ...

class KeyedSearcher(UnitSearcher):
    """The base of searches of both forms."""

    def __init__(self, engine: KeyedEngine, outcomes: Outcomes, shift: int) -> None: ...

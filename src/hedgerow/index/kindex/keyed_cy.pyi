from hedgerow.index.chassis.keys_cy import Keys
from hedgerow.index.chassis.literals_cy import Literals
from hedgerow.index.chassis.units_cy import UnitEngine, UnitSearcher
from hedgerow.index.kindex.options import KIndexOptions
from hedgerow.index.kindex.postings_cy import Postings
from hedgerow.predicate.outcome_cy import Outcomes

class KeyedEngine(UnitEngine):
    """The base of both forms."""

    options: KIndexOptions
    literals: Literals
    keys: Keys
    postings: Postings
    def __init__(
        self, missing: str, options: KIndexOptions | None = None, dnf: bool = True, width: int = 1
    ) -> None: ...
    def figures(self) -> dict[str, str | int]: ...
    def check(self) -> None: ...

class KeyedSearcher(UnitSearcher):
    """The base of searches of both forms."""

    def __init__(self, engine: KeyedEngine, outcomes: Outcomes, shift: int) -> None: ...

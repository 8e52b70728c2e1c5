from collections.abc import Mapping
from typing import final

from hedgerow.event.batch_cy import EventBatch
from hedgerow.predicate.table_cy import PredicateTable

@final
class Outcomes:
    """What one search knows of the predicates and the events."""

    batch: EventBatch
    @property
    def steps(self) -> int: ...
    def __init__(
        self,
        table: PredicateTable,
        batch: EventBatch,
        missing: str,
        weights: Mapping[str, object] | None = None,
    ) -> None: ...
    def remember(self) -> None: ...
    def renew(self, batch: EventBatch) -> None: ...

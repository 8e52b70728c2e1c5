from collections.abc import Mapping, Sequence
from typing import final

from hedgerow.event.said import Said
from hedgerow.index.chassis.engine_cy import BaseEngine
from hedgerow.index.engine import Matches
from hedgerow.index.questions import Questions

@final
class ScanEngine(BaseEngine):
    """Evaluates everything."""

    def related(self, events: Sequence[Mapping[str, Said]], questions: Questions) -> Matches: ...

from typing import final

from hedgerow.index.labels.labelled_cy import LabelEngine
from hedgerow.index.labels.options import LabelOptions

@final
class IntervalEngine(LabelEngine):
    """Labels leaves with where their piece begins and ends."""

    def __init__(self, missing: str, options: LabelOptions | None = None) -> None: ...

from typing import final

from hedgerow.index.labels.labelled_cy import LabelEngine
from hedgerow.index.labels.options import LabelOptions

@final
class DeweyEngine(LabelEngine):
    """Labels leaves with the way down to them."""

    def __init__(self, missing: str, options: LabelOptions | None = None) -> None: ...

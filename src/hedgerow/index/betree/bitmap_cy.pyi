from typing import Any, final

@final
class Bitmap:
    """Which literals hold for which values."""

    def __init__(self, axes: Any, graph: Any) -> None: ...

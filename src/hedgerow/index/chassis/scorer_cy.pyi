from typing import final

@final
class Scorer:
    """Scores of nodes, for one event after the other."""

    def __init__(self) -> None: ...

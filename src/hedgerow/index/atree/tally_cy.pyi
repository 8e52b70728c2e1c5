from typing import final

@final
class Tally:
    """Counts of events."""

    def __init__(self, words: int) -> None: ...

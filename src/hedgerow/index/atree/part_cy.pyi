from typing import final

@final
class Part:
    """Some slots."""

    def __init__(self, first: int, last: int, events: int) -> None: ...

from typing import final

@final
class Follower:
    """Makes lists."""

    @property
    def nbytes(self) -> int: ...
    def __init__(self) -> None: ...

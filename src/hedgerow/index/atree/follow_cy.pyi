from typing_extensions import disjoint_base

@disjoint_base
class Follower:
    """Makes lists."""

    @property
    def nbytes(self) -> int: ...
    def __init__(self) -> None: ...

from typing import final

@final
class Tree:
    """The tree of one expression after the other; compiled modules read its arrays until the next one."""

    def __init__(self) -> None: ...
    def make(self, size: int) -> None: ...

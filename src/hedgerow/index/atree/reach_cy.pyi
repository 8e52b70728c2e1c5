from typing_extensions import disjoint_base

@disjoint_base
class Reach:
    """The lists of literals."""

    patience: bool
    @property
    def version(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def count(self) -> int: ...
    def __init__(self) -> None: ...

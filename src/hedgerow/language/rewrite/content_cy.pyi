from typing_extensions import disjoint_base

@disjoint_base
class Sorter:
    """A stable merge sort by what a subclass says in ``compare``."""

    def __init__(self) -> None: ...

from typing import final

from hedgerow.index.hedge.atoms_cy import Atoms

@final
class Forms:
    """The clauses of one expression after another."""

    test_count: int
    def __init__(self, atoms: Atoms, limit: int) -> None: ...

from typing import final

from hedgerow.index.hedge.atoms_cy import Atoms
from hedgerow.index.hedge.forms_cy import Forms

@final
class Filing:
    """Files clauses of the forms at hand."""

    access_count: int
    def __init__(self, atoms: Atoms, forms: Forms) -> None: ...

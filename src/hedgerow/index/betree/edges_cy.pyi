from typing import final

from hedgerow.sections import Arrays

@final
class Edges:
    """Children by parent and label, neither of which is negative."""

    count: int
    nbytes: int
    def saved(self) -> Arrays: ...
    @staticmethod
    def restored(arrays: Arrays) -> Edges: ...

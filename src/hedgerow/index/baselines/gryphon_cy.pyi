from typing import final

from hedgerow.index.baselines.gryphon_options import FORMS as FORMS
from hedgerow.index.baselines.gryphon_options import GryphonOptions
from hedgerow.index.baselines.paths_cy import PathEngine

@final
class GryphonEngine(PathEngine):
    """Tests attributes in order."""

    options: GryphonOptions
    def __init__(self, missing: str, options: GryphonOptions | None = None) -> None: ...

class Rows:
    """The arrays of ``EventBatch`` with spare room. Only compiled encoders can fill them."""

    def __init__(self) -> None: ...

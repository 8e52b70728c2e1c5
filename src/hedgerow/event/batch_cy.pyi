from collections.abc import Iterable
from typing import Any, NoReturn, final

import numpy as np
import numpy.typing as npt

from hedgerow.event.flatten import Entry
from hedgerow.event.problems import Problem
from hedgerow.symbols_cy import SymbolTable

@final
class EventBatch:
    """Events that were encoded once, to be matched any number of times. ``hedgerow.events`` makes them."""

    @property
    def problems(self) -> list[Problem] | None: ...
    @property
    def is_whole(self) -> bool:
        """Whether the batch has its arrays."""
    @property
    def string_count(self) -> int:
        """How many distinct strings the batch holds."""
    @property
    def nbytes(self) -> int:
        """Bytes held by the arrays, the names and the strings."""
    @property
    def attribute_names(self) -> list[str]:
        """The attribute names of the batch, in the order of their numbers."""
    def __init__(
        self,
        names: SymbolTable,
        strings: SymbolTable,
        row_start: Any,
        entry_attribute: Any,
        entry_kind: Any,
        entry_payload: Any,
        list_start: Any,
        element_kind: Any,
        element_payload: Any,
        problems: list[Problem] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> NoReturn: ...
    def rows_with(self, names: Iterable[str]) -> npt.NDArray[np.int32]:
        """Return the numbers of the events that have any of these attributes, ascending."""
    def taken(self, rows: npt.NDArray[np.integer[Any]]) -> EventBatch:
        """Return a batch of these events, given by ascending numbers."""
    def row(self, index: int) -> dict[str, Entry]:
        """Return an event as ``flatten`` would give it: attribute names to canonical values, lists as tuples."""

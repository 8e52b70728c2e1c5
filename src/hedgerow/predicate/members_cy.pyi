from typing import final

from hedgerow.predicate.outcome_cy import Outcomes

@final
class Marks:
    """Numbers that have been met, forgotten by what was met and not by what could have been."""

@final
class Members:
    """The elements of the list at hand, by family and in order, and what it has led to already."""

    @property
    def numbers(self) -> Marks: ...
    @property
    def keys(self) -> Marks: ...
    @property
    def strings(self) -> Marks: ...
    @property
    def orderings(self) -> int: ...
    def __init__(self, outcomes: Outcomes) -> None: ...

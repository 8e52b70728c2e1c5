from array import array
from collections.abc import Sequence

from hedgerow.symbols_cy import SymbolTable

def fragment_of(operator: int, operand: str) -> str: ...

class Patterns:
    """The texts that are looked for in the values of one attribute."""

    texts: SymbolTable
    regular: bool
    groups: tuple[FragmentGroup | RegexGroup, ...]
    def __init__(self, texts: SymbolTable, *, regular: bool) -> None: ...
    def __len__(self) -> int: ...
    def absorb(self, keys: Sequence[int], symbols: Sequence[int]) -> None: ...
    def found(self, text: str | bytes) -> tuple[list[int], list[int]]: ...

class FragmentGroup:
    """Fragments, found by the algorithm of Aho and Corasick (1975) in one pass over a value."""

    keys: array[int]
    symbols: array[int]
    automaton: object
    def __init__(self, keys: array[int], symbols: array[int]) -> None: ...
    def __len__(self) -> int: ...
    def find(self, texts: SymbolTable, text: str | bytes, sure: list[int], doubtful: list[int]) -> None: ...

class RegexGroup:
    """Regular expressions, found by one automaton for all of them, or by several where one would be too large."""

    keys: array[int]
    symbols: array[int]
    sets: list[RegexSet] | None
    def __init__(self, keys: array[int], symbols: array[int]) -> None: ...
    def __len__(self) -> int: ...
    def find(self, texts: SymbolTable, text: str | bytes, sure: list[int], doubtful: list[int]) -> None: ...

class RegexSet:
    """Regular expressions in one RE2 set, with a sentinel among them that is found in every text."""

    keys: Sequence[int]
    failures: int
    matcher: object
    def __init__(self, keys: Sequence[int], patterns: Sequence[bytes], memory: int) -> None: ...
    def find(self, text: str | bytes, sure: list[int], doubtful: list[int]) -> None: ...

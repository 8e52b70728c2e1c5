from collections.abc import Callable
from typing import final

MOST_THREADS: int
"""Threads that are kept."""

@final
class Crew:
    """Some threads, this one among them, that do the same work side by side."""

    size: int
    def __init__(self, threads: int) -> None: ...
    def run(self, work: Callable[[int], object], stop: Callable[[], object] | None = None) -> None: ...

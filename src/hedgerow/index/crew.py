"""Threads that work side by side."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

__all__ = ["Crew"]


class Crew:
    """Some threads, this one among them, that do the same work side by side."""

    def __init__(self, threads: int) -> None:
        """Keep ``threads - 1`` threads ready beside this one."""
        self.size = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def __enter__(self) -> Self:
        """Return the crew."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, work: Callable[[int], None]) -> None:
        """Call ``work`` once in each thread with the thread's number, and wait for all."""
        waiting = [] if self._pool is None else [self._pool.submit(work, number) for number in range(1, self.size)]
        try:
            work(0)
        finally:
            for future in waiting:
                future.result()

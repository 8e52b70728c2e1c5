"""Threads that work side by side."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Crew"]

_MOST_THREADS = 256  # that are kept; what is beyond waits for one of them


class Crew:
    """Some threads, this one among them, that do the same work side by side.

    >>> Crew(3).size
    3
    """

    def __init__(self, threads: int) -> None:
        """Be this thread and ``threads - 1`` others."""
        self.size = threads

    def run(self, work: Callable[[int], None]) -> None:
        """Call ``work`` once in each thread with the thread's number, and wait for all.

        None may wait for what another one does: they may also run one after the other.

        >>> numbers = []
        >>> Crew(3).run(numbers.append)
        >>> sorted(numbers)
        [0, 1, 2]
        """
        waiting = [_threads.submit(work, number) for number in range(1, self.size)]
        try:
            work(0)
        finally:
            for future in waiting:
                future.result()


# Threads are made when they are first needed, and kept: to make one takes as long as to match fifty events.
_threads: ThreadPoolExecutor


def _begin() -> None:
    global _threads  # noqa: PLW0603 - a process that was forked has none of its parent's threads
    _threads = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="hedgerow")


_begin()
if hasattr(os, "register_at_fork"):  # not where nothing forks
    os.register_at_fork(after_in_child=_begin)

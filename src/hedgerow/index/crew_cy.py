"""Threads that work side by side.

Compiled, so that an interrupt comes while somebody works or waits and never in between: nobody may go on as long as
another thread still works with what is his.
"""

import os as _os
from concurrent.futures import ThreadPoolExecutor as _ThreadPoolExecutor
from queue import SimpleQueue as _SimpleQueue

import cython

MOST_THREADS = max(8, _os.cpu_count() or 1)
"""Threads that are kept."""

_CALLER = cython.declare(object, "caller")
_HELPER = cython.declare(object, "helper")

# Threads are made when they are first needed, and kept: to make one takes as long as to match fifty events.
_threads = None


@cython.final
@cython.cclass
class Crew:
    """Some threads, this one among them, that do the same work side by side.

    >>> Crew(3).size
    3
    """

    size = cython.declare(cython.int, visibility="readonly")

    def __init__(self, threads: cython.int):
        """Be this thread and ``threads - 1`` others."""
        self.size = threads

    def run(self, work):
        """Call ``work`` once with each number below ``size``, in as many threads, and wait for all.

        None may wait for what another one does: where threads are few or busy, some run one after the other.

        >>> numbers = []
        >>> Crew(3).run(numbers.append)
        >>> sorted(numbers)
        [0, 1, 2]
        """
        call: _Call
        if self.size == 1:
            work(0)
            return
        call = _Call(work, self.size)
        try:
            call.begin()
            work(0)
            call.take_the_rest()
        finally:
            call.end()
        call.tell()


@cython.final
@cython.cclass
class _Call:
    """One piece of work: for each number, who does it, and once it is done, with which error."""

    work: object
    size: cython.int
    taken: dict
    done: dict
    news: object

    def __init__(self, work, size: cython.int):
        self.work = work
        self.size = size
        self.taken = {}
        self.done = {}
        self.news = _SimpleQueue()

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self) -> cython.int:
        """Ask other threads to help, as far as there are any to be had."""
        number: cython.int
        try:
            for number in range(1, self.size):
                _threads.submit(self.help, number)
        except RuntimeError:  # the system has no thread left, or the program is about to end
            pass
        return 0

    def help(self, number):
        """Do the work of a number, unless it is too late."""
        if self.taken.setdefault(number, _HELPER) is not _HELPER:
            return
        failure = None
        try:
            self.work(number)
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
            failure = error
        self.done[number] = failure
        self.news.put(number)

    @cython.cfunc
    @cython.exceptval(-1)
    def take_the_rest(self) -> cython.int:
        """Do what no other thread has begun."""
        number: cython.int
        for number in range(1, self.size):
            if number not in self.taken and self.taken.setdefault(number, _CALLER) is _CALLER:
                self.work(number)
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def end(self) -> cython.int:
        """Let nobody begin any more, and wait for those who have, through any interrupt; raise that afterwards."""
        number: cython.int
        interrupt = None
        for number in range(1, self.size):
            self.taken.setdefault(number, _CALLER)
        while self.is_under_way():
            try:
                self.news.get()
            except BaseException as error:  # noqa: BLE001 - it is raised when all are done
                interrupt = error
        if interrupt is not None:
            raise interrupt
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def is_under_way(self) -> cython.bint:
        number: cython.int
        for number in range(1, self.size):
            if self.taken[number] is _HELPER and number not in self.done:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(-1)
    def tell(self) -> cython.int:
        """Raise the error of the lowest number that has one."""
        number: cython.int
        for number in range(1, self.size):
            failure = self.done.get(number)
            if failure is not None:
                self.done.clear()  # or the error would hold all this, and all this the error
                raise failure
        return 0


def _begin():
    global _threads
    _threads = _ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="hedgerow")


def _let_go():
    """Let threads end before the process forks: the new one would have none of them, and Python warns of them."""
    threads = _threads
    _begin()
    threads.shutdown()


_begin()
if hasattr(_os, "register_at_fork"):  # not where nothing forks
    _os.register_at_fork(before=_let_go, after_in_child=_begin)

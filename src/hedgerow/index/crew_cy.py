"""Threads that work side by side.

Compiled, and of parts that are compiled, so that an interrupt comes while somebody works or waits and never in between:
nobody may go on as long as another thread still works with what is his. An executor of Python's library would not do:
interrupted while it holds one of its locks, it keeps it, and whoever comes next waits for ever.

A thread may also run out of memory anywhere, even before its first step. So nobody waits for a message alone, which
may not have been sent: who waits looks now and then whether there is still somebody to wait for.
"""

import os as _os
from _thread import start_new_thread as _start_new_thread
from queue import Empty as _Empty
from queue import SimpleQueue as _SimpleQueue

import cython

MOST_THREADS = max(8, _os.cpu_count() or 1)
"""Threads that are kept."""

_CALLER = cython.declare(object, "caller")
_HELPER = cython.declare(object, "helper")
_NOT_YET = cython.declare(object, object())
_NOW_AND_THEN = cython.declare(object, 0.05)  # seconds, where a message was lost

# Threads are made when they are first needed, and kept: to make one takes as long as to match fifty events.
_pool = None


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

    def run(self, work, stop=None):
        """Call ``work`` once with each number below ``size``, in as many threads, and wait for all.

        None may wait for what another one does: where threads are few or busy, some run one after the other. When one
        fails, or this thread is interrupted, ``stop`` is called, which lets the others come to an end soon.

        >>> numbers = []
        >>> Crew(3).run(numbers.append)
        >>> sorted(numbers)
        [0, 1, 2]
        """
        call: _Call
        if self.size == 1:
            work(0)
            return
        call = _Call(work, self.size, stop)
        try:
            call.begin()
            work(0)
            call.take_the_rest()
        except BaseException:
            call.stop_all()
            raise
        finally:
            call.end()
        call.tell()


@cython.final
@cython.cclass
class _Call:
    """One piece of work: for each number, who does it, and with which error it ended, if it did."""

    work: object
    size: cython.int
    stop: object
    taken: dict
    done: dict
    news: object

    def __init__(self, work, size: cython.int, stop):
        self.work = work
        self.size = size
        self.stop = stop
        self.taken = {}
        self.done = dict.fromkeys(range(size), _NOT_YET)  # whose room is there when memory is not
        self.news = _SimpleQueue()

    @cython.cfunc
    @cython.exceptval(-1)
    def begin(self) -> cython.int:
        """Ask other threads to help, as far as there are any to be had."""
        number: cython.int
        pool: _Pool = _pool
        for number in range(1, self.size):
            if not pool.take_on(self, number):
                break
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
            try:
                self.stop_all()
            except BaseException:  # noqa: BLE001, S110 - the others come to an end by themselves
                pass
        self.done[number] = failure
        self.news.put(number)

    @cython.cfunc
    @cython.exceptval(-1)
    def stop_all(self) -> cython.int:
        """Let those who work come to an end soon, if there is a way to tell them."""
        if self.stop is not None:
            self.stop()
        return 0

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
                self.news.get(True, _NOW_AND_THEN)
            except _Empty:
                pass
            except BaseException as error:  # noqa: BLE001 - it is raised when all are done
                interrupt = error
                self.stop_all()
        if interrupt is not None:
            raise interrupt
        return 0

    @cython.cfunc
    @cython.exceptval(-1)
    def is_under_way(self) -> cython.bint:
        number: cython.int
        for number in range(1, self.size):
            if self.taken[number] is _HELPER and self.done[number] is _NOT_YET:
                return True
        return False

    @cython.cfunc
    @cython.exceptval(-1)
    def tell(self) -> cython.int:
        """Raise the error of the lowest number that has one."""
        number: cython.int
        for number in range(1, self.size):
            failure = self.done[number]
            if failure is not None and failure is not _NOT_YET:
                self.done.clear()  # or the error would hold all this, and all this the error
                raise failure
        return 0


@cython.final
@cython.cclass
class _Pool:
    """Threads that wait for a call to help with."""

    waiting = cython.declare(object, visibility="readonly")  # calls and numbers; None where a thread is to end
    ended: object
    idle: cython.int  # threads that wait, less what waits for them
    started: cython.int
    serving: cython.int

    def __init__(self):
        self.waiting = _SimpleQueue()
        self.ended = _SimpleQueue()

    @cython.cfunc
    @cython.exceptval(-1)
    def take_on(self, call: _Call, number: cython.int) -> cython.bint:
        """Have a thread help with the work of a number, now or when it has time; return whether there is any."""
        if self.idle <= 0 and self.started < MOST_THREADS:
            self.start()
        if self.started == 0:
            return False
        self.waiting.put((call, number))
        self.idle -= 1
        return True

    @cython.cfunc
    @cython.exceptval(-1)
    def start(self) -> cython.int:
        """Start one more thread, if the system has one and the program is not about to end."""
        try:
            _start_new_thread(_serve, (self,))
        except RuntimeError:
            return 0
        self.started += 1
        self.idle += 1
        return 0

    def serve(self):
        """Help with one call after the other, as a thread of the pool, whatever becomes of them."""
        self.serving += 1
        try:
            while True:
                try:
                    if not self.help_once():
                        break
                except BaseException:  # noqa: BLE001, S110 - the call knows, or its caller sees to what was not begun
                    pass
        finally:
            self.serving -= 1
        self.ended.put(None)

    @cython.cfunc
    @cython.exceptval(-1)
    def help_once(self) -> cython.bint:
        """Wait for a call and help with it; return whether there was one."""
        call: _Call
        task = self.waiting.get()
        if task is None:
            return False
        call, number = task
        try:
            call.help(number)
        finally:
            self.idle += 1
        return True

    def end(self):
        """Let all threads end, and wait until they have; one that has not begun yet finds that it is to end."""
        for _ in range(self.started):
            self.waiting.put(None)
        while self.serving:
            try:
                self.ended.get(True, _NOW_AND_THEN)
            except _Empty:
                pass


def _serve(pool: _Pool):
    pool.serve()


def _begin():
    global _pool
    _pool = _Pool()


def _let_go():
    """Let threads end before the process forks: the new one would have none of them, and Python warns of them."""
    pool = _pool
    _begin()
    pool.end()


_begin()
if hasattr(_os, "register_at_fork"):  # not where nothing forks
    _os.register_at_fork(before=_let_go, after_in_child=_begin)

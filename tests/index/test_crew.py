"""Threads that work side by side, and are kept."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.index import crew_cy
from hedgerow.index.atree.engine_cy import ATreeEngine
from hedgerow.index.crew_cy import Crew


@pytest.mark.parametrize("threads", (1, 2, 5))
def test_each_number_once(threads: int) -> None:
    """Number 0 is this thread, and they work at the same time."""
    met, barrier = {}, threading.Barrier(threads, timeout=10)

    def work(number: int) -> None:
        barrier.wait()
        met[number] = threading.current_thread()

    Crew(threads).run(work)
    assert sorted(met) == list(range(threads))
    assert met[0] is threading.current_thread()
    assert len(set(met.values())) == threads


def test_threads_are_kept() -> None:
    """There are never many, however often they are needed."""
    met, barrier = set(), threading.Barrier(3, timeout=10)

    def work(_: int) -> None:
        met.add(threading.get_ident())
        barrier.wait()

    for _ in range(300):
        Crew(3).run(work)
    assert 3 <= len(met) <= crew_cy.MOST_THREADS + 1


def test_more_than_there_are() -> None:
    """All of the work is done, if not at the same time."""
    numbers: list[int] = []
    Crew(600).run(numbers.append)
    assert sorted(numbers) == list(range(600))


@pytest.mark.parametrize("failing", (0, 1))
def test_errors_come_out_when_all_are_done(failing: int) -> None:
    """Whoever fails, nobody works any more by then; and what failed is not held."""
    working, done, barrier = set(), [], threading.Barrier(3, timeout=10)

    def work(number: int) -> None:
        barrier.wait()
        working.add(number)
        if number != failing:
            time.sleep(0.1)
            done.append(number)
        working.remove(number)
        if number == failing:
            raise ValueError(number)

    with pytest.raises(ValueError, match=str(failing)):
        Crew(3).run(work)
    assert not working
    assert sorted(done) == [number for number in range(3) if number != failing]


@pytest.mark.parametrize("interrupts", (1, 3))
def test_an_interrupt_waits_for_those_who_work(interrupts: int) -> None:
    """This thread waits for another one when it is interrupted, maybe more than once."""
    done, barrier = [], threading.Barrier(2, timeout=10)

    def work(number: int) -> None:
        barrier.wait()
        if number:
            for _ in range(interrupts):
                time.sleep(0.05)
                signal.raise_signal(signal.SIGINT)
            time.sleep(0.05)
            done.append(number)

    with pytest.raises(KeyboardInterrupt):
        Crew(2).run(work)
    assert done == [1]


class _Late:
    """A system that has a thread or two, which begin when they are told to, and then no more."""

    def __init__(self, most: int) -> None:
        self.threads: list[tuple[Callable[[Any], None], Any]] = []
        self.most = most

    def start(self, work: Callable[[Any], None], given: tuple[Any]) -> None:
        """Take a thread's work, or fail as when the system has no thread for it."""
        if len(self.threads) == self.most:
            raise RuntimeError("can't start new thread")
        self.threads.append((work, given[0]))

    def begin(self) -> None:
        """Let all threads do what they find to do."""
        for _, pool in self.threads:
            pool.waiting.put(None)
        for work, pool in self.threads:
            work(pool)


@pytest.mark.parametrize("most", (0, 1, 5))
def test_without_threads_this_one_does_all(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """And whoever comes too late does nothing."""
    system = _Late(most)
    numbers: list[int] = []
    monkeypatch.setattr(crew_cy, "_start_new_thread", system.start)
    monkeypatch.setattr(crew_cy, "_pool", crew_cy._Pool())  # type: ignore[attr-defined] # private
    Crew(4).run(numbers.append)
    assert numbers == [0, 1, 2, 3]
    assert len(system.threads) == min(most, 3)
    system.begin()
    assert numbers == [0, 1, 2, 3]


def test_those_who_work_are_told_when_one_fails() -> None:
    """They come to an end soon, whether it is this thread that fails or another one."""

    def fails(who: int) -> list[int]:
        stopped, done, barrier = threading.Event(), [], threading.Barrier(2, timeout=10)

        def work(number: int) -> None:
            barrier.wait()
            if number == who:
                raise ValueError(number)
            assert stopped.wait(10)
            done.append(number)

        with pytest.raises(ValueError, match=str(who)):
            Crew(2).run(work, stopped.set)
        return done

    assert [fails(0), fails(1)] == [[1], [0]]


def test_batches_after_an_interrupt_are_right() -> None:
    """Threads of the interrupted one have stopped: nobody else writes into what the next one uses."""
    index = hr.Index()
    index.insert_many([(id, f"a >= {id % 50} AND b < {id % 70}") for id in range(20_000)], progress=False)
    engine: ATreeEngine = index._state.engine  # type: ignore[assignment]  # it is one
    batch = hr.events([{"a": row % 60, "b": row % 80} for row in range(512)])
    expected = engine.match_by_event(batch)
    interrupted = 0
    for turn in range(40):
        timer = threading.Timer(0.001 * (turn % 10), signal.raise_signal, (signal.SIGINT,))
        try:
            timer.start()
            engine.match_by_event(batch, 4)
            timer.join()
            time.sleep(0.01)
        except KeyboardInterrupt:
            interrupted += 1
        matches = engine.match_by_event(batch, 3)
        assert matches.starts.tolist() == expected.starts.tolist()
        assert np.array_equal(matches.slots, expected.slots)
    assert interrupted


def run(program: str) -> str:
    """Run a program in a process of its own, and return what it printed."""
    done = subprocess.run(  # noqa: S603 - it is one of these tests
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def test_nobody_waits_for_a_thread_that_is_gone() -> None:
    """One that never began, one that was left without memory, one that could not stop the others: a fork goes on."""
    printed = run(
        """
        import contextlib, os
        from hedgerow.index import crew_cy
        from hedgerow.index.crew_cy import Crew

        def fails(number):
            raise ValueError(number)

        start = crew_cy._start_new_thread
        crew_cy._start_new_thread = lambda *_: None
        Crew(3).run(lambda number: None)
        crew_cy._start_new_thread = start
        for _ in range(10):
            with contextlib.suppress(ValueError, ZeroDivisionError):
                Crew(3).run(fails, lambda: 1 / 0)
        with contextlib.suppress(ImportError):
            import _testcapi
            for allocation in range(60):
                with contextlib.suppress(MemoryError):
                    _testcapi.set_nomemory(allocation, allocation + 3)
                    try:
                        Crew(3).run(lambda number: [number] * 3)
                    finally:
                        _testcapi.remove_mem_hooks()
        child = os.fork()
        numbers = []
        Crew(3).run(numbers.append)
        if not child:
            os._exit(sum(numbers))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), sum(numbers))
        """
    )
    assert printed.split() == ["3", "3"]


def test_a_forked_process_has_threads_of_its_own() -> None:
    """Those of its parent are not there, and nobody waits for them; nor at the end of either process."""
    printed = run(
        """
        import os, sys
        import hedgerow as hr
        index = hr.Index()
        index.insert(1, "a > 5")
        events = hr.events([{"a": row % 10} for row in range(1000)])
        print(index.match_batch(events, threads=3).num_rows, flush=True)
        child = os.fork()
        if child:
            assert os.waitpid(child, 0)[1] == 0
        print(index.match_batch(events, threads=3).num_rows, flush=True)
        """
    )
    assert printed.split() == ["400"] * 3

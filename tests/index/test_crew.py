"""Threads that work side by side, and are kept."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading

import pytest

from hedgerow.index.crew import Crew


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
    """The second time no thread is made."""
    Crew(3).run(lambda _: None)
    before = threading.active_count()
    for _ in range(20):
        Crew(2).run(lambda _: None)
    assert threading.active_count() == before


def test_more_than_are_kept() -> None:
    """All of the work is done, if not at the same time."""
    numbers: list[int] = []
    Crew(600).run(numbers.append)
    assert sorted(numbers) == list(range(600))


@pytest.mark.parametrize("failing", (0, 1))
def test_errors_come_out_when_all_are_done(failing: int) -> None:
    """Whoever fails."""
    done = []

    def work(number: int) -> None:
        if number == failing:
            raise ValueError(number)
        done.append(number)

    with pytest.raises(ValueError, match=str(failing)):
        Crew(3).run(work)
    assert sorted(done) == [number for number in range(3) if number != failing]


def run(program: str) -> str:
    """Run a program in a process of its own, and return what it printed."""
    done = subprocess.run(  # noqa: S603 - it is one of these tests
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


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
        print(index.match_batch(events, threads=3).num_rows, flush=True)
        if child:
            assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert printed.split() == ["400"] * 3

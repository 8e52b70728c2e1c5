"""A thread that waits for the GIL, to see whether somebody lets go of it."""

from __future__ import annotations

import gc
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def somebody_waiting() -> Iterator[list[int]]:
    """Have a thread count, in a list of one number, how often it gets the GIL; nobody is asked to hand it over."""
    turns, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            turns[0] += 1
            time.sleep(0)

    before = sys.getswitchinterval()
    thread = threading.Thread(target=count)
    sys.setswitchinterval(1000.0)
    thread.start()
    try:
        time.sleep(0.01)
        gc.collect()  # what is collected later might let go of it
        yield turns
    finally:
        done.set()
        sys.setswitchinterval(before)
        thread.join()

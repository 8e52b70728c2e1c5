"""Readers beside a writer who changes what they read."""

from __future__ import annotations

import threading

import hedgerow as hr

COUNT = 3000


def test_a_batch_sees_one_version_of_conjunctions_that_get_more_labels() -> None:
    """The label that stood by itself goes into a list while batches run; each still finds it, in all of their rows."""
    index = hr.Index("interval")
    index.insert_many((number, f"a = 1 AND b = 1 AND c < {number + 1} OR x = {number}") for number in range(COUNT))
    events = hr.events([{"a": 1, "b": 1, "c": 0}] * 300)
    counts: list[list[int]] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            counts.append(index.count_batch(events).to_pylist())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        while not counts:
            done.wait(0.001)
        for number in range(COUNT):
            index.insert(COUNT + number, f"a = 1 AND b = 1 AND c < {number + 1} OR y = {number}")
    finally:
        done.set()
        reader.join()
    assert all(min(found) == max(found) >= COUNT for found in counts)
    assert [found[0] for found in counts] == sorted(found[0] for found in counts)
    assert index.count_batch([{"a": 1, "b": 1, "c": 0}]).to_pylist() == [2 * COUNT]

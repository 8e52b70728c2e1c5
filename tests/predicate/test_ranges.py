"""Intervals found by points: against a look at all of them, and how much of them is looked at."""

from __future__ import annotations

import math
import random
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.predicate.ranges_cy import Ranges, RangeSearch

LOWEST, HIGHEST = -(2**63), 2**63 - 1

keys = st.one_of(st.integers(-5, 5), st.sampled_from([LOWEST, LOWEST + 1, HIGHEST - 1, HIGHEST]))


@given(st.lists(st.tuples(keys, keys, st.booleans()), max_size=200), st.lists(keys, max_size=10))
def test_a_point_finds_the_intervals_around_it(given_intervals: list[tuple[int, int, bool]], points: list[int]) -> None:
    """After any inserts and removals exactly the intervals that a point is in are found, each once."""
    ranges = Ranges()
    band = ranges.new()
    held: dict[int, tuple[int, int]] = {}
    for number, (low, high, stays) in enumerate(given_intervals):
        ranges.add(band, low, high, number)
        held[number] = low, high
        if not stays:
            gone = random.Random(number).choice(list(held))
            ranges.take_out(band, *held.pop(gone), gone)
    for point in points:
        expected = [number for number, (low, high) in held.items() if low <= point <= high]
        assert ranges.stabbed(band, point) == expected


def test_runs_double_and_are_few() -> None:
    """However many intervals come, a band has at most as many runs as their number has binary digits."""
    ranges = Ranges()
    band = ranges.new()
    for number in range(5000):
        ranges.add(band, number, number + 10, number)
        sizes = ranges.run_sizes(band)
        assert len(sizes) <= math.log2(number + 1) + 2
        assert sizes == sorted(set(sizes))
    assert ranges.run_sizes(band) == [128, 256, 512, 4096]
    assert ranges.stabbed(band, 2500) == list(range(2490, 2501))


def test_a_selective_point_touches_few_of_a_hundred_thousand() -> None:
    """The work of a stab is the logarithm of the intervals in each run, and what it finds."""
    ranges = Ranges()
    band = ranges.new()
    order = list(range(100_000))
    random.Random(1).shuffle(order)
    for number in order:
        ranges.add(band, 100 * number, 100 * number + 150, number)
    assert ranges.stabbed(band, 5_000_020) == [49_999, 50_000]
    before = ranges.touched
    ranges.stabbed(band, 5_000_020)
    assert ranges.touched - before < 400


def test_one_sided_intervals_are_selective_too() -> None:
    """Of intervals that all begin at the lowest key, those that end before the point are not looked at one by one."""
    ranges = Ranges()
    band = ranges.new()
    for number in range(100_000):
        ranges.add(band, LOWEST, number, number)
    before = ranges.touched
    assert ranges.stabbed(band, 99_990) == list(range(99_990, 100_000))
    assert ranges.touched - before < 400


def test_tombstones_do_not_pile_up() -> None:
    """A band from which almost all intervals were removed shrinks to what is left, and its room is used again."""
    ranges = Ranges()
    band = ranges.new()
    for number in range(10_000):
        ranges.add(band, number, number, number)
    sizes = []
    for _ in range(3):
        for number in range(9_990):
            ranges.take_out(band, number, number, number)
        assert sum(ranges.run_sizes(band)) <= 64
        for number in range(9_990):
            ranges.add(band, number, number, number)
        sizes.append(ranges.nbytes)
    assert max(sizes) < 1.1 * min(sizes)
    assert ranges.stabbed(band, 77) == [77]


def test_all_intervals_can_go() -> None:
    """An emptied band is an empty one, also for what was in runs."""
    ranges = Ranges()
    band = ranges.new()
    for again in range(3):
        for number in range(100):
            ranges.add(band, again, 5, number)
        for number in range(100):
            ranges.take_out(band, again, 5, number)
        assert ranges.stabbed(band, 5) == []
        assert sum(ranges.run_sizes(band)) <= 8


def test_many_bands_share_one_arena() -> None:
    """Thousands of small bands, grown in turn, do not see each other's intervals."""
    ranges = Ranges()
    bands = [ranges.new() for _ in range(2000)]
    for number in range(20):
        for band in bands:
            ranges.add(band, band, band + number, number)
    assert all(ranges.stabbed(band, band + 15) == [15, 16, 17, 18, 19] for band in bands)


def test_an_interval_takes_few_bytes() -> None:
    """In full runs an interval takes 22 bytes; with rooms that were freed by merging, 28 at any time."""
    ranges = Ranges()
    bands = [ranges.new() for _ in range(100)]
    order = [band for band in bands for _ in range(724)]
    random.Random(1).shuffle(order)
    for number, band in enumerate(order):
        ranges.add(band, number, number, number)
        if number % 1000 == 999 and number > 10_000:
            assert ranges.nbytes / number < 30
    assert ranges.nbytes / len(order) < 28


def test_rooms_that_move_are_found_again() -> None:
    """Compaction moves all runs into a new arena; a reader from before notices, and what was in them is there."""
    ranges = Ranges()
    bands = [ranges.new() for _ in range(20)]
    search = RangeSearch(ranges)
    expected: dict[int, list[int]] = {band: [] for band in bands}
    chance = random.Random(3)
    for number in range(20_000):
        band = chance.choice(bands)
        ranges.add(band, number, number + 20, number)
        expected[band].append(number)
    for band in bands:
        assert search.stabbed(band, 10_000) == [number for number in expected[band] if 9_980 <= number <= 10_000]
    assert search.repeated >= 1


def test_what_is_not_there_cannot_be_removed() -> None:
    """Python's callers are told of unknown intervals and bands, and of numbers that can be none."""
    ranges = Ranges()
    band = ranges.new()
    ranges.add(band, 1, 2, 3)
    for interval in ((1, 2, 4), (1, 3, 3), (0, 2, 3)):
        with pytest.raises(KeyError):
            ranges.take_out(band, *interval)
    with pytest.raises(IndexError):
        ranges.stabbed(band + 1, 0)
    with pytest.raises(ValueError, match="negative"):
        ranges.add(band, 1, 2, -1)


def test_a_view_that_is_out_of_date_is_renewed() -> None:
    """A reader whose arrays were replaced, and whose runs were merged, scans again and finds all."""
    ranges = Ranges()
    band = ranges.new()
    for number in range(20):
        ranges.add(band, 0, 10, number)
    search = RangeSearch(ranges)
    for number in range(20, 1000):
        ranges.add(band, 0, 10, number)
    assert search.stabbed(band, 5) == list(range(1000))
    assert search.repeated == 1
    assert search.stabbed(band, 5) == list(range(1000))
    assert search.repeated == 1


def test_readers_beside_a_writer_never_miss_and_never_invent() -> None:
    """Readers in threads find all that was there when they asked, and nothing that does not hold."""
    ranges = Ranges()
    bands = [ranges.new() for _ in range(3)]
    for number in range(1000):
        ranges.add(bands[number % 3], number, number + 300, number)
    done = threading.Event()
    wrong: list[int] = []

    def read() -> None:
        search = RangeSearch(ranges)
        while not done.is_set():
            for point in range(0, 1300, 13):
                found = search.stabbed(bands[point % 3], point)
                early = [number for number in found if number < 1000]
                expected = [n for n in range(1000) if n % 3 == point % 3 and n <= point <= n + 300]
                if early != expected or any(not number - 1000 <= point for number in found if number >= 1000):
                    wrong.append(point)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(1000, 40_000):
        ranges.add(bands[number % 3], number - 1000, number, number)
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong

"""Arrays that grow: what they hold, and that nobody comes in between."""

import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from hedgerow.arrays_cy import copied, extended, filled, grown
from tests.waiting import somebody_waiting


@pytest.mark.parametrize("size", (0, 1, 2, 3, 1000, 200_000))
@pytest.mark.parametrize(("value", "dtype"), ((-1, np.int32), (0, np.uint64), (2.5, np.float64), (7, np.uint8)))
def test_filled_has_the_value_everywhere(size: int, value: float, dtype: type) -> None:
    """Also for sizes that no doubling ends at."""
    array = filled(size, value, dtype)
    assert array.dtype == dtype
    assert (array == np.full(size, value, dtype)).all()
    assert len(array) == size


def test_extended_keeps_what_there_was() -> None:
    """What is new has the value, what is old stays."""
    old = np.arange(5, dtype=np.int32)
    new = extended(old, 9, -3)
    assert new.tolist() == [0, 1, 2, 3, 4, -3, -3, -3, -3]
    assert new.dtype == np.int32
    assert extended(old, 5, -3).tolist() == old.tolist()
    assert extended(old[:0], 2, 1).tolist() == [1, 1]
    assert extended(old, 300_000)[:5].tolist() == old.tolist()


_LARGE = np.ones(4_000_000, np.int64)


@pytest.mark.parametrize(
    "step",
    (
        lambda: filled(4_000_000, 5, np.int64),
        lambda: extended(_LARGE, 8_000_000, 5),
        lambda: grown(_LARGE, 8_000_000),
    ),
)
def test_no_other_thread_comes_in_between(step: Callable[[], object]) -> None:
    """NumPy's own copying and filling would let others have the GIL."""
    with somebody_waiting() as turns:
        before = turns[0]
        step()
        assert turns[0] == before


HUGE = 3_000_000  # of eight bytes


def address(array: np.ndarray) -> int:
    """Return where an array is."""
    return int(array.__array_interface__["data"][0])


def test_what_is_large_grows_in_its_place() -> None:
    """Nothing is copied; who holds the old array has what it had."""
    old = filled(HUGE, 7, np.int64)
    new = grown(old, HUGE + 1)
    assert (address(new), len(new)) == (address(old), 2 * HUGE)
    longer = extended(new, 5 * HUGE, 9)
    assert address(longer) == address(old)
    assert (longer[HUGE - 1], longer[2 * HUGE], longer[-1]) == (7, 9, 9)
    assert len(old) == HUGE
    assert (old == 7).all()
    del old, new
    assert longer[0] == 7


def test_an_array_that_was_outgrown_grows_elsewhere() -> None:
    """Its place belongs to the one that it has become, of which it is the beginning."""
    old = filled(HUGE, 7, np.int64)
    new = grown(old, HUGE + 1)
    new[HUGE] = 5
    other = grown(old, HUGE + 1)
    other[HUGE] = 6
    assert address(other) != address(new)
    assert (new[HUGE], other[HUGE], other[HUGE - 1]) == (5, 6, 7)
    part = grown(new[: HUGE + 1], HUGE + 2)
    assert address(part) != address(new)
    assert part[HUGE] == 5


def test_a_copy_is_one() -> None:
    """Also of what could grow in its place."""
    old = filled(HUGE, 7, np.int64)
    new = copied(old, 2 * HUGE)
    new[0] = 1
    assert (old[0], new[0], new[HUGE - 1]) == (7, 1, 7)


def test_what_is_left_of_addresses_may_not_do() -> None:
    """Then a copy is made, with addresses of its own."""
    old = filled(1 << 20, 7, np.int64)
    new = grown(old, 70 << 20)
    assert address(new) != address(old)
    assert (new[0], new[(1 << 20) - 1]) == (7, 7)


_LIMITED = """
import resource
import numpy as np
from hedgerow.arrays_cy import filled, grown
with open("/proc/self/statm", encoding="ascii") as file:
    mapped = int(file.read().split()[0]) * resource.getpagesize()
limit = mapped + (4 << 30)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
array = filled(2 << 20, 7, np.int64)
with open("/proc/self/statm", encoding="ascii") as file:
    assert int(file.read().split()[0]) * resource.getpagesize() - mapped < 32 << 20
array = grown(array, (2 << 20) + 1)
assert len(array) == 4 << 20 and (array[: 2 << 20] == 7).all()
try:
    grown(array, 1 << 30)
except MemoryError:
    print("told")
"""


def test_where_addresses_are_limited_none_are_kept() -> None:
    """As by ``ulimit -v``: 16 MiB take 16 MiB, and what is too much is said."""
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", _LIMITED], stdout=subprocess.PIPE, check=True, env={**os.environ, **path}
    )
    assert done.stdout == b"told\n"

"""Arrays that grow: what they hold, and that nobody comes in between."""

from collections.abc import Callable

import numpy as np
import pytest

from hedgerow.arrays_cy import extended, filled, grown
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

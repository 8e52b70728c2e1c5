"""Counts by number: what a dict would say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import CorruptFile
from hedgerow.index.atree.counts_cy import Counts

steps = st.lists(st.tuples(st.integers(0, 60), st.integers(-3, 300), st.booleans()), max_size=300)


@given(steps)
def test_counts_are_those_of_a_dict(given_steps: list[tuple[int, int, bool]]) -> None:
    """Also for numbers whose slots collide, and where numbers come and go."""
    counts, expected = Counts(), dict[int, int]()
    for key, amount, removing in given_steps:
        if removing and key in expected:
            counts.remove(key)
            del expected[key]
        else:
            expected[key] = expected.get(key, 0) + amount
            assert counts.add(key, amount) == expected[key]
        assert len(counts) == len(expected)
    assert dict(zip(counts.keys().tolist(), counts.counts().tolist(), strict=True)) == expected
    again = Counts.of(counts.keys(), counts.counts())
    assert {key: again.get(key) for key in expected} == expected


def test_what_is_not_counted() -> None:
    """It is not there, and a file cannot make it so."""
    counts = Counts()
    counts.add(3, 1)
    with pytest.raises(KeyError):
        counts.get(4)
    with pytest.raises(KeyError):
        counts.remove(4)
    assert counts.get(3) == 1
    with pytest.raises(CorruptFile):
        Counts.of(np.array([-1], np.int32), np.array([300], np.int32))

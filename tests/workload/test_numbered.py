"""Draws by number: the published sequence, and what it is turned into."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.workload.numbered import Zipf, below, drawn, fractions, key_of


def test_the_draws_are_those_of_splitmix64() -> None:
    """The first outputs of the published algorithm from the seed 1234567."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert drawn(key_of(1234567), np.arange(4)).tolist() == published


def test_a_draw_depends_on_its_key_and_number_only() -> None:
    """Whole arrays, parts of them and single draws are the same numbers."""
    keys = drawn(key_of(5), np.arange(8))
    table = drawn(keys[:, None], np.arange(3))
    assert table.shape == (8, 3)
    assert [[int(drawn(key, number)[0]) for number in range(3)] for key in keys] == table.tolist()
    assert key_of(5, 6, 2) == table[6, 2]


def test_fractions_and_integers_stay_below_their_end() -> None:
    """The least and the greatest key are no exception."""
    keys = np.array([0, (1 << 64) - 1], dtype=np.uint64)
    assert fractions(keys).tolist() == [0.0, 1 - 2**-53]
    for end in (1, 3, 1000, 2**53 - 1, 2**53, 2**62 + 1):
        assert below(keys, end)[0] == 0 <= below(keys, end)[1] < end


@pytest.mark.parametrize("alpha", (0.0, 0.6, 1.0, 2.5))
def test_ranks_come_as_often_as_zipf_says(alpha: float) -> None:
    """The greatest difference from the exact distribution is what chance allows (Kolmogorov and Smirnov)."""
    count = 200_000
    ranks = Zipf(500, alpha).ranks(drawn(key_of(3), np.arange(count)))
    weights = np.arange(1, 501) ** -alpha
    expected = np.cumsum(weights) / weights.sum()
    found = np.cumsum(np.bincount(ranks, minlength=500)) / count
    assert np.abs(found - expected).max() < 2 / count**0.5


def test_every_rank_is_one_of_those_that_there_are() -> None:
    """Also where most of them are too rare to come at all."""
    keys = np.array([0, (1 << 64) - 1], dtype=np.uint64)
    assert Zipf(1, 0.6).ranks(keys).tolist() == [0, 0]
    assert Zipf(7, 0.0).ranks(keys).tolist() == [0, 6]
    assert Zipf(1000, 10.0).ranks(keys).tolist() == [0, 7]

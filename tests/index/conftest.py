"""What the tests of several engines share."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest


@pytest.fixture
def _few_examples() -> Iterator[None]:
    """Let many combinations have few examples each: together they are many."""
    before = hypothesis.settings.get_current_profile_name()
    hypothesis.settings.register_profile("few", hypothesis.settings.get_profile(before), max_examples=5)
    hypothesis.settings.load_profile("few")
    yield
    hypothesis.settings.load_profile(before)

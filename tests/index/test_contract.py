"""The contract on every engine, and engines that break it on purpose."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hedgerow as hr
from hedgerow.index.engine import engine_names
from hedgerow.testing import CHECKS
from tests.effort import RIVALS, fewer_examples


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("engine", engine_names())
def test_every_engine_keeps_the_contract(engine: str, check: Callable[[Callable[[str], hr.Index]], None]) -> None:
    """Each engine passes each part of the contract."""
    with fewer_examples(4 if engine in RIVALS else 1):
        check(lambda missing: hr.Index(engine, missing=missing))

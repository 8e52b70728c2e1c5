"""What tests of rule sets start with."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a sync be nothing: it counts only when the machine itself fails, which no test can do."""
    monkeypatch.setattr(os, "fsync", lambda _: None)

"""Names for parametrized tests."""

from __future__ import annotations

import re


def label(value: object) -> str:
    """Return what a value looks like, without the address that differs from process to process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))

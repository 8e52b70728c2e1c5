"""A progress line for long work, on a terminal only."""

from __future__ import annotations

import sys
import time
from typing import TextIO

__all__ = ["Progress"]

_PATIENCE = 1.0  # seconds before the first line: short work needs none
_INTERVAL = 0.2
_BAR = 30


class Progress:
    """Writes ``label: 1,200,000 rows  [######    ] 40 %  610,000 rows/s`` over itself while work goes on.

    ``wanted`` None means: if ``stream`` is a terminal.
    """

    def __init__(
        self, label: str, total: int | None, *, wanted: bool | None = None, stream: TextIO | None = None
    ) -> None:
        """Start the clock."""
        self._label = label
        self._total = total
        self._stream = stream if stream is not None else sys.stderr
        self._wanted = self._stream.isatty() if wanted is None else wanted
        self._done = 0
        self._start = time.monotonic()
        self._next = self._start + _PATIENCE
        self._shown = False

    def advance(self, count: int) -> None:
        """Note that ``count`` more rows are done."""
        self._done += count
        if self._wanted and time.monotonic() >= self._next:
            self._show()

    def close(self) -> None:
        """End the line, if there was one."""
        if self._shown:
            self._show()
            self._stream.write("\n")
            self._stream.flush()

    def _show(self) -> None:
        now = time.monotonic()
        rate = self._done / max(now - self._start, 1e-9)
        self._stream.write(f"\r{self._label}: {self._done:,} rows{self._bar()}  {rate:,.0f} rows/s ")
        self._stream.flush()
        self._next = now + _INTERVAL
        self._shown = True

    def _bar(self) -> str:
        if not self._total:
            return ""
        part = min(self._done / self._total, 1.0)
        filled = int(part * _BAR)
        return f"  [{'#' * filled}{' ' * (_BAR - filled)}] {part:4.0%}"

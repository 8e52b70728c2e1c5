"""How much tests try: of what engines share a few engines are enough, and rivals get fewer random examples.

``make deep`` does all of it with all of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import hypothesis

import hedgerow as hr
from hedgerow.index.engine import engine_names

RIVALS = tuple(about.name for about in hr.engines() if about.line.startswith("a rival"))
"""Engines that are there to be measured against, each made of what other engines are made of."""

_OF_EACH_MAKE = ("scan", "atree", "kindex", "betree", "opindex", "interval")


def is_deep() -> bool:
    """Return whether tests have hours."""
    return hypothesis.settings.get_current_profile_name() == "deep"


def engines_of_each_make() -> tuple[str, ...]:
    """Return engines for a long test of what the index, or the chassis of engines, does alike for all that it has."""
    return tuple(engine_names()) if is_deep() else _OF_EACH_MAKE


@contextlib.contextmanager
def fewer_examples(part: int) -> Iterator[None]:
    """Let Hypothesis try one in so many of the examples that it would, but in ``make deep``."""
    before = hypothesis.settings.get_current_profile_name()
    usual = hypothesis.settings.get_profile(before)
    count = usual.max_examples if is_deep() else max(5, usual.max_examples // part)
    hypothesis.settings.register_profile("fewer", usual, max_examples=count)
    hypothesis.settings.load_profile("fewer")
    try:
        yield
    finally:
        hypothesis.settings.load_profile(before)

"""The page for data engineers can be followed from its first line to its last."""

from __future__ import annotations

import doctest

import pytest

from tools import pictures, sources


@pytest.mark.usefixtures("spark")
def test_the_examples_of_the_page_print_what_they_say() -> None:
    """They run in their order, in one session."""
    page = sources.ROOT / "docs" / "spark.md"
    examples = pictures.examples(page.read_text(encoding="utf-8"), page)
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=printed.append)
    assert not printed, "".join(printed)

"""Every example in the documents and in the compiled modules runs, and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import re
from typing import TYPE_CHECKING

import pytest

from hedgerow import limits
from tools import sources

if TYPE_CHECKING:
    from pathlib import Path

# The page on Spark needs a session; tests/spark runs its examples.
DOCUMENTS = sorted({*sources.ROOT.glob("*.md"), *sources.ROOT.glob("docs/**/*.md")} - {sources.ROOT / "docs/spark.md"})
FENCE = re.compile(r"^\s*(```|~~~).*$", re.MULTILINE)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(sources.ROOT)))
def test_an_example_in_a_document_prints_what_it_says(path: Path) -> None:
    """The interactive examples of a Markdown file run in their order, in one session."""
    # Without its fences, which doctest would take for printed output, each line stays where it was.
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    examples = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    printed: list[str] = []
    runner.run(examples, out=printed.append)
    assert not printed, "".join(printed)


@pytest.mark.parametrize("name", sources.compiled_modules())
def test_an_example_in_a_compiled_module_prints_what_it_says(name: str) -> None:
    """The docstrings of compiled modules are tested as those of all others are."""
    assert not doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed


def test_the_limits_in_the_readme_are_those_of_the_code() -> None:
    """The table names every limit, with its number."""
    readme = (sources.ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(MAX_\w+)` \|.*\| ([\d,]+) \|$", readme, re.MULTILINE)
    said = {name: int(number.replace(",", "")) for name, number in rows}
    assert said == {name: value for name, value in vars(limits).items() if name.startswith("MAX_")}

"""Every example in the documents and in the compiled modules runs, and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import re
from typing import TYPE_CHECKING

import pytest

import hedgerow as hr
from hedgerow import limits
from tools import pictures, sources

if TYPE_CHECKING:
    from pathlib import Path

# The page on Spark needs a session; tests/spark runs its examples.
DOCUMENTS = sorted({*sources.ROOT.glob("*.md"), *sources.ROOT.glob("docs/**/*.md")} - {sources.ROOT / "docs/spark.md"})
LINK = re.compile(r"\]\((?!\w+:)([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(sources.ROOT)))
def test_an_example_in_a_document_prints_what_it_says(path: Path) -> None:
    """The interactive examples of a Markdown file run in their order, in one session."""
    examples = pictures.examples(path.read_text(encoding="utf-8"), path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    printed: list[str] = []
    runner.run(examples, out=printed.append)
    assert not printed, "".join(printed)


@pytest.mark.parametrize("name", sources.compiled_modules())
def test_an_example_in_a_compiled_module_prints_what_it_says(name: str) -> None:
    """The docstrings of compiled modules are tested as those of all others are."""
    assert not doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed


@pytest.mark.parametrize("path", (*DOCUMENTS, sources.ROOT / "docs/spark.md"), ids=lambda path: path.name)
def test_a_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    """Links within the project are to what is there."""
    lost = []
    for link in LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))):
        file, _, heading = link.partition("#")
        target = path.parent / file if file else path
        if not target.exists() or (heading and heading not in anchors(target)):
            lost.append(link)
    assert not lost


def anchors(page: Path) -> list[str]:
    """Return what the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_pictures_show_what_the_examples_build() -> None:
    """Whoever changes an example, or how a structure is drawn, has the pictures drawn again: ``make pictures``."""
    embedded = list(pictures.pictures())
    assert not [str(picture.path) for picture in embedded if not picture.is_current()]
    assert {picture.path for picture in embedded} == set(pictures.FOLDER.iterdir())
    assert {picture.engine for picture in embedded} == set(filter(drawable, engine_names()))
    assert not [picture.path for picture in embedded if str(sources.ROOT) in picture.path.read_text(encoding="utf-8")]


def drawable(name: str) -> bool:
    """Return whether an engine has a structure to show."""
    try:
        hr.Index(name).to_graphviz()
    except hr.Unsupported:
        return False
    return True


def engine_names() -> list[str]:
    """Return the names of all engines."""
    return [about.name for about in hr.engines()]


def test_the_readme_tells_of_every_engine() -> None:
    """Its table has a row for each, with what ``engines`` says of it."""
    readme = (sources.ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([\w-]+)` \| [^|]+ \| (any|DNF|CNF|DNF, CNF) \| (\w+) \| (\w+) \| (\w+) \|$", readme, re.MULTILINE
    )
    said = {name: (form, *(word == "yes" for word in words)) for name, form, *words in rows}
    assert said == {about.name: (about.form, about.dynamic, about.ranks, about.relations) for about in hr.engines()}


def test_the_limits_in_the_readme_are_those_of_the_code() -> None:
    """The table names every limit, with its number."""
    readme = (sources.ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(MAX_\w+)` \|.*\| ([\d,]+) \|$", readme, re.MULTILINE)
    said = {name: int(number.replace(",", "")) for name, number in rows}
    assert said == {name: value for name, value in vars(limits).items() if name.startswith("MAX_")}

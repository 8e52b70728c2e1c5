"""Each rewrite does to the examples in its file what the file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.language.graph_cy import Graph
from hedgerow.language.parse import parse
from hedgerow.language.parse_cy import Parser
from tests.language.rewrite.passes import REWRITES

FIXTURES = Path(__file__).parent / "fixtures"


def examples() -> list[tuple[str, str, str]]:
    """Return (rewrite, input, expected) of every line of every file; lines that start with # are remarks."""
    found = []
    for path in sorted(FIXTURES.glob("*.txt")):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
        for line in lines:
            text, expected = line.split(" ; ")
            found.append((path.stem, text.strip(), expected.strip()))
    return found


@pytest.mark.parametrize(("rewrite", "text", "expected"), examples())
def test_a_rewrite_writes_what_its_file_says(rewrite: str, text: str, expected: str) -> None:
    """Parsed, rewritten and written out, an example is the expected text."""
    graph = Graph()
    node = REWRITES[rewrite](graph, Parser(graph).parse(text))
    assert str(graph.expression(node)) == expected


def test_every_rewrite_has_examples() -> None:
    """No rewrite without a file, and no file without a rewrite."""
    assert {rewrite for rewrite, _, _ in examples()} == set(REWRITES)


@pytest.mark.parametrize(("rewrite", "text", "expected"), examples())
def test_an_example_is_written_as_the_formatter_would(rewrite: str, text: str, expected: str) -> None:
    """What is expected parses back to itself, so that examples are not held together by parentheses alone."""
    assert str(parse(expected)) == expected, (rewrite, text)

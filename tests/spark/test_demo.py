"""The demo says what it should, and fits the terminal."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import SparkSession

import hedgerow as hr
from hedgerow.spark.demo import main
from hedgerow.workload.demo_text import WIDTH, bar, cut
from hedgerow.workload.exchange import campaigns, visits

SECTIONS = (
    "hedgerow: which",
    "A table of visits",
    "Building the rule set",
    "Matching",
    "The busiest campaigns",
    "One visit",
    "Why ",
    "Why ",
)


@pytest.mark.usefixtures("spark")
def test_the_report_has_all_its_parts_and_its_figures_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    """Rules, mistakes, matches, one visit, one match and one miss; what is counted is what the index counts."""
    main(["--campaigns", "400", "--visits", "30"])
    text = capsys.readouterr().out
    headings = re.findall(r"^── (.*?) ─+$", text, re.MULTILINE)
    assert len(headings) == len(SECTIONS)
    assert all(heading.startswith(start) for heading, start in zip(headings, SECTIONS, strict=True))
    assert max(map(len, text.splitlines())) <= WIDTH
    index = hr.Index()
    index.insert_many(campaigns(400), progress=False)
    # A part of the table for each visit, with a seed of its own.
    matches = sum(len(index.match(next(visits(1, 11 + part)))) for part in range(30))
    assert f"{matches:,} matches, {matches / 30:.1f} a visit." in text
    assert "400 rules taken" in text


@pytest.mark.usefixtures("spark")
def test_a_mistake_is_shown_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    """Users see a caret under the place, and the rules around the mistake are taken."""
    main(["--campaigns", "1", "--visits", "1"])
    lines = capsys.readouterr().out.splitlines()
    row = next(number for number, line in enumerate(lines) if "user.age BETWEN 18" in line)
    assert lines[row - 1].endswith("found 'BETWEN'; did you mean BETWEEN?")
    assert lines[row + 1].index("^") == lines[row].index("BETWEN")
    assert "1 rules taken" in "\n".join(lines)
    assert "4 refused" in "\n".join(lines)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (["--campaigns", "0"], "--campaigns: '0' is not a whole number from 1 to 10,000,000"),
        (["--seed", "x"], "--seed: 'x' is not a whole number from 0 on"),
    ),
)
def test_wrong_options_are_named(capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str) -> None:
    """Before anything runs."""
    with pytest.raises(SystemExit):
        main(arguments)
    assert complaint in capsys.readouterr().err


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """A stranger can copy it."""
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "python -m hedgerow.spark.demo --campaigns 1000 --visits 20000" in capsys.readouterr().out


def test_bars_and_lines_fit() -> None:
    """A bar is never longer than its room, and a long line is cut."""
    assert len(bar(9, 3)) == len(bar(0, 0)) == 28
    assert len(cut("x" * 300)) == WIDTH


def test_the_session_is_the_suites_own(spark: SparkSession) -> None:
    """The demo used it and left it running."""
    assert spark.range(3).count() == 3

"""The demo says what it should, and fits the terminal."""

from __future__ import annotations

import re

import pytest

import hedgerow as hr
from hedgerow.workload.demo import main
from hedgerow.workload.demo_text import WIDTH, bar, cut
from hedgerow.workload.exchange import campaigns, visits

SECTIONS = (
    "hedgerow: which",
    "Taking the rules in",
    "Matching visits",
    "The busiest campaigns",
    "One visit",
    "Why ",
    "Why ",
)


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what the demo prints."""
    main(arguments)
    return capsys.readouterr().out


def test_the_report_has_all_its_parts_in_order_and_fits_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Rules, mistakes, matches, one visit, one match and one miss: each has its heading."""
    text = report(capsys, "--campaigns", "400", "--visits", "200")
    headings = re.findall(r"^── (.*?) ─+$", text, re.MULTILINE)
    assert len(headings) == len(SECTIONS)
    assert all(heading.startswith(start) for heading, start in zip(headings, SECTIONS, strict=True))
    assert max(map(len, text.splitlines())) <= WIDTH


def test_the_figures_are_those_of_the_index(capsys: pytest.CaptureFixture[str]) -> None:
    """What the report counts is what the index counts."""
    index = hr.Index()
    index.insert_many(campaigns(300), progress=False)
    counts = index.count_batch(visits(700)).to_pylist()
    text = report(capsys, "--campaigns", "300", "--visits", "700")
    assert "300 rules taken" in text
    assert f"{sum(counts):,} matches, {sum(counts) / 700:.1f} a visit" in text
    assert re.search(rf"none  █* *[▏▎▍▌▋▊▉]? +{counts.count(0)} visits", text)


def test_a_mistake_is_shown_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    """Users see a caret under the place, and the rules around the mistake are taken."""
    lines = report(capsys, "--campaigns", "20", "--visits", "5").splitlines()
    row = lines.index("      user.age BETWEN 18 AND 24 AND user.inte...")
    assert lines[row - 1].endswith("found 'BETWEN'; did you mean BETWEEN?")
    assert lines[row + 1].index("^") == lines[row].index("BETWEN")
    assert sum(line.startswith("  row ") for line in lines) == 4


def test_another_seed_is_another_exchange(capsys: pytest.CaptureFixture[str]) -> None:
    """The seed reaches both the campaigns and the visits."""
    first, second = (report(capsys, "--campaigns", "9", "--visits", "1", "--seed", seed) for seed in "12")
    assert next(campaigns(1, seed=2))[0] in second
    assert first.split("One visit")[1] != second.split("One visit")[1]


def test_a_single_campaign_that_nobody_matches_is_no_trouble(capsys: pytest.CaptureFixture[str]) -> None:
    """The smallest exchange has no busiest campaign and no match to explain."""
    text = report(capsys, "--campaigns", "1", "--visits", "1")
    assert "No campaign wants any of these visits." in text
    assert "Campaigns that want it: 0" in text
    assert "wants it ──" not in text
    assert "does not want it ──" in text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (["--campaigns", "0"], "--campaigns: '0' is not a whole number from 1 to 1,000,000"),
        (["--visits", "1000001"], "--visits: '1000001' is not a whole number from 1 to 1,000,000"),
        (["--visits", "many"], "--visits: 'many' is not a whole number"),
        (["--seed=-1"], "--seed: '-1' is not a whole number from 0 on"),
    ),
)
def test_a_bad_number_is_refused_by_name(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says which option, what it got and what it takes."""
    with pytest.raises(SystemExit):
        main(arguments)
    assert complaint in capsys.readouterr().err


def test_the_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """The help tells the options and one way to use them."""
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "python -m hedgerow.workload.demo --campaigns 1000 --visits 20000" in capsys.readouterr().out


def test_a_bar_is_as_long_as_its_share() -> None:
    """The largest bar fills its room, none is longer, and nothing is no bar."""
    assert bar(7, 7) == "█" * len(bar(7, 7))
    assert len({len(bar(count, 10)) for count in range(11)}) == 1
    assert bar(0, 10).strip() == bar(0, 0).strip() == ""


def test_a_line_that_is_too_long_says_so() -> None:
    """What is cut ends in an ellipsis at the last column."""
    assert cut("x" * WIDTH) == "x" * WIDTH
    assert cut("x" * (WIDTH + 1)) == "x" * (WIDTH - 1) + "…"
